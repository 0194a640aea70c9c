"""Highlights: the XML of 2005 (with grades of elements) and of 2006-07 (with best entry points).

::

    <assessments pool="335" topic="289" version="2">
      <file collection="wikien" name="part-1/1234">
        <best-entry-point path="/article[1]/body[1]/p[2]"/>                            2006-07 only
        <passage start="/article[1]/body[1]/p[2]" end="/article[1]/body[1]/p[3]/text()[1].17" size="412"/>
        <element path="/article[1]" exhaustivity="2" size="2310" rsize="412"/>
      </file>
      <file collection="wikien" name="part-1/99"/>                judged, nothing relevant

A passage starts and ends at an element, or in a text node (see :mod:`doxel.documents.element_paths`).  An
element has ``rsize`` relevant characters of ``size``, or its ``specificity`` gives this share; its
exhaustivity is 0, 1, 2, or ? (too small).  In 2006 exhaustivity was no longer assessed: its value is kept
and has no meaning.

Only the format of 2006 has a best entry point or ``whitespace-text-node``, by which it is recognised.
"""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import BEPS, ELEMENTS, HIGHLIGHTS, Assessments
from doxel.assessments.declare import AssessmentFormat
from doxel.assessments.writing import require
from doxel.assessments.xmlfiles import (
    JudgedFiles,
    as_ascii,
    attribute,
    check_field,
    check_values,
    whole_numbers,
    write_files,
)
from doxel.runs.fields import PATH, PLACE

__all__ = ["INEX2005", "INEX2006"]

_KNOWN_2005 = frozenset({"passage", "element"})
_KNOWN_2006 = _KNOWN_2005 | {"best-entry-point"}


def _is_2006(head: bytes) -> bool:
    plain = as_ascii(head)
    return b"<assessments" in plain and (b"<best-entry-point" in plain or b"whitespace-text-node" in plain)


def _is_2005(head: bytes) -> bool:
    plain = as_ascii(head)
    if b"<assessments" not in plain or b"<path" in plain:
        return False
    return any(mark in plain for mark in (b"<passage", b"<element", b" name=", b" collection=", b" version="))


def _read_2005(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_KNOWN_2005)
    return _assessments("2005", "inex2005", files, BEPS.empty())


def _read_2006(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_KNOWN_2006)
    rows = files.rows("best-entry-point", {"path": ("path",)})
    check_field(rows, "path", PLACE, label="the best entry point", name=name)
    return _assessments("2006", "inex2006", files, BEPS.fit(rows))


def _assessments(scale: str, format_name: str, files: JudgedFiles, beps: pl.DataFrame) -> Assessments:
    return Assessments(
        scale=scale,
        judged=files.judged,
        highlights=_highlights(files),
        elements=_elements(files, graded=scale == "2005"),
        beps=beps,
        file=files.name,
        format=format_name,
        about=files.about,
        notes=tuple(files.notes),
    )


def _highlights(files: JudgedFiles) -> pl.DataFrame:
    rows = files.rows("passage", {"path": ("start",), "path_end": ("end",), "size": ("size",)})
    for column, side in (("path", "start"), ("path_end", "end")):
        check_field(rows, column, PLACE, label=f"the {side} of a passage", name=files.name)
    return HIGHLIGHTS.fit(whole_numbers(rows, {"size": "the size of a passage"}, files.name))


def _elements(files: JudgedFiles, *, graded: bool) -> pl.DataFrame:
    spellings = {"path": ("path",), "exhaustivity": ("exhaustivity", "exhaustiveness"), "size": ("size",)}
    rows = files.rows("element", {**spellings, "rsize": ("rsize",), "share": ("specificity",)})
    check_field(rows, "path", PATH, label="the path of an element", name=files.name)
    grade = pl.col("exhaustivity")
    valid = grade.is_in(["0", "1", "2", "?"])
    valid = valid if graded else valid | grade.is_null()
    check_values(rows, "exhaustivity", valid, label="exhaustivity", wanted="0, 1, 2 or ?", name=files.name)
    rows = whole_numbers(
        rows, {"size": "the size of an element", "rsize": "the rsize of an element"}, files.name
    )
    share = pl.col("share").cast(pl.Float64, strict=False)
    valid = pl.col("share").is_null() | share.is_between(0, 1)
    check_values(rows, "share", valid, label="specificity", wanted="a share from 0 to 1", name=files.name)
    has_sizes = pl.col("size").is_not_null() & pl.col("rsize").is_not_null()
    valid = pl.col("share").is_not_null() | has_sizes
    check_values(
        rows, "rsize", valid, label="an element", wanted="size and rsize, or specificity", name=files.name
    )
    return ELEMENTS.fit(rows.with_columns(share=share))


def _children(assessments: Assessments, format_name: str) -> list[pl.DataFrame]:
    remedy = "this format holds paths, not offsets"
    require(assessments.highlights, ["path"], format_name, "a highlight", remedy)
    passage = pl.format(
        "  <passage{}{}{}/>\n",
        attribute("start", "path"),
        attribute("end", "path_end"),
        attribute("size", "size"),
    )
    element = pl.format(
        "  <element{}{}{}{}{}/>\n",
        attribute("path", "path"),
        attribute("exhaustivity", "exhaustivity"),
        attribute("size", "size"),
        attribute("rsize", "rsize"),
        attribute("specificity", "share"),
    )
    highlights = assessments.highlights.with_columns(pl.col("path_end").fill_null(pl.col("path")))
    return [
        highlights.select("topic", "doc", xml=passage),
        assessments.elements.select("topic", "doc", xml=element),
    ]


def _write_2005(assessments: Assessments) -> bytes:
    about = {key: value for key, value in assessments.about.items() if key == "version"}
    children = _children(assessments, "inex2005")
    return write_files(assessments, children, format_name="inex2005", doc="name", about=about)


def _write_2006(assessments: Assessments) -> bytes:
    require(
        assessments.beps, ["path"], "inex2006", "a best entry point", "this format holds paths, not offsets"
    )
    point = pl.format("  <best-entry-point{}/>\n", attribute("path", "path"))
    points = assessments.beps.select("topic", "doc", xml=point)
    attributes = {key: value for key, value in assessments.about.items() if key in _ABOUT_2006}
    # without best entry points, only this attribute distinguishes the file from one of 2005
    about = {"whitespace-text-node": "keep", **attributes}
    children = [points, *_children(assessments, "inex2006")]
    return write_files(assessments, children, format_name="inex2006", doc="name", about=about)


_ABOUT_2006 = frozenset({"version", "whitespace-text-node"})
_HELD = {
    "judged": frozenset({"topic", "doc", "pool", "collection"}),
    "highlights": frozenset({"topic", "doc", "path", "path_end", "size"}),
    "elements": frozenset({"topic", "doc", "path", "exhaustivity", "size", "rsize", "share"}),
}

INEX2005 = AssessmentFormat(
    name="inex2005",
    about="XML of 2005: highlighted passages, elements with exhaustivity ?, 0, 1, 2",
    scale="2005",
    recognises=_is_2005,
    read=_read_2005,
    write=_write_2005,
    holds={**_HELD, "about": frozenset({"version"})},
)

INEX2006 = AssessmentFormat(
    name="inex2006",
    about="XML of 2006 and 2007: highlighted passages and best entry points",
    scale="2006",
    recognises=_is_2006,
    read=_read_2006,
    write=_write_2006,
    holds={**_HELD, "beps": frozenset({"topic", "doc", "path"}), "about": _ABOUT_2006},
)
