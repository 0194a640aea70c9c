"""The first results of each topic, with their relevant and new characters."""

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
        Column("rank", pl.Int64, "the rank, from 1, in the order used for scoring", required=True),
        Column("doc", pl.String, "the document", required=True),
        Column("path", pl.String, "the element's path, if the run has it"),
        Column("start", pl.Int64, "offset of the first character; null if the result was not found"),
        Column("end", pl.Int64, "offset after the last character; equal to start for an entry point"),
        Column("relevant", pl.Int64, "its relevant characters"),
        Column("new", pl.Int64, "its characters that no earlier result of the topic contains"),
        Column("new_relevant", pl.Int64, "its new characters that are relevant"),
    ),
)


def first_results(run: str, ranked: Ranked, depth: int) -> pl.DataFrame:
    """Return the first ``depth`` results of each topic of one run.

    The counts are the arrays that measures over characters add up.  They are null for a run with results
    that need a collection to be located, if there is no collection.
    """
    rows = np.flatnonzero(ranked.position < depth)
    is_found = ranked.found[rows]
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
            "found": is_found,
            **counts,
        }
    ).with_columns(
        pl.lit(run).alias("run"),
        pl.when("found").then("start").alias("start"),
        pl.when("found").then("end").alias("end"),
    )
    return KEPT.fit(frame)
