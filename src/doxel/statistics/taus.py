"""Rank correlation of many pairs of rankings at once, and its confidence interval over topics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxel.spans import Floats

__all__ = ["kendall_taus", "resampled_means", "tau_aps", "tau_interval"]


def kendall_taus(one: Floats, other: Floats) -> Floats:
    """Return Kendall's tau-b of scores along the last axis; NaN if a list is constant or contains a NaN.

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
    correct = np.tril((above > below) + 0.5 * (above == below), -1).sum(axis=-1)[..., 1:]
    shares: Floats = correct / np.arange(1, size)
    is_defined = ~np.isnan(one + truth).any(axis=-1)
    return np.where(is_defined, 2.0 * shares.mean(axis=-1) - 1.0, np.nan)


def resampled_means(values: Floats, *, resamples: int, seed: int) -> Floats:
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


def tau_interval(
    measure: Callable[[Floats, Floats], Floats], one: Floats, other: Floats, *, level: float
) -> tuple[float, float]:
    """Return the percentile interval of a rank correlation, from mean scores of resamples x runs.

    Resamples in which the correlation is undefined are left out; the interval is NaN if all are.
    """
    correlations = measure(one, other)
    correlations = correlations[np.isfinite(correlations)]
    if not len(correlations):
        return float("nan"), float("nan")
    low, high = np.quantile(correlations, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
