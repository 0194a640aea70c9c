"""The XML of assessments, as all years share it: ``assessments`` of a topic, with a ``file`` a document.

Each campaign's file is one ``assessments`` element with its topic and pool.  Several of them may
stand in one document under any root, which is also how several topics are written to one file.  The
topic that later years quote in their files (``inex_topic``) is read by ``read_topics``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from lxml import etree

from doxel.assessments.assessments import JUDGED, Assessments
from doxel.assessments.writing import check_complete
from doxel.errors import InputError
from doxel.markup import ESCAPES, ILLEGAL, XmlParser, escaped, line_of
from doxel.runs.fields import Field
from doxel.wording import shown

__all__ = [
    "JudgedFiles",
    "as_ascii",
    "attribute",
    "check_field",
    "check_values",
    "whole_numbers",
    "write_files",
]

_ABOUT = ("version", "whitespace-text-node")
_KEY = ["topic", "doc"]


@dataclass(frozen=True)
class JudgedFiles:
    """The ``file`` elements of a document: ``judged`` has a row for each of ``nodes``.

    ``notes`` collects what was not read.
    """

    name: str
    nodes: list[Any]
    judged: pl.DataFrame
    about: dict[str, str]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, data: bytes, name: str, *, known: frozenset[str]) -> JudgedFiles:
        """Parse a document; ``known`` are the elements that may stand in a ``file``."""
        root: Any = XmlParser().parse(data, name)
        tops = [root] if root.tag == "assessments" else list(root.iterchildren(etree.Element))
        _refuse_others(tops or [root], {"assessments"}, name)
        nodes: list[Any] = []
        rows: list[dict[str, object]] = []
        for top in tops:
            _refuse_others(top.iterchildren(etree.Element), {"file", "inex_topic"}, name)
            files = list(top.iterchildren("file"))
            above = {"topic": _required(top, ("topic",), name), "pool": top.get("pool"), "file": name}
            for node in files:
                _refuse_others(node.iterchildren(etree.Element), known, name)
            nodes += files
            rows += [{**above, **_file_row(node, name)} for node in files]
        return cls(name, nodes, JUDGED.from_rows(rows), _about(tops, name))

    def rows(self, tag: str, attributes: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
        """Return the children with a tag: topic, doc, line, and columns of attributes.

        Each column takes the first of its spellings that a child has, without white space around it.
        """
        children = [list(node.iterchildren(tag)) for node in self.nodes]
        owner = np.repeat(np.arange(len(children)), [len(some) for some in children])
        nodes = [node for some in children for node in some]
        used = {key for node in nodes for key in node.keys()}  # noqa: SIM118 -- a node is no dict
        unread = used.difference(*attributes.values())
        if unread:
            self.notes.append(f"{self.name}: attributes of <{tag}> not read: {', '.join(sorted(unread))}")
        frame = self.judged.select(_KEY)[owner].with_columns(
            line=pl.Series([line_of(node) for node in nodes], dtype=pl.UInt32)
        )
        for column, spellings in attributes.items():
            values = pl.Series([None] * len(nodes), dtype=pl.String)
            for spelling in used.intersection(spellings):
                values = values.fill_null(pl.Series([node.get(spelling) for node in nodes], dtype=pl.String))
            frame = frame.with_columns(values.str.strip_chars().alias(column))
        return frame


def _about(tops: list[Any], name: str) -> dict[str, str]:
    about: dict[str, str] = {}
    for top in tops:
        for key in _ABOUT:
            value = top.get(key)
            if value is not None and about.setdefault(key, value) != value:
                found = f"{about[key]!r} and {value!r}"
                raise InputError(key, file=name, line=line_of(top), wanted="one for a file", found=found)
    return about


def _refuse_others(nodes: Any, known: set[str] | frozenset[str], name: str) -> None:
    for node in nodes:
        if node.tag not in known:
            wanted = " or ".join(f"<{tag}>" for tag in sorted(known))
            raise InputError(
                "assessments", file=name, line=line_of(node), wanted=wanted, found=f"<{node.tag}>"
            )


def _file_row(node: Any, name: str) -> dict[str, object]:
    doc = _required(node, ("name", "file"), name)
    return {"doc": doc, "collection": node.get("collection"), "line": line_of(node)}


def _required(node: Any, spellings: tuple[str, ...], name: str) -> str:
    value = next((node.get(spelling).strip() for spelling in spellings if node.get(spelling)), "")
    if not value:
        wanted = f"the attribute {' or '.join(spellings)}"
        found = ", ".join(node.keys()) or "no attributes"
        raise InputError(f"<{node.tag}>", file=name, line=line_of(node), wanted=wanted, found=found)
    return str(value)


def as_ascii(head: bytes) -> bytes:
    """Return the beginning of a file in which marks of ASCII can be looked for, wide characters or not."""
    return head.replace(b"\0", b"") if b"\0" in head[:200] else head


def check_field(frame: pl.DataFrame, column: str, field: Field, *, what: str, name: str) -> None:
    """Refuse the first row whose value is not what a field of its kind looks like, or is missing."""
    valid = pl.col(column).str.contains(field.pattern)
    check_values(frame, column, valid, what=what, wanted=field.wanted, name=name)


def check_values(
    frame: pl.DataFrame, column: str, valid: pl.Expr, *, what: str, wanted: str, name: str
) -> None:
    """Refuse the first row whose value is not valid, or missing where ``valid`` does not allow null."""
    bad = frame.filter(~valid.fill_null(value=False))
    if bad.height:
        value = bad[column][0]
        found = "none" if value is None else shown(value)
        raise InputError(what, file=name, line=bad["line"][0], wanted=wanted, found=found)


def whole_numbers(frame: pl.DataFrame, columns: Mapping[str, str], name: str) -> pl.DataFrame:
    """Turn columns of digits into numbers; null stays null, anything else is refused with its line."""
    for column, what in columns.items():
        valid = pl.col(column).is_null() | pl.col(column).str.contains(r"^[0-9]{1,18}$")
        check_values(frame, column, valid, what=what, wanted="a whole number", name=name)
    return frame.with_columns(pl.col(list(columns)).cast(pl.Int64))


def attribute(name: str, column: str) -> pl.Expr:
    """Return the text of an attribute for each row, nothing where the column is null."""
    value = pl.col(column).cast(pl.String).str.replace_many(ESCAPES)
    return (
        pl.when(pl.col(column).is_not_null()).then(pl.format(f' {name}="{{}}"', value)).otherwise(pl.lit(""))
    )


def write_files(
    assessments: Assessments,
    children: list[pl.DataFrame],
    *,
    format_name: str,
    doc: str,
    about: Mapping[str, str] | None = None,
) -> bytes:
    """Write a document; ``children`` are frames of topic, doc and the ``xml`` of one child each.

    ``doc`` is the attribute of ``file`` that names the document, ``about`` the further attributes of
    ``assessments``.
    """
    check_complete(assessments, format_name)
    inside = pl.concat(children).group_by(_KEY, maintain_order=True).agg(pl.col("xml").str.join(""))
    files = assessments.judged.join(inside, on=_KEY, how="left", maintain_order="left")
    named = pl.concat_str(
        attribute("collection", "collection") if doc == "name" else pl.lit(""), attribute(doc, "doc")
    )
    filled = pl.format(" <file{}>\n{} </file>\n", named, "xml")
    written = pl.when(pl.col("xml").is_null()).then(pl.format(" <file{}/>\n", named)).otherwise(filled)
    further = "".join(f' {key}="{escaped(value)}"' for key, value in (about or {}).items())
    tops = (
        files.select("topic", "pool", xml=written)
        .group_by("topic", "pool", maintain_order=True)
        .agg(pl.col("xml").str.join(""))
        .select(pl.format("<assessments{}{}{}>\n{}</assessments>\n", *_heading(further), "xml"))
        .to_series()
    )
    text = "".join(tops) if len(tops) == 1 else f"<assessments-set>\n{''.join(tops)}</assessments-set>\n"
    illegal = re.search(f"[{ILLEGAL}]", text)
    if illegal:
        wanted = "characters that XML allows"
        raise InputError(f"cannot be written as {format_name}", wanted=wanted, found=repr(illegal.group()))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()


def _heading(further: str) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    return attribute("pool", "pool"), attribute("topic", "topic"), pl.lit(further)
