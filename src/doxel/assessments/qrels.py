"""Qrels: of INEX 2007 and later, with passages, and of TREC, with grades of whole documents.

``topic Q0 doc rsize docsize [bep off:len off:len ...]`` is a line of INEX.  A line with ``rsize`` 0 is
a judged document with nothing relevant.  Passages follow the best entry point; if there is none, -1 (or
X) takes its place.

``topic 0 doc grade`` is a line of TREC.  The second column is ignored.  A grade is any number; TREC
uses whole numbers, and negative ones for spam.  A line that starts with # is a comment.

Regular files, with one blank between columns, are read in bulk.  Any other file goes to a line reader, whose
errors name the line.
"""

from __future__ import annotations

import math
import re

import polars as pl

from doxel.assessments.assessments import (
    BEPS,
    HIGHLIGHTS,
    JUDGED,
    AssessmentFormat,
    Assessments,
    check_complete,
    check_judged_ids,
    measure_highlights,
    require_columns,
)
from doxel.errors import InputError
from doxel.files.compression import looks_compressed
from doxel.files.contents import blank_comments, decode_utf8, refuse_long_lines, split_lines
from doxel.runs.result_fields import NOT_IN_BULK, RSV, normalise_separators, scan_columns
from doxel.wording import pluralise, quote_value

__all__ = ["QRELS", "TREC_QRELS", "format_grade", "parse_document_grade"]

_QRELS_LAYOUT = "topic Q0 doc rsize docsize [bep off:len ...]"
_NO_BEP = {"-1", "X", "x"}
_KEY = ["topic", "doc"]
_LONGEST_FIRST_LINE = 65_536


def _is_qrels(head: bytes) -> bool:
    fields = head[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].split()
    return len(fields) >= 5 and fields[3].isdigit() and not fields[0].startswith(b"#")


def _read_qrels(data: bytes, name: str) -> Assessments:
    judged, highlights, beps = _read_qrels_in_bulk(data, name) or _read_qrels_by_line(data, name)
    return Assessments(
        scale="2006",
        judged=JUDGED.fit(judged.with_columns(file=pl.lit(name))),
        highlights=HIGHLIGHTS.fit(highlights),
        beps=BEPS.fit(beps),
        file=name,
        format="qrels",
    )


_Tables = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]
_WORD = r"[^\s\x1c-\x1f]+"  # also without the separators of ASCII, at which Python splits
_REGULAR_LINE = (
    rf"^{_WORD} {_WORD} {_WORD} [0-9]{{1,18}} [0-9]{{1,18}}"
    r"(?: (?:-1|[Xx]|[0-9]{1,18})(?: [0-9]{1,18}:[0-9]{1,18})*)?$"
)


def _read_qrels_in_bulk(data: bytes, name: str) -> _Tables | None:
    """Return judged documents, highlights and entry points of a regular file, or None."""
    refuse_long_lines(data, name)
    lines = pl.Series("text", [decode_utf8(data, name)]).str.split("\n").explode().str.strip_chars()
    numbered = lines.to_frame().with_row_index("line", offset=1).filter(pl.col("text") != "")
    if not numbered.height or not numbered["text"].str.contains(_REGULAR_LINE).all():
        return None
    columns = ("topic", "q0", "doc", "rsize", "docsize", "bep", "passages")
    fields = pl.col("text").str.splitn(" ", len(columns)).struct.rename_fields(columns)
    table = numbered.select("line", fields.alias("fields")).unnest("fields")
    passages = table.filter(pl.col("passages").is_not_null()).with_columns(pl.col("passages").str.split(" "))
    place = pl.col("passages").str.split_exact(":", 1).struct
    start, length = (place.field(f"field_{number}").cast(pl.Int64) for number in range(2))
    has_bep = pl.col("bep").is_not_null() & ~pl.col("bep").is_in(_NO_BEP)
    return (
        table.select("topic", "doc", pl.col("rsize", "docsize").cast(pl.Int64), "line"),
        passages.explode("passages").select("topic", "doc", "line", start=start, end=start + length),
        table.filter(has_bep).select("topic", "doc", "line", position=pl.col("bep").cast(pl.Int64)),
    )


def _read_qrels_by_line(data: bytes, name: str) -> _Tables:
    judged: list[tuple[object, ...]] = []
    highlights: list[tuple[object, ...]] = []
    beps: list[tuple[object, ...]] = []
    for line, text in split_lines(data, name):
        topic, doc, values = _split_fields(text, name, line)
        rsize, docsize = (
            _parse_whole_number(values[0], "rsize", name, line),
            _parse_whole_number(values[1], "docsize", name, line),
        )
        judged.append((topic, doc, rsize, docsize, line))
        if len(values) > 2 and values[2] not in _NO_BEP:
            beps.append((topic, doc, _parse_whole_number(values[2], "best entry point", name, line), line))
        for passage in values[3:]:
            offset, colon, length = passage.partition(":")
            if not colon:
                raise InputError(
                    "a passage", file=name, line=line, wanted="off:len", found=quote_value(passage)
                )
            start = _parse_whole_number(offset, "offset of a passage", name, line)
            end = start + _parse_whole_number(length, "length of a passage", name, line)
            highlights.append((topic, doc, start, end, line))
    if not judged:
        raise InputError("empty file", file=name, wanted=_QRELS_LAYOUT, found="no assessments")
    return (
        _build_frame(judged, "rsize", "docsize"),
        _build_frame(highlights, "start", "end"),
        _build_frame(beps, "position"),
    )


def _split_fields(text: str, name: str, line: int) -> tuple[str, str, list[str]]:
    fields = text.split()
    if len(fields) < 5 or (len(fields) == 6 and ":" in fields[5]):
        raise InputError(
            "an assessment", file=name, line=line, wanted=_QRELS_LAYOUT, found=quote_value(text, 80)
        )
    return fields[0], fields[2], fields[3:]


def _parse_whole_number(field: str, label: str, name: str, line: int) -> int:
    if field.isascii() and field.isdigit() and len(field) <= 18:
        return int(field)
    raise InputError(f"the {label}", file=name, line=line, wanted="a whole number", found=quote_value(field))


def _build_frame(rows: list[tuple[object, ...]], *columns: str) -> pl.DataFrame:
    types = {"topic": pl.String, "doc": pl.String, **dict.fromkeys(columns, pl.Int64), "line": pl.UInt32}
    return pl.DataFrame(rows, schema=types, orient="row")


def _write_qrels(assessments: Assessments) -> bytes:
    check_complete(assessments, "qrels")
    check_judged_ids(assessments.judged, "qrels")
    highlights = assessments.relevant_highlights
    require_columns(
        highlights, ["start", "end"], "qrels", "a highlight", "pass a collection with -c to find it"
    )
    require_columns(
        assessments.beps, ["position"], "qrels", "a best entry point", "pass a collection with -c to find it"
    )
    judged = assessments.judged.with_columns(pl.col("rsize").fill_null(measure_highlights(assessments)))
    require_columns(judged, ["docsize"], "qrels", "a judged document", "pass a collection with -c to find it")
    repeats = assessments.beps.filter(pl.struct(_KEY).is_duplicated())
    if repeats.height:
        pair = f"topic {repeats['topic'][0]}, document {repeats['doc'][0]}"
        wanted = "one best entry point per document"
        raise InputError(f"{pair} cannot be written as qrels", wanted=wanted, found="several")
    span = pl.format("{}:{}", "start", pl.col("end") - pl.col("start"))
    passages = highlights.group_by(_KEY, maintain_order=True).agg(passages=span.str.join(" "))
    beps = assessments.beps.select(*_KEY, bep="position")
    rows = judged.join(passages, on=_KEY, how="left", maintain_order="left").join(
        beps, on=_KEY, how="left", maintain_order="left"
    )
    bep, spans = pl.col("bep"), pl.col("passages")
    ending = (
        pl.when(spans.is_not_null())
        .then(pl.format(" {} {}", bep.fill_null(-1), spans))
        .when(bep.is_not_null())
        .then(pl.format(" {}", bep))
        .otherwise(pl.lit(""))
    )
    lines = rows.select(pl.format("{} Q0 {} {} {}{}\n", "topic", "doc", "rsize", "docsize", ending))
    return "".join(lines.to_series()).encode()


QRELS = AssessmentFormat(
    name="qrels",
    about=f"{_QRELS_LAYOUT} (2007 and later)",
    scale="2006",
    accepts=_is_qrels,
    read=_read_qrels,
    write=_write_qrels,
    holds={
        "judged": frozenset({"topic", "doc", "rsize", "docsize"}),
        "highlights": frozenset({"topic", "doc", "start", "end"}),
        "beps": frozenset({"topic", "doc", "position"}),
    },
)


_NUMBER = re.compile(RSV.pattern)


def _is_trec(head: bytes) -> bool:
    fields = blank_comments(head[:65_536]).lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].split()
    return len(fields) == 4 and not fields[0].startswith((b"<", b"{", b"["))


def _read_trec(data: bytes, name: str) -> Assessments:
    plain = blank_comments(data)
    judged = _read_trec_in_bulk(plain, name)
    judged = _read_trec_by_line(plain, name) if judged is None else judged
    return Assessments(
        scale="documents", judged=JUDGED.fit(judged.with_columns(file=pl.lit(name))), file=name, format="trec"
    )


_RARE_SPACES = (b"\r", b"\x1c", b"\x1d", b"\x1e", b"\x1f")
_TREC_COLUMNS = {"topic": pl.String, "q0": pl.String, "doc": pl.String, "grade": pl.Float64}


def _read_trec_in_bulk(plain: bytes, name: str) -> pl.DataFrame | None:
    """Return the judged documents of a regular file, or None."""
    refuse_long_lines(plain, name)
    plain = normalise_separators(plain)
    if len(plain[:_LONGEST_FIRST_LINE].partition(b"\n")[0].split()) != 4 or looks_compressed(plain):
        return None
    try:
        table = scan_columns(plain, _TREC_COLUMNS).collect()
    except NOT_IN_BULK:
        return None
    if not table.height or any(column.null_count() for column in table):
        return None
    is_irregular = ~pl.col("grade").is_finite().all()
    if not plain.isascii() or any(
        mark in plain for mark in _RARE_SPACES
    ):  # white space that does not separate columns
        is_irregular |= pl.any_horizontal(
            pl.col("topic", "q0", "doc").str.contains(r"[\s\x1c-\x1f]|^\x{feff}").any()
        )
    return None if table.select(is_irregular).item() else table.drop("q0")


def _read_trec_by_line(plain: bytes, name: str) -> pl.DataFrame:
    rows: list[tuple[str, str, float, int]] = []
    for line, text in split_lines(plain, name):
        fields = text.split()
        if len(fields) != 4:
            wanted, width = "4 columns: topic 0 doc grade", pluralise(len(fields), "column")
            raise InputError("an assessment", file=name, line=line, wanted=wanted, found=width)
        rows.append((fields[0], fields[2], parse_document_grade(fields[3], name, line), line))
    if not rows:
        raise InputError("empty file", file=name, wanted="topic 0 doc grade", found="no assessments")
    schema = {"topic": pl.String, "doc": pl.String, "grade": pl.Float64, "line": pl.UInt32}
    return pl.DataFrame(rows, schema=schema, orient="row")


def parse_document_grade(field: str, name: str, line: int) -> float:
    """Return the grade of a document; anything but a finite number is an error."""
    grade = float(field) if _NUMBER.fullmatch(field) else math.nan
    if not math.isfinite(grade):
        raise InputError(
            "the grade of a document", file=name, line=line, wanted="a number", found=quote_value(field)
        )
    return grade


def _write_trec(assessments: Assessments) -> bytes:
    check_complete(assessments, "trec")
    check_judged_ids(assessments.judged, "trec")
    require_columns(
        assessments.judged, ["grade"], "trec", "a judged document", "this format holds only grades"
    )
    comments = assessments.judged.filter(pl.col("topic").str.starts_with("#"))
    if comments.height:
        found = quote_value(comments["topic"][0])
        raise InputError(
            "a topic cannot be written as trec", wanted="an id that does not start with #", found=found
        )
    rows = assessments.judged.select("topic", "doc", "grade").iter_rows()
    return "".join(f"{topic} 0 {doc} {format_grade(grade)}\n" for topic, doc, grade in rows).encode()


def format_grade(grade: float) -> str:
    """Return a grade as it is written: a whole number without a fraction."""
    return str(int(grade)) if grade.is_integer() and abs(grade) < 1e15 else repr(grade)


TREC_QRELS = AssessmentFormat(
    name="trec",
    about="topic 0 doc grade: judgements of whole documents",
    scale="documents",
    accepts=_is_trec,
    read=_read_trec,
    write=_write_trec,
    holds={"judged": frozenset({"topic", "doc", "grade"})},
)
