"""Small runs and assessments as plain data, and the scores of an evaluation."""

from __future__ import annotations

from typing import Any

import polars as pl

from doxel.evaluation import Evaluation
from doxel.runs import RESULTS, Run

__all__ = ["GOLD", "NOTHING", "RUN", "rows", "run_of", "scores"]

GOLD = [("1", "a", 0, 10), ("1", "b", 0, 10), ("2", "a", 0, 10), ("3", "c", 0, 10)]
NOTHING = [{"topic": "4", "doc": "a"}]  # judged, nothing relevant
RUN = [("2", "b", 0, 10), ("2", "a", 0, 10), ("1", "a", 0, 10), ("4", "a", 0, 10), ("9", "a", 0, 10)]


def rows(spans: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return spans as rows with names."""
    return [dict(zip(("topic", "doc", "start", "end"), span, strict=True)) for span in spans]


def run_of(*spans: tuple[Any, ...], **fields: Any) -> Run:
    """Return a run of spans, in the order of the arguments."""
    return Run(fields.pop("id", "mine"), RESULTS.from_rows(rows(spans)), **fields)


def scores(result: Evaluation, measure: str | None = None) -> dict[str, float]:
    """Return the scores by topic, of one measure if there are several."""
    table = result.scores if measure is None else result.scores.filter(pl.col("measure") == measure)
    return dict(table.select("topic", "score").iter_rows())
