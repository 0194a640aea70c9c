"""Stability of a ranking of runs: how far two disjoint samples of the topics agree.

Arrays of scores have one row per topic and one column per run.  Splits are drawn from one seeded generator.
"""

from __future__ import annotations

import numpy as np

from doxel.errors import InputError
from doxel.spans import Floats, Ints
from doxel.statistics.taus import kendall_taus

__all__ = ["disjoint_subsets", "split_agreement"]


def disjoint_subsets(topics: int, size: int, *, splits: int, seed: int) -> tuple[Ints, Ints]:
    """Draw two disjoint sets of ``size`` topics for each of ``splits`` splits.

    >>> first, second = disjoint_subsets(4, 2, splits=1, seed=0)
    >>> sorted([*first[0].tolist(), *second[0].tolist()])
    [0, 1, 2, 3]
    """
    if not 1 <= size <= topics // 2:
        raise InputError("the size of a subset", wanted=f"from 1 to {topics // 2}", found=str(size))
    random = np.random.default_rng(seed)
    order = random.permuted(np.tile(np.arange(topics), (splits, 1)), axis=1)
    return order[:, :size], order[:, size : 2 * size]


def split_agreement(scores: Floats, one: Ints, other: Ints) -> tuple[Floats, Floats]:
    """Return, for each split, Kendall's tau between its two sets and the share of pairs of runs that swap.

    A pair swaps if one set of topics prefers the first run and the other set the second; a tie in either
    set is not a swap.

    >>> scores = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> [values.tolist() for values in split_agreement(scores, np.array([[0]]), np.array([[1]]))]
    [[-1.0], [1.0]]
    """
    a, b = scores[one].mean(axis=1), scores[other].mean(axis=1)
    rows, columns = np.triu_indices(scores.shape[1], 1)
    first, second = (np.sign((means[:, rows] - means[:, columns]).round(12)) for means in (a, b))
    return kendall_taus(a, b), np.asarray((first * second < 0).mean(axis=1), dtype=np.float64)
