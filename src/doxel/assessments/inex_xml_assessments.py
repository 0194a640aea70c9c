"""Assessments in INEX XML: grades of elements (2002-04) and highlights (2005-07).

*Grades of elements*, by relevance and coverage in 2002, by exhaustivity and specificity in 2003-04:

::

    2002     <assessments topic="1"><file file="an/1995/a1004">
               <path path="/article[1]" relevance="3" coverage="L"/>
    2003-04  <assessments pool="12" topic="91"><file file="an/1995/a1004">
               <path path="/article[1]" exhaustiveness="3" specificity="1" inpool="true"/>

Relevance is 0 to 3; coverage is N (none), L (too large), S (too small) or E (exact).  Exhaustivity and
specificity are 0 to 3, or U (not assessed), the default; ``inpool``, ``inferred`` and ``inconsistant``
(spelt like this) are true or false, by default false.  These are the defaults of the campaign's DTD.

Grades outside the scale are errors.  Grades that contradict each other (0 with coverage E,
exhaustivity 0 with specificity 2) are the assessor's judgement, and are kept.

*Highlights*, with grades of elements in 2005, with best entry points in 2006-07:

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

import re

import polars as pl

from doxel.assessments.assessments import (
    BEPS,
    ELEMENTS,
    HIGHLIGHTS,
    AssessmentFormat,
    Assessments,
    require_columns,
)
from doxel.assessments.inex_xml_files import (
    JudgedFiles,
    check_xml_field,
    check_xml_values,
    format_attribute,
    parse_whole_numbers,
    write_judged_files,
)
from doxel.runs.result_fields import PATH, PLACE

__all__ = ["INEX2002_XML", "INEX2003_XML", "INEX2005_XML", "INEX2006_XML"]

_GRADED_TAGS = frozenset({"path"})
_FLAGS = {"inpool": "inpool", "inferred": "inferred", "inconsistent": "inconsistant"}
_COVERAGE_ATTRIBUTE = re.compile(
    rb"<path\s[^>]*\bcoverage\s*="
)  # only as an attribute: it may occur in the name of a document
_TRUE, _FALSE = ["true", "yes", "y", "1"], ["false", "no", "n", "0"]


def _strip_null_bytes(head: bytes) -> bytes:
    """Return the start of a file as bytes to search for ASCII text, even if its encoding is UTF-16."""
    return head.replace(b"\0", b"") if b"\0" in head[:200] else head


def _is_2002(head: bytes) -> bool:
    plain = _strip_null_bytes(head)
    return b"<assessments" in plain and _COVERAGE_ATTRIBUTE.search(plain) is not None


def _is_2003(head: bytes) -> bool:
    return b"<assessments" in _strip_null_bytes(head)


def _read_2002(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_GRADED_TAGS)
    rows = files.rows(
        "path", {"path": ("path",), "relevance": ("relevance",), "coverage": ("coverage",)}
    ).with_columns(pl.col("coverage").str.to_uppercase())
    check_xml_field(rows, "path", PATH, label="the path of an element", name=name)
    for column, grades in (("relevance", "0123"), ("coverage", "NLSE")):
        valid = pl.col(column).is_in(list(grades))
        check_xml_values(rows, column, valid, label=column, wanted=f"one of {', '.join(grades)}", name=name)
    return _build_assessments("2002", "inex2002", files, elements=ELEMENTS.fit(rows))


def _read_2003(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_GRADED_TAGS)
    rows = files.rows(
        "path",
        {
            "path": ("path",),
            "exhaustivity": ("exhaustiveness", "exhaustivity"),
            "specificity": ("specificity",),
            **{column: (spelling, column) for column, spelling in _FLAGS.items()},
        },
    )
    check_xml_field(rows, "path", PATH, label="the path of an element", name=name)
    grades = ["exhaustivity", "specificity"]
    rows = rows.with_columns(
        pl.col(grades).str.to_uppercase().fill_null("U"),
        pl.col(list(_FLAGS)).str.to_lowercase().fill_null("false"),
    )
    for column in grades:
        valid = pl.col(column).is_in(list("0123U"))
        check_xml_values(rows, column, valid, label=column, wanted="one of 0, 1, 2, 3, U", name=name)
    for column in _FLAGS:
        valid = pl.col(column).is_in([*_TRUE, *_FALSE])
        check_xml_values(rows, column, valid, label=column, wanted="true or false", name=name)
    rows = rows.with_columns(pl.col(list(_FLAGS)).is_in(_TRUE))
    return _build_assessments("2003", "inex2003", files, elements=ELEMENTS.fit(rows))


def _build_assessments(
    scale: str,
    format_name: str,
    files: JudgedFiles,
    *,
    elements: pl.DataFrame,
    highlights: pl.DataFrame | None = None,
    beps: pl.DataFrame | None = None,
) -> Assessments:
    """Return the assessments of files, after reading their tables: each adds to the notes."""
    return Assessments(
        scale=scale,
        judged=files.judged,
        highlights=HIGHLIGHTS.empty() if highlights is None else highlights,
        elements=elements,
        beps=BEPS.empty() if beps is None else beps,
        file=files.name,
        format=format_name,
        about=files.about,
        notes=tuple(files.notes),
    )


def _write_2002(assessments: Assessments) -> bytes:
    xml = pl.format(
        "  <path{}{}{}/>\n",
        format_attribute("path", "path"),
        format_attribute("relevance", "relevance"),
        format_attribute("coverage", "coverage"),
    )
    children = assessments.elements.select("topic", "doc", xml=xml)
    return write_judged_files(assessments, [children], format_name="inex2002", doc="file")


def _write_2003(assessments: Assessments) -> bytes:
    xml = pl.format(
        "  <path{}{}{}{}{}{}/>\n",
        format_attribute("path", "path"),
        format_attribute("exhaustiveness", "exhaustivity"),
        format_attribute("specificity", "specificity"),
        *(format_attribute(spelling, column) for column, spelling in _FLAGS.items()),
    )
    children = assessments.elements.select("topic", "doc", xml=xml)
    return write_judged_files(assessments, [children], format_name="inex2003", doc="file")


INEX2002_XML = AssessmentFormat(
    name="inex2002",
    about="XML of 2002: elements with relevance 0 to 3 and coverage N, L, S, E",
    scale="2002",
    begins=rb"<",
    accepts=_is_2002,
    read=_read_2002,
    write=_write_2002,
    holds={
        "judged": frozenset({"topic", "doc", "pool"}),
        "elements": frozenset({"topic", "doc", "path", "relevance", "coverage"}),
    },
)

INEX2003_XML = AssessmentFormat(
    name="inex2003",
    about="XML of 2003 and 2004: elements with exhaustivity and specificity 0 to 3 or U",
    scale="2003",
    begins=rb"<",
    accepts=_is_2003,
    read=_read_2003,
    write=_write_2003,
    holds={
        "judged": frozenset({"topic", "doc", "pool"}),
        "elements": frozenset({"topic", "doc", "path", "exhaustivity", "specificity", *_FLAGS}),
    },
)


_TAGS_2005 = frozenset({"passage", "element"})
_TAGS_2006 = _TAGS_2005 | {"best-entry-point"}


def _is_2006(head: bytes) -> bool:
    plain = _strip_null_bytes(head)
    return b"<assessments" in plain and (b"<best-entry-point" in plain or b"whitespace-text-node" in plain)


def _is_2005(head: bytes) -> bool:
    plain = _strip_null_bytes(head)
    if b"<assessments" not in plain or b"<path" in plain:
        return False
    return any(mark in plain for mark in (b"<passage", b"<element", b" name=", b" collection=", b" version="))


def _read_2005(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_TAGS_2005)
    return _build_highlighted("2005", "inex2005", files, BEPS.empty())


def _read_2006(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_TAGS_2006)
    rows = files.rows("best-entry-point", {"path": ("path",)})
    check_xml_field(rows, "path", PLACE, label="the best entry point", name=name)
    return _build_highlighted("2006", "inex2006", files, BEPS.fit(rows))


def _build_highlighted(scale: str, format_name: str, files: JudgedFiles, beps: pl.DataFrame) -> Assessments:
    highlights = _read_highlights(files)
    elements = _read_elements(files, graded=scale == "2005")
    return _build_assessments(scale, format_name, files, highlights=highlights, elements=elements, beps=beps)


def _read_highlights(files: JudgedFiles) -> pl.DataFrame:
    rows = files.rows("passage", {"path": ("start",), "path_end": ("end",), "size": ("size",)})
    for column, side in (("path", "start"), ("path_end", "end")):
        check_xml_field(rows, column, PLACE, label=f"the {side} of a passage", name=files.name)
    return HIGHLIGHTS.fit(parse_whole_numbers(rows, {"size": "the size of a passage"}, files.name))


def _read_elements(files: JudgedFiles, *, graded: bool) -> pl.DataFrame:
    spellings = {"path": ("path",), "exhaustivity": ("exhaustivity", "exhaustiveness"), "size": ("size",)}
    rows = files.rows("element", {**spellings, "rsize": ("rsize",), "share": ("specificity",)})
    check_xml_field(rows, "path", PATH, label="the path of an element", name=files.name)
    grade = pl.col("exhaustivity")
    valid = grade.is_in(["0", "1", "2", "?"])
    valid = valid if graded else valid | grade.is_null()
    check_xml_values(
        rows, "exhaustivity", valid, label="exhaustivity", wanted="0, 1, 2 or ?", name=files.name
    )
    rows = parse_whole_numbers(
        rows, {"size": "the size of an element", "rsize": "the rsize of an element"}, files.name
    )
    share = pl.col("share").cast(pl.Float64, strict=False)
    valid = pl.col("share").is_null() | share.is_between(0, 1)
    check_xml_values(rows, "share", valid, label="specificity", wanted="a share from 0 to 1", name=files.name)
    has_sizes = pl.col("size").is_not_null() & pl.col("rsize").is_not_null()
    valid = pl.col("share").is_not_null() | has_sizes
    check_xml_values(
        rows, "rsize", valid, label="an element", wanted="size and rsize, or specificity", name=files.name
    )
    return ELEMENTS.fit(rows.with_columns(share=share))


def _write_children(assessments: Assessments, format_name: str) -> list[pl.DataFrame]:
    remedy = "this format holds paths, not offsets"
    highlights = assessments.relevant_highlights
    require_columns(highlights, ["path"], format_name, "a highlight", remedy)
    passage = pl.format(
        "  <passage{}{}{}/>\n",
        format_attribute("start", "path"),
        format_attribute("end", "path_end"),
        format_attribute("size", "size"),
    )
    element = pl.format(
        "  <element{}{}{}{}{}/>\n",
        format_attribute("path", "path"),
        format_attribute("exhaustivity", "exhaustivity"),
        format_attribute("size", "size"),
        format_attribute("rsize", "rsize"),
        format_attribute("specificity", "share"),
    )
    highlights = highlights.with_columns(pl.col("path_end").fill_null(pl.col("path")))
    return [
        highlights.select("topic", "doc", xml=passage),
        assessments.elements.select("topic", "doc", xml=element),
    ]


def _write_2005(assessments: Assessments) -> bytes:
    about = {key: value for key, value in assessments.about.items() if key == "version"}
    children = _write_children(assessments, "inex2005")
    return write_judged_files(assessments, children, format_name="inex2005", doc="name", about=about)


def _write_2006(assessments: Assessments) -> bytes:
    require_columns(
        assessments.beps, ["path"], "inex2006", "a best entry point", "this format holds paths, not offsets"
    )
    point = pl.format("  <best-entry-point{}/>\n", format_attribute("path", "path"))
    points = assessments.beps.select("topic", "doc", xml=point)
    attributes = {key: value for key, value in assessments.about.items() if key in _ABOUT_2006}
    # without best entry points, only this attribute distinguishes the file from one of 2005
    about = {"whitespace-text-node": "keep", **attributes}
    children = [points, *_write_children(assessments, "inex2006")]
    return write_judged_files(assessments, children, format_name="inex2006", doc="name", about=about)


_ABOUT_2006 = frozenset({"version", "whitespace-text-node"})
_HELD_COLUMNS = {
    "judged": frozenset({"topic", "doc", "pool", "collection"}),
    "highlights": frozenset({"topic", "doc", "path", "path_end", "size"}),
    "elements": frozenset({"topic", "doc", "path", "exhaustivity", "size", "rsize", "share"}),
}

INEX2005_XML = AssessmentFormat(
    name="inex2005",
    about="XML of 2005: highlighted passages, elements with exhaustivity ?, 0, 1, 2",
    scale="2005",
    begins=rb"<",
    accepts=_is_2005,
    read=_read_2005,
    write=_write_2005,
    holds={**_HELD_COLUMNS, "about": frozenset({"version"})},
)

INEX2006_XML = AssessmentFormat(
    name="inex2006",
    about="XML of 2006 and 2007: highlighted passages and best entry points",
    scale="2006",
    begins=rb"<",
    accepts=_is_2006,
    read=_read_2006,
    write=_write_2006,
    holds={**_HELD_COLUMNS, "beps": frozenset({"topic", "doc", "path"}), "about": _ABOUT_2006},
)
