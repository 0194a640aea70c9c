"""Gold as CSV: any table with a header, and the questions of Chroma's chunking evaluation.

``csv``: the columns are the keys of JSON lines, or the names that people give them
(:mod:`doxel.adapters.csv_records`): one row per passage, with a text, or a start and an end; or one row per
document with a grade.

``chroma``: the columns are ``question``, ``references`` and ``corpus_id``; references are JSON,
``[{"content": ..., "start_index": ..., "end_index": ...}]``, and the document is the corpus.  Questions have
no id: the topic is the number of the row, counted from 1, unless there is a column ``topic``.  The texts of
the questions are kept, and a run may name its topics by them.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import polars as pl

from doxel.adapters.column_names import GOLD_COLUMN_NAMES, select_columns
from doxel.adapters.column_shapes import parse_references
from doxel.adapters.csv_records import CSV_TABLE, is_csv_table, read_csv_records
from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, AssessmentFormat, Assessments, check_complete
from doxel.assessments.jsonl_assessments import parse_grade, parse_position, read_gold_records
from doxel.errors import InputError
from doxel.files.contents import decode_utf8, parse_identifier
from doxel.files.file_format import WritingRefusal

__all__ = ["CHROMA_QUESTIONS", "CSV_GOLD"]

_COLUMNS = ("question", "references", "corpus_id")
_REFERENCE_KEYS = {"text": "content", "start": "start_index", "end": "end_index"}


def _is_question_csv(head: bytes) -> bool:
    header = (
        head[:65_536].removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    )
    return set(_COLUMNS) <= {name.strip().strip('"') for name in header.split(",")}


def _read(data: bytes, name: str) -> Assessments:
    reader = csv.DictReader(io.StringIO(decode_utf8(data, name), newline=""), strict=True)
    if missing_columns := [column for column in _COLUMNS if column not in (reader.fieldnames or ())]:
        raise InputError(
            "a header",
            file=name,
            line=1,
            wanted=f"the column {missing_columns[0]}",
            found=f"{reader.fieldnames}",
        )
    judged: dict[tuple[str, str], dict[str, Any]] = {}
    highlights: list[dict[str, Any]] = []
    questions: dict[str, str] = {}
    try:
        for number, row in enumerate(reader, 1):
            line = reader.line_num
            place = {"topic": row.get("topic") or str(number), "doc": row["corpus_id"]}
            if not place["doc"] or None in row or None in row.values():
                wanted = f"{len(reader.fieldnames or ())} values, with a corpus_id"
                raise InputError("a question", file=name, line=line, wanted=wanted, found="other values")
            judged.setdefault((place["topic"], place["doc"]), {**place, "file": name, "line": line})
            questions.setdefault(place["topic"], row["question"])
            highlights += [
                {**place, **_read_reference(reference, name, line), "line": line}
                for reference in parse_references(row["references"], name, line)
            ]
    except csv.Error as error:
        raise InputError(
            "CSV", file=name, line=reader.line_num, wanted="rows of a table", found=str(error)
        ) from None
    if not judged:
        raise InputError("empty file", file=name, wanted="questions", found="none")
    return Assessments(
        scale="2006",
        judged=JUDGED.from_rows(judged.values()),
        highlights=HIGHLIGHTS.from_rows(highlights),
        file=name,
        format="chroma",
        questions={topic: text for topic, text in questions.items() if text and text != topic},
    )


def _read_reference(reference: dict[str, Any], name: str, line: int) -> dict[str, Any]:
    """Return text and offsets of an excerpt; at least one of them is present."""
    values = {column: reference.get(key) for column, key in _REFERENCE_KEYS.items()}
    has_offsets = values["start"] is not None and values["end"] is not None
    has_text = isinstance(values["text"], str) and bool(values["text"].strip())
    if not (has_offsets or (has_text and values["start"] is None and values["end"] is None)):
        wanted = "content, or start_index and end_index"
        raise InputError("an excerpt", file=name, line=line, wanted=wanted, found=json.dumps(reference)[:80])
    if has_offsets:
        start, end = (
            parse_position(values[key], _REFERENCE_KEYS[key], name, line) for key in ("start", "end")
        )
        if end < start:
            found = f"start_index {start}, end_index {end}"
            raise InputError("an excerpt", file=name, line=line, wanted="an end after its start", found=found)
    return {**values, "text": values["text"] if has_text else None}


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "chroma")
    highlights = assessments.relevant_highlights
    lost = highlights.filter(pl.col("start").is_null() & pl.col("text").is_null())
    if lost.height:
        problem = (
            f"a highlight of topic {lost['topic'][0]}, document {lost['doc'][0]} cannot be written as chroma"
        )
        raise InputError(problem, wanted="its text or its position; pass a collection with -c to find it")
    references: dict[tuple[str, str], list[dict[str, Any]]] = {
        pair: [] for pair in assessments.judged.select("topic", "doc").iter_rows()
    }
    for topic, doc, *values in highlights.select("topic", "doc", *_REFERENCE_KEYS).iter_rows():
        pairs = zip(_REFERENCE_KEYS.values(), values, strict=True)
        references[topic, doc].append({key: value for key, value in pairs if value is not None})
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*_COLUMNS, "topic"])
    for (topic, doc), excerpts in references.items():
        question = assessments.questions.get(topic, topic)
        writer.writerow([question, json.dumps(excerpts, ensure_ascii=False), doc, topic])
    return stream.getvalue().encode()


CHROMA_QUESTIONS = AssessmentFormat(
    name="chroma",
    about="CSV with question, references (JSON) and corpus_id, as Chroma's chunking evaluation",
    scale="2006",
    begins=rb"[^\n]*references",
    accepts=_is_question_csv,
    read=_read,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset({"topic", "doc", "start", "end", "text"}),
    },
)


_PLACE_NAMES = {"page", "bep"}
_NO_PLACE = "a column for the text, for start and end, or for the grade of a document"


def _read_table(data: bytes, name: str) -> Assessments:
    rows = read_csv_records(data, name)
    header = list(rows[0][1])
    columns = select_columns(header, GOLD_COLUMN_NAMES)
    if columns.keys() & {"text", "start"} or _PLACE_NAMES & set(header):
        return read_gold_records(rows, name, "csv", is_foreign=True)
    grades = columns.get("grade") or columns.get("rsv")
    if not grades:
        raise InputError("gold", file=name, line=1, wanted=_NO_PLACE, found=", ".join(header))
    topic, doc = (columns[column][0] for column in ("topic", "doc"))
    judged = [
        {
            "topic": parse_identifier(row[topic], "the topic", file=name, line=line),
            "doc": parse_identifier(row[doc], "the document", file=name, line=line),
            "grade": parse_grade(row[grades[0]], name, line),
            "file": name,
            "line": line,
        }
        for line, row in rows
    ]
    return Assessments(scale="documents", judged=JUDGED.from_rows(judged), file=name, format="csv")


CSV_GOLD = AssessmentFormat(
    name="csv",
    about="CSV or TSV with a header: topic or question, and a text, a start and an end, or a grade",
    scale="2006",
    begins=CSV_TABLE,
    accepts=is_csv_table,
    read=_read_table,
    write=WritingRefusal("csv"),
    holds={
        "judged": frozenset({"topic", "doc", "grade"}),
        "highlights": frozenset({"topic", "doc", "start", "end", "text", "grade", "aspect"}),
        "beps": frozenset({"topic", "doc", "position"}),
    },
)
