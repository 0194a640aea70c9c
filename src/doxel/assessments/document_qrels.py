"""Grades of whole documents in other formats than TREC's: BEIR's three columns, and JSON by topic.

``beir``: ``topic doc grade``, after the header ``query-id corpus-id score`` or without it, separated by tabs
or blanks.  MS MARCO's judgements of four columns are TREC's.

``qrels-json``: one JSON object ``{topic: {doc: grade}}``, as pytrec_eval and ranx store judgements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import polars as pl

from doxel.assessments.assessments import (
    JUDGED,
    AssessmentFormat,
    Assessments,
    check_complete,
    check_judged_ids,
    require_columns,
)
from doxel.assessments.qrels import format_grade, parse_document_grade
from doxel.errors import InputError
from doxel.files.contents import blank_comments, split_lines
from doxel.runs.document_runs import JSON_BY_TOPIC, read_json_by_topic
from doxel.runs.result_fields import RSV
from doxel.wording import pluralise

__all__ = ["BEIR_QRELS", "QRELS_JSON"]

_HEADER = ("query-id", "corpus-id", "score")
_GRADES_ONLY = "this format holds only grades"
_GRADED = {"judged": frozenset({"topic", "doc", "grade"})}


def _build_assessments(
    rows: Sequence[tuple[str, str, float, int | None]], name: str, format_name: str
) -> Assessments:
    schema = {"topic": pl.String, "doc": pl.String, "grade": pl.Float64, "line": pl.UInt32}
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(file=pl.lit(name))
    return Assessments(scale="documents", judged=JUDGED.fit(frame), file=name, format=format_name)


def _is_beir(head: bytes) -> bool:
    header = blank_comments(head[:65_536]).lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    fields = tuple(header.decode("utf-8", "replace").lower().split())
    return fields == _HEADER or (
        len(fields) == 3 and re.fullmatch(RSV.pattern, fields[2]) is not None and fields[0][0] not in "<{["
    )


def _read_beir(data: bytes, name: str) -> Assessments:
    rows: list[tuple[str, str, float, int | None]] = []
    for number, (line, text) in enumerate(split_lines(blank_comments(data), name)):
        fields = text.split()
        if number == 0 and tuple(text.lower().split()) == _HEADER:
            continue
        if len(fields) != 3:
            wanted, width = "3 columns: topic doc grade", pluralise(len(fields), "column")
            raise InputError("an assessment", file=name, line=line, wanted=wanted, found=width)
        rows.append((fields[0], fields[1], parse_document_grade(fields[2], name, line), line))
    if not rows:
        raise InputError("empty file", file=name, wanted="topic doc grade", found="no assessments")
    return _build_assessments(rows, name, "beir")


def _write_beir(assessments: Assessments) -> bytes:
    check_complete(assessments, "beir")
    check_judged_ids(assessments.judged, "beir")
    require_columns(assessments.judged, ["grade"], "beir", "a judged document", _GRADES_ONLY)
    comments = assessments.judged["topic"].filter(assessments.judged["topic"].str.starts_with("#"))
    if len(comments):
        wanted = "an id that does not start with #"
        raise InputError("a topic cannot be written as beir", wanted=wanted, found=repr(comments[0]))
    rows = assessments.judged.select("topic", "doc", "grade").iter_rows()
    lines = ["\t".join(_HEADER), *(f"{topic}\t{doc}\t{format_grade(grade)}" for topic, doc, grade in rows)]
    return "".join(f"{line}\n" for line in lines).encode()


BEIR_QRELS = AssessmentFormat(
    name="beir",
    about="query-id corpus-id score: judgements of whole documents, as BEIR has them",
    scale="documents",
    begins=rb"#|(?!\S+(?:[^\S\n]+\S+){3})[^{\[<]",  # fewer than four columns
    accepts=_is_beir,
    read=_read_beir,
    write=_write_beir,
    holds=_GRADED,
)


def _read_qrels_json(data: bytes, name: str) -> Assessments:
    rows = [(topic, doc, grade, None) for topic, doc, grade in read_json_by_topic(data, name, "grade")]
    return _build_assessments(rows, name, "qrels-json")


def _write_qrels_json(assessments: Assessments) -> bytes:
    check_complete(assessments, "qrels-json")
    require_columns(assessments.judged, ["grade"], "qrels-json", "a judged document", _GRADES_ONLY)
    by_topic: dict[str, dict[str, float]] = {}
    for topic, doc, grade in assessments.judged.select("topic", "doc", "grade").iter_rows():
        by_topic.setdefault(topic, {})[doc] = int(grade) if grade.is_integer() else grade
    return json.dumps(by_topic, ensure_ascii=False, indent=1).encode() + b"\n"


QRELS_JSON = AssessmentFormat(
    name="qrels-json",
    about="{topic: {doc: grade}}: judgements of whole documents in one JSON object",
    scale="documents",
    begins=JSON_BY_TOPIC,
    read=_read_qrels_json,
    write=_write_qrels_json,
    holds=_GRADED,
)
