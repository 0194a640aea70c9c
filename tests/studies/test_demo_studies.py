"""The findings of studies on the bundled campaign.

Figures that must hold for a reason are asserted exactly, with the reason; figures that depend on the data
are asserted loosely, so that a changed assessment needs no new figure but a bug in a study is noticed.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from doxel.documents.ingestion import ingest
from doxel.evaluation import evaluate
from doxel.runs import RESULTS, Run
from doxel.studies import STUDIES, find_study, study_settings, study_stereotypes
from doxel.studies.study_data import load_study_data, parse_setting
from doxel.topics import read_topics

GR, GRP = 'GR(model="inex2003")', "inex_eval(step=0.1)"
NXCG, MAEP = 'nxCG(task="focused")@10', 'MAep(task="thorough")'


@pytest.fixture(scope="module")
def stereotyped(ask):
    return ask("stereotypes")


def outcomes(study, measure):
    rows = study.observations.filter(measure=measure)
    return dict(rows.select("observation", "outcome").iter_rows())


def shares(study, measure, observation):
    rows = study.completion.filter(measure=measure, observation=observation)
    return dict(rows.select("share", "ratio").iter_rows())


def test_generalised_recall_has_all_four_properties(stereotyped):
    assert outcomes(stereotyped, GR) == dict.fromkeys((1, 2, 3, 4), "wanted")


def test_perfect_finds_everything_under_generalised_recall(stereotyped):
    # its results are the targets, and each target leads to itself
    curve = stereotyped.points.curve("GR(model=inex2003)").filter(run="perfect", at=1000.0)
    assert curve["y"].to_list() == pytest.approx([1.0] * 4)


def test_generalised_precision_and_recall_have_the_first_two_faults(stereotyped):
    study = outcomes(stereotyped, GRP)
    assert (study[1], study[2]) == ("blamed", "blamed")
    assert stereotyped.by_topic.filter(measure=GRP, observation=2)["outcome"].to_list() == ["blamed"] * 4


def test_the_other_two_faults_fail_because_near_misses_were_not_graded(stereotyped):
    # the assessors of the campaign graded no part of an exact element (data/demo/assessments): biggest-child
    # gains only if the exact element is a leaf
    returned = {row["system"]: row for row in stereotyped.returned.iter_rows(named=True)}
    assert returned["biggest-child"]["too small"] == 0
    assert returned["biggest-child"]["ungraded"] + returned["biggest-child"]["exact"] == pytest.approx(1)
    study = outcomes(stereotyped, GRP)
    assert study[3] != "blamed"
    assert study[4] == "neither"
    # so their grades decide: the ratio of document to biggest-child falls steadily, below 1
    ratios = list(shares(stereotyped, GRP, 4).values())
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[0] > 4
    assert ratios[-1] < 1
    # while generalised recall changes by a tenth at most
    ratios = list(shares(stereotyped, GR, 4).values())
    assert max(ratios) / min(ratios) < 1.1


def test_observations_that_do_not_hold_are_explained(stereotyped):
    fourth = [sentence for sentence in stereotyped.findings if sentence.startswith(f"Observation 4, {GRP}")]
    assert len(fourth) == 1
    assert "It does not hold here" in fourth[0]
    assert "are ungraded" in fourth[0]
    assert "It would hold if" in fourth[0]
    assert len(stereotyped.findings) == 8


def test_simulated_grades_show_the_third_fault_as_well(demo):
    study = study_stereotypes(None, collection=demo.collection, simulate_grades=25)
    assert outcomes(study, GR) == dict.fromkeys((1, 2, 3, 4), "wanted")
    assert {number: outcomes(study, GRP)[number] for number in (1, 2, 3)} == dict.fromkeys(
        (1, 2, 3), "blamed"
    )
    # every parent is graded and half of the children, one grade lower
    assert shares(study, GRP, 3)[0.0] > 3
    assert shares(study, GRP, 4)[0.0] > 4 / 3 > shares(study, GRP, 4)[1.0]


def test_real_articles_show_the_same_outcomes(shared_data, tmp_path):
    source = next((shared_data / "plos-jats").glob("*.tar.xz"))
    ingest(str(source), str(tmp_path / "real.doxel"), jobs=1)
    study = study_stereotypes(None, collection=str(tmp_path / "real.doxel"), simulate_grades=6)
    assert outcomes(study, GR) == dict.fromkeys((1, 2, 3, 4), "wanted")
    assert {number: outcomes(study, GRP)[number] for number in (1, 2, 3)} == dict.fromkeys(
        (1, 2, 3), "blamed"
    )
    ratios = shares(study, GRP, 4)
    assert ratios[0.0] > 4 / 3  # most children have no grade
    assert ratios[1.0] < 4 / 3


def test_character_recall_disagrees_with_precision_measures(ask, demo, demo_runs):
    study = ask("agreement", resamples=300)
    taus = {(row["ranking"], row["other"]): row for row in study.pairs.iter_rows(named=True)}
    assert len(taus) == 8 * 7
    assert taus["SRP@10", NXCG]["tau"] == taus[NXCG, "SRP@10"]["tau"]
    for row in taus.values():
        assert -1 <= row["low"] <= row["high"] <= 1
    # recall by characters prefers whole articles, which all precision-like measures put last
    places = study.rankings.filter(run="bm25-articles")
    by_measure = dict(places.select("ranking", "rank").iter_rows())
    assert by_measure["char_rec@10"] == 1
    assert [by_measure[name] for name in (NXCG, MAEP, "inex_eval", "SRP@10")] == [9] * 4
    assert all(row["tau"] < 0 for (one, _), row in taus.items() if one == "char_rec@10")
    # the same tau as that of the evaluation itself
    means = evaluate(
        [demo_runs[run] for run in find_study("agreement").demo_runs],
        demo.assessments["qrels"],
        ["SRP@10", NXCG],
        collection=demo.collection,
    ).agreement()
    assert taus["SRP@10", NXCG]["tau"] == means["tau"][0]
    assert taus["SRP@10", NXCG]["tau_ap"] == means["tau_ap"][0]


def test_the_tie_rule_doubles_the_ideal_base_and_no_run_changes_rank(ask):
    study = ask("ideal-base")
    bases = {row["base"]: row for row in study.bases.iter_rows(named=True)}
    assert len(bases) == 8
    # leaves are leaves, whatever the rule for ties
    assert bases["leaves, ancestor"] == {**bases["leaves, descendant"], "base": "leaves, ancestor"}
    # an element with the same text as its parent is as specific: deeper ties mean more and smaller elements
    for construction in ("path", "greedy"):
        above, below = (bases[f"{construction}, {tie}"] for tie in ("ancestor", "descendant"))
        assert below["elements"] > above["elements"]
        assert below["characters"] < above["characters"]
    # best-sum has the greatest sum of gains of all sets that do not overlap
    sums = {name: row["elements"] * row["gain"] for name, row in bases.items()}
    assert max(sums.values()) == pytest.approx(sums["best-sum, ancestor"])
    # the finding: the tie rule doubles the base, and no run changes rank
    agreed = study.agreement.filter(base="path, descendant")
    assert agreed["tau"].to_list() == [1.0, 1.0]
    assert agreed["moved"].to_list() == [0, 0]
    assert bases["path, descendant"]["elements"] > 1.5 * bases["path, ancestor"]["elements"]
    assert (study.agreement["tau"] > 0.8).all()
    official = study.scores.filter(base="path, ancestor")
    assert official["change"].unique().to_list() == [0]
    assert official["p"].unique().to_list() == [1.0]


def test_structural_relevance_never_exceeds_thorough_nxcg(ask):
    study = ask("structural-relevance")
    # SRP divides by the cutoff and takes isolation away; Thorough nxCG divides by at most the cutoff, as no
    # gain exceeds 1: it is never below
    assert (study.scores["one"] <= study.scores["other"] + 1e-12).all()
    assert study.tau > 0.9
    assert study.topics.height == 13  # topic 14 has nothing to find
    # runs without overlap lose nothing by isolation: SRP@10 is the mean of gains, nxCG that over the ideal's
    bare = study.runs.filter(pl.col("overlap") == 0)["run"].to_list()
    assert {"bm25-focused", "lm-focused", "windows-disjoint"} <= set(bare)
    assert study.ranks["rank"].max() == 10


def test_overlap_off_never_lowers_a_score(ask):
    # Thorough ignores overlap (measures.md, section 5), and SRP has no such parameter
    study = ask("settings")
    rows = study.runs.filter(measure=MAEP)
    assert rows["a"].to_list() == rows["b"].to_list()
    assert study.untouched == ("SRP@10",)
    # with overlap off nothing is taken away, so no score falls (004, section 3.3)
    nxcg = study.runs.filter(measure=NXCG)
    assert (nxcg["b"] >= nxcg["a"] - 1e-12).all()
    lost = nxcg.sort("difference", descending=True)["run"][0]
    assert lost == "bm25-elements"  # the run with most overlap gains most


@pytest.fixture(scope="module")
def pair(demo, demo_runs):
    """Compare two settings."""

    def asked(a, b, assessments="qrels", measures=(NXCG, MAEP)):
        runs = [demo_runs[name] for name in find_study("settings").demo_runs]
        return study_settings(
            runs,
            demo.assessments[assessments],
            list(measures),
            collection=demo.collection,
            topic_file=demo.topics,
            a=a,
            b=b,
            resamples=200,
        )

    return asked


def taus(study):
    return dict(study.agreement.select("measure", "tau").iter_rows())


def test_support_does_not_matter_but_target_does(pair):
    # the investigation of 2005 had the same result (004, section 2.4)
    support = pair("structure=SVCAS", "structure=SSCAS")
    assert min(taus(support).values()) == 1
    target = pair("structure=VVCAS", "structure=SVCAS")
    assert max(taus(target).values()) < 0.9


def test_vague_structure_changes_nothing(pair):
    study = pair("", "structure=VVCAS")
    assert study.runs["difference"].abs().max() == 0


def test_links_hardly_matter(pair):
    # the campaign of 2006 filtered them (004, section 2.3)
    assert min(taus(pair("", "exclude_tags=links")).values()) > 0.9


def test_fewer_grades_hardly_matter(pair):
    # Ogilvie and Lalmas found the same of the campaigns of 2004 and 2005 (004, footnote 6)
    assert min(taus(pair("", "grades=1", "inex2005")).values()) > 0.9


def test_strict_quantisations_change_the_ranking(pair):
    assert max(taus(pair("quant=gen", "quant=strict", "inex2005")).values()) < 0.9


def test_two_names_of_a_quantisation_give_the_same_scores(pair):
    study = pair("", "quant=spec")
    assert study.runs["difference"].abs().max() == 0


def test_hints_remove_results_that_do_not_match(pair):
    study = pair("", "hints=strict")
    # a run of whole articles has nothing left for topics that ask for sections
    articles = study.runs.filter(run="bm25-articles", measure=NXCG).row(0, named=True)
    assert articles["b"] < articles["a"]
    assert any(
        warning.startswith("hints=strict: bm25-articles: ") and "left out" in warning
        for warning in study.warnings
    )
    vague = pair("", "hints=VVCAS")
    assert vague.runs["difference"].abs().max() == 0


def test_hints_keep_results_of_unknown_documents(demo):
    # the query asks for sections; the elements of a missing document are unknown
    asking = next(
        topic.id
        for topic in read_topics(demo.topics)
        if (topic.nexi or "").startswith("//section[about(., over")
    )
    rows = [
        ("overlap", "/article[1]/body[1]/section[1]"),
        ("overlap", "/article[1]"),
        ("nowhere", "/article[1]"),
    ]
    results = RESULTS.from_rows({"topic": asking, "doc": doc, "path": path} for doc, path in rows)
    material = load_study_data(
        Run("toy", results), demo.assessments["qrels"], demo.collection, {"topic_file": demo.topics}
    )
    (changed,) = material.changed(parse_setting("hints=strict")).runs
    left = changed.change(changed.given)
    assert left.results.select("doc", "path").rows() == [rows[0], rows[2]]
    assert left.notes == ("1 result is left out because of the structure of the topics",)


def test_larger_samples_of_topics_disagree_less(ask):
    study = ask("power", splits=300)
    assert study.power["pairs"].unique().to_list() == [36]
    assert study.power["topics"].unique().to_list() == [13]
    counted = study.pairs.group_by("measure").agg(apart=(pl.col("p") < 0.05).sum())
    assert dict(counted.iter_rows()) == dict(study.power.select("measure", "apart").iter_rows())
    for _, part in study.pairs.group_by("measure"):
        assert (np.diff(part.sort("place")["p"].to_numpy()) <= 0).all()
    # two samples of six of thirteen topics disagree less than two of three
    sizes = study.stability.pivot("size", index="measure", values="swaps")
    assert (sizes["6"] < sizes["3"]).all()


@pytest.mark.parametrize("study", STUDIES, ids=lambda one: one.name)
def test_every_study_has_findings_and_can_be_reported(study, ask):
    from doxel.reports.study_pictures import build_study_pictures

    result = ask(study.name)
    assert result.findings
    assert all(sentence.endswith(".") for sentence in result.findings)
    names = [panel.name for panel in result.panels]
    assert len(set(names)) == len(names)
    assert result.panels[0].table.height
    assert build_study_pictures(result)
    assert result.rejected == ()


@pytest.mark.parametrize("study", STUDIES, ids=lambda one: one.name)
def test_the_same_seed_gives_the_same_figures(study, ask):
    first, second = ask(study.name), ask(study.name, again=True)
    for one, other in zip(first.panels, second.panels, strict=True):
        assert one.frame.equals(other.frame), one.name
