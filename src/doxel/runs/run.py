"""A run: the ranked results of one system, with unique names for runs and the names of tasks.

==========  ===========================================================================================
2002-2004   CO, CAS, SCAS, VCAS: any element, overlapping or not; doxel's thorough
2005        CO.Thorough, CO.Focussed, CO.FetchBrowse, the same with COS for CO; SSCAS, SVCAS, VSCAS, VVCAS
2006        Thorough, Focused, AllInContext, BestInContext
2007-2008   Focused, RelevantInContext, BestInContext
==========  ===========================================================================================

Case, white space and punctuation in the names of tasks do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from doxel.tables import Column, Table
from doxel.wording import pluralise

__all__ = ["ABOUT", "NOT_FOUND", "RESULTS", "Run"]

NOT_FOUND = -1  # the start of a result that its own system did not find in the collection (offset X)

RESULTS = Table(
    "results of a run",
    (
        Column("topic", pl.String, "the topic's id", required=True),
        Column("doc", pl.String, "the document, by id or path", required=True),
        Column("rank", pl.Int64, "the rank as written; null where the file has none"),
        Column("rsv", pl.Float64, "the retrieval status value; null where the file has none"),
        Column("path", pl.String, "an element's path, or where a range or passage starts"),
        Column("path_end", pl.String, "where a range or passage ends"),
        Column(
            "start", pl.Int64, "first character of a span or entry point; -1: not found in the collection"
        ),
        Column("end", pl.Int64, "end of a span; null for an entry point"),
        Column("text", pl.String, "the retrieved text, quoted"),
        Column("line", pl.UInt32, "the line of the file"),
    ),
)

ABOUT = {
    "participant-id": "who made the run",
    "task": "the task, as named in its year",
    "query": "automatic or manual",
    "topic-part": "the parts of topics that were used (2002-2005)",
    "submission-type": "ad hoc or another track (2005)",
    "result-type": "element, passage or fol (2007 and later)",
    "topic-fields": 'the parts of topics that were used, such as "title=yes castitle=no" (2005 and later)',
    "description": "how the run was made",
    "collections": "the collections it was made from",
    "empty-topics": "the topics it lists without results",
}


@dataclass(frozen=True)
class Run:
    """The results of one system, in file order; ``results`` has the columns of ``RESULTS``.

    A result is a span (start, end), an entry point (start), an element (path), a range or passage
    (path, path_end), a quoted text, or, with none of these, its whole document.  If several of these
    apply, the first counts: a chunk with both text and offsets is the span.

    ``task`` is the task that the file declares, by doxel's name for it; ``about`` holds the other
    metadata of the file, under the keys of ``ABOUT``; ``notes`` are sentences that list the data left
    out when reading.
    """

    id: str
    results: pl.DataFrame
    task: str | None = None
    file: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        topics = pluralise(self.results["topic"].n_unique(), "topic")
        return f"<Run {self.id!r}: {pluralise(self.results.height, 'result')} for {topics}>"

    @property
    def topics(self) -> list[str]:
        """The topics with results, in the order of the file."""
        return self.results["topic"].unique(maintain_order=True).to_list()

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The run as the tables that a format must keep: "results", and "about" with one row.

        The row has the run's id, its task by doxel's name, and the other entries of ``about``.
        """
        about = {**self.about, "id": self.id, "task": self.task}
        row = pl.DataFrame({name: pl.Series([value], dtype=pl.String) for name, value in about.items()})
        return {"results": self.results.select(RESULTS.schema.keys()).drop("line"), "about": row}
