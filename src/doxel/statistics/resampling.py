"""Resampling over topics: intervals of means and tests of paired differences.

Arrays of scores have one row per topic and one column per run.  Each function draws from one seeded
generator, so the same seed gives the same figures.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from doxel.spans import Floats

__all__ = [
    "EXACT_UP_TO",
    "bootstrap_interval",
    "bootstrap_test",
    "least_extreme",
    "randomisation_test",
    "randomised_tukey",
    "sign_patterns",
]


EXACT_UP_TO = 14  # topics: trying all 2^14 sign patterns is quicker than sampling
_TOLERANCE = 1e-12
_AT_ONCE = 2_000_000  # numbers in memory at once


def bootstrap_interval(
    scores: Floats, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return the percentile interval of each column's mean, with topics drawn with replacement.

    >>> low, high = bootstrap_interval(np.array([[1.0], [1.0]]))
    >>> (low.tolist(), high.tolist())
    ([1.0], [1.0])
    """
    random = np.random.default_rng(seed)
    topics, runs = scores.shape
    means = np.empty((resamples, runs))
    for begin, end in _blocks(resamples, topics * runs):
        counts = random.multinomial(topics, np.full(topics, 1 / topics), size=end - begin)
        means[begin:end] = counts @ scores / topics
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return low, high


def randomisation_test(differences: Floats, *, resamples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of Fisher's sign-flip test on paired differences.

    The test is exact for few topics and otherwise sampled; the sample includes the observed signs.

    >>> randomisation_test(np.array([1.0, 1.0, 1.0]))
    0.25
    """
    values = differences[differences != 0]
    if not len(values):
        return 1.0
    threshold = least_extreme(values)
    if len(values) <= EXACT_UP_TO:
        return float((np.abs(sign_patterns(len(values)) @ values) >= threshold).mean())
    random = np.random.default_rng(seed)
    extreme = 0
    for begin, end in _blocks(resamples, len(values)):
        signs = random.integers(0, 2, size=(end - begin, len(values))) * 2.0 - 1.0
        extreme += int((np.abs(signs @ values) >= threshold).sum())
    return (extreme + 1) / (resamples + 1)


def least_extreme(differences: Floats) -> Floats:
    """Return the smallest absolute sum, per column, that counts as extreme as the sum of the differences.

    The tolerance is relative to the sum of absolute differences, so that differences which cancel out
    count as a sum of 0 in spite of rounding.
    """
    threshold: Floats = np.abs(differences.sum(axis=0)) - _TOLERANCE * np.abs(differences).sum(axis=0)
    return threshold


@lru_cache(maxsize=EXACT_UP_TO)
def sign_patterns(count: int) -> Floats:
    """Return all patterns of ``count`` signs, one per row; cached because every pair of runs needs them."""
    signs = np.array(list(product((-1.0, 1.0), repeat=count)))
    signs.flags.writeable = False
    return signs


def bootstrap_test(differences: Floats, *, resamples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of the bootstrap shift test.

    The differences are shifted to a mean of 0; p is the share of resamples with a mean at least as far
    from 0 as the observed one.  It is 1 for a single topic, which has no variance.
    """
    topics = len(differences)
    if topics < 2 or not differences.any():
        return 1.0
    random = np.random.default_rng(seed)
    shifted = differences - differences.mean()
    threshold = least_extreme(differences)
    extreme = 0
    for begin, end in _blocks(resamples, topics):
        counts = random.multinomial(topics, np.full(topics, 1 / topics), size=end - begin)
        extreme += int((np.abs(counts @ shifted) >= threshold).sum())
    return (extreme + 1) / (resamples + 1)


def randomised_tukey(scores: Floats, *, resamples: int = 20_000, seed: int = 0) -> Floats:
    """Return p of every pair of runs by randomised Tukey HSD.

    Each resample shuffles the scores of every topic among the runs and records the largest difference
    between any two mean scores.  p of a pair is the share of resamples in which that difference is at
    least as large as the pair's own.  This controls the family-wise error over all pairs and keeps the
    scores of a topic together (Carterette 2012).
    """
    random = np.random.default_rng(seed)
    topics, runs = scores.shape
    means = scores.mean(axis=0)
    observed = np.abs(means[:, None] - means[None, :])
    ranges = np.empty(resamples)
    for begin, end in _blocks(resamples, topics * runs):
        shuffled = random.permuted(np.broadcast_to(scores, (end - begin, topics, runs)), axis=2)
        shuffled_means = shuffled.mean(axis=1)
        ranges[begin:end] = shuffled_means.max(axis=1) - shuffled_means.min(axis=1)
    extreme = resamples - np.searchsorted(np.sort(ranges), observed * (1 - _TOLERANCE), side="left")
    p: Floats = (extreme + 1.0) / (resamples + 1.0)
    np.fill_diagonal(p, 1.0)
    return p


def _blocks(count: int, width: int) -> list[tuple[int, int]]:
    """Divide ``count`` resamples into blocks of which each fits into memory, as (begin, end)."""
    size = max(1, _AT_ONCE // max(1, width))
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]
