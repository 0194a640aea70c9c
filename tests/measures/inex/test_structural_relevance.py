"""Structural relevance on arrays: overlapping results and their isolation (section 9)."""

import numpy as np
import pytest

from doxel.measures.gain_views import TiedLevels
from doxel.measures.inex.structural_relevance import Isolation, sr, srp, srpl
from measures.arrays import F, each, exactly, rows
from measures.ideals import base

IDEAL_RUNS = [
    ("perfect", base(), "SRP@1,3, SRP(isolation=ratio)@3, SRP(among=all)@3, SRPL"),
    ("single", base("strict"), "SR(quant=strict)@1,5"),
]


def isolation(relevance, steady, pairs, total):
    """Return the view of one topic; ``pairs`` are overlapping results by position from 0."""
    width = len(relevance)
    levels = TiedLevels(
        relevance=rows(relevance),
        first=np.arange(width)[None, :],
        last=np.arange(width)[None, :],
        length=each(width),
        distinct=each(width),
        total=each(total),
    )
    both = [(result, other) for pair in pairs for result, other in (pair, pair[::-1])]
    result, other = np.array(both, dtype=np.int64).reshape(-1, 2).T
    return Isolation(levels, rows(steady), np.zeros(len(both), dtype=np.int64), result, other)


# (exact) the matrix of 002: a (group 2, 4/17), then one of its children (group 4, 6/17)
WORKED = isolation([1, 1], [F(4, 17), F(6, 17)], [(0, 1)], 2)


@pytest.mark.parametrize(
    ("formula", "among", "score"),
    [
        ("power", "earlier", F(14, 17)),
        ("power", "all", F(12, 17)),
        ("ratio", "earlier", F(4, 5)),
        ("ratio", "all", F(1, 2)),
    ],
)
def test_srp_equals_that_computed_by_hand(formula, among, score):
    assert srp(WORKED, isolation=formula, among=among, cutoff=2).tolist() == exactly([score])


def test_results_after_the_cutoff_do_not_count_as_overlap():
    for among in ("earlier", "all"):
        assert srp(WORKED, isolation="power", among=among, cutoff=1).tolist() == [1]
    assert srp(WORKED, isolation="power", among="earlier", cutoff=4).tolist() == exactly([F(7, 17)])


def test_srp_with_several_overlapping_results_equals_that_computed_by_hand():
    view = isolation([1, F(1, 2), 1], [F(1, 4), F(1, 4), F(1, 2)], [(0, 1), (0, 2), (1, 2)], 4)
    # one, 1/2 times 3/4, and 1/2 squared
    assert srp(view, isolation="power", among="earlier", cutoff=3).tolist() == exactly([F(13, 8) / 3])
    # one, 1/2 times 1/2, and 1/2 of 1/2 + 1/4 + 1/4
    assert srp(view, isolation="ratio", among="earlier", cutoff=3).tolist() == exactly([F(7, 4) / 3])


def test_srpl_is_precall_over_relevance_times_isolation():
    # 1 and 11/17 of 2: recall 1/2 at rank 1, and never 1
    score = srpl(WORKED, isolation="power", among="earlier", method="rank", collection_size=None, step=0.5)
    assert score.tolist() == exactly([F(1, 2)])
    # among all, 13/17 and 11/17: recall 1/2 only at rank 2
    score = srpl(WORKED, isolation="power", among="all", method="rank", collection_size=None, step=0.5)
    assert score.tolist() == exactly([F(1, 4)])


def test_sr_is_the_expected_number():
    assert sr(WORKED, isolation="power", among="earlier", cutoff=2).tolist() == exactly([F(28, 17)])
    assert sr(WORKED, isolation="power", among="all", cutoff=9).tolist() == exactly([F(24, 17)])


def test_an_empty_list_scores_0():
    empty = isolation([], [], [], 1)
    assert srp(empty, isolation="power", among="earlier", cutoff=3).tolist() == [0]
