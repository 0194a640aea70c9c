"""A run: the ranked results of one system, as they stand in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from doxel.tables import Column, Table

__all__ = ["RESULTS", "Run"]

RESULTS = Table(
    "results of a run",
    (
        Column("topic", pl.String, "the topic's id", required=True),
        Column("doc", pl.String, "the document, by id or path", required=True),
        Column("rank", pl.Int64, "the rank as written; null where the file has none"),
        Column("rsv", pl.Float64, "the retrieval status value; null where the file has none"),
        Column("path", pl.String, "an element's path, or where a range or passage begins"),
        Column("path_end", pl.String, "where a range or passage ends"),
        Column("start", pl.Int64, "first character of a span or entry point; -1: not found in the collection"),
        Column("end", pl.Int64, "end of a span; null for an entry point"),
        Column("text", pl.String, "the retrieved text, quoted"),
        Column("line", pl.UInt32, "the line of the file"),
    ),
)


@dataclass(frozen=True)
class Run:
    """The results of one system, in file order; ``results`` has the columns of ``RESULTS``.

    A result is a span (start, end), an element (path), a range or passage (path, path_end), an entry
    point (start, or path in a Best in Context run), a quoted text, or, with none of these, its whole
    document.
    """

    id: str
    results: pl.DataFrame
    task: str | None = None
    file: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        topics = self.results["topic"].n_unique()
        return f"<Run {self.id!r}: {self.results.height:,} results for {topics:,} topics>"
