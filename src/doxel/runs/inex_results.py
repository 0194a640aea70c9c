"""Read the results of an INEX XML run one by one, if the file is too irregular to be read in bulk.

This reader is slower, accepts every valid file, and reports each error with its line.
"""

from __future__ import annotations

from typing import Any

import polars as pl
from lxml import etree

from doxel.errors import InputError
from doxel.markup import find_line
from doxel.runs.fields import typed
from doxel.runs.inex_bulk import CHILDREN, FIELDS
from doxel.runs.run import NOT_FOUND, RESULTS

__all__ = ["as_results", "read_one_by_one"]

_KINDS = {"path", "passage", "fol"}
_WANTED = "file, one of path, passage and fol, then rank or rsv or both"


def as_results(table: pl.DataFrame) -> pl.DataFrame:
    """Turn fields into the columns of ``RESULTS``."""
    is_lost = (pl.col("start") == NOT_FOUND) & pl.col("length").is_not_null()
    end = pl.when(is_lost).then(NOT_FOUND).otherwise(pl.col("start") + pl.col("length"))
    path = pl.coalesce("path", "passage_start")
    return RESULTS.fit(table.with_columns(path=path, path_end=pl.col("passage_end"), end=end))


def read_one_by_one(root: Any, name: str, *, entry_points: bool) -> tuple[pl.DataFrame, list[str]]:
    """Return results as ``FIELDS`` with topic and line, and the topics without results.

    ``entry_points``: a ``fol`` may have no length.
    """
    rows: list[dict[str, object]] = []
    empty_topics: list[str] = []
    for result in root.iterchildren("result"):
        raise InputError("a result outside of topics", file=name, line=find_line(result), wanted="<topic>")
    for topic in root.iterchildren("topic"):
        topic_id = topic.get("topic-id", "").strip()
        if not topic_id:
            attributes = ", ".join(topic.keys()) or "no attributes"
            wanted = "the attribute topic-id"
            raise InputError("a topic", file=name, line=find_line(topic), wanted=wanted, found=attributes)
        results = _results_of(topic, name)
        rows += [
            {
                **_ResultReader(name, result, entry_points=entry_points).fields(),
                "topic": topic_id,
                "line": find_line(result),
            }
            for result in results
        ]
        empty_topics += [] if results else [topic_id]
    if not rows:
        raise InputError("a run without results", file=name, wanted="<topic> with <result>", found="none")
    schema = {**dict.fromkeys((*FIELDS, "topic"), pl.String), "line": pl.UInt32}
    return typed(pl.DataFrame(rows, schema=schema), FIELDS, name), empty_topics


def _results_of(topic: Any, name: str) -> list[Any]:
    results: list[Any] = []
    for child in topic.iterchildren(etree.Element):
        if child.tag == "result":
            results.append(child)
        elif child.tag != "collections":
            tag = f"<{child.tag}>"
            raise InputError("a topic", file=name, line=find_line(child), wanted="<result>", found=tag)
    return results


def _text(element: Any) -> str:
    """Return the text of an element, without comments."""
    return element.xpath("string()") if len(element) else element.text or ""


class _ResultReader:
    """Reads one result, with an error for each possible fault."""

    def __init__(self, name: str, result: Any, *, entry_points: bool) -> None:
        self.name, self.result, self.entry_points = name, result, entry_points

    def fields(self) -> dict[str, str]:
        """Return the fields of the result as written, without white space around them."""
        fields: dict[str, str] = {}
        tags: list[str] = []
        for child in self.result.iterchildren(etree.Element):
            if child.tag not in CHILDREN:
                raise self._error(_WANTED, f"<{child.tag}>", child)
            if child.tag in tags:
                raise self._error(f"one <{child.tag}>", f"a second <{child.tag}>", child)
            tags.append(child.tag)
            fields |= self._fields_of(child)
        if (
            not fields.get("doc")
            or not {"rank", "rsv"} & fields.keys()
            or len(_KINDS.intersection(tags)) != 1
        ):
            raise self._error(_WANTED, ", ".join(f"<{tag}>" for tag in tags) or "nothing", self.result)
        return fields

    def _fields_of(self, child: Any) -> dict[str, str]:
        values = {
            column: _text(child) if attribute is None else child.get(attribute)
            for column, attribute in CHILDREN[child.tag].items()
        }
        if self.entry_points and values.get("length", "") is None:
            del values["length"]
        missing = [CHILDREN[child.tag][column] for column, value in values.items() if value is None]
        if missing:
            attributes = ", ".join(child.keys()) or "no attributes"
            raise self._error(f"<{child.tag}> with the attribute {missing[0]}", attributes, child)
        return {column: value.strip() for column, value in values.items()}

    def _error(self, wanted: str, found: str, node: Any) -> InputError:
        shortened = found if len(found) <= 80 else f"{found[:80]}..."
        return InputError("a result", file=self.name, line=find_line(node), wanted=wanted, found=shortened)
