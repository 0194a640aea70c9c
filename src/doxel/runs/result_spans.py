"""Resolve results to spans of text: find their document, element and offsets in a collection.

All results are resolved together; only quotations are looked up one by one.  A result that cannot be
resolved keeps its row, without a span and with its problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.documents.element_paths import PlaceFinder, canonicalise_paths
from doxel.documents.quotations import QUOTE_AMBIGUOUS, QUOTE_NOT_FOUND, find_quotes
from doxel.runs.run import RESULTS, Run
from doxel.spans import MAX_OFFSET, Booleans, Ints
from doxel.tables import Column, Table

__all__ = [
    "BACKWARDS",
    "NOT_IN_COLLECTION",
    "OUTSIDE",
    "PROBLEMS",
    "RESOLVED_RESULTS",
    "UNKNOWN_DOCUMENT",
    "UNKNOWN_PATH",
    "resolve_run",
]

UNKNOWN_DOCUMENT = "unknown document"
UNKNOWN_PATH = "unknown path"
OUTSIDE = "outside the document"
NOT_IN_COLLECTION = "not in the collection"
BACKWARDS = "ends before it starts"

PROBLEMS = {
    UNKNOWN_DOCUMENT: "the collection has no such document, or several that match the reference",
    UNKNOWN_PATH: "the document has no such element, or no such place in a text",
    OUTSIDE: "the span starts or ends after the end of the document, or beyond the longest possible text",
    NOT_IN_COLLECTION: "the file gives the offset X or -1, which means not found",
    QUOTE_NOT_FOUND: "the quotation is not in the document, with or without its white space",
    QUOTE_AMBIGUOUS: "the quotation occurs several times in the document, and nothing decides between them",
    BACKWARDS: "the end of the range is before its start",
}
_CODES = {problem: code for code, problem in enumerate(PROBLEMS)}

RESOLVED_RESULTS = Table(
    "resolved results",
    (
        *RESULTS.columns,
        Column("number", pl.Int64, "the document's row in the collection; null if unknown"),
        Column(
            "element", pl.Int64, "the element's row in its document; null if the result is not an element"
        ),
        Column("problem", pl.String, "why the result has no span; null if nothing is wrong"),
    ),
)


def resolve_run(run: Run, collection: Collection | None = None) -> pl.DataFrame:
    """Return the results of a run, in file order, with the columns of ``RESOLVED_RESULTS``.

    ``start`` and ``end`` are filled in, or null if there is a problem; only a span that starts inside its
    document and ends outside keeps its size.  An entry point is an empty span.  ``doc`` becomes the
    collection's id, and the ``path`` of an element its canonical form.  A whole document is its root:
    element 0, if the document has elements.  In a Best in Context run an element is the entry point at
    its start.

    Without a collection, spans are used as they are, unless they exceed the longest possible text.
    Elements, ranges, quotations and whole documents then have neither a span nor a problem.
    """
    frame = RESULTS.fit(run.results)
    spans = _ResultSpans.of(frame)
    if collection is not None:
        frame = _SpanResolver(
            collection, frame, spans, elements_are_points=run.task == "best-in-context"
        ).resolve()
    return RESOLVED_RESULTS.fit(
        frame.with_columns(
            path=_canonicalise_elements(frame),
            start=_make_nullable(spans.start),
            end=_make_nullable(spans.end),
            element=_make_nullable(spans.element),
            problem=pl.Series(list(PROBLEMS), dtype=pl.String).gather(_make_nullable(spans.problem)),
        )
    )


def _make_nullable(values: Ints) -> pl.Series:
    """Return numbers with null in place of -1."""
    series = pl.Series(values, dtype=pl.Int64)
    return series if (values >= 0).all() else series.set(pl.Series(values < 0), None)


def _canonicalise_elements(frame: pl.DataFrame) -> pl.Series:
    """Return the paths of results, in canonical form where the result is an element."""
    paths = frame["path"]
    if paths.null_count() == len(paths):
        return paths
    return canonicalise_paths(paths).zip_with(frame["path_end"].is_null(), paths)


@dataclass(frozen=True)
class _ResultSpans:
    """The span, element and problem code of each result; -1 if unknown or not applicable."""

    start: Ints
    end: Ints
    element: Ints
    problem: Ints

    @classmethod
    def of(cls, frame: pl.DataFrame) -> _ResultSpans:
        """Return the spans that the results give themselves."""
        start = frame["start"].fill_null(-1).to_numpy().copy()
        end = frame["end"].fill_null(frame["start"]).fill_null(-1).to_numpy().copy()
        unknown = np.full(len(start), -1, dtype=np.int64)
        spans = cls(start, end, unknown, unknown.copy())
        spans.refuse((start < 0) & frame["start"].is_not_null().to_numpy(), NOT_IN_COLLECTION)
        spans.refuse(np.maximum(start, end) > MAX_OFFSET, OUTSIDE)
        return spans

    def refuse(self, rows: Booleans | Ints, problem: str) -> None:
        """Remove the spans of some results and record the problem."""
        self.start[rows] = self.end[rows] = self.element[rows] = -1
        self.problem[rows] = _CODES[problem]


class _SpanResolver:
    """Finds the results of one run in a collection, one kind after another, and stores their spans."""

    def __init__(
        self, collection: Collection, frame: pl.DataFrame, spans: _ResultSpans, *, elements_are_points: bool
    ) -> None:
        self.collection, self.frame, self.spans = collection, frame, spans
        self.elements_are_points = elements_are_points
        self.number = _find_document_numbers(collection, frame["doc"])

    def resolve(self) -> pl.DataFrame:
        """Resolve all results; return the frame with the numbers and ids of their documents."""
        spans, number = self.spans, self.number
        spans.refuse((number < 0) & (spans.problem < 0), UNKNOWN_DOCUMENT)
        has_path, has_end, has_text = (
            self.frame[column].is_not_null().to_numpy() for column in ("path", "path_end", "text")
        )
        is_pending = (spans.start < 0) & (spans.problem < 0)
        self._check_spans(np.flatnonzero(spans.start >= 0))
        self._find_paths(
            np.flatnonzero(is_pending & has_path & ~has_end), np.flatnonzero(is_pending & has_path & has_end)
        )
        self._find_quotations(np.flatnonzero(is_pending & ~has_path & has_text))
        self._take_whole(np.flatnonzero(is_pending & ~has_path & ~has_text))
        known_number = _make_nullable(number)
        ids = self.collection.documents["doc"].gather(known_number)
        return self.frame.with_columns(doc=ids.fill_null(self.frame["doc"]), number=known_number)

    def _lengths(self, rows: Ints) -> Ints:
        return self.collection.documents["characters"].to_numpy().astype(np.int64)[self.number[rows]]

    def _check_spans(self, rows: Ints) -> None:
        spans = self.spans
        # a span that starts inside keeps its size, as it would without a collection
        spans.refuse(rows[spans.start[rows] > self._lengths(rows)], OUTSIDE)
        over = rows[(spans.problem[rows] < 0) & (spans.end[rows] > self._lengths(rows))]
        spans.problem[over] = _CODES[OUTSIDE]

    def _find_paths(self, elements: Ints, ranges: Ints) -> None:
        if len(elements):
            self._find_elements(elements)
        if len(ranges):
            self._find_ranges(ranges)

    def _find_elements(self, rows: Ints) -> None:
        spans, number = self.spans, self.number[rows]
        forest, place = self.collection.shared_forest(number)
        document = place[number]
        element = forest.find(document, self.frame["path"].gather(rows))
        is_found = element >= 0
        spans.refuse(rows[~is_found], UNKNOWN_PATH)
        rows, element, document = rows[is_found], element[is_found], document[is_found]
        start, end = forest.spans(element, document)
        spans.start[rows] = start
        spans.end[rows] = start if self.elements_are_points else end
        spans.element[rows] = element - forest.first[document]

    def _find_ranges(self, rows: Ints) -> None:
        spans, number = self.spans, self.number[rows]
        places = PlaceFinder(self.collection, number)
        start = places.positions(number, self.frame["path"].gather(rows), side="start")
        end = places.positions(number, self.frame["path_end"].gather(rows), side="end")
        spans.start[rows], spans.end[rows] = start, end
        spans.refuse(rows[end < start], BACKWARDS)
        spans.refuse(rows[(start < 0) | (end < 0)], UNKNOWN_PATH)

    def _find_quotations(self, rows: Ints) -> None:
        if not len(rows):
            return
        spans = self.spans
        start, end, problems = find_quotes(
            self.collection, self.number[rows], self.frame["text"].gather(rows)
        )
        spans.start[rows], spans.end[rows] = start, end
        for problem in (QUOTE_NOT_FOUND, QUOTE_AMBIGUOUS):
            spans.refuse(rows[(problems == problem).fill_null(value=False).to_numpy()], problem)

    def _take_whole(self, rows: Ints) -> None:
        elements = self.collection.documents["elements"].to_numpy()[self.number[rows]]
        self.spans.start[rows], self.spans.end[rows] = 0, self._lengths(rows)
        self.spans.element[rows] = np.where(elements > 0, 0, -1)


def _find_document_numbers(collection: Collection, docs: pl.Series) -> Ints:
    """Return the row of each document in the collection, -1 if unknown; each document is looked up once."""
    distinct = docs.unique(maintain_order=True)
    numbers = pl.DataFrame({"doc": distinct, "number": collection.numbers(distinct)})
    rows = docs.to_frame("doc").join(numbers, on="doc", how="left", maintain_order="left")
    return rows["number"].to_numpy().copy()
