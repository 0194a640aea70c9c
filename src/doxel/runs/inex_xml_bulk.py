"""Read regular INEX XML runs in bulk.

The tree of a large run does not fit into the processor's caches, and walking it takes longer than parsing
it.  So the document is cut into pieces at topic boundaries.  Each piece is parsed on its own, by the same
safe parser, and a stylesheet turns its results into lines of columns inside the XML library.  Several
pieces are processed in parallel.

For a file with any irregularity the functions return None, and :mod:`doxel.runs.inex_xml_runs` reads it
instead: for example if a cut inside a comment leaves a piece that is not well-formed, or if a result has
a child that the columns do not contain.
"""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import MarkupError
from doxel.executors import count_cores
from doxel.files.compression import looks_compressed
from doxel.markup import XmlParser, etree
from doxel.runs.result_fields import (
    ID_FIELD,
    LENGTH,
    NOT_IN_BULK,
    OFFSET,
    PATH,
    PLACE,
    RANK,
    RSV,
    are_valid_fields,
)

__all__ = ["XML_RESULT_CHILDREN", "XML_RESULT_FIELDS", "CutRun", "cut_at_topics", "read_pieces"]

PIECE_BYTES = 400_000
_MOST_THREADS = 4

XML_RESULT_FIELDS = {
    "doc": ID_FIELD,
    "path": PATH,
    "passage_start": PLACE,
    "passage_end": PLACE,
    "start": OFFSET,
    "length": LENGTH,
    "rank": RANK,
    "rsv": RSV,
}
XML_RESULT_CHILDREN: dict[
    str, dict[str, str | None]
] = {  # child: {field: attribute}; None: the text of the child
    "file": {"doc": None},
    "path": {"path": None},
    "passage": {"passage_start": "start", "passage_end": "end"},
    "fol": {"start": "offset", "length": "length"},
    "rank": {"rank": None},
    "rsv": {"rsv": None},
}

_DECLARATION = re.compile(rb"\s*<\?xml[^>]*\?>")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ROOT_START, _ROOT_END = b"<inex-submission>", b"</inex-submission>"


@dataclass(frozen=True)
class RunPiece:
    """Some topics as a separate document; its first line is line ``line`` of the whole file."""

    data: bytes
    line: int


@dataclass(frozen=True)
class CutRun:
    """A run in pieces: a document with everything before the first topic, and documents with topics."""

    header: bytes
    pieces: tuple[RunPiece, ...]


def cut_at_topics(data: bytes, size: int = PIECE_BYTES) -> CutRun | None:
    """Cut a document at topics; return None if it has none, or if a piece could change its meaning.

    >>> cut = cut_at_topics(b'<inex-submission run-id="a"><topic topic-id="1"/></inex-submission>')
    >>> cut.header, cut.pieces[0].data
    (b'<inex-submission run-id="a"></inex-submission>', \
b'<inex-submission><topic topic-id="1"/></inex-submission>')
    """
    first = _find_topic(data, 0)
    if first < 0 or data.startswith(_UTF16) or b"<!" in data[:first]:
        return None  # a declaration or comment in the header might extend into the topics
    data_without_mark = data.removeprefix(codecs.BOM_UTF8)
    declaration = _DECLARATION.match(data_without_mark)
    opening = (declaration.group().strip() if declaration else b"").replace(b"\n", b" ") + _ROOT_START
    pieces: list[RunPiece] = []
    start, line = first, data.count(b"\n", 0, first) + 1
    while start >= 0:
        stop = _find_topic(data, start + size)
        body = data[start:stop] + _ROOT_END if stop >= 0 else data[start:]
        pieces.append(RunPiece(opening + body, line))
        line += data.count(b"\n", start, stop if stop >= 0 else len(data))
        start = stop
    return CutRun(data[:first] + _ROOT_END, tuple(pieces))


def _find_topic(data: bytes, start: int) -> int:
    """Return the offset of the next topic, -1 if there is none."""
    offset = data.find(b"<topic", start)
    while offset >= 0 and data[offset + 6 : offset + 7] not in b" \t\r\n/>":
        offset = data.find(b"<topic", offset + 1)
    return offset


@dataclass(frozen=True)
class _BulkResults:
    """The results of a piece: one line of columns per result, its number of children and its line."""

    columns: bytes
    topics: list[str]
    sizes: list[int]
    children: list[int]
    lines: list[int]


def read_pieces(pieces: Sequence[RunPiece], *, entry_points: bool) -> tuple[pl.DataFrame, list[str]] | None:
    """Return results as ``XML_RESULT_FIELDS`` with topic and line, and the topics without results; or None.

    ``entry_points``: a ``fol`` may have no length.
    """
    try:
        tags = _find_tags(pieces)
        piece_results = list(_read_each_piece(pieces, tags))
    except (MarkupError, _IrregularError):
        return None
    table = _build_table(tags, piece_results)
    if table is None or not is_regular(table, entry_points=entry_points):
        return None
    sizes = [size for results in piece_results for size in results.sizes]
    topics = [topic for results in piece_results for topic in results.topics]
    owner = np.repeat(np.arange(len(topics)), sizes)
    lines = pl.Series([line for results in piece_results for line in results.lines], dtype=pl.UInt32)
    table = table.with_columns(
        pl.col("doc").str.strip_chars(), topic=pl.Series(topics, dtype=pl.String).gather(owner), line=lines
    )
    return table, [topic for topic, size in zip(topics, sizes, strict=True) if not size]


class _IrregularError(Exception):
    """A piece contains something that the columns cannot express."""


def _find_tags(pieces: Sequence[RunPiece]) -> tuple[str, ...]:
    """Return the tags of the children of results, taken from the first piece with results."""
    for piece in pieces:
        root = XmlParser().parse(piece.data, "")
        tags = tuple(tag for tag in XML_RESULT_CHILDREN if next(root.iter(tag), None) is not None)
        if tags:
            return tags
    raise _IrregularError


def _read_each_piece(pieces: Sequence[RunPiece], tags: tuple[str, ...]) -> Iterator[_BulkResults]:
    threads = min(count_cores(), _MOST_THREADS, len(pieces))
    read_piece = partial(_read_piece, tags=tags)
    if threads == 1:
        yield from map(read_piece, pieces)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(read_piece, pieces)


def _read_piece(piece: RunPiece, tags: tuple[str, ...]) -> _BulkResults:
    root: Any = _THREAD_TOOLS.parser().parse(piece.data, "")
    topics = list(root)
    if {topic.tag for topic in topics} != {"topic"}:
        raise _IrregularError
    ids = [topic.get("topic-id", "").strip() for topic in topics]
    if not all(ids):
        raise _IrregularError
    columns = bytes(_THREAD_TOOLS.stylesheet(tags)(root))
    before = piece.line - 1
    return _BulkResults(
        columns,
        ids,
        [len(topic) for topic in topics],
        [len(result) for topic in topics for result in topic],
        [before + result.sourceline for topic in topics for result in topic],
    )


def _build_table(tags: tuple[str, ...], piece_results: Sequence[_BulkResults]) -> pl.DataFrame | None:
    """Return all results as columns, or None if the columns do not contain all children of a result."""
    fields = [column for tag in tags for column in XML_RESULT_CHILDREN[tag]]
    columns = b"".join(results.columns for results in piece_results)
    if looks_compressed(columns):
        return None
    try:
        table = pl.read_csv(
            columns,
            has_header=False,
            separator="\t",
            quote_char=None,
            schema={column: XML_RESULT_FIELDS[column].dtype for column in fields},
        )
    except NOT_IN_BULK:
        return None
    counts = table.select(
        pl.sum_horizontal(pl.col(next(iter(XML_RESULT_CHILDREN[tag]))).is_not_null() for tag in tags)
    )
    if counts.to_series().to_list() != [count for results in piece_results for count in results.children]:
        return None
    absent_columns = [column for column in XML_RESULT_FIELDS if column not in fields]
    return table.with_columns(
        pl.lit(None, dtype=XML_RESULT_FIELDS[column].dtype).alias(column) for column in absent_columns
    )


def is_regular(table: pl.DataFrame, *, entry_points: bool) -> bool:
    """Check whether each result has its required fields, one kind of place, and valid values."""
    has = {column: pl.col(column).is_not_null() for column in XML_RESULT_FIELDS}
    length = has["length"] | ~has["start"] | entry_points
    kinds = pl.sum_horizontal(has["path"], has["passage_start"], has["start"])
    ends = has["passage_start"] == has["passage_end"]
    complete = has["doc"] & (kinds == 1) & ends & length & (has["rank"] | has["rsv"])
    used_fields = {
        column: field
        for column, field in XML_RESULT_FIELDS.items()
        if table[column].null_count() < table.height
    }
    return bool(table.select(complete.all()).item()) and are_valid_fields(table, used_fields)


class _ThreadTools(threading.local):
    """The parser and the stylesheets of a thread: the XML library is fastest if threads do not share them."""

    def __init__(self) -> None:
        self._parser: XmlParser | None = None
        self._stylesheets: dict[tuple[str, ...], etree.XSLT] = {}

    def parser(self) -> XmlParser:
        self._parser = self._parser or XmlParser()
        return self._parser

    def stylesheet(self, tags: tuple[str, ...]) -> etree.XSLT:
        """Return the stylesheet that writes one line per result, with tabs between the fields of children."""
        if tags not in self._stylesheets:
            sheet = self.parser().parse(_write_stylesheet(tags).encode(), "stylesheet")
            deny = etree.XSLTAccessControl.DENY_ALL  # type: ignore[attr-defined]
            self._stylesheets[tags] = etree.XSLT(sheet, access_control=deny)
        return self._stylesheets[tags]


_THREAD_TOOLS = _ThreadTools()


def _write_stylesheet(tags: tuple[str, ...]) -> str:
    places = [
        tag if attribute is None else f"{tag}/@{attribute}"
        for tag in tags
        for attribute in XML_RESULT_CHILDREN[tag].values()
    ]
    values = "<xsl:text>&#9;</xsl:text>".join(f'<xsl:value-of select="{place}"/>' for place in places)
    return (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:output method="text" encoding="UTF-8"/><xsl:template match="/">'
        f'<xsl:for-each select="/*/topic/result">{values}<xsl:text>&#10;</xsl:text></xsl:for-each>'
        "</xsl:template></xsl:stylesheet>"
    )
