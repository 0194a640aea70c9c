"""TREC qrels: ``topic 0 doc grade``, judgements of whole documents.

The second column is ignored.  A grade is any number; TREC uses whole numbers, and negative ones for spam.
"""

from __future__ import annotations

import math
import re

import polars as pl

from doxel.assessments.assessments import JUDGED, Assessments
from doxel.assessments.declare import AssessmentFormat
from doxel.assessments.writing import check_complete, check_words, require
from doxel.errors import InputError
from doxel.files.contents import split_lines
from doxel.runs.fields import RSV
from doxel.wording import pluralise, quote_value

__all__ = ["TREC"]

_NUMBER = re.compile(RSV.pattern)


def _is_trec(head: bytes) -> bool:
    fields = head[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].split()
    return len(fields) == 4 and not fields[0].startswith((b"<", b"{", b"["))


def _read(data: bytes, name: str) -> Assessments:
    rows: list[tuple[str, str, float, int]] = []
    for line, text in split_lines(data, name):
        fields = text.split()
        if len(fields) != 4:
            wanted, width = "4 columns: topic 0 doc grade", pluralise(len(fields), "column")
            raise InputError("an assessment", file=name, line=line, wanted=wanted, found=width)
        rows.append((fields[0], fields[2], _grade(fields[3], name, line), line))
    if not rows:
        raise InputError("empty file", file=name, wanted="topic 0 doc grade", found="no assessments")
    frame = pl.DataFrame(
        rows,
        schema={"topic": pl.String, "doc": pl.String, "grade": pl.Float64, "line": pl.UInt32},
        orient="row",
    )
    return Assessments(
        scale="documents", judged=JUDGED.fit(frame.with_columns(file=pl.lit(name))), file=name, format="trec"
    )


def _grade(field: str, name: str, line: int) -> float:
    grade = float(field) if _NUMBER.fullmatch(field) else math.nan
    if not math.isfinite(grade):
        raise InputError(
            "the grade of a document", file=name, line=line, wanted="a number", found=quote_value(field)
        )
    return grade


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "trec")
    check_words(assessments.judged, "trec")
    require(assessments.judged, ["grade"], "trec", "a judged document", "this format holds only grades")
    rows = assessments.judged.select("topic", "doc", "grade").iter_rows()
    return "".join(f"{topic} 0 {doc} {_number(grade)}\n" for topic, doc, grade in rows).encode()


def _number(grade: float) -> str:
    return str(int(grade)) if grade.is_integer() and abs(grade) < 1e15 else repr(grade)


TREC = AssessmentFormat(
    name="trec",
    about="topic 0 doc grade: judgements of whole documents",
    scale="documents",
    recognises=_is_trec,
    read=_read,
    write=_write,
    holds={"judged": frozenset({"topic", "doc", "grade"})},
)
