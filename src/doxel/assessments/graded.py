"""Grades of elements: XML of 2002 (relevance and coverage) and 2003-04 (exhaustivity and specificity).

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
"""

from __future__ import annotations

import re

import polars as pl

from doxel.assessments.assessments import ELEMENTS, Assessments
from doxel.assessments.declare import AssessmentFormat
from doxel.assessments.xmlfiles import (
    JudgedFiles,
    as_ascii,
    attribute,
    check_field,
    check_values,
    write_files,
)
from doxel.runs.fields import PATH

__all__ = ["INEX2002", "INEX2003"]

_PATHS = frozenset({"path"})
_FLAGS = {"inpool": "inpool", "inferred": "inferred", "inconsistent": "inconsistant"}
_COVERED = re.compile(
    rb"<path\s[^>]*\bcoverage\s*="
)  # only as an attribute: it may occur in the name of a document
_TRUE, _FALSE = ["true", "yes", "y", "1"], ["false", "no", "n", "0"]


def _is_2002(head: bytes) -> bool:
    plain = as_ascii(head)
    return b"<assessments" in plain and _COVERED.search(plain) is not None


def _is_2003(head: bytes) -> bool:
    return b"<assessments" in as_ascii(head)


def _read_2002(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_PATHS)
    rows = files.rows(
        "path", {"path": ("path",), "relevance": ("relevance",), "coverage": ("coverage",)}
    ).with_columns(pl.col("coverage").str.to_uppercase())
    check_field(rows, "path", PATH, label="the path of an element", name=name)
    for column, grades in (("relevance", "0123"), ("coverage", "NLSE")):
        valid = pl.col(column).is_in(list(grades))
        check_values(rows, column, valid, label=column, wanted=f"one of {', '.join(grades)}", name=name)
    return _assessments("2002", "inex2002", files, rows)


def _read_2003(data: bytes, name: str) -> Assessments:
    files = JudgedFiles.read(data, name, tags=_PATHS)
    rows = files.rows(
        "path",
        {
            "path": ("path",),
            "exhaustivity": ("exhaustiveness", "exhaustivity"),
            "specificity": ("specificity",),
            **{column: (spelling, column) for column, spelling in _FLAGS.items()},
        },
    )
    check_field(rows, "path", PATH, label="the path of an element", name=name)
    grades = ["exhaustivity", "specificity"]
    rows = rows.with_columns(
        pl.col(grades).str.to_uppercase().fill_null("U"),
        pl.col(list(_FLAGS)).str.to_lowercase().fill_null("false"),
    )
    for column in grades:
        valid = pl.col(column).is_in(list("0123U"))
        check_values(rows, column, valid, label=column, wanted="one of 0, 1, 2, 3, U", name=name)
    for column in _FLAGS:
        valid = pl.col(column).is_in([*_TRUE, *_FALSE])
        check_values(rows, column, valid, label=column, wanted="true or false", name=name)
    rows = rows.with_columns(pl.col(list(_FLAGS)).is_in(_TRUE))
    return _assessments("2003", "inex2003", files, rows)


def _assessments(scale: str, format_name: str, files: JudgedFiles, rows: pl.DataFrame) -> Assessments:
    return Assessments(
        scale=scale,
        judged=files.judged,
        elements=ELEMENTS.fit(rows),
        file=files.name,
        format=format_name,
        about=files.about,
        notes=tuple(files.notes),
    )


def _write_2002(assessments: Assessments) -> bytes:
    xml = pl.format(
        "  <path{}{}{}/>\n",
        attribute("path", "path"),
        attribute("relevance", "relevance"),
        attribute("coverage", "coverage"),
    )
    children = assessments.elements.select("topic", "doc", xml=xml)
    return write_files(assessments, [children], format_name="inex2002", doc="file")


def _write_2003(assessments: Assessments) -> bytes:
    xml = pl.format(
        "  <path{}{}{}{}{}{}/>\n",
        attribute("path", "path"),
        attribute("exhaustiveness", "exhaustivity"),
        attribute("specificity", "specificity"),
        *(attribute(spelling, column) for column, spelling in _FLAGS.items()),
    )
    children = assessments.elements.select("topic", "doc", xml=xml)
    return write_files(assessments, [children], format_name="inex2003", doc="file")


INEX2002 = AssessmentFormat(
    name="inex2002",
    about="XML of 2002: elements with relevance 0 to 3 and coverage N, L, S, E",
    scale="2002",
    recognises=_is_2002,
    read=_read_2002,
    write=_write_2002,
    holds={
        "judged": frozenset({"topic", "doc", "pool"}),
        "elements": frozenset({"topic", "doc", "path", "relevance", "coverage"}),
    },
)

INEX2003 = AssessmentFormat(
    name="inex2003",
    about="XML of 2003 and 2004: elements with exhaustivity and specificity 0 to 3 or U",
    scale="2003",
    recognises=_is_2003,
    read=_read_2003,
    write=_write_2003,
    holds={
        "judged": frozenset({"topic", "doc", "pool"}),
        "elements": frozenset({"topic", "doc", "path", "exhaustivity", "specificity", *_FLAGS}),
    },
)
