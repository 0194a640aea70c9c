"""Runs of whole documents that are not TREC's: MS MARCO's columns, and JSON by topic.

``msmarco``: ``topic doc rank``, or ``topic doc rank score``, separated by tabs or blanks, all lines alike.

``run-json``: one JSON object ``{topic: {doc: score}}``, as pytrec_eval and ranx store runs; documents are
ranked by score.

Neither has a run-id: such a run is named after its file.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import polars as pl

from doxel.errors import InputError
from doxel.files.contents import blank_comments, decode_utf8, parse_json_mapping, split_lines
from doxel.runs.column_runs import split_first_line
from doxel.runs.result_fields import ID_FIELD, RANK, RSV, parse_columns
from doxel.runs.run import RESULTS, Run
from doxel.runs.run_format import (
    RunFormat,
    build_writing_error,
    check_column_ids,
    check_numbers,
    check_result_values,
    complete_ranks,
    require_result_columns,
)
from doxel.wording import quote_value

__all__ = ["JSON_BY_TOPIC", "MSMARCO_RUNS", "RUN_JSON", "read_json_by_topic"]

_COLUMNS = ("topic", "doc", "rank", "rsv")
_FIELDS = dict(zip(_COLUMNS, (ID_FIELD, ID_FIELD, RANK, RSV), strict=True))
_WANTED = "3 or 4 columns: topic doc rank [score]"


def _recognise_msmarco(head: bytes) -> bool:
    """Check for three or four columns with a rank; ``topic 0 doc grade`` are judgements."""
    fields = split_first_line(head)
    return (
        len(fields) in {3, 4}
        and re.fullmatch(rb"[0-9]+", fields[2]) is not None
        and (len(fields) == 3 or (fields[1].upper() not in {b"0", b"Q0"} and _is_number(fields[3])))
    )


def _is_number(field: bytes) -> bool:
    return re.fullmatch(RSV.pattern, field.decode("utf-8", "replace")) is not None


def _read_msmarco(data: bytes, name: str) -> Run:
    lines = split_lines(blank_comments(data), name)
    if not lines:
        raise InputError("empty file", file=name, wanted=_WANTED, found="no results")
    width = len(lines[0][1].split())
    wanted = _WANTED if width not in {3, 4} else f"{width} columns as in line {lines[0][0]}"
    fields = dict(list(_FIELDS.items())[: width if width in {3, 4} else 3])
    table = parse_columns(lines, fields, name, wanted=wanted)
    return Run("", RESULTS.fit(table), file=name, format="msmarco")


def _write_msmarco(run: Run) -> bytes:
    require_result_columns(run, run.results, (), format_name="msmarco", wanted="whole documents")
    check_column_ids(replace(run, id="run"), run.results, format_name="msmarco")  # its own id is not written
    check_numbers(run, run.results, format_name="msmarco")
    for column, pattern, wanted in (
        ("topic", "^[^#]", "a topic that does not start with #"),
        (
            "doc",
            "^(?:[^0Qq]|.{3}|[^Qq].|.[^0]|[Qq]$)",
            "a document other than 0 and Q0, which mark judgements",
        ),
    ):
        check_result_values(run, run.results[column], pattern, format_name="msmarco", wanted=wanted)
    has_scores = not run.results["rsv"].null_count()
    results = run.results if not run.results["rank"].null_count() else complete_ranks(run, run.results)
    columns = _COLUMNS if has_scores else _COLUMNS[:3]
    return (
        results.select(columns).write_csv(include_header=False, separator="\t", quote_style="never").encode()
    )


MSMARCO_RUNS = RunFormat(
    name="msmarco",
    about="topic doc rank [score]: whole documents, as MS MARCO's runs",
    accepts=_recognise_msmarco,
    read=_read_msmarco,
    write=_write_msmarco,
    result_kinds=("whole",),
    holds={"results": frozenset(_COLUMNS)},
)


JSON_BY_TOPIC = rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:\s*-?[0-9])'
"""The beginning of a JSON object with an object of numbers for each topic."""


def read_json_by_topic(data: bytes, name: str, label: str) -> list[tuple[str, str, float]]:
    """Return topic, document and number of each entry; ``label`` names the number in errors."""
    wanted = f"one object {{topic: {{document: {label}}}}}"
    rows = []
    for topic, documents in parse_json_mapping(decode_utf8(data, name), name, wanted).items():
        if not isinstance(documents, dict) or not topic.strip():
            raise InputError(
                f"topic {topic!r}",
                file=name,
                wanted=f"an object {{document: {label}}}",
                found=quote_value(documents),
            )
        for doc, number in documents.items():
            if isinstance(number, bool) or not isinstance(number, int | float) or not doc.strip():
                problem = f"topic {topic!r}, document {doc!r}"
                raise InputError(problem, file=name, wanted=f"a {label}: a number", found=quote_value(number))
            rows.append((topic, doc, float(number)))
    if not rows:
        raise InputError("empty file", file=name, wanted=wanted, found="no documents")
    return rows


def _read_run_json(data: bytes, name: str) -> Run:
    schema = {"topic": pl.String, "doc": pl.String, "rsv": pl.Float64}
    frame = pl.DataFrame(read_json_by_topic(data, name, "score"), schema=schema, orient="row")
    return Run("", RESULTS.fit(frame), file=name, format="run-json")


def _write_run_json(run: Run) -> bytes:
    require_result_columns(run, run.results, (), format_name="run-json", wanted="whole documents")
    check_numbers(run, run.results, format_name="run-json", finite=True)
    results = complete_ranks(run, run.results)
    duplicates = results.filter(pl.struct("topic", "doc").is_duplicated())
    if duplicates.height:
        wanted = "each document once per topic; --documents first keeps the first"
        raise build_writing_error(
            run,
            duplicates.row(0, named=True),
            format_name="run-json",
            wanted=wanted,
            found="the same document twice",
        )
    by_topic: dict[str, dict[str, float]] = {}
    for topic, doc, rsv in results.select("topic", "doc", "rsv").iter_rows():
        by_topic.setdefault(topic, {})[doc] = rsv
    return json.dumps(by_topic, ensure_ascii=False, indent=1).encode() + b"\n"


RUN_JSON = RunFormat(
    name="run-json",
    about="{topic: {doc: score}}: whole documents in one JSON object",
    begins=JSON_BY_TOPIC,
    read=_read_run_json,
    write=_write_run_json,
    result_kinds=("whole",),
    holds={"results": frozenset({"topic", "doc", "rsv"})},
)
