"""Rank correlation of many pairs of rankings at once, and its interval over topics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxel.spans import Floats

__all__ = ["kendall_taus", "resampled_means", "tau_aps", "tau_interval"]


def kendall_taus(one: Floats, other: Floats) -> Floats:
    """Return Kendall's tau-b of scores along the last axis; NaN where a list is constant or has a NaN.

    >>> kendall_taus(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([1.0, 3.0, 2.0])).round(
    ...     3
    ... ).tolist()
    [0.333, nan]
    """
    rows, columns = np.triu_indices(one.shape[-1], 1)
    first, second = (np.sign(scores[..., rows] - scores[..., columns]) for scores in (one, other))
    pairs = np.sqrt((first != 0).sum(axis=-1) * (second != 0).sum(axis=-1))
    agreeing = (first * second).sum(axis=-1)
    taus: Floats = np.full(np.broadcast_shapes(agreeing.shape, pairs.shape), np.nan)
    np.divide(agreeing, pairs, out=taus, where=pairs > 0)
    return taus


def tau_aps(one: Floats, truth: Floats) -> Floats:
    """Return tau_AP along the last axis, as :func:`doxel.statistics.correlation.tau_ap` defines it.

    >>> tau_aps(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).tolist()
    [0.5]
    """
    size = one.shape[-1]
    if size < 2:
        return np.full(one.shape[:-1], np.nan)
    order = np.argsort(-one, axis=-1, kind="stable")
    ranked = np.take_along_axis(truth, order, axis=-1)
    above, below = ranked[..., None, :], ranked[..., :, None]
    right = np.tril((above > below) + 0.5 * (above == below), -1).sum(axis=-1)[..., 1:]
    shares: Floats = right / np.arange(1, size)
    is_known = ~np.isnan(one + truth).any(axis=-1)
    return np.where(is_known, 2.0 * shares.mean(axis=-1) - 1.0, np.nan)


def resampled_means(values: Floats, *, resamples: int, seed: int) -> Floats:
    """Return means of rankings x topics x runs over topics drawn with replacement: resamples first.

    Undefined scores (NaN) are left out; all rankings see the same topics.  A ranking of which a resample
    holds no topic has no means there.
    """
    random = np.random.default_rng(seed)
    topics = values.shape[1]
    counts = random.multinomial(topics, np.full(topics, 1 / topics), size=resamples).astype(np.float64)
    there = np.isfinite(values)
    sums = np.einsum("bt,mtr->bmr", counts, np.where(there, values, 0.0))
    weights = np.einsum("bt,mtr->bmr", counts, there.astype(np.float64))
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, weights, out=means, where=weights > 0)
    return means


def tau_interval(
    measure: Callable[[Floats, Floats], Floats], one: Floats, other: Floats, *, level: float
) -> tuple[float, float]:
    """Return the interval of a rank correlation, from the means of resamples x runs.

    Resamples in which it is undefined are left out; NaN where it is in all.
    """
    found = measure(one, other)
    found = found[np.isfinite(found)]
    if not len(found):
        return float("nan"), float("nan")
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
