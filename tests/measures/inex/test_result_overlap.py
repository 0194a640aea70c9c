"""Overlap of a run on arrays that give the smallest cutoff at which a result overlaps another."""

import numpy as np
import pytest

from doxel.measures.inex.result_overlap import overlap
from doxel.measures.text_views import OverlapRanks
from measures.arrays import F, each, exactly
from measures.ideals import gold_twice

IDEAL_RUNS = [("random", gold_twice, "overlap@2,100")]

NEVER = np.inf

# tree A, run p4 S2 p1: p4 and S2 overlap from cutoff 2 on; the second topic has no results
VIEW = OverlapRanks(np.array([[2, 2, NEVER], [NEVER, NEVER, NEVER]]), each(3, 0))


@pytest.mark.parametrize(("rank", "share"), [(1, 0), (2, 1), (3, F(2, 3)), (9, F(2, 3))])
def test_overlap_is_the_share_of_the_first_results_that_overlap(rank, share):
    assert overlap(VIEW, cutoff=rank).tolist() == exactly([share, 0])


def test_short_lists_are_divided_by_their_length():
    assert overlap(OverlapRanks(np.array([[2.0, 2.0, NEVER]]), each(2)), cutoff=3).tolist() == [1]
