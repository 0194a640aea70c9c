"""The first results of each topic, kept with what the measures saw in them."""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.evaluation.ranked import Ranked
from doxel.spans import Ints
from doxel.tables import Column, Table

__all__ = ["KEPT", "first_results"]

KEPT = Table(
    "kept results",
    (
        Column("run", pl.String, "the run's id", required=True),
        Column("topic", pl.String, "the topic's id", required=True),
        Column("rank", pl.Int64, "from 1, as the run was ordered", required=True),
        Column("doc", pl.String, "the document", required=True),
        Column("path", pl.String, "the element's path, where the run has it"),
        Column("start", pl.Int64, "first character; null where it was not found"),
        Column("end", pl.Int64, "end of the span; the start for an entry point"),
        Column("relevant", pl.Int64, "its relevant characters"),
        Column("new", pl.Int64, "its characters that no earlier result of the topic has shown"),
        Column("new_relevant", pl.Int64, "those of them that are relevant"),
    ),
)


def first_results(run: str, ranked: Ranked, depth: int) -> pl.DataFrame:
    """Return the first ``depth`` results of each topic of one run.

    The counts are the very arrays that measures over characters sum up; they are null for a run with
    results that only a collection could place, if there is none.
    """
    rows = np.flatnonzero(ranked.position < depth)
    found = ranked.found[rows]
    columns = ranked.columns[ranked.source[rows]]
    counts: dict[str, Ints] = {}
    if not ranked.unplaced:
        counts = {
            "relevant": ranked.relevant[rows],
            "new": ranked.seen.new_size[rows],
            "new_relevant": ranked.new_relevant[rows],
        }
    frame = pl.DataFrame(
        {
            "topic": columns["topic"],
            "rank": ranked.position[rows] + 1,
            "doc": columns["doc"],
            "path": columns["path"],
            "start": ranked.start[rows],
            "end": ranked.end[rows],
            "found": found,
            **counts,
        }
    ).with_columns(
        pl.lit(run).alias("run"),
        pl.when("found").then("start").alias("start"),
        pl.when("found").then("end").alias("end"),
    )
    return KEPT.fit(frame)
