"""Resampling over topics: intervals of means and tests of paired differences, seeded.

Scores stand in arrays of topics x runs.  Everything that is drawn at random comes from one generator,
so the same seed gives the same figures.
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


EXACT_UP_TO = 14  # topics: 2^14 sign patterns are quicker than any sampling
_TOLERANCE = 1e-12
_AT_ONCE = 2_000_000  # numbers in memory at a time


def bootstrap_interval(
    scores: Floats, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return percentile intervals of the mean of each column, topics drawn with replacement.

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

    Exact for few topics, otherwise sampled; the observed pattern counts as one of the sample.

    >>> randomisation_test(np.array([1.0, 1.0, 1.0]))
    0.25
    """
    values = differences[differences != 0]
    if not len(values):
        return 1.0
    least = least_extreme(values)
    if len(values) <= EXACT_UP_TO:
        return float((np.abs(sign_patterns(len(values)) @ values) >= least).mean())
    random = np.random.default_rng(seed)
    extreme = 0
    for begin, end in _blocks(resamples, len(values)):
        signs = random.integers(0, 2, size=(end - begin, len(values))) * 2.0 - 1.0
        extreme += int((np.abs(signs @ values) >= least).sum())
    return (extreme + 1) / (resamples + 1)


def least_extreme(differences: Floats) -> Floats:
    """Return how far from 0 a sum must be at least, to be as far as the sum of differences, of each column.

    With a tolerance relative to all that could add up, so that what cancels to nothing is nothing.
    """
    least: Floats = np.abs(differences.sum(axis=0)) - _TOLERANCE * np.abs(differences).sum(axis=0)
    return least


@lru_cache(maxsize=EXACT_UP_TO)
def sign_patterns(count: int) -> Floats:
    """Return all patterns of signs, a row each; pair after pair of runs asks for the same."""
    signs = np.array(list(product((-1.0, 1.0), repeat=count)))
    signs.flags.writeable = False
    return signs


def bootstrap_test(differences: Floats, *, resamples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of the bootstrap shift test.

    It asks how often differences with a mean of zero would show a mean as large as the observed one.  One
    topic cannot tell, because it does not vary.
    """
    topics = len(differences)
    if topics < 2 or not differences.any():
        return 1.0
    random = np.random.default_rng(seed)
    shifted = differences - differences.mean()
    least = least_extreme(differences)
    extreme = 0
    for begin, end in _blocks(resamples, topics):
        counts = random.multinomial(topics, np.full(topics, 1 / topics), size=end - begin)
        extreme += int((np.abs(counts @ shifted) >= least).sum())
    return (extreme + 1) / (resamples + 1)


def randomised_tukey(scores: Floats, *, resamples: int = 20_000, seed: int = 0) -> Floats:
    """Return p of every pair of runs by randomised Tukey HSD.

    The scores of a topic are shuffled among the runs, topic by topic.  A pair is told apart when its
    difference of means is larger than the largest difference that any two runs show when it does not
    matter which run a score belongs to.  This controls the family of all pairs, and respects that
    scores of one topic go together (Carterette 2012).
    """
    random = np.random.default_rng(seed)
    topics, runs = scores.shape
    means = scores.mean(axis=0)
    observed = np.abs(means[:, None] - means[None, :])
    ranges = np.empty(resamples)
    for begin, end in _blocks(resamples, topics * runs):
        shuffled = random.permuted(np.broadcast_to(scores, (end - begin, topics, runs)), axis=2)
        drawn = shuffled.mean(axis=1)
        ranges[begin:end] = drawn.max(axis=1) - drawn.min(axis=1)
    extreme = resamples - np.searchsorted(np.sort(ranges), observed * (1 - _TOLERANCE), side="left")
    p: Floats = (extreme + 1.0) / (resamples + 1.0)
    np.fill_diagonal(p, 1.0)
    return p


def _blocks(count: int, width: int) -> list[tuple[int, int]]:
    """Divide a number of resamples so that a block fits into memory."""
    size = max(1, _AT_ONCE // max(1, width))
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]
