"""Resolve assessments in a collection: document ids, and positions for paths and quotations.

Rows that cannot be found are kept, without position, and with the reason in ``problem``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.alignment.aligner import (
    UNPLACED,
    AlignedSpan,
    Aligner,
    DeclaredPlace,
    PlacementGuess,
    describe_guesses,
    mark_missing,
)
from doxel.assessments.assessments import ASSESSMENT_TABLES, JUDGED, Assessments, measure_highlights
from doxel.documents.collection import Collection
from doxel.documents.document_names import convert_sections
from doxel.documents.element_paths import PlaceFinder, canonicalise_paths
from doxel.documents.page_places import is_page_path
from doxel.errors import InputError
from doxel.runs.result_spans import (
    BACKWARDS,
    OUTSIDE,
    TEXT_NOT_FOUND,
    UNKNOWN_DOCUMENT,
    UNKNOWN_PATH,
    make_nullable,
)
from doxel.runs.run import NO_DOCUMENT
from doxel.spans import Booleans, Ints
from doxel.wording import pluralise

__all__ = [
    "NO_POSITION",
    "count_problems",
    "describe_problems",
    "describe_quotations",
    "describe_resolution",
    "resolve_assessments",
]

_KEY = ["topic", "doc"]

NO_POSITION = "no position"

_NOUNS = {
    "judged": "judged document",
    "highlights": "highlight",
    "elements": "assessed element",
    "beps": "best entry point",
}


_NO_PROBLEMS = pl.DataFrame(schema={"table": pl.String, "problem": pl.String, "rows": pl.get_index_type()})
_QUOTATION_SENTENCES = (
    "quoted passage is not in the documents; no run can find it",
    "quoted passages are not in the documents; no run can find them",
)


def resolve_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """Find the documents, elements and positions of assessments in a collection.

    - ``doc`` becomes the collection's id, ``judged.number`` its row in ``collection.documents``;
    - highlights and best entry points get positions from their paths or texts (see :mod:`doxel.alignment`);
      a text that is not at its offsets is searched for, in all documents if its own is unknown; a text
      joined from several pieces becomes several highlights, the further ones at the end of the table;
    - elements get ``element``, their row in the document, and paths with a position at every step;
    - missing sizes of judged documents are filled in.

    Rows that are not found are kept, with null instead of positions and a ``problem``;
    :func:`count_problems` counts them.
    """
    documents = collection.documents["doc"]
    assessments = replace(
        assessments,
        judged=convert_sections(assessments.judged, documents),
        highlights=convert_sections(assessments.highlights, documents),
    )
    finder = _PositionFinder(assessments, collection)
    judged = finder.name_documents("judged")
    _check_names(judged)
    highlights, declared_docs, alignments = finder.highlights()
    resolved = replace(
        assessments,
        judged=_move_judged(judged, highlights, declared_docs, collection),
        highlights=highlights,
        elements=finder.elements(),
        beps=finder.beps(),
        alignments=alignments,
    )
    return replace(resolved, judged=_fill_sizes(resolved, collection))


def count_problems(assessments: Assessments) -> pl.DataFrame:
    """Count the rows with problems, by table and problem: table, problem, rows.

    A quotation that names no document is counted once, as a highlight.
    """
    tables: dict[str, pl.DataFrame] = {name: getattr(assessments, name) for name in ASSESSMENT_TABLES}
    counts = [
        table.with_columns(table=pl.lit(name))
        .filter(pl.col("problem").is_not_null() & ((pl.col("doc") != NO_DOCUMENT) | (name != "judged")))
        .group_by("table", "problem", maintain_order=True)
        .agg(rows=pl.len())
        for name, table in tables.items()
        if table["problem"].null_count() < table.height
    ]
    return pl.concat([_NO_PROBLEMS, *counts])


def describe_problems(counts: pl.DataFrame) -> list[str]:
    """Describe the counts of :func:`count_problems`, in one sentence per table and problem.

    >>> describe_problems(pl.DataFrame({"table": ["beps"], "problem": ["unknown path"], "rows": [2]}))
    ['2 best entry points were not found in the collection (unknown path)']
    """
    return [_describe_problem(table, problem, rows) for table, problem, rows in counts.iter_rows()]


def _describe_problem(table: str, problem: str, rows: int) -> str:
    noun = _NOUNS[table]
    if problem == NO_POSITION:
        return pluralise(rows, f"{noun} has no known position", f"{noun}s have no known position")
    if (table, problem) == ("highlights", TEXT_NOT_FOUND):
        return pluralise(rows, *_QUOTATION_SENTENCES)
    verb = pluralise(rows, f"{noun} was", f"{noun}s were")
    return f"{verb} not found in the collection ({problem})"


def describe_resolution(assessments: Assessments) -> list[str]:
    """Describe the rows that were not found, and the texts whose place is uncertain."""
    sentences = describe_problems(count_problems(assessments))
    return [*sentences, *(guess.sentence for guess in describe_quotations(assessments))]


def describe_quotations(assessments: Assessments) -> list[PlacementGuess]:
    """Describe the texts that were found, but whose place is uncertain."""
    if assessments.alignments is None or not assessments.alignments.height:
        return []
    return describe_guesses(assessments.alignments.filter(pl.col("how") != UNPLACED))


class _PositionFinder:
    """Looks up documents and places; the elements of a document are read at most once."""

    def __init__(self, assessments: Assessments, collection: Collection) -> None:
        self._assessments, self._collection = assessments, collection
        self._strip = assessments.about.get("whitespace-text-node", "").startswith("strip")
        docs = pl.concat([getattr(assessments, name)["doc"] for name in ASSESSMENT_TABLES])
        numbers = collection.numbers(docs)
        for row in np.flatnonzero(numbers < 0).tolist() if assessments.foreign_names else ():
            if names := assessments.foreign_names.get(docs[row]):
                numbers[row] = _find_by_other_names(names, collection)
        sizes = [getattr(assessments, name).height for name in ASSESSMENT_TABLES]
        columns = np.split(numbers, np.cumsum(sizes)[:-1])
        self._numbers = dict(zip(ASSESSMENT_TABLES, columns, strict=True))
        self._sizes = collection.documents["characters"].to_numpy().astype(np.int64)

    def name_documents(self, table: str) -> pl.DataFrame:
        """Return a table with the collection's ids, and the numbers of documents in ``number``."""
        frame: pl.DataFrame = getattr(self._assessments, table)
        ids = self._name(self._numbers[table], frame["doc"])
        problem = pl.when(pl.col("number").is_null()).then(pl.lit(UNKNOWN_DOCUMENT))
        number = make_nullable(self._numbers[table])
        return frame.with_columns(doc=ids, number=number).with_columns(problem=problem)

    def highlights(self) -> tuple[pl.DataFrame, pl.Series, pl.DataFrame]:
        """Return highlights with positions or problems, their declared documents, and their alignments."""
        frame = self._assessments.highlights
        table, number = self.name_documents("highlights"), self._numbers["highlights"]
        start, end = _copy_positions(table["start"]), _copy_positions(table["end"])
        problem = table["problem"].to_numpy().astype(object)
        has_position = (start >= 0) & (end >= 0)
        by_path = ~has_position & table["path"].is_not_null().to_numpy()
        has_text = table["text"].is_not_null().to_numpy()
        by_text = has_text & ~by_path & (~has_position | self._collection.has_texts)
        is_known = number >= 0
        rows = np.flatnonzero(by_path & is_known)
        first = table["path"].gather(rows)
        last = table["path_end"].fill_null(table["path"]).gather(rows)
        if len(rows):
            places = self._places(number[rows])
            start[rows] = places.positions(number[rows], first, side="start")
            end[rows] = places.positions(number[rows], last, side="end")
        problem[rows[(start[rows] < 0) | (end[rows] < 0)]] = UNKNOWN_PATH
        problem[is_known & ~has_position & ~by_path & ~by_text] = NO_POSITION
        on_page = by_path & has_text
        if on_page.any():
            on_page &= is_page_path(table["path"])
        is_hint = on_page & table["path_end"].is_null().to_numpy()
        end[is_hint] = -1  # a page is only a hint for its text
        rows = np.flatnonzero(by_text | on_page)
        alignments = self._align(table, number, start, end, rows)
        resolved = _AlignedHighlights.of(table, rows, alignments, self._collection)
        start, end, number = (column[resolved.source] for column in (start, end, number))
        problem = problem[resolved.source]
        start[resolved.row], end[resolved.row] = resolved.start, resolved.end
        number[resolved.row] = resolved.document
        problem[resolved.row] = None
        problem[resolved.row[resolved.document < 0]] = TEXT_NOT_FOUND
        self._check_bounds(number, start, end, problem)
        highlights = resolved.frame.with_columns(doc=self._name(number, resolved.frame["doc"]))
        return (
            _fill_resolved(highlights, frame, {"start": start, "end": end}, problem),
            resolved.frame["doc"],
            resolved.list_alignments(frame, has_position | (on_page & ~is_hint)),
        )

    def _name(self, number: Ints, docs: pl.Series) -> pl.Series:
        """Return the ids of documents, the given ones where the number is unknown."""
        return self._collection.documents["doc"].gather(make_nullable(number)).fill_null(docs)

    def _align(
        self, table: pl.DataFrame, number: Ints, start: Ints, end: Ints, rows: Ints
    ) -> list[list[AlignedSpan]]:
        if not len(rows):
            return []
        text, prefix, suffix = (
            table[column].gather(rows).fill_null("").to_list() for column in ("text", "prefix", "suffix")
        )
        places = zip(
            mark_missing(number[rows], table["doc"].gather(rows)).tolist(),
            start[rows].tolist(),
            end[rows].tolist(),
            prefix,
            suffix,
            strict=True,
        )
        return Aligner(self._collection).align(text, [DeclaredPlace(*place) for place in places])

    def beps(self) -> pl.DataFrame:
        """Return best entry points with positions, or with problems."""
        frame = self._assessments.beps
        if not frame.height:
            return frame
        table, number = self.name_documents("beps"), self._numbers["beps"]
        position = _copy_positions(table["position"])
        problem = table["problem"].to_numpy().astype(object)
        is_known = number >= 0
        has_position = position >= 0
        by_path = ~has_position & table["path"].is_not_null().to_numpy()
        rows = np.flatnonzero(by_path & is_known)
        if len(rows):
            places = self._places(number[rows])
            position[rows] = places.positions(number[rows], table["path"].gather(rows), side="start")
        problem[rows[position[rows] < 0]] = UNKNOWN_PATH
        problem[is_known & ~has_position & ~by_path] = NO_POSITION
        self._check_bounds(number, position, position, problem)
        return _fill_resolved(table, frame, {"position": position}, problem)

    def elements(self) -> pl.DataFrame:
        """Return elements with their rows in the document, or with problems."""
        frame = self._assessments.elements
        if not frame.height:
            return frame
        table, number = self.name_documents("elements"), self._numbers["elements"]
        places = self._places(number)
        row = places.elements(number, table["path"])
        problem = table["problem"].to_numpy().astype(object)
        problem[(number >= 0) & (row < 0)] = UNKNOWN_PATH
        is_found = row >= 0
        if len(places.forest):
            row[is_found] -= places.forest.first[places.document(number[is_found])]
        path = pl.select(
            pl.when(pl.Series(is_found)).then(canonicalise_paths(table["path"])).otherwise(table["path"])
        ).to_series()
        return _fill_resolved(table.with_columns(path=path), frame, {"element": row}, problem)

    def _places(self, numbers: Ints) -> PlaceFinder:
        return PlaceFinder(self._collection, numbers, strip=self._strip)

    def _check_bounds(self, number: Ints, start: Ints, end: Ints, problem: npt.NDArray[np.object_]) -> None:
        is_found = problem == np.array(None)
        size = self._sizes[np.maximum(number, 0)] if len(self._sizes) else number
        problem[is_found & (end < start)] = BACKWARDS
        problem[is_found & (end >= start) & (end > size)] = OUTSIDE


def _find_by_other_names(names: Sequence[str], collection: Collection) -> int:
    """Return the only document that any of the names match, -1 if there is none or more than one."""
    numbers = set(collection.numbers(pl.Series(names, dtype=pl.String)).tolist()) - {-1}
    return numbers.pop() if len(numbers) == 1 else -1


@dataclass(frozen=True)
class _AlignedHighlights:
    """The spans of quoted highlights: one row each, and further rows at the end for further pieces.

    ``source`` is the original highlight of each row of ``frame``; ``row``, ``document``, ``start`` and
    ``end`` are the rows of aligned spans and their places.
    """

    frame: pl.DataFrame
    source: Ints
    row: Ints
    spans: list[AlignedSpan]

    @classmethod
    def of(
        cls, table: pl.DataFrame, rows: Ints, alignments: list[list[AlignedSpan]], collection: Collection
    ) -> _AlignedHighlights:
        """Add rows for further pieces; a damaged text becomes the text of the document."""
        further = [row for row, spans in zip(rows.tolist(), alignments, strict=True) for _ in spans[1:]]
        source = np.concatenate([np.arange(table.height), np.array(further, dtype=np.int64)])
        spans = [text_spans[0] for text_spans in alignments]
        spans += [span for text_spans in alignments for span in text_spans[1:]]
        row = np.concatenate([rows, np.arange(table.height, len(source))])
        texts = table["text"].gather(source).to_list()
        for at, span in zip(row.tolist(), spans, strict=True):
            if span.how == "fuzzy":  # resolving the highlights again then changes nothing
                texts[at] = collection.text(span.document)[span.start : span.end]
        return cls(table[source].with_columns(text=pl.Series(texts, dtype=pl.String)), source, row, spans)

    @property
    def document(self) -> Ints:
        """The document of each aligned span, -1 for none."""
        return np.array([span.document for span in self.spans], dtype=np.int64)

    @property
    def start(self) -> Ints:
        """The start of each aligned span."""
        return np.array([span.start for span in self.spans], dtype=np.int64)

    @property
    def end(self) -> Ints:
        """The end of each aligned span."""
        return np.array([span.end for span in self.spans], dtype=np.int64)

    def list_alignments(self, frame: pl.DataFrame, has_position: Booleans) -> pl.DataFrame:
        """Return how each text was found, with the topic, document and line of its highlight."""
        source = self.source[self.row]
        spans = pl.DataFrame(
            [span[3:] for span in self.spans],
            schema={"how": pl.String, "identity": pl.Float64, "coverage": pl.Float64, "places": pl.Int64},
            orient="row",
        )
        quoted = frame.select("topic", "doc", "text", "line")[source]
        is_declared = pl.Series("is_declared", has_position[source], dtype=pl.Boolean)
        return quoted.hstack(spans).with_columns(is_declared, row=pl.Series(source, dtype=pl.Int64))


def _move_judged(
    judged: pl.DataFrame, highlights: pl.DataFrame, declared_docs: pl.Series, collection: Collection
) -> pl.DataFrame:
    """Add the documents in which texts of other or unknown documents were found to the judged ones.

    ``declared_docs`` are the documents that the highlights name.  An unknown document is left out if all its
    texts were found elsewhere.
    """
    located = highlights.with_columns(declared=declared_docs).filter(pl.col("problem").is_null())
    moved = located.join(judged, on=_KEY, how="anti", maintain_order="left").unique(_KEY, maintain_order=True)
    if not moved.height:
        return judged
    ordered = judged.with_row_index("order")
    origin = ordered.select("topic", "order", "file", "line", declared="doc")
    places = moved.select(*_KEY, "declared").join(
        origin, on=["topic", "declared"], how="left", maintain_order="left"
    )
    numbers = pl.Series("number", collection.numbers(places["doc"]), dtype=pl.Int64)
    new_rows = JUDGED.fit(places).with_columns(numbers, order=places["order"])
    is_empty = pl.col("problem") == UNKNOWN_DOCUMENT
    emptied = ordered.filter(is_empty).join(
        moved.select("topic", doc="declared"), on=_KEY, how="semi", maintain_order="left"
    )
    emptied = emptied.join(highlights, on=_KEY, how="anti", maintain_order="left")
    kept_rows = ordered.filter(~pl.col("order").is_in(emptied["order"].implode()))
    return (
        pl.concat([kept_rows, new_rows.select(kept_rows.columns)])
        .sort("order", maintain_order=True)
        .drop("order")
    )


def _copy_positions(values: pl.Series) -> Ints:
    return values.fill_null(-1).to_numpy().copy()


def _fill_resolved(
    table: pl.DataFrame, frame: pl.DataFrame, columns: dict[str, Ints], problem: npt.NDArray[np.object_]
) -> pl.DataFrame:
    """Return the table with its own columns, and the resolved columns filled in for rows without problem."""
    problems_column = pl.Series("problem", problem.tolist(), dtype=pl.String)
    is_found = problem == np.array(None)
    values = {name: make_nullable(np.where(is_found, column, -1)) for name, column in columns.items()}
    return table.with_columns(**values, problem=problems_column).select(frame.columns)


def _check_names(judged: pl.DataFrame) -> None:
    twice = judged.filter(pl.struct(_KEY).is_duplicated())
    if twice.height:
        topic, doc = twice.select(_KEY).row(0)
        lines = twice.filter(topic=topic, doc=doc).select("file", "line").rows()
        raise InputError(
            f"topic {topic}, document {doc} judged twice, under two names",
            file=lines[1][0],
            line=lines[1][1],
            wanted="one judgement per topic and document",
            found=f"the first in {lines[0][0]}, line {lines[0][1]}",
        )


def _fill_sizes(assessments: Assessments, collection: Collection) -> pl.DataFrame:
    judged = assessments.judged
    characters = collection.documents["characters"].cast(pl.Int64)
    judged = judged.with_columns(docsize=judged["docsize"].fill_null(characters.gather(judged["number"])))
    if assessments.scale not in {"2005", "2006"}:
        return judged
    highlights = assessments.highlights
    if highlights["problem"].null_count() == highlights.height:
        return judged.with_columns(rsize=judged["rsize"].fill_null(measure_highlights(assessments)))
    incomplete = highlights.filter(pl.col("problem").is_not_null()).select(_KEY).unique()
    rows = judged.join(
        incomplete.with_columns(is_incomplete=pl.lit(value=True)),
        on=_KEY,
        how="left",
        maintain_order="left",
    )
    sizes = pl.when(rows["is_incomplete"].is_null()).then(measure_highlights(assessments))
    return judged.with_columns(rsize=judged["rsize"].fill_null(pl.select(sizes).to_series()))
