"""One paired test of all pairs of runs: sign flips are drawn once for all of them.

A hundred and fifty runs make eleven thousand pairs; flipping the signs of all their differences at once is
a product of two matrices.
"""

from __future__ import annotations

import numpy as np

from doxel.spans import Floats, Ints
from doxel.statistics.paired import paired_test
from doxel.statistics.resampling import EXACT_UP_TO, least_extreme, sign_patterns

__all__ = ["p_of_pairs", "pairs_of"]


_AT_ONCE = 4_000_000  # numbers in memory at a time


def pairs_of(runs: int) -> tuple[Ints, Ints]:
    """Return all pairs of some runs, each once, as two lists.

    >>> [one.tolist() for one in pairs_of(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(runs, 1)
    return first.astype(np.int64), second.astype(np.int64)


def p_of_pairs(test: str, scores: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """Return the two-sided p of every pair of runs (see :func:`pairs_of`) over topics x runs.

    By randomisation all pairs see the same flips: all that there are for few topics, else drawn ones, of
    which the observed one counts as one.  Other tests are done pair by pair.

    >>> p_of_pairs("randomisation", np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])).tolist()
    [0.25]
    """
    first, second = pairs_of(scores.shape[1])
    if test != "randomisation":
        return np.array(
            [
                paired_test(test, scores[:, one], scores[:, other], resamples=resamples, seed=seed)
                for one, other in zip(first, second, strict=True)
            ],
            dtype=np.float64,
        )
    differences = scores[:, first] - scores[:, second]
    if len(scores) <= EXACT_UP_TO:
        signs = sign_patterns(len(scores))
        return np.asarray(_as_extreme(signs, differences) / len(signs), dtype=np.float64)
    random = np.random.default_rng(seed)
    drawn = (random.integers(0, 2, size=(resamples, len(scores))) * 2.0 - 1.0).astype(np.float64)
    return np.asarray((_as_extreme(drawn, differences) + 1) / (resamples + 1), dtype=np.float64)


def _as_extreme(signs: Floats, differences: Floats) -> Ints:
    """Return for each pair how many patterns of signs give a sum as far from 0 as the observed one."""
    least = least_extreme(differences)
    counts = np.zeros(differences.shape[1], dtype=np.int64)
    size = max(1, _AT_ONCE // max(1, len(signs)))
    for begin in range(0, differences.shape[1], size):
        some = slice(begin, begin + size)
        counts[some] = (np.abs(signs @ differences[:, some]) >= least[some]).sum(axis=0)
    return counts
