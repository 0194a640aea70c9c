"""Curves averaged over topics, with an interval at every point."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.spans import Floats
from doxel.statistics.significance import compute_bootstrap_interval

__all__ = ["average_curves"]

_MEANS = {
    "run": pl.String,
    "curve": pl.String,
    "x": pl.Float64,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "topics": pl.UInt32,
    "undefined": pl.UInt32,
    "at": pl.Float64,
}


def average_curves(
    points: pl.DataFrame, *, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> pl.DataFrame:
    """Average curves over topics: run, curve, x, mean, low, high, topics, undefined, at.

    Parameters
    ----------
    points
        The table returned by ``Curve.of`` or ``Evaluation.curve``: run, topic, curve, x, y, at.  Undefined
        values (NaN) are left out and counted.
    level, resamples, seed
        Settings of the interval, a bootstrap of topics at every point.  All runs share the resamples.
    """
    rows: list[pl.DataFrame] = [pl.DataFrame(schema=_MEANS)]
    for (run, name), part in points.partition_by("run", "curve", as_dict=True, maintain_order=True).items():
        cutoffs = np.unique(part["at"].to_numpy())
        y, x = _pivot_axes(part, len(cutoffs))
        defined = ~np.isnan(y)
        low, high = _compute_intervals(y, level=level, resamples=resamples, seed=seed)
        rows.append(
            pl.DataFrame(
                {
                    "run": [run] * len(cutoffs),
                    "curve": [name] * len(cutoffs),
                    "x": _average_abscissae(x),
                    "mean": _average_columns(y),
                    "low": low,
                    "high": high,
                    "topics": defined.sum(axis=0),
                    "undefined": (~defined).sum(axis=0),
                    "at": cutoffs,
                },
                schema=_MEANS,
            )
        )
    return pl.concat(rows)


def _pivot_axes(part: pl.DataFrame, width: int) -> tuple[Floats, Floats]:
    """Return the y and x of a run's curve as topics x cutoffs; every topic has all cutoffs."""
    ordered = part.with_row_index("row").sort(pl.col("row").min().over("topic"), "at")
    y, x = (ordered[axis].to_numpy().reshape(-1, width) for axis in ("y", "x"))
    return y, x


def _average_columns(values: Floats) -> Floats:
    """Return the mean of each column over its defined values; NaN if there are none."""
    is_defined = ~np.isnan(values)
    count = is_defined.sum(axis=0)
    means: Floats = np.full(values.shape[1], np.nan)
    np.divide(np.where(is_defined, values, 0.0).sum(axis=0), count, out=means, where=count > 0)
    return means


def _average_abscissae(x: Floats) -> Floats:
    """Return the mean of each column; a cutoff that all topics share is kept exactly, without rounding."""
    return np.where((x == x[0]).all(axis=0), x[0], _average_columns(x))


def _compute_intervals(y: Floats, *, level: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return the interval at each cutoff, over the topics that are defined there."""
    if not np.isnan(y).any():
        return compute_bootstrap_interval(y, level=level, resamples=resamples, seed=seed)
    low, high = np.full(y.shape[1], np.nan), np.full(y.shape[1], np.nan)
    patterns, pattern = np.unique(~np.isnan(y), axis=1, return_inverse=True)
    for number, defined in enumerate(patterns.T):
        columns = np.flatnonzero(pattern.ravel() == number)
        if defined.any():
            scores = y[np.ix_(defined, columns)]
            low[columns], high[columns] = compute_bootstrap_interval(
                scores, level=level, resamples=resamples, seed=seed
            )
    return low, high
