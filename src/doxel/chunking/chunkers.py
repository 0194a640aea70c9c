"""Chunkers by name: ``characters:400:100``, ``paragraphs``, or a custom splitter, ``FILE.py:NAME``.

The name of a built-in chunker is followed by the number of units per chunk, and by the number of units
that the next chunk repeats.  A custom splitter is a function or an object of a library (see
:mod:`doxel.chunking.splitters`).

The built-in chunkers cut by characters, tokens, sentences, paragraphs or headings.  Each splitter returns
starts and ends as two arrays.  Chunks are spans of the unchanged text, in order.  Without overlap they
cover all of it: white space after a unit belongs to the chunk of that unit, white space before the first
unit to the first chunk.  A chunk that would be inside the previous one is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from doxel.chunking.splitters import (
    PlacementCounts,
    find_splitter_call,
    is_splitter,
    name_splitter,
    place_chunks,
)
from doxel.documents import Collection
from doxel.documents.parsing.plain_text import split_paragraphs, split_sentences, split_words
from doxel.errors import InputError
from doxel.files.function_files import call_function, load_function
from doxel.spans import Ints
from doxel.wording import did_you_mean

__all__ = [
    "BUILT_IN_CHUNKERS",
    "CHUNK_SCHEMA",
    "Chunker",
    "add_texts",
    "as_chunker",
    "cut_collection",
    "find_chunker",
    "find_headings",
]

SpanArrays = tuple[Ints, Ints]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


def split_by_characters(text: str, size: int, overlap: int = 0) -> SpanArrays:
    """Cut a text into chunks of ``size`` characters.

    >>> [column.tolist() for column in split_by_characters("abcdefgh", 4, 1)]
    [[0, 3, 6], [4, 7, 8]]
    """
    return _build_windows(np.arange(len(text) + 1), size, overlap)


def split_by_tokens(text: str, size: int, overlap: int = 0) -> SpanArrays:
    """Cut a text into chunks of ``size`` words, which white space separates.

    >>> [column.tolist() for column in split_by_tokens("To be, or not", 2)]
    [[0, 7], [7, 13]]
    """
    return _build_windows(_find_borders(text, split_words), size, overlap)


def split_by_sentences(text: str, size: int = 1, overlap: int = 0) -> SpanArrays:
    """Cut a text into chunks of ``size`` sentences."""
    return _build_windows(_find_borders(text, split_sentences), size, overlap)


def split_by_paragraphs(text: str, size: int = 1, overlap: int = 0) -> SpanArrays:
    """Cut a text into chunks of ``size`` paragraphs, which blank lines separate."""
    return _build_windows(_find_borders(text, split_paragraphs), size, overlap)


def split_by_headings(text: str, starts: Ints, size: int = 1, overlap: int = 0) -> SpanArrays:
    """Cut a text into chunks of ``size`` sections, which start at ``starts``."""
    inner = starts[(starts > 0) & (starts < len(text))]
    return _build_windows(np.unique(np.concatenate([[0], inner, [len(text)]])), size, overlap)


def find_headings(text: str) -> Ints:
    r"""Return the offsets of Markdown headings; lines in fenced code are not headings.

    >>> find_headings("# A\n\n```\n# no\n```\n## B\n").tolist()
    [0, 18]
    """
    offsets: list[int] = []
    fence = ""
    offset = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
        elif mark is not None:
            fence = mark[1]
        elif _HEADING.match(line.rstrip("\r\n")):
            offsets.append(offset)
        offset += len(line)
    return np.array(offsets, dtype=np.int64)


def _find_borders(text: str, split_units: Callable[[str], SpanArrays]) -> Ints:
    """Return the offsets of units, from 0 to the end of the text."""
    starts, _ = split_units(text)
    return np.unique(np.concatenate([[0], starts[1:], [len(text)]]))


def _build_windows(borders: Ints, size: int, overlap: int) -> SpanArrays:
    """Return windows of ``size`` units, each starting ``size - overlap`` units after the previous one."""
    count = len(borders) - 1
    first = np.arange(0, max(count, 0), size - overlap)
    # the windows after the first one that reaches the end would be inside it
    first = first[(first == 0) | (first - (size - overlap) + size < count)]
    return borders[first], borders[np.minimum(first + size, count)]


# name: (default number of units per chunk, splitter)
BUILT_IN_CHUNKERS: dict[str, tuple[int | None, Callable[..., SpanArrays]]] = {
    "characters": (None, split_by_characters),
    "tokens": (None, split_by_tokens),
    "sentences": (1, split_by_sentences),
    "paragraphs": (1, split_by_paragraphs),
    "headings": (1, split_by_headings),
}
_CHUNKER_NAME = re.compile(r"([a-z]+)(?::(\d{1,9}))?(?::(\d{1,9}))?")


@dataclass(frozen=True)
class Chunker:
    """A way to cut texts; ``name`` is its name on the command line and in tables.

    ``convert`` turns a text into the argument of the function.
    """

    name: str
    function: Callable[..., Any]
    wants_sections: bool = False
    convert: Callable[[str], Any] = str

    def cut(
        self, text: str, sections: Ints, document: str, counts: PlacementCounts | None = None
    ) -> SpanArrays:
        """Cut a text; ``sections`` are the offsets of its sections, ``document`` is its name in errors.

        ``counts`` counts the chunks by how they were found.
        """
        label = f"chunker {self.name!r}, document {document!r}"
        if self.wants_sections:
            starts, ends = self.function(text, sections)
        else:
            output = call_function(self.function, label, self.convert(text)) if text else []
            starts, ends = place_chunks(output, text, label, counts or PlacementCounts())
        invalid = np.flatnonzero((starts < 0) | (ends > len(text)) | (ends <= starts))
        if len(invalid) and text:
            start, end = int(starts[invalid[0]]), int(ends[invalid[0]])
            raise InputError(
                f"{label}, chunk {invalid[0] + 1}",
                wanted=f"a span that is not empty, within {len(text):,} characters",
                found=f"[{start}, {end})",
            )
        return (starts, ends) if text else (starts[:0], ends[:0])


def as_chunker(source: Any, name: str | None = None) -> Chunker:
    """Return a chunker from its name, or from a function or object that splits texts.

    >>> as_chunker("paragraphs:2").name, as_chunker(str.split).name, as_chunker(str.split, "words").name
    ('paragraphs:2', 'split', 'words')
    """
    chunker = find_chunker(source) if isinstance(source, str) else source
    if not isinstance(chunker, Chunker):
        function, convert = find_splitter_call(source)
        chunker = Chunker(name_splitter(source), function, convert=convert)
    return chunker if name is None else replace(chunker, name=name)


def find_chunker(name: str) -> Chunker:
    """Return the chunker with a name; ``FILE.py:NAME`` runs the code of the file.

    >>> [column.tolist() for column in find_chunker("characters:4").cut("abcdef", np.zeros(0), "a")]
    [[0, 4], [4, 6]]
    """
    if ".py:" in name:
        _, splitter, _ = load_function(
            name, "a chunker", "a function NAME(text) or a splitter NAME", is_usable=is_splitter
        )
        return as_chunker(splitter, name)
    match = _CHUNKER_NAME.fullmatch(name.strip())
    if match is None or match[1] not in BUILT_IN_CHUNKERS:
        raise _build_name_error(name)
    default, function = BUILT_IN_CHUNKERS[match[1]]
    size = int(match[2]) if match[2] else default
    overlap = int(match[3] or 0)
    if size is None or size < 1 or overlap >= size:
        raise InputError(
            f"chunker {name!r}",
            wanted=f"{match[1]}:SIZE or {match[1]}:SIZE:OVERLAP, 0 <= overlap < size",
            found="no size" if size is None else f"size {size}, overlap {overlap}",
        )
    if match[1] == "headings":
        return Chunker(name, lambda text, starts: function(text, starts, size, overlap), wants_sections=True)
    return Chunker(name, lambda text: function(text, size, overlap))


def _build_name_error(name: str) -> InputError:
    """Return the error for a name that is not that of a chunker: a wrong size, or an unknown word."""
    word, _, size = name.strip().partition(":")
    if word in BUILT_IN_CHUNKERS:
        sizes = f"{word}:SIZE or {word}:SIZE:OVERLAP, in whole numbers"
        return InputError(f"chunker {name!r}", wanted=sizes, found=repr(size))
    return InputError(
        "a chunker",
        wanted=f"one of {', '.join(BUILT_IN_CHUNKERS)} with :SIZE:OVERLAP, FILE.py:NAME, or a file of chunks "
        "that ends in .jsonl",
        found=f"{name!r}{did_you_mean(word, BUILT_IN_CHUNKERS)}",
    )


CHUNK_SCHEMA = {"doc": pl.String, "start": pl.Int64, "end": pl.Int64}

# elements that start a section, in the usual vocabularies of documents
_SECTION_NAMES = frozenset(
    {"section", "sec", "ss1", "ss2", "ss3", "div", "chapter", "sect1", "sect2", "sect3"}
)


def cut_collection(
    collection: Collection,
    chunkers: Iterable[Chunker],
    counts: Mapping[str, PlacementCounts] | None = None,
) -> list[pl.DataFrame]:
    """Cut all documents with each chunker; return one table per chunker: doc, start, end.

    Every text is read once for all chunkers.  ``counts``, by the name of the chunker, counts the chunks by
    how they were found.  Raises an error if none of a chunker's chunks is found.
    """
    chunkers = list(chunkers)
    placements = [counts[chunker.name] if counts else PlacementCounts() for chunker in chunkers]
    tables: list[list[pl.DataFrame]] = [[pl.DataFrame(schema=CHUNK_SCHEMA)] for _ in chunkers]
    for number, doc in enumerate(collection.documents["doc"]):
        text = collection.text(number)
        sections = _find_sections(collection, number, text)
        for chunker, pieces, placement in zip(chunkers, tables, placements, strict=True):
            start, end = chunker.cut(text, sections, doc, placement)
            pieces.append(
                pl.DataFrame(
                    {"doc": pl.repeat(doc, len(start), eager=True), "start": start, "end": end},
                    schema=CHUNK_SCHEMA,
                )
            )
    for chunker, placement in zip(chunkers, placements, strict=True):
        placement.check(chunker.name)
    return [pl.concat(pieces) for pieces in tables]


def add_texts(collection: Collection, chunks: pl.DataFrame) -> pl.DataFrame:
    """Add the texts of chunks: doc, start, end, text."""
    texts: list[str] = []
    for (doc,), part in chunks.group_by("doc", maintain_order=True):
        text = collection.text(collection.number(str(doc)))
        texts += [text[start:end] for start, end in part.select("start", "end").iter_rows()]
    return chunks.with_columns(text=pl.Series(texts, dtype=pl.String))


def _find_sections(collection: Collection, number: int, text: str) -> Ints:
    """Return the offsets of a document's sections: of its elements or, if none, of headings in its text."""
    forest = collection.forest([number])
    is_section_label = np.array([name in _SECTION_NAMES for name in forest.labels.name], dtype=bool)
    is_section = is_section_label[forest.label] if len(is_section_label) else np.zeros(0, dtype=bool)
    return np.unique(forest.start[is_section]) if is_section.any() else find_headings(text)
