"""Criteria about simulated systems and recall bases, on a document worked out by hand."""

from __future__ import annotations

import pytest

from doxel.assessments import Assessments, read_assessments
from doxel.assessments.assessments import ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.studies.claims.claim_data import ClaimData
from doxel.studies.claims.system_criteria import (
    compare_two,
    compare_with_one,
    decide_ancestors,
    decide_coverage_values,
    decide_links,
    observe_systems,
    reward_near_misses,
)

# offsets: s [0, 20), p1 [0, 10), p2 [10, 20) with a link [10, 14), t [20, 40)
DOCUMENT = "<a><s><p>0123456789</p><p><link>0123</link>456789</p></s><t>01234567890123456789</t></a>"
JUDGED_ROWS = JUDGED.from_rows([{"topic": "1", "doc": "d"}])


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")
    (folder / "d.xml").write_text(DOCUMENT, encoding="utf-8")
    ingest(folder / "d.xml", folder / "c.doxel")
    return read_collection(folder / "c.doxel")


def highlight(collection, start, end):
    spans = HIGHLIGHTS.from_rows([{"topic": "1", "doc": "d", "start": start, "end": end}])
    judged = Assessments("2006", JUDGED_ROWS, highlights=spans)
    return ClaimData((), {"2006": judged}, collection, {})


def grade(collection, **grades):
    paths = {"a": "/a[1]", "s": "/a[1]/s[1]", "p1": "/a[1]/s[1]/p[1]", "p2": "/a[1]/s[1]/p[2]"}
    rows = [
        {"topic": "1", "doc": "d", "path": paths[name], "relevance": value[0], "coverage": value[1]}
        for name, value in grades.items()
    ]
    judged = Assessments("2002", JUDGED_ROWS, elements=ELEMENTS.from_rows(rows))
    return ClaimData((), {"2002": judged}, collection, {})


def test_too_small_is_compared_with_too_large(collection):
    # gen2002 (003, table 1): 2S .5, 1S .25, 3L .75
    evidence = decide_coverage_values.decide(grade(collection, a="3L", s="3E", p1="2S", p2="1S"))
    assert evidence.figures["value, too small"] == pytest.approx((0.5 + 0.25) / 2)
    assert evidence.figures["value, too large"] == pytest.approx(0.75)
    assert evidence.holds
    # at the same relevance both are worth the same
    assert not decide_coverage_values.decide(grade(collection, a="3L", s="3E", p1="3S")).holds
    with pytest.raises(InputError, match="only one kind"):
        decide_coverage_values.decide(grade(collection, a="3L", s="3E"))


def test_a_relevant_element_without_a_relevant_parent_is_counted(collection):
    complete = decide_ancestors.decide(grade(collection, a="3L", s="3E", p1="3S"))
    assert complete.holds
    gap = decide_ancestors.decide(grade(collection, a="3L", p1="3E"))  # s has no grade
    assert not gap.holds
    assert gap.figures == {"relevant elements below the root": 1, "with a relevant parent": 0}


def test_links_are_counted_among_fully_highlighted_elements(collection):
    # [0, 20): s, p1, p2 and the link are fully highlighted
    evidence = decide_links.decide(highlight(collection, 0, 20))
    assert evidence.figures == {"fully highlighted": 4, "links": 1, "share": 1 / 4}
    assert evidence.holds  # at least 18 %
    nowhere = decide_links.decide(highlight(collection, 0, 10))  # p1 alone
    assert nowhere.figures["share"] == 0
    assert not nowhere.holds


def test_overlap_is_rewarded_by_recall_of_quantised_relevance(collection):
    # [0, 20): ideal is s; repeats adds p1, p2 and the link, which all have q = 1
    data = highlight(collection, 0, 20)
    evidence = compare_two(("qR@9",), "repeats", "more than", "perfect", scales=("2006",)).decide(data)
    # full base: a 1/2, s p1 p2 link 1 each
    assert evidence.figures["qR@9 perfect"] == pytest.approx(1 / 4.5)
    assert evidence.figures["qR@9 repeats"] == pytest.approx(4 / 4.5)
    assert evidence.holds
    for relation in ("less than", "no more than"):
        assert not compare_two(("qR@9",), "repeats", relation, "perfect", scales=("2006",)).decide(data).holds


def test_normalised_gains_are_bounded(collection):
    data = highlight(collection, 0, 20)
    measure = "gr(task=focused)@9"
    assert (
        compare_two((measure,), "inside", "no more than", "perfect", scales=("2006",), every=True)
        .decide(data)
        .holds
    )
    # p1 and p2 gain 1 each, twice the gain of s, where nothing bounds them
    unbounded = compare_two(
        ("gr(task=focused, cap=off)@9",), "inside", "more than", "perfect", scales=("2006",)
    ).decide(data)
    assert unbounded.figures["gr(task=focused, cap=off)@9 inside"] == pytest.approx(2)
    assert unbounded.holds


def test_scores_are_compared_with_one_in_every_topic(collection):
    data = highlight(collection, 0, 20)
    assert compare_with_one("qR@9", "perfect", "below", scales=("2006",)).decide(data).holds
    assert not compare_with_one("qR@9", "perfect", "at", scales=("2006",)).decide(data).holds
    assert compare_with_one("gr(task=focused)@9", "perfect", "at", scales=("2006",)).decide(data).holds


def test_near_misses_must_earn_something_and_less(collection):
    data = highlight(collection, 0, 20)
    # qP@1: s 1, its parent a 1/2, its biggest child p1 1: as much as s itself
    evidence = reward_near_misses(("qP@1",), scales=("2006",)).decide(data)
    assert evidence.figures["qP@1 parent"] == pytest.approx(1 / 2)
    assert evidence.figures["qP@1 biggest-child"] == pytest.approx(1)
    assert not evidence.holds


@pytest.mark.integration
def test_observations_are_those_of_the_stereotype_study(ask, demo):
    study = ask("stereotypes")
    judged = {"2002": read_assessments(demo.assessments["inex2002"])}
    data = ClaimData((), judged, read_collection(demo.collection), {})
    for row in study.observations.iter_rows(named=True):
        column = ["wanted", "blamed"].index(row["expected"])
        evidence = observe_systems(row["observation"], column).decide(data)
        assert evidence.holds is row["holds"]
        assert evidence.figures["ratio"] == pytest.approx(row["ratio"])
        assert bool(evidence.analysis) is not row["holds"]
