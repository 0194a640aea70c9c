"""The results of a run in INEX XML, as a table.

Files are large and nearly always regular: every result has one of each child.  Those are turned into
columns by a stylesheet, inside the XML library, which takes less time than parsing did.  A child that
the columns do not account for sends the whole file to a reader that goes through it result by result
and says exactly what is wrong, and where.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from lxml import etree

from doxel.errors import InputError
from doxel.markup import XmlParser
from doxel.runs.fields import LENGTH, OFFSET, PATH, PLACE, RANK, RSV, WORD, are_sound, typed
from doxel.runs.run import NOT_FOUND, RESULTS

__all__ = ["read_results"]

_FIELDS = {
    "doc": WORD,
    "path": PATH,
    "passage_start": PLACE,
    "passage_end": PLACE,
    "start": OFFSET,
    "length": LENGTH,
    "rank": RANK,
    "rsv": RSV,
}
_CHILDREN: dict[str, dict[str, str | None]] = {  # which attribute of a child is which field; None: its text
    "file": {"doc": None},
    "path": {"path": None},
    "passage": {"passage_start": "start", "passage_end": "end"},
    "fol": {"start": "offset", "length": "length"},
    "rank": {"rank": None},
    "rsv": {"rsv": None},
}
_KINDS = ("path", "passage", "fol")
_WANTED = "file, one of path, passage and fol, then rank or rsv or both"


def read_results(root: etree._Element, name: str, *, entry_points: bool) -> pl.DataFrame:
    """Return the results of all topics, with the columns of ``RESULTS``.

    ``entry_points``: a ``fol`` may come without a length, and is then an entry point.
    """
    with _without_garbage_collector():
        table = _in_bulk(root, entry_points=entry_points)
        if table is None:
            table = _one_by_one(root, name, entry_points=entry_points)
    lost = (pl.col("start") == NOT_FOUND) & pl.col("length").is_not_null()
    end = pl.when(lost).then(NOT_FOUND).otherwise(pl.col("start") + pl.col("length"))
    path = pl.coalesce("path", "passage_start")
    return RESULTS.fit(table.with_columns(path=path, path_end=pl.col("passage_end"), end=end))


@contextmanager
def _without_garbage_collector() -> Iterator[None]:
    """Spare the collector some hundred thousand nodes without a single cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _in_bulk(root: Any, *, entry_points: bool) -> pl.DataFrame | None:
    """Read regular results, or return None: the caller then finds out what is wrong, and where."""
    ids = [topic.get("topic-id", "").strip() for topic in root.iterchildren("topic")]
    sizes = [len(topic) for topic in root.iterchildren("topic")]
    children = [len(result) for result in root.iter("result")]  # nodes kept in a list would cost more
    if not children or sum(sizes) != len(children) or not all(ids):
        return None
    there = tuple(tag for tag in _CHILDREN if next(root.iter(tag), None) is not None)
    fields = {column: _FIELDS[column] for tag in there for column in _CHILDREN[tag]}
    text = bytes(_stylesheet(there)(root))
    try:
        schema = {column: field.dtype for column, field in fields.items()}
        table = pl.read_csv(text, has_header=False, separator="\t", quote_char=None, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    known = table.select(pl.sum_horizontal(pl.col(next(iter(_CHILDREN[tag]))).is_not_null() for tag in there))
    if known.to_series().to_list() != children:
        return None  # something in a result is in no column
    table = table.with_columns(
        pl.lit(None, dtype=field.dtype).alias(column)
        for column, field in _FIELDS.items()
        if column not in fields
    )
    if not table.select(_is_complete(entry_points=entry_points).all()).item() or not are_sound(table, fields):
        return None
    return table.with_columns(
        pl.col("doc").str.strip_chars(),
        topic=pl.Series(ids).gather(np.repeat(np.arange(len(sizes)), sizes)),
        line=pl.Series([result.sourceline for result in root.iter("result")], dtype=pl.UInt32),
    )


@lru_cache(maxsize=16)
def _stylesheet(children: tuple[str, ...]) -> etree.XSLT:
    """Return the stylesheet that writes one line a result, with tabs between the fields of these children."""
    places = [
        tag if attribute is None else f"{tag}/@{attribute}"
        for tag in children
        for attribute in _CHILDREN[tag].values()
    ]
    tab, end = "<xsl:text>&#9;</xsl:text>", "<xsl:text>&#10;</xsl:text>"
    sheet = (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:output method="text" encoding="UTF-8"/>'
        '<xsl:template match="/"><xsl:for-each select="/*/topic/result">'
        + tab.join(f'<xsl:value-of select="{place}"/>' for place in places)
        + f"{end}</xsl:for-each></xsl:template></xsl:stylesheet>"
    )
    parsed = XmlParser().parse(sheet.encode(), "stylesheet")
    return etree.XSLT(parsed, access_control=etree.XSLTAccessControl.DENY_ALL)  # type: ignore[attr-defined]


def _is_complete(*, entry_points: bool) -> pl.Expr:
    """Tell whether a result has all that it must have, and one kind of place."""
    there = {column: pl.col(column).is_not_null() for column in _FIELDS}
    length = there["length"] | ~there["start"] | entry_points
    kinds = pl.sum_horizontal(there["path"], there["passage_start"], there["start"])
    ends = there["passage_start"] == there["passage_end"]
    return there["doc"] & (kinds == 1) & ends & length & (there["rank"] | there["rsv"])


def _one_by_one(root: Any, name: str, *, entry_points: bool) -> pl.DataFrame:
    """Read results whatever they look like, as long as they can be understood."""
    rows: list[dict[str, object]] = []
    for result in root.iterchildren("result"):
        raise InputError("a result outside of topics", file=name, line=result.sourceline, wanted="<topic>")
    for topic in root.iterchildren("topic"):
        topic_id = topic.get("topic-id", "").strip()
        if not topic_id:
            found = ", ".join(topic.keys()) or "no attributes"
            wanted = "the attribute topic-id"
            raise InputError("a topic", file=name, line=topic.sourceline, wanted=wanted, found=found)
        for child in topic.iterchildren(etree.Element):
            if child.tag == "result":
                fields = _ResultReader(name, child, entry_points=entry_points).fields()
                rows.append({**fields, "topic": topic_id, "line": child.sourceline})
            elif child.tag != "collections":
                found = f"<{child.tag}>"
                raise InputError("a topic", file=name, line=child.sourceline, wanted="<result>", found=found)
    if not rows:
        raise InputError("a run without results", file=name, wanted="<topic> with <result>", found="none")
    schema = {**dict.fromkeys((*_FIELDS, "topic"), pl.String), "line": pl.UInt32}
    return typed(pl.DataFrame(rows, schema=schema), _FIELDS, name)


class _ResultReader:
    """Reads one result, and says exactly what is wrong with it."""

    def __init__(self, name: str, result: Any, *, entry_points: bool) -> None:
        self.name, self.result, self.entry_points = name, result, entry_points

    def fields(self) -> dict[str, str]:
        """Return the fields of the result as they are written, without white space around them."""
        fields: dict[str, str] = {}
        tags: list[str] = []
        for child in self.result.iterchildren(etree.Element):
            if child.tag not in _CHILDREN:
                raise self._error(_WANTED, f"<{child.tag}>", child)
            if child.tag in tags:
                raise self._error(f"one <{child.tag}>", f"a second <{child.tag}>", child)
            tags.append(child.tag)
            fields |= self._fields_of(child)
        if not fields.get("doc") or not {"rank", "rsv"} & fields.keys() or len(set(_KINDS) & set(tags)) != 1:
            raise self._error(_WANTED, ", ".join(f"<{tag}>" for tag in tags) or "nothing")
        return fields

    def _fields_of(self, child: Any) -> dict[str, str]:
        values = {
            column: child.xpath("string()") if attribute is None else child.get(attribute)
            for column, attribute in _CHILDREN[child.tag].items()
        }
        if self.entry_points and values.get("length", "") is None:
            del values["length"]
        missing = [_CHILDREN[child.tag][column] for column, value in values.items() if value is None]
        if missing:
            found = ", ".join(child.keys()) or "no attributes"
            raise self._error(f"<{child.tag}> with the attribute {missing[0]}", found, child)
        return {column: value.strip() for column, value in values.items()}

    def _error(self, wanted: str, found: str, child: Any = None) -> InputError:
        line = (self.result if child is None else child).sourceline
        return InputError("a result", file=self.name, line=line, wanted=wanted, found=shown_markup(found))


def shown_markup(found: str) -> str:
    """Return what was found, cut short."""
    return found if len(found) <= 80 else f"{found[:80]}..."
