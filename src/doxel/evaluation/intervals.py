"""Means with intervals, each run over the topics that count for it."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.evaluation.comparison import by_topic
from doxel.statistics.significance import compute_bootstrap_interval

__all__ = ["mean_intervals"]


def mean_intervals(
    scores: pl.DataFrame, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> pl.DataFrame:
    """Return the bootstrap interval of every mean: run, measure, low, high; NaN if there is no mean.

    A comparison uses the topics that all runs share; here each mean keeps its own topics, as in
    ``Evaluation.means``.  Runs with the same topics share their resamples.
    """
    pieces = []
    for measure in scores["measure"].unique(maintain_order=True):
        table = scores.filter(pl.col("measure") == measure)
        runs = table["run"].unique(maintain_order=True).to_list()
        _, values = by_topic(table, runs)
        low, high = np.full(len(runs), np.nan), np.full(len(runs), np.nan)
        kinds, kind = np.unique(np.isfinite(values), axis=1, return_inverse=True)
        for number in range(kinds.shape[1]):
            columns, topics = np.flatnonzero(kind == number), kinds[:, number]
            if topics.any():
                low[columns], high[columns] = compute_bootstrap_interval(
                    values[np.ix_(topics, columns)], level=level, resamples=resamples, seed=seed
                )
        pieces.append(pl.DataFrame({"run": runs, "measure": measure, "low": low, "high": high}))
    schema = {"run": pl.String, "measure": pl.String, "low": pl.Float64, "high": pl.Float64}
    return pl.concat(pieces) if pieces else pl.DataFrame(schema=schema)
