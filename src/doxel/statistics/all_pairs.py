"""A paired test for all pairs of runs at once.

150 runs make 11,000 pairs.  All pairs share the same random sign flips, so that the test is one product of
two matrices.
"""

from __future__ import annotations

import numpy as np

from doxel.spans import Floats, Ints
from doxel.statistics.paired import paired_test
from doxel.statistics.resampling import EXACT_UP_TO, least_extreme, sign_patterns

__all__ = ["p_of_pairs", "pairs_of"]


_AT_ONCE = 4_000_000  # numbers in memory at once


def pairs_of(runs: int) -> tuple[Ints, Ints]:
    """Return every pair of ``runs`` runs once, as two arrays of indices.

    >>> [indices.tolist() for indices in pairs_of(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(runs, 1)
    return first.astype(np.int64), second.astype(np.int64)


def p_of_pairs(test: str, scores: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """Return the two-sided p of every pair of runs, in the order of :func:`pairs_of`.

    ``scores`` has one row per topic and one column per run.  The randomisation test uses the same sign
    flips for all pairs: every possible pattern for few topics, otherwise a random sample to which the
    observed pattern is added.  Other tests run pair by pair.

    >>> p_of_pairs("randomisation", np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])).tolist()
    [0.25]
    """
    first, second = pairs_of(scores.shape[1])
    if test != "randomisation":
        return np.array(
            [
                paired_test(test, scores[:, run], scores[:, other], resamples=resamples, seed=seed)
                for run, other in zip(first, second, strict=True)
            ],
            dtype=np.float64,
        )
    differences = scores[:, first] - scores[:, second]
    if len(scores) <= EXACT_UP_TO:
        signs = sign_patterns(len(scores))
        return np.asarray(_as_extreme(signs, differences) / len(signs), dtype=np.float64)
    random = np.random.default_rng(seed)
    signs = (random.integers(0, 2, size=(resamples, len(scores))) * 2.0 - 1.0).astype(np.float64)
    return np.asarray((_as_extreme(signs, differences) + 1) / (resamples + 1), dtype=np.float64)


def _as_extreme(signs: Floats, differences: Floats) -> Ints:
    """Count, for each pair, the sign patterns whose sum is at least as far from 0 as the observed sum."""
    threshold = least_extreme(differences)
    counts = np.zeros(differences.shape[1], dtype=np.int64)
    size = max(1, _AT_ONCE // max(1, len(signs)))
    for begin in range(0, differences.shape[1], size):
        block = slice(begin, begin + size)
        counts[block] = (np.abs(signs @ differences[:, block]) >= threshold[block]).sum(axis=0)
    return counts
