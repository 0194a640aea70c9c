"""The XML structure that assessments of all years share: ``assessments`` with one ``file`` per document.

A campaign's file is one ``assessments`` element with its topic and pool.  An XML document may contain
several of them under any root; several topics are written to one file in this way.  The topic that later
years include in their files (``inex_topic``) is read by ``read_topics``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.assessments import JUDGED, Assessments, check_complete
from doxel.errors import InputError
from doxel.markup import ILLEGAL_CHARACTERS, XML_ESCAPES, XmlParser, escape_xml, etree, find_line
from doxel.runs.result_fields import Field
from doxel.wording import quote_value

__all__ = [
    "JudgedFiles",
    "check_xml_field",
    "check_xml_values",
    "format_attribute",
    "parse_whole_numbers",
    "write_judged_files",
]

_ABOUT_ATTRIBUTES = ("version", "whitespace-text-node")
_KEY = ["topic", "doc"]


@dataclass(frozen=True)
class JudgedFiles:
    """The ``file`` elements of a document: ``judged`` has one row per node of ``nodes``.

    ``notes`` lists the attributes that were not read.
    """

    name: str
    nodes: list[Any]
    judged: pl.DataFrame
    about: dict[str, str]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, data: bytes, name: str, *, tags: frozenset[str]) -> JudgedFiles:
        """Parse a document; ``tags`` are the elements that a ``file`` may contain."""
        root: Any = XmlParser().parse(data, name)
        tops = [root] if root.tag == "assessments" else list(root.iterchildren(etree.Element))
        _check_tags(tops or [root], {"assessments"}, name)
        nodes: list[Any] = []
        rows: list[dict[str, object]] = []
        for top in tops:
            _check_tags(top.iterchildren(etree.Element), {"file", "inex_topic"}, name)
            files = list(top.iterchildren("file"))
            shared = {"topic": _read_required(top, ("topic",), name), "pool": top.get("pool"), "file": name}
            for node in files:
                _check_tags(node.iterchildren(etree.Element), tags, name)
            nodes += files
            rows += [{**shared, **_read_file_row(node, name)} for node in files]
        return cls(name, nodes, JUDGED.from_rows(rows), _read_about(tops, name))

    def rows(self, tag: str, attributes: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
        """Return the children with a tag: topic, doc, line, and columns of attributes.

        ``attributes`` lists the spellings of each column; the first one that a child has counts.
        """
        children = [list(node.iterchildren(tag)) for node in self.nodes]
        owner = np.repeat(np.arange(len(children)), [len(siblings) for siblings in children])
        nodes = [node for siblings in children for node in siblings]
        present = {key for node in nodes for key in node.keys()}  # noqa: SIM118 -- a node is not a dict
        unread = present.difference(*attributes.values())
        if unread:
            self.notes.append(f"{self.name}: attributes of <{tag}> not read: {', '.join(sorted(unread))}")
        columns = {"line": pl.Series([find_line(node) for node in nodes], dtype=pl.UInt32)}
        for column, spellings in attributes.items():
            values: list[str | None] = [None] * len(nodes)
            for spelling in spellings:
                if spelling in present:
                    pairs = zip(values, nodes, strict=True)
                    values = [node.get(spelling) if value is None else value for value, node in pairs]
            columns[column] = pl.Series(values, dtype=pl.String)
        frame = self.judged.select(_KEY)[owner].with_columns(**columns)
        return frame.with_columns(pl.col(*attributes).str.strip_chars())


def _read_about(tops: list[Any], name: str) -> dict[str, str]:
    about: dict[str, str] = {}
    for top in tops:
        for key in _ABOUT_ATTRIBUTES:
            value = top.get(key)
            if value is not None and about.setdefault(key, value) != value:
                values = f"{about[key]!r} and {value!r}"
                raise InputError(key, file=name, line=find_line(top), wanted="one per file", found=values)
    return about


def _check_tags(nodes: Any, tags: set[str] | frozenset[str], name: str) -> None:
    for node in nodes:
        if node.tag not in tags:
            wanted = " or ".join(f"<{tag}>" for tag in sorted(tags))
            raise InputError(
                "assessments", file=name, line=find_line(node), wanted=wanted, found=f"<{node.tag}>"
            )


def _read_file_row(node: Any, name: str) -> dict[str, object]:
    doc = _read_required(node, ("name", "file"), name)
    return {"doc": doc, "collection": node.get("collection"), "line": find_line(node)}


def _read_required(node: Any, spellings: tuple[str, ...], name: str) -> str:
    value = next((node.get(spelling).strip() for spelling in spellings if node.get(spelling)), "")
    if not value:
        wanted = f"the attribute {' or '.join(spellings)}"
        attributes = ", ".join(node.keys()) or "no attributes"
        raise InputError(f"<{node.tag}>", file=name, line=find_line(node), wanted=wanted, found=attributes)
    return str(value)


def check_xml_field(frame: pl.DataFrame, column: str, field: Field, *, label: str, name: str) -> None:
    """Reject the first row whose value is missing or does not match the pattern of a field."""
    valid = pl.col(column).str.contains(field.pattern)
    check_xml_values(frame, column, valid, label=label, wanted=field.wanted, name=name)


def check_xml_values(
    frame: pl.DataFrame, column: str, valid: pl.Expr, *, label: str, wanted: str, name: str
) -> None:
    """Reject the first row whose value is invalid; a null is invalid unless ``valid`` allows it."""
    if frame.is_empty():  # such as the elements of years that have only highlights
        return
    invalid = frame.filter(~valid.fill_null(value=False))
    if invalid.height:
        value = invalid[column][0]
        value_text = "none" if value is None else quote_value(value)
        raise InputError(label, file=name, line=invalid["line"][0], wanted=wanted, found=value_text)


def parse_whole_numbers(frame: pl.DataFrame, columns: Mapping[str, str], name: str) -> pl.DataFrame:
    """Turn columns of digits into numbers; null stays null, any other value is an error with its line."""
    for column, label in columns.items():
        valid = pl.col(column).is_null() | pl.col(column).str.contains(r"^[0-9]{1,18}$")
        check_xml_values(frame, column, valid, label=label, wanted="a whole number", name=name)
    return frame.with_columns(pl.col(list(columns)).cast(pl.Int64))


def format_attribute(name: str, column: str) -> pl.Expr:
    """Return the text of an attribute for each row, empty if the column is null."""
    value = pl.col(column).cast(pl.String).str.replace_many(XML_ESCAPES)
    return (
        pl.when(pl.col(column).is_not_null()).then(pl.format(f' {name}="{{}}"', value)).otherwise(pl.lit(""))
    )


def write_judged_files(
    assessments: Assessments,
    children: list[pl.DataFrame],
    *,
    format_name: str,
    doc: str,
    about: Mapping[str, str] | None = None,
) -> bytes:
    """Write a document; ``children`` are frames of topic, doc and ``xml``, with one row per child.

    ``doc`` is the attribute of ``file`` that names the document, ``about`` contains additional attributes
    of ``assessments``.
    """
    check_complete(assessments, format_name)
    inside = pl.concat(children).group_by(_KEY, maintain_order=True).agg(pl.col("xml").str.join(""))
    files = assessments.judged.join(inside, on=_KEY, how="left", maintain_order="left")
    attributes = pl.concat_str(
        format_attribute("collection", "collection") if doc == "name" else pl.lit(""),
        format_attribute(doc, "doc"),
    )
    full_file = pl.format(" <file{}>\n{} </file>\n", attributes, "xml")
    empty_file = pl.format(" <file{}/>\n", attributes)
    file_xml = pl.when(pl.col("xml").is_null()).then(empty_file).otherwise(full_file)
    about_attributes = "".join(f' {key}="{escape_xml(value)}"' for key, value in (about or {}).items())
    tops = (
        files.select("topic", "pool", xml=file_xml)
        .group_by("topic", "pool", maintain_order=True)
        .agg(pl.col("xml").str.join(""))
        .select(
            pl.format("<assessments{}{}{}>\n{}</assessments>\n", *_format_heading(about_attributes), "xml")
        )
        .to_series()
    )
    text = "".join(tops) if len(tops) == 1 else f"<assessments-set>\n{''.join(tops)}</assessments-set>\n"
    illegal = re.search(f"[{ILLEGAL_CHARACTERS}]", text)
    if illegal:
        wanted = "characters that XML allows"
        raise InputError(f"cannot be written as {format_name}", wanted=wanted, found=repr(illegal.group()))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()


def _format_heading(about_attributes: str) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    return format_attribute("pool", "pool"), format_attribute("topic", "topic"), pl.lit(about_attributes)
