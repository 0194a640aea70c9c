"""Cumulated gain on arrays: the run S2 p1 (non-relevant) A over tree A, Thorough (section 5)."""

import pytest

from doxel.measures.gain_views import GainVectors
from doxel.measures.inex.xcg import gain_recall, manxcg, nxcg
from measures.arrays import F, each, exactly, rows
from measures.ideals import base, each_ideal_base

IDEAL_RUNS = [
    *each_ideal_base(
        lambda options: f"nxCG({options})@1,2,5,100, MAnxCG({options})@1,5,100, gr({options})@100"
    ),
    ("random", base("gen", "path"), "nxCG(alpha=0)@5, nxCG(alpha=0.5)@5, nxCG(overlap=off)@5"),
    ("single", base("strict"), "xCG(quant=strict)@1,5, xCI(quant=strict)@1,5"),
]

IDEAL = [1, 1, F(3, 4), F(13, 20), F(1, 2), F(1, 2)]
VIEW = GainVectors(gains=rows([F(3, 4), 1, 0, F(13, 20)]), ideal=rows(IDEAL), divisor=each(6))
NXCG = [F(3, 4), F(7, 8), F(7, 11), F(12, 17), F(8, 13), F(6, 11)]


def test_nxcg_is_the_share_of_the_ideal_gain_at_each_rank():
    assert [nxcg(VIEW, cutoff=k).item() for k in range(1, 7)] == exactly(NXCG)  # (exact)
    assert nxcg(VIEW, cutoff=60).item() == exactly(NXCG[-1])  # both curves stay constant
    assert nxcg(VIEW, cutoff=10**9).item() == exactly(NXCG[-1])  # no array of this size is allocated


def test_manxcg_is_the_mean_over_the_ranks():
    assert manxcg(VIEW, cutoff=4).item() == exactly(F(4439, 5984))  # (exact)
    assert manxcg(VIEW, cutoff=8).item() == exactly((sum(NXCG) + 2 * NXCG[-1]) / 8)


@pytest.mark.parametrize(("rank", "value"), [(1, F(15, 88)), (2, F(35, 88)), (3, F(35, 88)), (4, F(6, 11))])
def test_gr_is_the_share_of_all_gain(rank, value):
    assert gain_recall(VIEW, cutoff=rank).item() == exactly(value)  # (exact)


def test_an_empty_run_gains_nothing():
    empty = GainVectors(rows([]), rows([1]), each(1))
    assert [measure(empty, cutoff=3).item() for measure in (nxcg, manxcg, gain_recall)] == [0, 0, 0]
