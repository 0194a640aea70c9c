"""Spans as arrays, against sets of characters."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxel.spans import Coverage, intersection, merge

groups = st.sampled_from([0, 7, -3, 10**15])
spans = st.lists(st.tuples(groups, st.integers(-2, 30), st.integers(-2, 35)), max_size=12)


def columns(some):
    return [np.array(column, dtype=np.int64) for column in zip(*some, strict=True)] if some else [[], [], []]


def characters(some):
    return {(group, place) for group, start, end in some if start >= 0 for place in range(start, end)}


@given(spans)
def test_merging_keeps_every_character_and_leaves_gaps(some):
    merged = list(zip(*(column.tolist() for column in merge(*columns(some))), strict=True))
    assert characters(merged) == characters(some)
    assert merged == sorted(merged)
    for (group, _, end), (next_group, start, _) in pairwise(merged):
        assert next_group > group or start > end


@given(spans, spans)
def test_covered_counts_characters_once(some, asked):
    covered = Coverage(*columns(some)).covered(*columns(asked))
    assert covered.tolist() == [len(characters(some) & characters([one])) for one in asked]


@given(spans)
def test_totals_are_those_of_whole_groups(some):
    asked = [0, 7, -3, 10**15, 99]
    found = Coverage(*columns(some)).total(asked).tolist()
    assert found == [len({place for place in characters(some) if place[0] == group}) for group in asked]


def test_nothing_covers_nothing():
    assert Coverage([], [], []).covered([1], [0], [9]).tolist() == [0]
    assert Coverage([], [], []).total([1]).tolist() == [0]
    assert Coverage([1], [0], [9]).covered([], [], []).tolist() == []


def test_many_groups_of_long_texts_do_not_run_into_each_other():
    group = np.arange(200_000) * 1_000_003
    coverage = Coverage(group, np.full_like(group, 5), np.full_like(group, 10_000_000))
    assert (coverage.covered(group, np.zeros_like(group), np.full_like(group, 6)) == 1).all()


def test_groups_are_any_whole_numbers():
    far = 4 * 10**18
    cover = Coverage([-far, far, far], [0, 0, 10], [5, 5, 20])
    asked = [far, -far, 0], [3, 3, 0], [12, 12, 99]
    assert cover.covered(*asked).tolist() == [4, 2, 0]
    assert [column.tolist() for column in intersection(cover, *asked)] == [[0, 0, 1], [3, 10, 3], [5, 12, 5]]
    assert [column.tolist() for column in merge([far, -far, far], [4, 0, 0], [9, 1, 5])] == [
        [-far, far],
        [0, 0],
        [1, 9],
    ]


def test_nothing_is_covered_by_nothing():
    assert [len(column) for column in intersection(Coverage([], [], []), [0, 1], [0, 0], [9, 9])] == [0, 0, 0]
