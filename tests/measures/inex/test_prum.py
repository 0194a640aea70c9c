"""Measures of users who browse, on arrays (section 6)."""

import numpy as np
import pytest

from doxel.measures.inex.prum import eprum, eprum_at, eprum_rank, gr_users, prum
from doxel.measures.user_views import Encounters, Entries
from measures.arrays import F, each, exactly


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
        has_units=True,
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
    points = [eprum_at(THREE, binary=True, recall=recall).item() for recall in (0.01, 0.5, 0.51, 1.0)]
    assert points == exactly([F(89, 100), F(89, 100), F(18, 25), F(18, 25)])
    assert eprum(THREE, binary=True).tolist() == exactly([F(161, 200)])
    at_ranks = [eprum_rank(THREE, binary=True, cutoff=rank).item() for rank in (1, 2, 3)]
    assert at_ranks == exactly([F(4, 5), F(13, 20), F(19, 30)])


def test_prum_equals_that_computed_by_hand():
    assert prum(THREE).tolist() == exactly([(F(50, 63) + F(31, 44)) / 2])
