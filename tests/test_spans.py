"""Spans as arrays, compared with sets of characters."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxel.spans import Coverage, intersect_spans, merge_spans

groups = st.sampled_from([0, 7, -3, 10**15])
spans = st.lists(st.tuples(groups, st.integers(-2, 30), st.integers(-2, 35)), max_size=12)


def columns(rows):
    return [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)] if rows else [[], [], []]


def characters(rows):
    return {(group, place) for group, start, end in rows if start >= 0 for place in range(start, end)}


@given(spans)
def test_merging_keeps_every_character_and_leaves_gaps(rows):
    merged = list(zip(*(column.tolist() for column in merge_spans(*columns(rows))), strict=True))
    assert characters(merged) == characters(rows)
    assert merged == sorted(merged)
    for (group, _, end), (next_group, start, _) in pairwise(merged):
        assert next_group > group or start > end


def test_spans_that_touch_or_contain_others_become_one():
    rows = [(0, 0, 9), (0, 2, 4), (0, 6, 12), (0, 12, 15)]
    assert [column.tolist() for column in merge_spans(*columns(rows))] == [[0], [0], [15]]
    apart = merge_spans(*columns(rows), touching=False)
    assert [column.tolist() for column in apart] == [[0, 0], [0, 12], [12, 15]]


@given(spans, spans)
def test_covered_counts_each_character_once(rows, queries):
    covered = Coverage(*columns(rows)).covered(*columns(queries))
    assert covered.tolist() == [len(characters(rows) & characters([query])) for query in queries]


@given(spans)
def test_totals_count_the_covered_characters_of_whole_groups(rows):
    queries = [0, 7, -3, 10**15, 99]
    totals = Coverage(*columns(rows)).total(queries).tolist()
    assert totals == [len({place for place in characters(rows) if place[0] == group}) for group in queries]


def test_no_spans_cover_nothing():
    assert Coverage([], [], []).covered([1], [0], [9]).tolist() == [0]
    assert Coverage([], [], []).total([1]).tolist() == [0]
    assert Coverage([1], [0], [9]).covered([], [], []).tolist() == []


def test_many_groups_of_long_texts_do_not_overlap_on_the_line():
    group = np.arange(200_000) * 1_000_003
    coverage = Coverage(group, np.full_like(group, 5), np.full_like(group, 10_000_000))
    assert (coverage.covered(group, np.zeros_like(group), np.full_like(group, 6)) == 1).all()


def test_groups_can_be_any_integers():
    far = 4 * 10**18
    cover = Coverage([-far, far, far], [0, 0, 10], [5, 5, 20])
    query = [far, -far, 0], [3, 3, 0], [12, 12, 99]
    assert cover.covered(*query).tolist() == [4, 2, 0]
    assert [column.tolist() for column in intersect_spans(cover, *query)] == [
        [0, 0, 1],
        [3, 10, 3],
        [5, 12, 5],
    ]
    assert [column.tolist() for column in merge_spans([far, -far, far], [4, 0, 0], [9, 1, 5])] == [
        [-far, far],
        [0, 0],
        [1, 9],
    ]


def test_the_intersection_with_no_spans_is_empty():
    assert [len(column) for column in intersect_spans(Coverage([], [], []), [0, 1], [0, 0], [9, 9])] == [
        0,
        0,
        0,
    ]
