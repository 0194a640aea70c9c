"""Significance tests, bootstrap intervals and effect sizes of runs over the same topics.

Arrays of scores have one row per topic and one column per run.  Each function draws from one seeded
generator, so the same seed gives the same figures.  150 runs make 11,000 pairs: the randomisation test of all
pairs shares its random sign flips, so that it is one product of two matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError, MissingExtraError
from doxel.spans import Booleans, Floats, Ints

__all__ = [
    "TESTS",
    "apply_bootstrap_test",
    "apply_friedman_test",
    "apply_paired_test",
    "apply_randomisation_test",
    "apply_randomisation_tests",
    "apply_randomised_tukey",
    "compare_all_pairs",
    "compute_bootstrap_interval",
    "compute_cliffs_delta",
    "compute_paired_d",
    "compute_upper_limit",
    "count_fewest_topics",
    "count_wins_ties_losses",
    "list_pairs",
]

_NUMBERS_PER_PRODUCT = 4_000_000  # numbers in memory at once


def list_pairs(runs: int) -> tuple[Ints, Ints]:
    """Return every pair of ``runs`` runs once, as two arrays of indices.

    >>> [indices.tolist() for indices in list_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(runs, 1)
    return first.astype(np.int64), second.astype(np.int64)


def compare_all_pairs(test: str, scores: Floats, *, resamples: int = 10_000, seed: int = 0) -> Floats:
    """Return the two-sided p of every pair of runs, in the order of :func:`list_pairs`.

    ``scores`` has one row per topic and one column per run.  The randomisation test uses the same sign
    flips for all pairs: every possible pattern for few topics, otherwise a random sample to which the
    observed pattern is added.  Other tests run pair by pair.

    >>> compare_all_pairs("randomisation", np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])).tolist()
    [0.25]
    """
    first, second = list_pairs(scores.shape[1])
    if test != "randomisation":
        return np.array(
            [
                apply_paired_test(test, scores[:, run], scores[:, other], resamples=resamples, seed=seed)
                for run, other in zip(first, second, strict=True)
            ],
            dtype=np.float64,
        )
    differences = scores[:, first] - scores[:, second]
    if len(scores) <= _EXACT_UP_TO:
        signs = list_sign_patterns(len(scores))
        return np.asarray(_count_as_extreme(signs, differences) / len(signs), dtype=np.float64)
    random = np.random.default_rng(seed)
    signs = (random.integers(0, 2, size=(resamples, len(scores))) * 2.0 - 1.0).astype(np.float64)
    return np.asarray((_count_as_extreme(signs, differences) + 1) / (resamples + 1), dtype=np.float64)


def _count_as_extreme(signs: Floats, differences: Floats) -> Ints:
    """Count, for each pair, the sign patterns whose sum is at least as far from 0 as the observed sum."""
    threshold = find_extreme_threshold(differences)
    counts = np.zeros(differences.shape[1], dtype=np.int64)
    size = max(1, _NUMBERS_PER_PRODUCT // max(1, len(signs)))
    for begin in range(0, differences.shape[1], size):
        block = slice(begin, begin + size)
        counts[block] = (np.abs(signs @ differences[:, block]) >= threshold[block]).sum(axis=0)
    return counts


_EXACT_UP_TO = 14  # topics: trying all 2^14 sign patterns is quicker than sampling
_TOLERANCE = 1e-12
_NUMBERS_PER_BLOCK = 2_000_000  # numbers in memory at once
_KEPT = 40  # samples: as many as the numbers of topics in which two of 150 runs differ


def compute_bootstrap_interval(
    scores: Floats, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return the percentile interval of each column's mean, with topics drawn with replacement.

    >>> low, high = compute_bootstrap_interval(np.array([[1.0], [1.0]]))
    >>> (low.tolist(), high.tolist())
    ([1.0], [1.0])
    """
    topics, runs = scores.shape
    means = np.empty((resamples, runs))
    for begin, counts in _draw_topics(topics, resamples, seed, width=topics * runs):
        means[begin : begin + len(counts)] = counts @ scores / topics
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return low, high


def apply_randomisation_test(differences: Floats, *, resamples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of Fisher's sign-flip test on paired differences.

    The test is exact for few topics and otherwise sampled; the sample includes the observed signs.

    >>> apply_randomisation_test(np.array([1.0, 1.0, 1.0]))
    0.25
    """
    values = differences[differences != 0]
    if not len(values):
        return 1.0
    threshold = find_extreme_threshold(values)
    if len(values) <= _EXACT_UP_TO:
        return float((np.abs(list_sign_patterns(len(values)) @ values) >= threshold).mean())
    extreme = sum(
        int((np.abs(signs @ values) >= threshold).sum())
        for signs in _draw_signs(len(values), resamples, seed)
    )
    return (extreme + 1) / (resamples + 1)


def apply_randomisation_tests(differences: Floats, *, resamples: int = 100_000, seed: int = 0) -> Floats:
    """Return the p of :func:`apply_randomisation_test` for each column of topics x pairs of runs.

    Pairs that differ in the same number of topics share their signs, and one product of matrices.

    >>> apply_randomisation_tests(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])).tolist()
    [0.25, 1.0]
    """
    is_different = differences != 0
    counts = is_different.sum(axis=0)
    p: Floats = np.ones(len(counts))
    for count in np.unique(counts[counts > 0]).tolist():
        pairs = np.flatnonzero(counts == count)
        values = differences.T[pairs][is_different.T[pairs]].reshape(len(pairs), count).T
        if count <= _EXACT_UP_TO:
            p[pairs] = _count_as_extreme(list_sign_patterns(count), values) / 2**count
        else:
            extreme = sum(_count_as_extreme(signs, values) for signs in _draw_signs(count, resamples, seed))
            p[pairs] = (extreme + 1) / (resamples + 1)
    return p


def compute_upper_limit(
    differences: Floats, *, level: float = 0.95, resamples: int = 20_000, seed: int = 0
) -> float:
    """Return the upper limit of the one-sided interval of a mean difference of paired scores.

    It is the higher of two limits.  The first inverts the one-sided sign-flip test and is exact if the
    differences are symmetric around their mean, as those of two equally good runs are, however few, discrete
    or tied they are.  The second corrects the t interval for skewness, because a few large gains among many
    small losses would otherwise look like a loss too often.  The limit is infinite for too few topics.

    >>> compute_upper_limit(np.full(8, -0.1)), compute_upper_limit(np.full(4, -0.1))
    (-0.1, inf)
    """
    return max(
        _invert_sign_flips(differences, level=level, resamples=resamples, seed=seed),
        _correct_for_skewness(differences, level=level),
    )


def count_fewest_topics(level: float) -> int:
    """Return the smallest number of topics that can show a difference at a level, if all of them agree.

    >>> count_fewest_topics(0.95)
    5
    """
    return int(np.ceil(-np.log2(1 - level) - _TOLERANCE))


def _invert_sign_flips(differences: Floats, *, level: float, resamples: int, seed: int) -> float:
    """Return the smallest shift above which the one-sided sign-flip test rejects.

    Flipping the signs of a subset of ``differences - shift`` leaves the sum as low as it is if and only if
    the mean of the subset is at least ``shift``.  So p is the share of the subsets whose mean is at least
    ``shift``, the empty one included, and the limit is an order statistic of these means (Hartigan 1969).
    """
    topics = len(differences)
    if topics <= _EXACT_UP_TO:
        means = _average_subsets(list_sign_patterns(topics) > 0, differences)
    else:
        random = np.random.default_rng(seed)
        blocks = [
            _average_subsets(random.integers(0, 2, size=(end - begin, topics)) > 0, differences)
            for begin, end in _divide_into_blocks(resamples, topics)
        ]
        means = np.concatenate([*blocks, [np.inf]])  # the observed signs: no topic is flipped
    allowed = int((1 - level + _TOLERANCE) * len(means))  # how many subset means may reach the shift
    return float(np.sort(means)[::-1][allowed])


def _average_subsets(membership: Booleans, values: Floats) -> Floats:
    """Return the mean of each subset of the values, one per row; infinity for the empty subset."""
    size = membership.sum(axis=1)
    means: Floats = np.divide(membership @ values, size, out=np.full(len(size), np.inf), where=size > 0)
    return means


def _correct_for_skewness(differences: Floats, *, level: float) -> float:
    """Return the upper limit of the t interval, with the first term of its expansion for skewness.

    limit = mean + s / sqrt(n) * (t + g * (2 t^2 + 1) / (6 sqrt(n))), where g is the skewness (Johnson 1978).
    Further terms, or a term of more than t / 2, would take a loss in nearly all of few topics for chance:
    scores with two values are skewed by the loss itself.
    """
    topics, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1)) if topics > 2 else 0.0
    if spread <= _TOLERANCE * abs(mean):
        return mean
    centred = differences - mean
    bias = np.sqrt(topics * (topics - 1)) / (topics - 2)
    skewness = (centred**3).mean() / (centred**2).mean() ** 1.5 * bias
    root, quantile = np.sqrt(topics), _find_t_quantile(level, topics - 1)
    correction = min(skewness * (2 * quantile**2 + 1) / (6 * root), quantile / 2)
    return float(mean + spread / root * (quantile + correction))


def _find_t_quantile(level: float, freedom: int) -> float:
    """Return a quantile of Student's distribution by the expansion of Cornish and Fisher, without scipy."""
    z = NormalDist().inv_cdf(level)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return float(z + sum(term / freedom**power for power, term in enumerate(terms, 1)))


def find_extreme_threshold(differences: Floats) -> Floats:
    """Return the smallest absolute sum, per column, that counts as extreme as the sum of the differences.

    The tolerance is relative to the sum of absolute differences, so that differences which cancel out
    count as a sum of 0 in spite of rounding.
    """
    threshold: Floats = np.abs(differences.sum(axis=0)) - _TOLERANCE * np.abs(differences).sum(axis=0)
    return threshold


@lru_cache(maxsize=_EXACT_UP_TO)
def list_sign_patterns(count: int) -> Floats:
    """Return all patterns of ``count`` signs, one per row; cached because every pair of runs needs them."""
    signs = np.array(list(product((-1.0, 1.0), repeat=count)))
    signs.flags.writeable = False
    return signs


def apply_bootstrap_test(differences: Floats, *, resamples: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of the bootstrap shift test.

    The differences are shifted to a mean of 0; p is the share of resamples with a mean at least as far
    from 0 as the observed one.  It is 1 for a single topic, which has no variance.
    """
    topics = len(differences)
    if topics < 2 or not differences.any():
        return 1.0
    shifted = differences - differences.mean()
    threshold = find_extreme_threshold(differences)
    extreme = sum(
        int((np.abs(counts @ shifted) >= threshold).sum())
        for _, counts in _draw_topics(topics, resamples, seed, width=topics)
    )
    return (extreme + 1) / (resamples + 1)


def apply_randomised_tukey(scores: Floats, *, resamples: int = 20_000, seed: int = 0) -> Floats:
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
    for begin, end in _divide_into_blocks(resamples, topics * runs):
        shuffled = random.permuted(np.broadcast_to(scores, (end - begin, topics, runs)), axis=2)
        shuffled_means = shuffled.mean(axis=1)
        ranges[begin:end] = shuffled_means.max(axis=1) - shuffled_means.min(axis=1)
    extreme = resamples - np.searchsorted(np.sort(ranges), observed * (1 - _TOLERANCE), side="left")
    p: Floats = (extreme + 1.0) / (resamples + 1.0)
    np.fill_diagonal(p, 1.0)
    return p


def _divide_into_blocks(count: int, width: int) -> list[tuple[int, int]]:
    """Divide ``count`` resamples into blocks of which each fits into memory, as (begin, end)."""
    size = max(1, _NUMBERS_PER_BLOCK // max(1, width))
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


def _draw_topics(topics: int, resamples: int, seed: int, *, width: int) -> Iterator[tuple[int, Floats]]:
    """Yield how often each resample draws each topic: the first row of each block, and the block.

    All runs and measures with the same number of topics share their resamples, so these are kept.
    """
    blocks = _divide_into_blocks(resamples, width)
    if resamples * topics <= _NUMBERS_PER_BLOCK:
        all_counts = _keep_topics(topics, resamples, seed)
        yield from ((begin, all_counts[begin:end].astype(np.float64)) for begin, end in blocks)
        return
    random = np.random.default_rng(seed)
    for begin, end in blocks:
        counts = random.multinomial(topics, np.full(topics, 1 / topics), size=end - begin)
        yield begin, counts.astype(np.float64)


@lru_cache(maxsize=_KEPT)
def _keep_topics(topics: int, resamples: int, seed: int) -> npt.NDArray[np.int32]:
    random = np.random.default_rng(seed)
    return random.multinomial(topics, np.full(topics, 1 / topics), size=resamples).astype(np.int32)


def _draw_signs(topics: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield random signs in blocks, one row per resample; as in :func:`_draw_topics` they are kept."""
    if resamples * topics <= _NUMBERS_PER_BLOCK:
        yield _keep_signs(topics, resamples, seed).astype(np.float64)
        return
    random = np.random.default_rng(seed)
    for begin, end in _divide_into_blocks(resamples, topics):
        yield (random.integers(0, 2, size=(end - begin, topics)) * 2.0 - 1.0).astype(np.float64)


@lru_cache(maxsize=_KEPT)
def _keep_signs(topics: int, resamples: int, seed: int) -> npt.NDArray[np.int8]:
    random = np.random.default_rng(seed)
    return (random.integers(0, 2, size=(resamples, topics)) * 2 - 1).astype(np.int8)


def _import_scipy_stats(test: str) -> object:
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtraError(test, "stats") from None
    return stats


def _apply_t_test(differences: Floats, *, resamples: int, seed: int) -> float:
    del resamples, seed
    if len(differences) < 2 or not differences.any():
        return 1.0  # a single topic has no variance to test against
    if np.ptp(differences) == 0:
        return 0.0  # every topic shows the same difference: the variance is 0 and t infinite
    return float(_import_scipy_stats("the t test").ttest_1samp(differences, 0.0).pvalue)  # type: ignore[attr-defined]


def _apply_wilcoxon_test(differences: Floats, *, resamples: int, seed: int) -> float:
    """Return p of Wilcoxon's signed-rank test, which leaves out topics without a difference."""
    del resamples, seed
    if not differences.any():
        return 1.0
    result = _import_scipy_stats("Wilcoxon's test").wilcoxon(  # type: ignore[attr-defined]
        differences, zero_method="wilcox"
    )
    return float(result.pvalue)


TESTS: dict[str, tuple[Callable[..., float], str]] = {
    "randomisation": (
        lambda values, *, resamples, seed: apply_randomisation_test(values, resamples=resamples, seed=seed),
        f"Fisher's sign-flip test (exact if at most {_EXACT_UP_TO} topics differ, else sampled)",
    ),
    "t": (_apply_t_test, "paired t test"),
    "wilcoxon": (_apply_wilcoxon_test, "Wilcoxon's signed-rank test, topics without a difference left out"),
    "bootstrap": (
        lambda values, *, resamples, seed: apply_bootstrap_test(values, resamples=resamples, seed=seed),
        "bootstrap shift test",
    ),
}


def apply_paired_test(
    name: str, scores: Floats, other: Floats, *, resamples: int = 100_000, seed: int = 0
) -> float:
    """Return the two-sided p of a paired test; the null hypothesis is that both runs have the same mean.

    >>> apply_paired_test("randomisation", np.array([0.5, 0.6]), np.array([0.5, 0.6]))
    1.0
    """
    if name not in TESTS:
        raise InputError("a test", wanted=f"one of {', '.join(TESTS)}", found=repr(name))
    return TESTS[name][0](scores - other, resamples=resamples, seed=seed)


def apply_friedman_test(scores: Floats) -> float:
    """Return p of Friedman's test; the null hypothesis is that the runs (three or more columns) are equal.

    The statistic has the usual correction for ties and is referred to the chi-squared distribution.
    """
    if np.ptp(scores, axis=1).max(initial=0.0) == 0:
        return 1.0
    try:
        from scipy import special  # scipy.stats takes five times as long to import
    except ImportError:
        raise MissingExtraError("Friedman's test", "stats") from None
    topics, runs = scores.shape
    rank_sums, ties = np.zeros(runs), 0.0
    for row in scores:
        ordered = np.sort(row)
        before, until = (np.searchsorted(ordered, row, side=side) for side in ("left", "right"))
        rank_sums += (before + until + 1) / 2
        ties += float(((until - before) ** 2 - 1).sum())  # t^3 - t for each group of t equal scores
    correction = 1 - ties / (runs * (runs * runs - 1) * topics)
    spread = 12.0 / (runs * topics * (runs + 1)) * (rank_sums**2).sum() - 3 * topics * (runs + 1)
    return float(special.chdtrc(runs - 1, spread / correction))


def compute_paired_d(scores: Floats, other: Floats) -> float:
    """Return Cohen's d of paired scores: the mean difference over the standard deviation of differences.

    It is infinite if all topics show the same difference, and NaN for a single topic, which has no
    variance.

    >>> compute_paired_d(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0]))
    1.0
    """
    differences = scores - other
    if len(differences) < 2:
        return float("nan")
    spread = differences.std(ddof=1)
    if spread == 0:
        return 0.0 if not differences.any() else float(np.copysign(np.inf, differences.mean()))
    return float(differences.mean() / spread)


def compute_cliffs_delta(scores: Floats, other: Floats) -> float:
    """Return Cliff's delta: P(a score of the first run > a score of the second) - P(the reverse).

    >>> compute_cliffs_delta(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.75
    """
    return float(np.sign(scores[:, None] - other[None, :]).mean())


def count_wins_ties_losses(scores: Floats, other: Floats) -> tuple[int, int, int]:
    """Count the topics in which the first run is better, equal and worse.

    >>> count_wins_ties_losses(np.array([1.0, 2.0]), np.array([0.5, 2.0]))
    (1, 1, 0)
    """
    differences = scores - other
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())
