"""Resolve results to spans of text: find their document, element and offsets in a collection.

All results are resolved together; only texts are aligned one by one.  A result that cannot be
resolved keeps its row, without a span and with its problem.  A text joined from several pieces has the span
of its largest piece; its other spans are in the column ``pieces`` (see :func:`split_pieces`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.alignment.aligner import ALIGNMENTS, AlignedSpan, Aligner, DeclaredPlace, mark_missing
from doxel.alignment.text_index import Place
from doxel.documents import Collection
from doxel.documents.document_names import convert_sections
from doxel.documents.element_paths import PlaceFinder, canonicalise_paths
from doxel.documents.page_places import is_page_path
from doxel.runs.run import RESULTS, Run
from doxel.spans import MAX_OFFSET, Booleans, Ints
from doxel.tables import Column, Table

__all__ = [
    "BACKWARDS",
    "NOT_IN_COLLECTION",
    "OUTSIDE",
    "PROBLEMS",
    "RESOLVED_RESULTS",
    "RUN_ALIGNMENTS",
    "TEXT_NOT_FOUND",
    "UNKNOWN_DOCUMENT",
    "UNKNOWN_PATH",
    "bound_ambiguous",
    "explode_pieces",
    "is_ambiguous",
    "list_alignments",
    "make_nullable",
    "resolve_run",
    "split_pieces",
]

UNKNOWN_DOCUMENT = "unknown document"
UNKNOWN_PATH = "unknown path"
OUTSIDE = "outside the document"
NOT_IN_COLLECTION = "not in the collection"
BACKWARDS = "ends before it starts"
TEXT_NOT_FOUND = "text not found"

PROBLEMS = {
    UNKNOWN_DOCUMENT: "the collection has no such document, or several that match the reference",
    UNKNOWN_PATH: "the document has no such element, or no such place in a text",
    OUTSIDE: "the span starts or ends after the end of the document, or beyond the longest possible text",
    NOT_IN_COLLECTION: "the file gives the offset X or -1, which means not found",
    TEXT_NOT_FOUND: "the text is not in the document, or in none if its document is unknown",
    BACKWARDS: "the end of the range is before its start",
}
_MOST_COPIES = 500  # of a text that count one by one for the upper bound
_CODES = {problem: code for code, problem in enumerate(PROBLEMS)}

# ``is_declared``: the result has offsets, which are right if ``how`` is "offsets".
_PIECES = pl.List(
    pl.Struct(
        {
            "number": pl.Int64,
            "doc": pl.String,
            "start": pl.Int64,
            "end": pl.Int64,
            "how": pl.String,
            "identity": pl.Float64,
            "coverage": pl.Float64,
            "places": pl.Int64,
            "is_declared": pl.Boolean,
        }
    )
)

RESOLVED_RESULTS = Table(
    "resolved results",
    (
        *RESULTS.columns,
        Column("number", pl.Int64, "the document's row in the collection; null if unknown"),
        Column(
            "element", pl.Int64, "the element's row in its document; null if the result is not an element"
        ),
        Column("problem", pl.String, "why the result has no span; null if nothing is wrong"),
        Column("pieces", _PIECES, "the spans of a text and how they were found; null for other results"),
    ),
)

RUN_ALIGNMENTS = Table(
    "alignments of runs",
    (
        Column("run", pl.String, "the run's id"),
        *(column for column in ALIGNMENTS.columns if column.name != "row"),
    ),
)


def resolve_run(run: Run, collection: Collection | None = None) -> pl.DataFrame:
    """Return the results of a run, in file order, with the columns of ``RESOLVED_RESULTS``.

    ``start`` and ``end`` are filled in, or null if there is a problem; only a span that starts inside its
    document and ends outside keeps its size.  An entry point is an empty span.  ``doc`` becomes the
    collection's id, and the ``path`` of an element its canonical form.  A whole document is its root:
    element 0, if the document has elements.  In a Best in Context run an element is the entry point at
    its start.

    A text is aligned (see :mod:`doxel.alignment`), also if it differs from the text at the result's offsets;
    it is searched for in all documents if its own is unknown.

    Without a collection, spans are used as they are, unless they exceed the longest possible text.
    Elements, ranges, quotations and whole documents then have neither a span nor a problem.
    """
    frame = RESULTS.fit(run.results)
    if collection is None and not _has_bad_spans(frame):
        frame = frame.with_columns(end=pl.col("end").fill_null(pl.col("start")))
        paths = _canonicalise_elements(frame)
        return RESOLVED_RESULTS.fit(frame if paths is frame["path"] else frame.with_columns(path=paths))
    if collection is not None:
        frame = convert_sections(frame, collection.documents["doc"])
    spans = _ResultSpans.of(frame)
    are_canonical = False
    if collection is not None:
        are_points = run.task == "best-in-context"
        resolver = _SpanResolver(collection, frame, spans, elements_are_points=are_points)
        frame, are_canonical = resolver.resolve(), resolver.are_canonical
    return RESOLVED_RESULTS.fit(
        frame.with_columns(
            path=frame["path"] if are_canonical else _canonicalise_elements(frame),
            start=make_nullable(spans.start),
            end=make_nullable(spans.end),
            element=make_nullable(spans.element),
            problem=pl.Series(list(PROBLEMS), dtype=pl.String).gather(make_nullable(spans.problem)),
        )
    )


def _has_bad_spans(frame: pl.DataFrame) -> bool:
    """Return whether any span is outside all possible texts: most runs have none."""
    columns = [frame[name] for name in ("start", "end") if frame[name].null_count() < frame.height]
    return any(column.min() < 0 or column.max() > MAX_OFFSET for column in columns)  # type: ignore[operator]


def make_nullable(values: Ints) -> pl.Series:
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
        """Return the spans that the results declare by offsets."""
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
        self.number = collection.numbers(frame["doc"])
        self.are_canonical = False  # whether the path of every result is known to be canonical

    def resolve(self) -> pl.DataFrame:
        """Resolve all results; return the frame with the numbers and ids of their documents."""
        spans, number = self.spans, self.number
        has_path, has_end, has_text = (
            self.frame[column].is_not_null().to_numpy() for column in ("path", "path_end", "text")
        )
        # a collection without texts cannot contradict offsets
        by_text = has_text & ~has_path & (self.collection.has_texts | (spans.start < 0))
        on_page = has_text & has_path
        if on_page.any():
            on_page &= is_page_path(self.frame["path"])
        spans.refuse((number < 0) & (spans.problem < 0) & ~by_text, UNKNOWN_DOCUMENT)
        is_pending = (spans.start < 0) & (spans.problem < 0) & ~by_text
        self._check_spans(np.flatnonzero((spans.start >= 0) & ~by_text))
        self._find_paths(
            np.flatnonzero(is_pending & has_path & ~has_end), np.flatnonzero(is_pending & has_path & has_end)
        )
        spans.end[on_page & ~has_end] = spans.element[on_page] = -1  # a page is only a hint for its text
        pieces = self._align_texts(np.flatnonzero(by_text | on_page))
        self._take_whole(np.flatnonzero(is_pending & ~has_path))
        known_number = make_nullable(number)
        ids = self.collection.documents["doc"].gather(known_number)
        is_path = pl.lit(pl.Series(~on_page))
        return self.frame.with_columns(
            *(pl.when(is_path).then(pl.col(name)) for name in ("path", "path_end") if on_page.any()),
            doc=ids.fill_null(self.frame["doc"]),
            number=known_number,
            pieces=pieces,
        )

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
        element, are_canonical = forest.locate(document, self.frame["path"].gather(rows))
        self.are_canonical = are_canonical and len(rows) == len(self.number)
        is_found = element >= 0
        spans.refuse(rows[~is_found], UNKNOWN_PATH)
        rows, element, document = rows[is_found], element[is_found], document[is_found]
        spans.start[rows] = forest.start[element]
        spans.end[rows] = (forest.start if self.elements_are_points else forest.end)[element]
        spans.element[rows] = element - forest.first[document]

    def _find_ranges(self, rows: Ints) -> None:
        spans, number = self.spans, self.number[rows]
        places = PlaceFinder(self.collection, number)
        start = places.positions(number, self.frame["path"].gather(rows), side="start")
        end = places.positions(number, self.frame["path_end"].gather(rows), side="end")
        spans.start[rows], spans.end[rows] = start, end
        spans.refuse(rows[end < start], BACKWARDS)
        spans.refuse(rows[(start < 0) | (end < 0)], UNKNOWN_PATH)

    def _align_texts(self, rows: Ints) -> pl.Series:
        """Store the largest span of each text; return all spans of all results."""
        spans = self.spans
        if not len(rows):
            return pl.Series("pieces", [None], dtype=_PIECES).new_from_index(0, self.frame.height)
        places = [
            DeclaredPlace(*place)
            for place in zip(
                mark_missing(self.number[rows], self.frame["doc"].gather(rows)).tolist(),
                spans.start[rows].tolist(),
                spans.end[rows].tolist(),
                strict=True,
            )
        ]
        texts = self.frame["text"].gather(rows).to_list()
        alignments = Aligner(self.collection).align(texts, places)
        spans.problem[rows] = -1
        for row, text_spans in zip(rows.tolist(), alignments, strict=True):
            largest = max(text_spans, key=lambda span: span.end - span.start)
            spans.start[row], spans.end[row] = largest.start, largest.end
            if largest.document >= 0:
                self.number[row] = largest.document
        spans.refuse(rows[spans.start[rows] < 0], TEXT_NOT_FOUND)
        is_declared = [place.end >= 0 for place in places]
        return _build_pieces(rows, alignments, is_declared, self.collection, self.frame.height)

    def _take_whole(self, rows: Ints) -> None:
        elements = self.collection.documents["elements"].to_numpy()[self.number[rows]]
        self.spans.start[rows], self.spans.end[rows] = 0, self._lengths(rows)
        self.spans.element[rows] = np.where(elements > 0, 0, -1)


def _build_pieces(
    rows: Ints,
    alignments: Sequence[Sequence[AlignedSpan]],
    is_declared: Sequence[bool],
    collection: Collection,
    height: int,
) -> pl.Series:
    """Return the spans of each result as a list of structs, null for results without a text."""
    columns = [
        (row, span.document, span.start, span.end, *span[3:], has_offsets)
        for row, spans, has_offsets in zip(rows.tolist(), alignments, is_declared, strict=True)
        for span in spans
    ]
    fields = {field.name: field.dtype for field in _PIECES.inner.fields if field.name != "doc"}  # type: ignore[union-attr]
    flat = pl.DataFrame(columns, schema={"row": pl.Int64, **fields}, orient="row").with_columns(
        pl.col("number", "start", "end").replace(-1, None)
    )
    flat = flat.with_columns(doc=collection.documents["doc"].gather(flat["number"]))
    lists = flat.group_by("row", maintain_order=True).agg(
        pieces=pl.struct(field.name for field in _PIECES.inner.fields)  # type: ignore[union-attr]
    )
    every = pl.DataFrame({"row": pl.int_range(height, dtype=pl.Int64, eager=True)})
    return every.join(lists, on="row", how="left", maintain_order="left")["pieces"].cast(_PIECES)


def split_pieces(results: pl.DataFrame) -> pl.DataFrame:
    """Return ordered results with one row per piece of a text; the pieces share their ``position``."""
    if "pieces" not in results.columns or results["pieces"].null_count() == results.height:
        return results
    if not (results["pieces"].list.len() > 1).any():
        return results
    is_joined = pl.col("pieces").list.len().fill_null(0) > 1
    single = pl.when(is_joined).then("pieces").otherwise(None)
    exploded = results.with_columns(piece=single).explode("piece")
    piece = pl.col("piece").struct
    place = {name: pl.coalesce(piece.field(name), pl.col(name)) for name in ("number", "doc", "start", "end")}
    return exploded.with_columns(**place).drop("piece")


def list_alignments(results: pl.DataFrame) -> pl.DataFrame:
    """Return how the texts among ordered results were placed, one row per piece."""
    if results["pieces"].null_count() == results.height:
        return RUN_ALIGNMENTS.empty()
    return RUN_ALIGNMENTS.fit(explode_pieces(results).rename({"position": "rank"}))


def explode_pieces(results: pl.DataFrame) -> pl.DataFrame:
    """Return the pieces of all texts among ordered results, with their row, topic and position."""
    texts = results.with_row_index("row").filter(pl.col("pieces").is_not_null())
    return texts.select("row", "topic", "position", "pieces").explode("pieces").unnest("pieces")


def is_ambiguous() -> pl.Expr:
    """Return whether a text occurs at several places and gives no offset to decide between them."""
    piece = pl.element().struct
    return pl.col("pieces").list.eval((piece.field("places") > 1) & ~piece.field("is_declared")).list.any()


def bound_ambiguous(
    run: Run, results: pl.DataFrame, collection: Collection
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return resolved results without their ambiguous texts, and with every copy of them.

    The copies of a text share its rank, as if all of them had been retrieved.  Very many copies in a document
    are replaced by the span from the first to the last, which is still a bound.
    """
    rows = results.select(is_ambiguous().fill_null(value=False)).to_series()
    numbers = collection.numbers(run.results["doc"].filter(rows)).tolist()
    texts = run.results["text"].filter(rows).to_list()
    aligner = Aligner(collection)
    places = [
        [AlignedSpan(*place, "exact", 1.0, 1.0, 1) for place in _join_copies(copies)]
        for copies in aligner.list_places(texts, numbers)
    ]
    index = rows.arg_true().to_numpy().astype(np.int64)
    has_copies = np.array(
        [len(copies) > 0 for copies in places], dtype=bool
    )  # damaged texts keep their place
    copies = _build_pieces(
        index[has_copies],
        [copies for copies in places if copies],
        [False] * int(has_copies.sum()),
        collection,
        results.height,
    )
    lost = pl.when(~pl.lit(rows))
    without_texts = results.with_columns(
        start=lost.then("start"),
        end=lost.then("end"),
        pieces=lost.then("pieces"),
        problem=lost.then("problem").otherwise(pl.lit(TEXT_NOT_FOUND)),
    )
    return without_texts, results.with_columns(pieces=pl.coalesce(copies, "pieces"))


def _join_copies(places: Sequence[Place]) -> list[Place]:
    """Return one place per document for a text at very many places, such as a single letter."""
    if len(places) <= _MOST_COPIES:
        return list(places)
    by_document: dict[int, Place] = {}
    for place in places:
        first = by_document.get(place.document, place)
        by_document[place.document] = place._replace(start=first.start, end=max(first.end, place.end))
    return list(by_document.values())
