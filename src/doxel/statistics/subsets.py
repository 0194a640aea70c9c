"""How stable rankings are: what two halves of the topics, or two small samples of them, say.

Scores stand in arrays of topics x runs.  Splits are drawn from one seeded generator.
"""

from __future__ import annotations

import numpy as np

from doxel.errors import InputError
from doxel.spans import Floats, Ints
from doxel.statistics.taus import kendall_taus

__all__ = ["disjoint_subsets", "split_agreement"]


def disjoint_subsets(topics: int, size: int, *, splits: int, seed: int) -> tuple[Ints, Ints]:
    """Return two sets of ``size`` topics that share none, for each of some splits.

    >>> one, other = disjoint_subsets(4, 2, splits=1, seed=0)
    >>> sorted([*one[0].tolist(), *other[0].tolist()])
    [0, 1, 2, 3]
    """
    if not 1 <= size <= topics // 2:
        raise InputError("the size of a subset", wanted=f"from 1 to {topics // 2}", found=str(size))
    random = np.random.default_rng(seed)
    order = random.permuted(np.tile(np.arange(topics), (splits, 1)), axis=1)
    return order[:, :size], order[:, size : 2 * size]


def split_agreement(scores: Floats, one: Ints, other: Ints) -> tuple[Floats, Floats]:
    """Return for each split the tau between its halves, and the share of pairs of runs that swap.

    A pair swaps when one half prefers the first run and the other half the second; a tie in either half
    is no swap.

    >>> scores = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> [found.tolist() for found in split_agreement(scores, np.array([[0]]), np.array([[1]]))]
    [[-1.0], [1.0]]
    """
    a, b = scores[one].mean(axis=1), scores[other].mean(axis=1)
    rows, columns = np.triu_indices(scores.shape[1], 1)
    first, second = (np.sign((means[:, rows] - means[:, columns]).round(12)) for means in (a, b))
    return kendall_taus(a, b), np.asarray((first * second < 0).mean(axis=1), dtype=np.float64)
