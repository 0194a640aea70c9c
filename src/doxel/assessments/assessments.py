"""Assessments: the relevance judgements of people, on the scale of their year.

Also here: selecting part of the assessments, the declaration of an assessment format, and the checks that
all writers of assessments share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from doxel.tables import Column, Table
from doxel.wording import pluralise

__all__ = ["BEPS", "ELEMENTS", "HIGHLIGHTS", "JUDGED", "TABLES", "Assessments"]

_TOPIC = Column("topic", pl.String, "the topic's id", required=True)
_DOC = Column("doc", pl.String, "the document, by id or path", required=True)
_PROBLEM = Column("problem", pl.String, "why it was not found in the collection; null if it was found")
_LINE = Column("line", pl.UInt32, "the line of the file")

JUDGED = Table(
    "judged documents",
    (
        _TOPIC,
        _DOC,
        Column("rsize", pl.Int64, "relevant characters, as declared"),
        Column("docsize", pl.Int64, "characters of the document, as declared"),
        Column("grade", pl.Float64, "the document's own grade (TREC qrels)"),
        Column("pool", pl.String, "the pool it was judged in (XML formats)"),
        Column("collection", pl.String, "the name of its collection (2005 and later)"),
        Column("number", pl.Int64, "its row in the documents of the collection; null until resolved"),
        _PROBLEM,
        Column("file", pl.String, "the file that judges it"),
        _LINE,
    ),
)

HIGHLIGHTS = Table(
    "highlighted passages",
    (
        _TOPIC,
        _DOC,
        Column("start", pl.Int64, "first character; null until resolved from a path or quote"),
        Column("end", pl.Int64, "end of the passage"),
        Column("path", pl.String, "where the passage starts"),
        Column("path_end", pl.String, "where it ends; null: at the end of path"),
        Column("text", pl.String, "the passage, quoted"),
        Column("prefix", pl.String, "the text before the quotation"),
        Column("suffix", pl.String, "the text after the quotation"),
        Column("size", pl.Int64, "its characters, as declared"),
        Column("grade", pl.Float64, "its grade"),
        _PROBLEM,
        _LINE,
    ),
)

ELEMENTS = Table(
    "assessed elements",
    (
        _TOPIC,
        _DOC,
        Column("path", pl.String, "the element", required=True),
        Column("relevance", pl.String, "0 to 3 (2002)"),
        Column("coverage", pl.String, "N, L, S or E (2002)"),
        Column("exhaustivity", pl.String, "0 to 3 or U (2003-04); ?, 0, 1 or 2 (2005)"),
        Column("specificity", pl.String, "0 to 3 or U (2003-04)"),
        Column("size", pl.Int64, "its characters, as declared"),
        Column("rsize", pl.Int64, "its relevant characters, as declared"),
        Column("share", pl.Float64, "its specificity as a share, if declared instead of sizes (2005)"),
        Column("inpool", pl.Boolean, "it was in the pool (2003-04)"),
        Column("inferred", pl.Boolean, "its grade was inferred (2003-04)"),
        Column("inconsistent", pl.Boolean, "its grade contradicts others (2003-04)"),
        Column("element", pl.Int64, "its row among the elements of its document; null until resolved"),
        _PROBLEM,
        _LINE,
    ),
)

BEPS = Table(
    "best entry points",
    (
        _TOPIC,
        _DOC,
        Column("position", pl.Int64, "the character at which to start reading; null until resolved"),
        Column("path", pl.String, "the element or place in a text at which to start reading"),
        _PROBLEM,
        _LINE,
    ),
)

TABLES = {"judged": JUDGED, "highlights": HIGHLIGHTS, "elements": ELEMENTS, "beps": BEPS}

_BOOKKEEPING = ("line", "file", "problem", "number", "element")


@dataclass(frozen=True)
class Assessments:
    """The relevance judgements for a set of topics.

    ``scale`` is the scale of judging: "2002" (relevance and coverage), "2003" (exhaustivity and
    specificity, 2003-04), "2005" (highlights and exhaustivity), "2006" (highlights), "documents" (TREC
    qrels).

    A document is judged once per topic; ``judged`` lists every judged document, including those with
    nothing relevant.  ``about`` holds the metadata of the file, ``notes`` are sentences about unusual data
    and data left out when reading.
    """

    scale: str
    judged: pl.DataFrame
    highlights: pl.DataFrame = field(default_factory=HIGHLIGHTS.empty)
    elements: pl.DataFrame = field(default_factory=ELEMENTS.empty)
    beps: pl.DataFrame = field(default_factory=BEPS.empty)
    file: str | None = None
    format: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        topics = pluralise(self.judged["topic"].n_unique(), "topic")
        judged = pluralise(self.judged.height, "judged document")
        highlights = pluralise(self.highlights.height, "highlight")
        return f"<Assessments of scale {self.scale}: {topics}, {judged}, {highlights}>"

    @property
    def topics(self) -> list[str]:
        """The assessed topics, in the order of the file."""
        return self.judged["topic"].unique(maintain_order=True).to_list()

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The assessments as the tables that a format must keep: "judged", "highlights", "elements", "beps".

        Columns for the origin of a row and for resolved values are left out.  ``about``, if not empty, is
        a table of one row.
        """
        tables = {name: getattr(self, name).drop(_BOOKKEEPING, strict=False) for name in TABLES}
        return {**tables, "about": pl.DataFrame([dict(self.about)])} if self.about else tables
