"""Tolerance to irrelevance on arrays (section 6)."""

import numpy as np

from doxel.measures.inex.tolerance_to_irrelevance import t2i, t2i_ap
from doxel.measures.user_views import Readings
from measures.arrays import F, each, exactly, rows
from measures.ideals import passages

IDEAL_RUNS = [("perfect", passages, "T2I@1,3, T2I_AP")]

LEVELS = np.array([[0, 1, 2]])
VIEW = Readings(rows([1, 0, 1]), LEVELS, LEVELS, each(3), each(2))


def test_t2i_is_the_number_of_successes_divided_by_the_cutoff():
    assert [t2i(VIEW, cutoff=cutoff).item() for cutoff in (1, 2, 3, 4)] == exactly(
        [1, F(1, 2), F(2, 3), F(1, 2)]
    )


def test_t2i_ap_is_precall_over_successes():
    # up to one of two passages P = 1; then one failure comes before the second: P(x) = 2x / (2x + 1)
    expected = (50 + sum(F(2 * point, 100) / (F(2 * point, 100) + 1) for point in range(51, 101))) / 100
    assert t2i_ap(VIEW).tolist() == exactly([expected])
