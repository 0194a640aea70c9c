"""Rank correlation: how far two rankings of the same systems agree.

There are functions for two rankings, for many pairs of rankings at once, for confidence intervals over
topics, and for the stability of a ranking over disjoint samples of the topics.  Splits and resamples are
drawn from one seeded generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError
from doxel.spans import Floats, Ints

__all__ = [
    "compare_splits",
    "compute_kendall_tau",
    "compute_kendall_taus",
    "compute_rank_biased_overlap",
    "compute_tau_ap",
    "compute_tau_aps",
    "compute_tau_interval",
    "draw_disjoint_subsets",
    "resample_means",
]


def compute_kendall_tau(scores: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return Kendall's tau-b of two lists of scores; NaN if either is constant or contains a NaN.

    >>> compute_kendall_tau([1, 2, 3], [1, 3, 2]) == 1 / 3
    True
    """
    return float(
        compute_kendall_taus(np.asarray(scores, dtype=np.float64), np.asarray(other, dtype=np.float64))
    )


def compute_tau_ap(scores: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return tau_AP, a Kendall's tau that weights disagreement at the top more (Yilmaz et al. 2008).

    It is not symmetric: the second list is the truth.  Systems with equal scores in the first list keep
    their order.  NaN if a list contains a NaN or has fewer than 2 items.

    >>> compute_tau_ap([3, 2, 1], [3, 2, 1])
    1.0
    """
    return float(compute_tau_aps(np.asarray(scores, dtype=np.float64), np.asarray(truth, dtype=np.float64)))


def compute_rank_biased_overlap(ranking: Sequence[str], other: Sequence[str], p: float = 0.9) -> float:
    """Return the extrapolated rank-biased overlap of two rankings (Webber, Moffat and Zobel 2010, Eq. 32).

    ``p`` is the persistence: at 0.9 the first ten ranks carry about 86 % of the weight.  The rankings may
    differ in length; below the end of a ranking its agreement is assumed to continue as at its last rank.

    >>> compute_rank_biased_overlap(["a", "b"], ["a", "b"])
    1.0
    """
    if not 0 < p < 1:
        raise InputError("the persistence of RBO", wanted="a number between 0 and 1", found=repr(p))
    for items in (ranking, other):
        if len(set(items)) < len(items):
            raise InputError("a ranking", wanted="each item once", found="an item that occurs twice")
    short, long = sorted((ranking, other), key=len)
    if not short:
        return 1.0 if not long else 0.0
    depth = np.arange(1, len(long) + 1)
    common = _count_common_items(short, long)
    within, last = float(common[len(short) - 1]), float(common[-1])
    # below the end of the shorter list, extrapolate the agreement that it has reached
    extrapolated = np.where(depth > len(short), within * (depth - len(short)) / len(short), 0.0)
    sums = float((((common + extrapolated) / depth) * p ** (depth - 1.0)).sum())
    rest = (last - within) / len(long) + within / len(short)
    return (1 - p) * sums + rest * p ** len(long)


def _count_common_items(short: Sequence[str], long: Sequence[str]) -> Floats:
    """Count the items that two rankings share down to each rank of the longer one."""
    rank_in_short = {item: rank for rank, item in enumerate(short)}
    counts = np.zeros(len(long))
    for rank, item in enumerate(long):
        if item in rank_in_short:
            counts[max(rank, rank_in_short[item])] += 1
    return counts.cumsum()


def compute_kendall_taus(scores: Floats, other: Floats) -> Floats:
    """Return Kendall's tau-b of scores along the last axis; NaN if a list is constant or contains a NaN.

    >>> compute_kendall_taus(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([1.0, 3.0, 2.0])).round(
    ...     3
    ... ).tolist()
    [0.333, nan]
    """
    rows, columns = np.triu_indices(scores.shape[-1], 1)
    first, second = (np.sign(values[..., rows] - values[..., columns]) for values in (scores, other))
    pairs = np.sqrt((first != 0).sum(axis=-1) * (second != 0).sum(axis=-1))
    agreeing = (first * second).sum(axis=-1)
    taus: Floats = np.full(np.broadcast_shapes(agreeing.shape, pairs.shape), np.nan)
    np.divide(agreeing, pairs, out=taus, where=pairs > 0)
    return taus


def compute_tau_aps(scores: Floats, truth: Floats) -> Floats:
    """Return tau_AP along the last axis, as :func:`compute_tau_ap` defines it.

    >>> compute_tau_aps(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).tolist()
    [0.5]
    """
    size = scores.shape[-1]
    if size < 2:
        return np.full(scores.shape[:-1], np.nan)
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(truth, order, axis=-1)
    above, below = ranked[..., None, :], ranked[..., :, None]
    correct = np.tril((above > below) + 0.5 * (above == below), -1).sum(axis=-1)[..., 1:]
    shares: Floats = correct / np.arange(1, size)
    is_defined = ~np.isnan(scores + truth).any(axis=-1)
    return np.where(is_defined, 2.0 * shares.mean(axis=-1) - 1.0, np.nan)


def resample_means(values: Floats, *, resamples: int, seed: int) -> Floats:
    """Return the mean scores of bootstrap resamples of the topics.

    ``values`` has the axes (ranking, topic, run), the result (resample, ranking, run).  All rankings use
    the same topics of a resample.  Undefined scores (NaN) are left out; the mean is NaN if none is left.
    """
    random = np.random.default_rng(seed)
    topics = values.shape[1]
    counts = random.multinomial(topics, np.full(topics, 1 / topics), size=resamples).astype(np.float64)
    is_defined = np.isfinite(values)
    sums = np.einsum("bt,mtr->bmr", counts, np.where(is_defined, values, 0.0))
    weights = np.einsum("bt,mtr->bmr", counts, is_defined.astype(np.float64))
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means


def compute_tau_interval(
    measure: Callable[[Floats, Floats], Floats], means: Floats, other_means: Floats, *, level: float
) -> tuple[float, float]:
    """Return the percentile interval of a rank correlation, from mean scores of resamples x runs.

    Resamples in which the correlation is undefined are left out; the interval is NaN if all are.
    """
    correlations = measure(means, other_means)
    correlations = correlations[np.isfinite(correlations)]
    if not len(correlations):
        return float("nan"), float("nan")
    low, high = np.quantile(correlations, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def draw_disjoint_subsets(topics: int, size: int, *, splits: int, seed: int) -> tuple[Ints, Ints]:
    """Draw two disjoint sets of ``size`` topics for each of ``splits`` splits.

    >>> first, second = draw_disjoint_subsets(4, 2, splits=1, seed=0)
    >>> sorted([*first[0].tolist(), *second[0].tolist()])
    [0, 1, 2, 3]
    """
    if not 1 <= size <= topics // 2:
        raise InputError("the size of a subset", wanted=f"from 1 to {topics // 2}", found=str(size))
    random = np.random.default_rng(seed)
    order = random.permuted(np.tile(np.arange(topics), (splits, 1)), axis=1)
    return order[:, :size], order[:, size : 2 * size]


def compare_splits(scores: Floats, topics: Ints, other_topics: Ints) -> tuple[Floats, Floats]:
    """Return, for each split, Kendall's tau between its two sets and the share of pairs of runs that swap.

    A pair swaps if one set of topics prefers the first run and the other set the second; a tie in either
    set is not a swap.

    >>> scores = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> [values.tolist() for values in compare_splits(scores, np.array([[0]]), np.array([[1]]))]
    [[-1.0], [1.0]]
    """
    a, b = scores[topics].mean(axis=1), scores[other_topics].mean(axis=1)
    rows, columns = np.triu_indices(scores.shape[1], 1)
    first, second = (np.sign((means[:, rows] - means[:, columns]).round(12)) for means in (a, b))
    return compute_kendall_taus(a, b), np.asarray((first * second < 0).mean(axis=1), dtype=np.float64)
