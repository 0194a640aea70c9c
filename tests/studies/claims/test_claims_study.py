"""The study of claims: on the bundled campaign, on simulated grades, and on data that lack something."""

from __future__ import annotations

import pytest

from doxel.errors import InputError
from doxel.studies import study_claims
from doxel.studies.claims.claim_table import CLAIMS
from doxel.studies.claims.claims_study import OUTCOMES
from studies.toy_runs import GOLD, RUNS


@pytest.fixture(scope="module")
def claims_study(ask):
    return ask("claims")


def outcome(study, name):
    return study.claims.filter(claim=name).row(0, named=True)


def figures(study, name):
    return dict(study.figures.filter(claim=name).select("figure", "value").iter_rows())


@pytest.mark.integration
def test_every_claim_is_asked_once_and_counted(claims_study):
    assert claims_study.claims["claim"].to_list() == [claim.name for claim in CLAIMS]
    assert claims_study.claims["outcome"].is_in(OUTCOMES).all()
    assert int(claims_study.counts.drop("source").to_numpy().sum()) == len(CLAIMS)
    assert claims_study.counts["source"].to_list() == [f"source 00{number}" for number in range(5)]


@pytest.mark.integration
def test_reproduced_claims_need_no_words_and_the_others_have_them(claims_study):
    for row in claims_study.claims.iter_rows(named=True):
        assert bool(row["analysis"]) is (row["outcome"] == "not reproduced"), row["claim"]
        assert bool(row["missing"]) is (row["outcome"] == "cannot be asked"), row["claim"]
        assert bool(row["figures"]) is (row["outcome"] != "cannot be asked"), row["claim"]
    others = claims_study.claims.filter(claims_study.claims["outcome"] != "reproduced").height
    assert len(claims_study.findings) == 1 + others


@pytest.mark.integration
def test_the_figures_are_those_of_the_other_studies(claims_study, ask):
    structural = ask("structural-relevance")
    assert figures(claims_study, "002-differ-power")["tau"] == pytest.approx(structural.tau)
    settings = ask("settings")  # overlap=on against overlap=off
    row = settings.agreement.filter(measure='nxCG(task="focused")@10').row(0, named=True)
    assert figures(claims_study, "000-overlap-impact")["tau"] == pytest.approx(row["tau"])
    bases = ask("ideal-base").agreement
    assert figures(claims_study, "000-ideal-base")["lowest tau"] == pytest.approx(bases["tau"].min())


@pytest.mark.integration
def test_what_follows_from_definitions_is_reproduced_on_any_data(claims_study):
    # 001 section 7.2, 003 section 5, 004 section 3.3 and the sums of 001 Eq. 2 hold whatever the data
    for name in (
        "001-classical",
        "001-classical-rank",
        "003-recall",
        "003-perfect-finds-all",
        "004-normalisation",
    ):
        assert outcome(claims_study, name)["outcome"] == "reproduced", name


@pytest.mark.integration
def test_tests_on_four_topics_cannot_be_asked(claims_study):
    row = outcome(claims_study, "004-gen-sog")
    assert row["outcome"] == "cannot be asked"
    # 36 pairs of nine runs: 2^(1-n) * 36 < .05 needs 11 topics; the grades of 2003 cover four
    assert "at least 11 topics for 36 pairs of runs, found 4 topics" in row["missing"]


@pytest.mark.integration
def test_warnings_are_listed_in_a_table(claims_study):
    assert claims_study.notes.height
    assert len(claims_study.warnings) == 1
    assert f"{claims_study.notes.height} warnings" in claims_study.warnings[0]


def test_bare_spans_leave_most_claims_unasked():
    study = study_claims(RUNS, GOLD)
    unasked = study.claims.filter(outcome="cannot be asked")
    assert unasked.height > 40
    assert "wanted a collection (-c), found none" in outcome(study, "001-ancestors")["missing"]
    assert "wanted the scale of 2002, found 2006" in outcome(study, "003-strict")["missing"]
    # gains over bare spans have MAep and iMAep: whole 1, twice 1/2, half 1/2 by both
    assert outcome(study, "004-MAep-iMAep")["outcome"] == "reproduced"


@pytest.mark.integration
def test_without_runs_simulated_systems_are_ranked(demo):
    study = study_claims(
        [], None, collection=demo.collection, simulate_grades=8, claims=["002", "003-obs", "004-hints"]
    )
    assert figures(study, "002-differ-power")["runs"] == 8
    assert study.parameters["runs"] == "simulated systems"
    assert outcome(study, "003-observation-1-ERR")["scale"] == "2002"
    assert outcome(study, "003-observation-1-ERR")["outcome"] == "reproduced"
    assert "wanted topics (-t)" in outcome(study, "004-hints")["missing"]


def test_claims_are_selected_by_the_beginning_of_their_names():
    study = study_claims(RUNS, GOLD, claims=["001-low", "003-observation-1"])
    assert study.claims["claim"].to_list() == ["001-low-A", "003-observation-1-ERR", "003-observation-1-GRP"]
    with pytest.raises(InputError, match=r"a claim: wanted one of 000-overlap-impact.*found '005'"):
        study_claims(RUNS, GOLD, claims=["005"])


def test_measures_are_refused():
    with pytest.raises(InputError, match=r"wanted no measures \(-m\)"):
        study_claims(RUNS, GOLD, "char_rec@1")


def test_simulated_grades_need_a_collection():
    with pytest.raises(InputError, match=r"simulated grades: wanted a collection \(-c\)"):
        study_claims(RUNS, GOLD, simulate_grades=3)


def test_the_real_run_of_2009_is_not_enough(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    runs = [
        str(folder / name) for name in ("bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz")
    ]
    study = study_claims(runs, str(folder / "inex-adhoc-2009-2010.qrels"))
    # two passage runs without their collection: every claim names the data that it lacks
    assert study.claims["outcome"].unique().to_list() == ["cannot be asked"]
    assert "runs: wanted at least 3, found 2" in outcome(study, "004-MAep-iMAep")["missing"]
