"""Align texts with documents: find the spans that retrieved or quoted texts come from.

A text is searched for unchanged, then folded, then by short sequences (see ``fuzzy_matching``); the first
step that finds it decides.  A declared document, if the collection has it, is the only one searched.  Of
several places the one in the declared context is taken, else the nearest to the declared offset, else the
first in the order of the collection: the choice depends on text and collection only, never on assessments.
"""

from __future__ import annotations

import math
import numbers
import unicodedata
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from doxel.alignment.folding import FoldedText, fold, fold_inside
from doxel.alignment.shortened_texts import find_parts, is_shortened
from doxel.alignment.text_index import BREAK, Place, TextIndex, find_places, remove_token_marks
from doxel.arguments import check_arguments
from doxel.documents.collection import Collection, as_collection
from doxel.documents.document_names import NO_DOCUMENT, RANDOM_ID
from doxel.errors import InputError
from doxel.spans import Ints
from doxel.tables import Column, Table
from doxel.wording import pluralise, quote_value

__all__ = [
    "ALIGNMENTS",
    "UNPLACED",
    "AlignedSpan",
    "Aligner",
    "DeclaredPlace",
    "PlacementGuess",
    "align",
    "describe_alignments",
    "describe_guesses",
    "find_nearest_pieces",
    "mark_missing",
]

UNPLACED = "unplaced"
_WAYS = ("offsets", "exact", "folded", "fuzzy", UNPLACED)

ALIGNMENTS = Table(
    "alignments",
    (
        Column("row", pl.Int64, "the text, counted from 0", required=True),
        Column("topic", pl.String, "the topic that the text was given with"),
        Column("rank", pl.Int64, "the rank that the text was given with"),
        Column("doc", pl.String, "the document; null if the text was not found"),
        Column("start", pl.Int64, "offset of the first character"),
        Column("end", pl.Int64, "offset after the last character"),
        Column("how", pl.String, "exact, folded, fuzzy or unplaced; offsets if declared ones were right"),
        Column("identity", pl.Float64, "1 - edits / matched characters"),
        Column(
            "coverage",
            pl.Float64,
            "matched characters / characters of the text, both folded; null if it is empty",
        ),
        Column("places", pl.Int64, "the number of places with this text"),
    ),
)

_WANTED = "strings, or rows with text and, if known, doc, start, end, prefix, suffix, topic, rank"


class AlignedSpan(NamedTuple):
    """The place of a text, or of a piece of it, and how it was found; document -1 if it was not."""

    document: int
    start: int
    end: int
    how: str
    identity: float
    coverage: float
    places: int


_MISSING = -2


class DeclaredPlace(NamedTuple):
    """The declared place of a text: a document's number, offsets (-1: unknown), and the text around it.

    The number is ``_MISSING`` for a document that the collection does not have, though it has others that are
    declared: the text is then found elsewhere only as a whole.
    """

    document: int = -1
    offset: int = -1
    end: int = -1
    prefix: str = ""
    suffix: str = ""


_WHOLE = 0.9  # the coverage of a text that is found as a whole
_CONTEXT = 100  # characters around a place, besides those of the declared context
_NOWHERE = AlignedSpan(-1, -1, -1, UNPLACED, 0.0, 0.0, 0)
# The index of all documents is kept as long as the collection: several runs are aligned with it.
_INDEXES: weakref.WeakKeyDictionary[Collection, TextIndex] = weakref.WeakKeyDictionary()


class Aligner:
    """Aligns texts with the documents of a collection.

    Documents that texts declare are read and indexed one at a time; all documents are indexed together as
    soon as a text declares none.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def align(
        self, texts: Sequence[str], declared: Sequence[DeclaredPlace] | None = None
    ) -> list[list[AlignedSpan]]:
        """Return the spans of each text: usually one, several for a text joined from pieces.

        Declared offsets are kept if the document has the text there, apart from harmless differences; other
        texts are searched for in the declared document, or in all if it is unknown.  A text that is not
        found has one span, ``unplaced``, in document -1.
        """
        places = declared or [DeclaredPlace()] * len(texts)
        spans: list[list[AlignedSpan]] = [[_NOWHERE]] * len(texts)
        spans_by_key: dict[tuple[str, DeclaredPlace], list[AlignedSpan]] = {}
        for document, rows in _group_rows(places):
            index = self._index(document)
            spans_by_key.clear()
            for row in rows:
                key = (texts[row], places[row])
                if key not in spans_by_key:
                    spans_by_key[key] = _find(index, texts[row], places[row])
                spans[row] = (
                    spans_by_key[key]
                    if document < 0
                    else [
                        span if span.document < 0 else span._replace(document=document)
                        for span in spans_by_key[key]
                    ]
                )
        return spans

    def list_places(self, texts: Sequence[str], documents: Sequence[int]) -> list[list[Place]]:
        """Return all places of each text, in its document or, if that is -1, in all.

        A damaged text has none.
        """
        places: list[list[Place]] = [[]] * len(texts)
        places_by_text: dict[str, list[Place]] = {}
        for document, rows in _group_rows([DeclaredPlace(document) for document in documents]):
            index = self._index(document)
            places_by_text.clear()
            for row in rows:
                text = texts[row]
                if text not in places_by_text:
                    matches, _ = index.find(text, fold(text))
                    places_by_text[text] = (
                        matches if document < 0 else [match._replace(document=document) for match in matches]
                    )
                places[row] = places_by_text[text]
        return places

    def _index(self, document: int) -> TextIndex:
        if document >= 0:
            return TextIndex([self._collection.text(document)])
        index = _INDEXES.get(self._collection)
        if index is None:
            texts = [self._collection.text(number) for number in range(len(self._collection))]
            index = _INDEXES[self._collection] = TextIndex(texts)
        return index


def _group_rows(places: Sequence[DeclaredPlace]) -> Iterable[tuple[int, list[int]]]:
    """Return the rows of each declared document."""
    groups: dict[int, list[int]] = {}
    for row, place in enumerate(places):
        groups.setdefault(place.document, []).append(row)
    return sorted(groups.items())


def _find(index: TextIndex, text: str, declared: DeclaredPlace) -> list[AlignedSpan]:
    if declared.document >= 0 and declared.end >= 0 and _is_at_offsets(index, text, declared):
        return [AlignedSpan(declared.document, declared.offset, declared.end, "offsets", 1.0, 1.0, 1)]
    if not text.strip():
        return [_NOWHERE]
    folded = fold(text)
    places, how = find_places(index, text, folded)
    if not places:
        parts = find_parts(index, text, declared.offset)
        spans = [AlignedSpan(*part.place, "folded", 1.0, part.coverage, part.places) for part in parts]
        spans = spans or _find_damaged(index, text, folded, declared)
        inside = fold_inside(text)
        if inside is not None and inside.text:
            inside_spans = _find_damaged(index, text, inside, declared)
            spans = max(spans, inside_spans, key=lambda spans: sum(span.end - span.start for span in spans))
        if spans and declared.document == _MISSING and sum(span.coverage for span in spans) < _WHOLE:
            return [_NOWHERE]
        if spans:
            return spans
        places, how = index.find_exact(text), "exact"  # inside a tag or a link
    if not places:
        return [_NOWHERE]
    places = _select_by_context(index, _select_by_symbols(index, places, text), declared)
    place = places[0]
    if declared.offset >= 0:
        place = min(places, key=lambda place: abs(place.start - declared.offset))
    return [AlignedSpan(*place, how, 1.0, 1.0, len(places))]


def find_nearest_pieces(index: TextIndex, text: str, offset: int) -> list[AlignedSpan]:
    """Return the spans of a damaged text in an index of one document; equal ones are taken near an offset."""
    return _find_damaged(index, text, fold(text), DeclaredPlace(0, offset))


def _is_at_offsets(index: TextIndex, text: str, declared: DeclaredPlace) -> bool:
    passage = index.passage(0, declared.offset, declared.end)
    if len(passage) < declared.end - declared.offset:
        return False
    if passage == text or passage.split() == text.split():
        return True
    folded = fold(passage).text
    return folded == fold(text).text != "" or is_shortened(text, folded)


def _select_by_symbols(index: TextIndex, places: list[Place], text: str) -> list[Place]:
    """Return the places with the symbols of the text, such as emoji, or all if no place has them."""
    symbols = _list_symbols(text) if len(places) > 1 else []
    return [
        place for place in places if symbols and _list_symbols(index.passage(*place)) == symbols
    ] or places


def _list_symbols(text: str) -> list[str]:
    return [mark for mark in remove_token_marks(text) if unicodedata.category(mark) == "So"]


def _select_by_context(index: TextIndex, places: list[Place], declared: DeclaredPlace) -> list[Place]:
    """Return the places with the declared context, or all if there is none or no place has it."""
    if len(places) > 1 and (declared.prefix or declared.suffix):
        for reduce in (_remove_spaces, lambda text: fold(text).text):
            matches = [place for place in places if _has_context(index, place, declared, reduce)]
            if matches:
                return matches
    return places


def _has_context(
    index: TextIndex, place: Place, declared: DeclaredPlace, reduce: Callable[[str], str]
) -> bool:
    """Return whether the text around a place is the declared one, both reduced in the same way."""
    # mark-up and white space make the same context longer
    before = index.passage(place.document, place.start - _CONTEXT - 3 * len(declared.prefix), place.start)
    after = index.passage(place.document, place.end, place.end + _CONTEXT + 3 * len(declared.suffix))
    return reduce(before).endswith(reduce(declared.prefix)) and reduce(after).startswith(
        reduce(declared.suffix)
    )


def _remove_spaces(text: str) -> str:
    return "".join(text.split())


def _find_damaged(
    index: TextIndex, text: str, folded: FoldedText, declared: DeclaredPlace
) -> list[AlignedSpan]:
    # imports rapidfuzz, which most texts do not need
    from doxel.alignment.fuzzy_matching import Piece, compare_readings, find_pieces

    size = len(folded.text)

    def locate(piece: Piece) -> Place:
        return index.widen(piece.start, piece.end, text, folded, piece.first, piece.last)

    def rate(piece: Piece) -> float:
        begin = int(folded.start[piece.first]) if piece.first else 0
        end = folded.end(piece.last - 1) if piece.last < size else len(text)
        return compare_readings(text[begin:end], index.passage(*locate(piece)))

    near = -1
    if declared.offset >= 0 and declared.document >= 0:
        near = index.find_folded_index(0, declared.offset)
    pieces = find_pieces(folded.text, index, near, _find_borders(text, folded), rate)
    return [
        AlignedSpan(*locate(piece), "fuzzy", piece.identity, piece.matched / size, piece.places)
        for piece in pieces
    ]


def _find_borders(text: str, folded: FoldedText) -> set[int]:
    """Return the indexes of folded characters at which lines and sentences of a text begin, and both ends."""
    end = folded.start + folded.width
    gaps = np.flatnonzero(folded.start[1:] > end[:-1]) + 1
    return {0, len(folded.text)}.union(
        index for index in gaps.tolist() if BREAK.search(text, int(end[index - 1]), int(folded.start[index]))
    )


@check_arguments
def align(texts: Any, documents: Collection | Mapping[str, str] | Any) -> pl.DataFrame:
    """Find the spans of documents that texts come from.

    Parameters
    ----------
    texts
        Strings; rows (dicts or a frame) with ``text`` and, if known, ``doc``, ``start``, ``end``,
        ``prefix`` and ``suffix`` (the text around it), ``topic`` and ``rank``; or a mapping from topics to
        lists of strings, the best first.
    documents
        A collection, its folder, or texts by id.

    Returns
    -------
    polars.DataFrame
        One row per text with the columns of ``ALIGNMENTS``; a text joined from several pieces has one row
        per piece, a text that was not found has one row without a document.

    Examples
    --------
    >>> table = align(["NOT to be...", "to  err"], {"hamlet": "To be, or not to be: that is the question"})
    >>> table.select("row", "doc", "start", "end", "how").rows()
    [(0, 'hamlet', 10, 19, 'folded'), (1, None, None, None, 'unplaced')]
    """
    collection = as_collection(documents)
    if collection is None:
        raise InputError("documents", wanted="a collection, its folder, or texts by id", found="None")
    rows = _list_rows(texts)
    known_documents = _find_numbers(collection, [row["doc"] for row in rows])
    declared_places = [
        DeclaredPlace(
            number,
            -1 if row["start"] is None else row["start"],
            -1 if row["end"] is None else row["end"],
            row["prefix"] or "",
            row["suffix"] or "",
        )
        for number, row in zip(known_documents, rows, strict=True)
    ]
    spans = Aligner(collection).align([row["text"] for row in rows], declared_places)
    return _build_table(rows, spans, collection)


def _build_table(
    rows: Sequence[Mapping[str, Any]], spans: Sequence[Sequence[AlignedSpan]], collection: Collection
) -> pl.DataFrame:
    ids = collection.documents["doc"]
    return ALIGNMENTS.from_rows(
        {
            "row": number,
            "topic": row["topic"],
            "rank": row["rank"],
            **span._asdict(),
            **(
                {"doc": None, "start": None, "end": None, "identity": None}
                if span.document < 0
                else {"doc": ids[span.document]}
            ),
            **({} if row["text"].strip() else {"coverage": None}),
        }
        for number, (row, text_spans) in enumerate(zip(rows, spans, strict=True))
        for span in text_spans
    )


def _find_numbers(collection: Collection, docs: Sequence[str | None]) -> list[int]:
    """Return the number of each declared document, negative if there is none."""
    references = pl.Series(docs, dtype=pl.String)
    names = references.drop_nulls().unique(maintain_order=True)
    numbers = dict(zip(names, collection.numbers(names).tolist(), strict=True)) if len(names) else {}
    rows = np.array([-1 if doc is None else numbers[doc] for doc in docs], dtype=np.int64)
    return list(map(int, mark_missing(rows, references)))


def mark_missing(numbers: Ints, docs: pl.Series) -> Ints:
    """Return the numbers of documents, with ``_MISSING`` for ids that the collection does not have.

    If it has none of the ids, they are ignored, as are the random ids of libraries in any case.
    """
    if not (numbers >= 0).any():
        return numbers
    is_name = docs.is_not_null() & (docs != NO_DOCUMENT) & ~docs.str.contains(f"^(?:{RANDOM_ID.pattern})$")
    return np.where((numbers < 0) & is_name.fill_null(value=False).to_numpy(), _MISSING, numbers)


def _check_members(members: Any, topic: Any) -> Iterable[Any]:
    if isinstance(members, str | bytes) or not isinstance(members, Iterable):
        raise InputError(
            f"texts, topic {quote_value(topic)}", wanted=f"a list of {_WANTED}", found=quote_value(members)
        )
    return members


def _list_rows(texts: Any) -> list[dict[str, Any]]:
    """Return any supported input as rows with text, doc, start, topic and rank."""
    if isinstance(texts, str):
        raise InputError("texts", wanted=f"a list of {_WANTED}", found="one string")
    if isinstance(texts, Mapping):
        return [
            _check_row({"text": text, "topic": topic, "rank": rank}, f"topic {topic!r}, text {rank}")
            for topic, members in texts.items()
            for rank, text in enumerate(_check_members(members, topic), 1)
        ]
    if isinstance(texts, pl.LazyFrame):
        texts = texts.collect()
    if isinstance(texts, pl.DataFrame):
        texts = texts.to_dicts()
    elif hasattr(texts, "to_dict") and hasattr(texts, "columns"):  # a pandas frame, without importing pandas
        texts = texts.to_dict("records")
    if not isinstance(texts, Iterable):
        raise InputError("texts", wanted=f"a list of {_WANTED}", found=quote_value(texts))
    return [
        _check_row({"text": text} if isinstance(text, str) else text, f"text {number}")
        for number, text in enumerate(texts)
    ]


def _check_row(row: Any, label: str) -> dict[str, Any]:
    text = row.get("text") if isinstance(row, Mapping) else None
    if not isinstance(text, str):
        raise InputError(label, wanted=_WANTED, found=quote_value(row, 80))
    names = ("doc", "topic", "prefix", "suffix", "start", "end", "rank")
    values = {name: _drop_nan(row.get(name)) for name in names}
    for name in ("doc", "topic", "prefix", "suffix"):
        values[name] = None if values[name] is None else str(values[name])
    for name in ("start", "end", "rank"):
        values[name] = _convert_whole(values[name], name, label)
    return {"text": text, **values}


def _drop_nan(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value  # pandas' missing value


def _convert_whole(value: Any, name: str, label: str) -> int | None:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if value is None or (is_number and math.isfinite(value) and value == int(value)):
        return None if value is None else int(value)
    raise InputError(label, wanted=f"{name} as a whole number", found=quote_value(value))


def describe_alignments(table: pl.DataFrame) -> list[str]:
    """Return sentences that count texts by how they were found.

    Texts without coverage are empty.

    >>> describe_alignments(align(["be", "be or"], {"a": "To be, or not to be"}))
    ['2 texts: 1 exact, 1 folded', '1 text occurs at several places; the first was taken']
    """
    texts = table.group_by("row", maintain_order=True).agg(
        pl.col("how", "coverage").first(), pl.col("places").max(), pieces=pl.len()
    )
    counts = dict(texts["how"].value_counts().iter_rows())
    ways = ", ".join(f"{counts[way]:,} {way}" for way in _WAYS if way in counts)
    sentences = [f"{pluralise(texts.height, 'text')}: {ways}" if ways else "no texts"]
    if empty_texts := texts["coverage"].null_count():
        sentences.append(pluralise(empty_texts, "text is empty", "texts are empty"))
    if ambiguous_texts := texts.filter(pl.col("places") > 1).height:
        sentences.append(
            pluralise(ambiguous_texts, "text occurs at several places; ", "texts occur at several places; ")
            + "the first was taken"
        )
    if joined_texts := texts.filter(pl.col("pieces") > 1).height:
        sentences.append(
            pluralise(joined_texts, "text consists of several pieces", "texts consist of several pieces")
        )
    return sentences


class PlacementGuess(NamedTuple):
    """A sentence about texts whose place is uncertain: its kind, and the number of topics concerned."""

    kind: str
    sentence: str
    topics: int


def describe_guesses(pieces: pl.DataFrame) -> list[PlacementGuess]:
    """Return sentences about texts that were not found exactly, or not at a single place.

    ``pieces`` has the columns topic, row, how, identity, coverage, places and is_declared (whether
    offsets were declared).  The kinds are unplaced, ambiguous, moved, fuzzy and joined.
    """
    texts = pieces.group_by("row", maintain_order=True).agg(
        pl.col("topic", "how", "is_declared").first(),
        pl.col("places").max(),
        pl.col("identity").min(),
        pl.col("coverage").sum(),
        pieces=pl.len(),
    )
    is_placed = pl.col("how") != UNPLACED
    kinds = {
        UNPLACED: ~is_placed,
        "ambiguous": (pl.col("places") > 1) & ~pl.col("is_declared"),
        "moved": is_placed & pl.col("is_declared") & (pl.col("how") != "offsets"),
        "fuzzy": (pl.col("how") == "fuzzy") & ((pl.col("pieces") == 1) | (pl.col("identity") < 1)),
        "joined": pl.col("pieces") > 1,
    }
    guesses = []
    for kind, is_concerned in kinds.items():
        concerned = texts.filter(is_concerned)
        if concerned.height:
            sentence = pluralise(concerned.height, *_GUESSES[kind])
            if kind == "fuzzy":
                identity, coverage = (min(concerned[name].to_list()) for name in ("identity", "coverage"))
                sentence += f" (lowest identity {identity:.2f}, lowest coverage {coverage:.2f})"
            guesses.append(PlacementGuess(kind, sentence, concerned["topic"].n_unique()))
    return guesses


_GUESSES = {
    UNPLACED: (
        "text was not found; it keeps its rank and counts as retrieving nothing",
        "texts were not found; they keep their rank and count as retrieving nothing",
    ),
    "ambiguous": (
        "text occurs at several places; the first was taken",
        "texts occur at several places; the first was taken",
    ),
    "moved": (
        "text differs from the document at its offsets; it was placed by its text",
        "texts differ from the document at their offsets; they were placed by their text",
    ),
    "fuzzy": ("text was found with differences", "texts were found with differences"),
    "joined": ("text consists of several pieces", "texts consist of several pieces"),
}
