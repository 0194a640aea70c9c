"""Random cases: their shapes, their order, and the search for small ones."""

import sys

import pytest

from doxel.auditing.audit_cases import SHAPES, AuditCase, Passage, search_cases
from doxel.errors import MissingExtraError


def draw(shape, count, seed=0):
    cases = []
    search_cases(shape, count, seed, lambda case: cases.append(case) or False)
    return cases


@pytest.mark.parametrize("shape", SHAPES)
def test_cases_have_gold_and_results_that_fit_their_shape(shape):
    cases = draw(shape, 40)
    assert len(set(cases)) >= 40
    for case in cases:
        assert case.shape == shape
        assert case.topics in (["1"], ["1", "2"])
        for passages in (case.gold, case.results):
            assert {passage.topic for passage in passages} == set(case.topics)
            assert len(set(passages)) == len(passages)
        lengths = {passage.end - passage.start for passage in (*case.gold, *case.results)}
        assert lengths == {1} or shape in {"spans", "points"}
        if shape in {"documents", "articles"}:
            assert {passage.start for passage in (*case.gold, *case.results)} == {0}


def test_gold_passages_overlap_and_touch_each_other():
    pairs = [
        (passage, other)
        for case in draw("spans", 60)
        for passage in case.gold
        for other in case.gold
        if passage != other and passage[:2] == other[:2]
    ]
    assert any(passage.start < other.end and other.start < passage.end for passage, other in pairs)
    assert any(passage.end == other.start for passage, other in pairs)


def test_the_same_seed_gives_the_same_cases():
    assert draw("spans", 30, seed=4) == draw("spans", 30, seed=4)
    assert draw("spans", 30, seed=4) != draw("spans", 30, seed=5)


def test_the_smallest_accepted_case_is_returned():
    case = search_cases("spans", 200, 0, lambda case: any(result.end > 9 for result in case.results))
    assert len(case.gold) == len(case.results) == 1
    assert case.results[0].end == 10


def test_none_ends_the_search():
    visited = []
    assert search_cases("spans", 100, 0, visited.append) is None
    assert len(visited) == 1


def test_the_search_leaves_no_files_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw("spans", 10)
    assert list(tmp_path.iterdir()) == []


def test_without_hypothesis_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(MissingExtraError, match=r"an audit needs .*doxel\[audit\]"):
        draw("spans", 1)


def test_relevant_text_is_merged_where_it_overlaps_and_not_where_it_touches():
    spans = [("d1", 0, 3), ("d1", 2, 5), ("d1", 5, 6), ("d2", 0, 1)]
    case = AuditCase(tuple(Passage("1", *span) for span in spans), ())
    assert [passage[1:] for passage in case.find_relevant_stretches("1")] == [
        ("d1", 0, 5),
        ("d1", 5, 6),
        ("d2", 0, 1),
    ]


def test_shuffled_lines_keep_their_ranks():
    results = tuple(Passage("1", "d1", place, place + 1) for place in range(6))
    case = AuditCase(results[:1], results, shuffle=1)
    lines = case.list_ranked_results()
    assert lines != sorted(lines)
    assert sorted(lines) == list(enumerate(results, 1))
