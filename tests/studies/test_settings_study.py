"""The effect of settings: worked out by hand, and on the bundled campaign."""

from __future__ import annotations

import math

import pytest

from doxel.errors import InputError
from doxel.runs import RESULTS, Run
from doxel.studies import find_study, study_settings
from doxel.studies.study_data import load_study_data, parse_setting
from doxel.topics import read_topics
from studies.toy_runs import GOLD, RUNS, TOPICS, run


def test_the_settings_study_equals_numbers_worked_out_by_hand():
    # the same result twice: once counted it is read once, charged it is read twice
    runs = {"once": run(*[10] * 6), "again": [*run(*[10] * 6), *run(*[10] * 6)]}
    study = study_settings(runs, GOLD, ["char_prec@2", "char_rec@2"], b="repeats=charged")
    rows = {row["run"]: row for row in study.runs.filter(measure="char_prec@2").iter_rows(named=True)}
    assert (rows["once"]["a"], rows["once"]["b"], rows["once"]["p"]) == (1, 1, 1)
    # six topics, all down by a half: of 64 patterns of signs two are as extreme
    assert (rows["again"]["b"], rows["again"]["difference"], rows["again"]["p"]) == (0.5, -0.5, 2 / 64)
    assert rows["again"]["p_adjusted"] == 4 / 64  # Holm over two runs
    assert (rows["again"]["rank_a"], rows["again"]["rank_b"]) == (1, 2)
    # under A the two tie, so that tau is undefined; under B one pair differs significantly, p 2/64 < .05
    (details,) = study.conclusions.filter(measure="char_prec@2").iter_rows(named=True)
    assert details == {
        "measure": "char_prec@2",
        "pairs": 1,
        "both": 0,
        "only_a": 0,
        "only_b": 1,
        "opposite": 0,
        "neither": 0,
    }
    assert math.isnan(study.agreement.filter(measure="char_prec@2")["tau"].item())


def test_opposite_conclusions_are_counted():
    # the good result comes first in one run, and second in the other, where little is read besides
    early = [row for topic in TOPICS for row in ((topic, "a", 0, 10), (topic, "a", 50, 90))]
    late = [row for topic in TOPICS for row in ((topic, "a", 50, 52), (topic, "a", 0, 10))]
    study = study_settings({"early": early, "late": late}, GOLD, "char_prec", a="limit=1", b="limit=2")
    # early 1 and 10/50, late 0 and 10/12: significant under both, in opposite directions
    assert study.runs["a"].to_list() == [1.0, 0.0]
    assert study.runs["b"].to_list() == pytest.approx([0.2, 10 / 12])
    assert study.conclusions.select("both", "opposite").row(0) == (1, 1)
    assert study.agreement["tau"].item() == -1
    assert "1 in opposite directions" in study.findings[0]


def test_measures_that_settings_do_not_change_are_listed():
    study = study_settings(RUNS, GOLD, ["char_prec@2", "iP(task=thorough)@0"], b="repeats=charged")
    assert study.untouched == ('iP(task="thorough")@0',)
    assert study.agreement["measure"].to_list() == ["char_prec@2"]


def test_equal_settings_raise_an_error():
    with pytest.raises(InputError, match="A and B that differ"):
        study_settings(RUNS, GOLD, "char_rec@1", a="limit=5", b="limit=5")
    with pytest.raises(InputError, match="wanted A and B that change at least one measure"):
        study_settings(RUNS, GOLD, "char_rec@1", a="limit=5", b="limit=5.0")


NXCG, MAEP = 'nxCG(task="focused")@10', 'MAep(task="thorough")'


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
    (changed,) = material.apply_setting(parse_setting("hints=strict")).runs
    left = changed.change(changed.original)
    assert left.results.select("doc", "path").rows() == [rows[0], rows[2]]
    assert left.notes == ("1 result is left out because of the structure of the topics",)
