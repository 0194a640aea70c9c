"""Runs of a few results, built without files."""

from __future__ import annotations

from typing import Any

from doxel.runs import RESULTS, Run

__all__ = ["run_of"]


def run_of(results: list[tuple[Any, ...]], **options: Any) -> Run:
    """Return a run of results written as (topic, doc, start, end) or (topic, doc, path), best first."""
    rows = []
    for rank, (topic, doc, *place) in enumerate(results, 1):
        row = {"topic": topic, "doc": doc, "rank": rank, "line": rank}
        rows.append(row | ({"path": place[0]} if len(place) == 1 else {"start": place[0], "end": place[1]}))
    return Run("r", RESULTS.from_rows(rows), **{"task": "thorough", **options})
