"""Measures of users who browse, on arrays (section 6)."""

import numpy as np
import pytest

from doxel.measures.inex.prum import eprum, eprum_at, eprum_rank, gr_users, prum, prum_at
from doxel.measures.user_views import Encounters, Entries
from measures.arrays import F, each, exactly
from measures.ideals import base, entry_points

IDEAL_RUNS = [
    ("random", base("gen", "path"), "GR@100, EPRUM, EPRUM_P@0.1,1, EPRUM(expectation=lengths), PRUM"),
    ("random", base(), "GR(task=thorough)@100, PRUM(task=thorough, unreached=ignored)"),
    ("random", base(), "EPRUM_P(base=full)@0.1,1, EPRUM_Pk(base=full)@1, PRUM_P(base=full)@0.1,1"),
    ("random", entry_points, 'EPRUM(model="bep_distance", A=0.1)'),
]


def encounters(entries, weight, levels):
    """Return the view of one topic: entries (rank from 1, target, chance), weights, sizes of tied levels."""
    rank, target, chance = zip(*entries, strict=True)
    begins = np.cumsum([0, *levels])
    first = np.repeat(begins[:-1], levels)[None, :]
    last = np.repeat(begins[1:] - 1, levels)[None, :]
    return Encounters(
        entries=Entries(np.zeros(len(rank), dtype=np.int64), np.array(rank), np.array(target), each(*chance)),
        target_topic=np.zeros(len(weight), dtype=np.int64),
        weight=each(*weight),
        first=first,
        last=last,
        length=np.array([sum(levels)]),
        ideal=None,
        ideal_length=None,
    )


# (exact) targets of weight 1 and 1/2; rank 1 leads to the first with 1/2, rank 2 is the second
TWO = encounters([(1, 0, F(1, 2)), (2, 1, 1)], [1, F(1, 2)], [1, 1])


@pytest.mark.parametrize(("cutoff", "share"), [(0, 0), (1, F(1, 3)), (2, F(2, 3)), (9, F(2, 3))])
def test_gr_is_the_expected_share_of_targets_seen(cutoff, share):
    assert gr_users(TWO, cutoff=cutoff).tolist() == exactly([share])


@pytest.mark.parametrize(
    ("cutoff", "share"),
    [
        (1, F(1, 2) * F(1, 4) + F(1, 2) * F(1, 2) * F(1, 2)),  # a user looks at each of the two with 1/2
        (2, F(1, 2) * F(1, 2) + F(1, 2) * F(1, 2)),
        (3, F(1, 2) * F(1, 2) + F(1, 2)),
    ],
)
def test_a_tied_level_cut_by_the_cutoff_counts_in_part(cutoff, share):
    # two results in one level lead to one target each with chance 1/2; the third is the second target
    view = encounters([(1, 0, F(1, 2)), (2, 1, F(1, 2)), (3, 1, 1)], [1, 1], [2, 1])
    assert gr_users(view, cutoff=cutoff).tolist() == exactly([share])


# (exact) two targets, chances (.8, 0) (.5, .4) (0, 1)
THREE = encounters([(1, 0, F(4, 5)), (2, 0, F(1, 2)), (2, 1, F(2, 5)), (3, 1, 1)], [1, 1], [1, 1, 1])


def test_eprum_equals_that_computed_by_hand():
    points = [
        eprum_at(THREE, binary=True, expectation="ratio", recall=recall).item()
        for recall in (0.01, 0.5, 0.51, 1.0)
    ]
    assert points == exactly([F(89, 100), F(89, 100), F(18, 25), F(18, 25)])
    assert eprum(THREE, binary=True, expectation="ratio").tolist() == exactly([F(161, 200)])
    at_ranks = [eprum_rank(THREE, binary=True, cutoff=rank).item() for rank in (1, 2, 3)]
    assert at_ranks == exactly([F(4, 5), F(13, 20), F(19, 30)])


def eprum_lengths(view):
    points = range(1, len(view.weight) + 1)
    return [eprum_at(view, binary=True, expectation="lengths", recall=r / len(points)).item() for r in points]


def prum_points(view, unreached="zero"):
    points = range(1, len(view.weight) + 1)
    return [prum_at(view, unreached=unreached, recall=r / len(points)).item() for r in points]


# (exact) P rows (1,0) (.5,.4) (0,1): both targets are surely reached
SURE = encounters([(1, 0, 1), (2, 0, F(1, 2)), (2, 1, F(2, 5)), (3, 1, 1)], [1, 1], [1, 1, 1])
# (exact) one result, the first of 6 targets; found surely at ranks 1 and 3 of 3 targets
ONE_OF_SIX = encounters([(1, 0, 1)], [1] * 6, [1])
ONE_AND_THREE = encounters([(1, 0, 1), (3, 1, 1)], [1] * 3, [1, 1, 1, 1])


def test_prum_equals_that_computed_by_hand():
    assert prum_points(THREE) == exactly([F(50, 63), F(2, 3)])
    assert prum(THREE, unreached="zero").tolist() == exactly([(F(50, 63) + F(2, 3)) / 2])
    assert prum_points(SURE) == exactly([1, F(10, 13)])
    assert prum_points(ONE_OF_SIX) == [1, 0, 0, 0, 0, 0]


def test_prum_can_count_the_discoveries_of_users_who_never_reach_the_recall():
    assert prum_points(THREE, "ignored") == exactly([F(50, 63), F(31, 44)])
    assert prum_points(ONE_OF_SIX, "ignored") == [1] * 6


def test_the_ratio_of_expected_lengths_equals_that_computed_by_hand():
    assert eprum_lengths(THREE) == exactly([F(50, 63), 0])  # the second target is missed with 1/10
    assert eprum_lengths(SURE) == exactly([1, F(10, 13)])


def test_found_surely_all_precisions_are_classical():
    for points in (prum_points(ONE_AND_THREE), eprum_lengths(ONE_AND_THREE)):
        assert points == exactly([1, F(2, 3), 0])
    assert eprum(ONE_AND_THREE, binary=True, expectation="ratio").tolist() == exactly([F(5, 9)])
