"""Runs as JSON lines, one object per result, of any kind; and as tables with the same names.

====================================================  ==================================================
``{"topic", "doc", "start", "end"}``                  a span; without ``end``, an entry point
``{"topic", "doc", "path"}``                          an element; with ``path_end``, a range or passage
``{"topic", "doc", "text"}``                          a quotation
``{"topic", "doc", "page"}``                          a page of a PDF file, from 1; with ``start`` and
                                                      ``end``, a span of the page
``{"topic", "doc"}``                                  a whole document
====================================================  ==================================================

Each may have ``rank``, ``score`` (or ``rsv``) and ``run``; without rank and score the order of the lines
is the ranking.  A ``distance`` without a score becomes a score: the nearest result is the best.  Topics and
documents may be written as whole numbers.  A null is the same as a missing key.  Other keys, such as the
metadata of a chunk, are left out and counted in the run's notes.

Lines with other names for topic, document, place or score (``question``, ``source``, ``start_index``,
``page_content``, ``cosine_distance``; see :mod:`doxel.adapters.column_names`) are read like such rows in
Python.  The text of a line without a document is searched for in all documents.

A line may list all results of a question, the best first, as texts or as objects like those above: as ragas
writes ``{"user_input", "retrieved_contexts"}``, or ``{"question", "contexts"}``.  The file may also be one
list of objects, or one object ``{topic: [results]}``.

A CSV or TSV file with a header has the same keys as columns (:mod:`doxel.adapters.csv_records`).

Regular files are read in bulk.  The bulk reader has no line numbers and infers types.  Its result is
therefore used only if nothing is ambiguous: no blank lines, only keys of a run, and only values of a type
that their key allows.  Any other file goes to the reader that checks each line.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from doxel.adapters.column_names import (
    adopt_names,
    has_foreign_names,
    has_foreign_score,
    list_document_names,
    select_columns,
    spread_lists,
)
from doxel.adapters.csv_records import CSV_TABLE, is_csv_table, read_csv_records
from doxel.documents.page_places import convert_pages
from doxel.errors import InputError
from doxel.files import decode_utf8
from doxel.files.contents import parse_json_lines, refuse_long_lines
from doxel.files.file_format import WritingRefusal
from doxel.runs.result_fields import LARGEST_NUMBER, NOT_IN_BULK, PATH, PLACE, find_run_id
from doxel.runs.run import NO_DOCUMENT, NOT_FOUND_OFFSET, RESULTS, Run
from doxel.runs.run_format import RunFormat, check_ids, check_numbers, require_result_columns
from doxel.tables import Column, Table
from doxel.wording import put_on_one_line, quote_value

__all__ = ["CSV_RUNS", "JSONL_RUNS", "read_bulk"]


class _JsonKey(NamedTuple):
    """A key of an object: its column, its valid types, and their description for error messages."""

    column: str
    types: frozenset[type]
    dtype: type[pl.DataType]
    wanted: str


_ID = (frozenset({str, int}), pl.String, "a string that is not empty")
_WHOLE = (frozenset({int}), pl.Int64, "a whole number")
_NUMBER = (frozenset({int, float}), pl.Float64, "a number")
_TEXT = (frozenset({str}), pl.String, "a string")
_KEYS = {
    "topic": _JsonKey("topic", *_ID),
    "doc": _JsonKey("doc", *_ID),
    "run": _JsonKey("run", *_ID),
    "rank": _JsonKey("rank", *_WHOLE),
    "score": _JsonKey("rsv", *_NUMBER),
    "rsv": _JsonKey("rsv", *_NUMBER),
    "distance": _JsonKey("rsv", *_NUMBER),
    "start": _JsonKey("start", *_WHOLE),
    "end": _JsonKey("end", *_WHOLE),
    "page": _JsonKey("page", *_WHOLE),
    "path": _JsonKey("path", *_TEXT),
    "path_end": _JsonKey("path_end", *_TEXT),
    "text": _JsonKey("text", *_TEXT),
}
_FOREIGN_NAMES = Table(
    "foreign names",
    (
        Column("line", pl.UInt32, "the line of the file", required=True),
        Column("names", pl.List(pl.String), "all names of the document"),
        Column("question", pl.String, "the text of the question, if the line has an id besides"),
    ),
)
_TOPIC_OR_CHUNKS = 'a key "topic" or "question" (a file of chunks is passed with --chunks)'
_WRITTEN_KEYS = ("topic", "doc", "rank", "score", "start", "end", "path", "path_end", "text")


def _read(data: bytes, name: str) -> Run:
    refuse_long_lines(data, name)
    table = read_bulk(data)
    left_out: dict[str, Any] = {}
    if table is None:
        lines, records = _spread_records(*_parse_records(data, name), name)
        is_foreign = bool(records) and (has_foreign_names(records[0]) or has_foreign_score(records[0]))
        table, left_out = _build_table(lines, records, name, is_foreign=is_foreign)
    return _build_run(table, left_out, name, "jsonl")


def _spread_records(
    lines: list[int], records: list[dict[str, Any]], name: str
) -> tuple[list[int], list[dict[str, Any]]]:
    """Return one record per result, if records list the results of questions, or the file maps them."""
    if len(records) == 1 and _is_by_topic(records[0]):
        lines = lines * len(records[0])
        records = [{"topic": topic, "results": results} for topic, results in records[0].items()]
    results_by_record = [spread_lists(record) for record in records]
    topics: set[str] = set()
    for line, record, results in zip(lines, records, results_by_record, strict=True):
        if results and results[0].keys() - record.keys():
            topic = str(adopt_names(results[0]).get("topic"))
            if topic in topics:
                found = f"a second list for {quote_value(topic)}"
                raise _build_error("topic", name, line, "one list of results per question", found)
            topics.add(topic)
    return [line for line, results in zip(lines, results_by_record, strict=True) for _ in results], [
        result for results in results_by_record for result in results
    ]


def _is_by_topic(record: dict[str, Any]) -> bool:
    """Return whether an object maps topics to lists of results."""
    has_lists = bool(record) and all(isinstance(value, list) for value in record.values())
    return has_lists and "topic" not in select_columns(record)


def _read_csv(data: bytes, name: str) -> Run:
    rows = read_csv_records(data, name)
    table, left_out = _build_table(
        [line for line, _ in rows], [record for _, record in rows], name, is_foreign=True
    )
    if table["text"].null_count() < table.height:  # a blank cell among texts is an empty text
        text = pl.when(pl.col("doc").is_null()).then(pl.col("text").fill_null("")).otherwise("text")
        table = table.with_columns(text=text)
    return _build_run(table, left_out, name, "csv")


def _build_run(table: pl.DataFrame, left_out: dict[str, Any], name: str, format_name: str) -> Run:
    if table["doc"].null_count():
        has_text = pl.col("doc").is_null() & pl.col("text").is_not_null()
        table = table.with_columns(doc=pl.when(has_text).then(pl.lit(NO_DOCUMENT)).otherwise("doc"))
    _check_results(table, name)
    is_lost = (pl.col("start") == NOT_FOUND_OFFSET) & pl.col("end").is_not_null()
    size = pl.col("text").str.len_chars().cast(pl.Int64)
    end_of_text = pl.when(pl.col("start") >= 0).then(pl.col("start") + size)
    end = pl.when(is_lost).then(NOT_FOUND_OFFSET).otherwise(pl.coalesce("end", end_of_text))
    rsv = pl.coalesce("score", "rsv", 0.0 - pl.col("distance"))
    table = table.with_columns(end=end, rsv=rsv)
    results = RESULTS.fit(convert_pages(table) if table["page"].null_count() < table.height else table)
    return Run(find_run_id(table, name), results, file=name, format=format_name, **left_out)


def _build_table(
    lines: list[int], records: list[dict[str, Any]], name: str, *, is_foreign: bool
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return records as a table, and the data that it leaves out, as arguments of ``Run``."""
    foreign_names = None
    if is_foreign:
        names = [list_document_names(record) for record in records]
        records = [adopt_names(record) for record in records]
        questions = [record.pop("question", None) for record in records]
        foreign_names = _FOREIGN_NAMES.fit(
            pl.DataFrame(
                {"line": lines, "names": names, "question": questions},
                schema_overrides={"names": pl.List(pl.String), "question": pl.String},
                strict=False,
            )
        )
    if not records:
        raise InputError("empty file", file=name, wanted="a JSON object in every line", found="no results")
    if records[0].keys() - _KEYS.keys():
        _require_keys(records[0], lines[0], name)
    table = pl.DataFrame({key: _build_column(key, records, lines, name) for key in _KEYS})
    numbered = table.with_columns(line=pl.Series(lines, dtype=pl.UInt32))
    left_out = {
        "notes": _describe_other_keys(records),
        "foreign_names": foreign_names,
        "unread_texts": tuple(
            key
            for key, value in records[0].items()
            if key not in _KEYS and isinstance(value, str) and len(value.split()) > 1
        ),
    }
    return numbered, left_out


def _require_keys(record: dict[str, Any], line: int, name: str) -> None:
    """Reject an object without a topic, or with neither a document nor a text, and name its keys."""
    messages = {
        "topic": None if "topic" in select_columns(record) else 'a key "topic" or "question"',
        "doc": None
        if {"doc", "text"} & record.keys()
        else 'a key "doc" or "text", or a list "contexts" of texts',
    }
    for key, message in messages.items():
        if message is not None:
            keys = ", ".join(quote_value(key) for key in list(record)[:8]) or "none"
            raise _build_error(key, name, line, message, f"the keys {keys}")


def _parse_records(data: bytes, name: str) -> tuple[list[int], list[dict[str, Any]]]:
    """Return the objects and their lines: parsed together, or one by one if one of them is invalid."""
    content = decode_utf8(data, name)
    numbered = [
        (number, line) for number, text in enumerate(content.split("\n"), 1) if (line := text.strip())
    ]
    lines = [line for _, line in numbered]
    if all(line[0] == "{" and line[-1] == "}" for line in lines):
        try:
            records = json.loads(f"[{','.join(lines)}]", parse_constant=_reject_constant)
        except (ValueError, RecursionError):
            records = []
        if len(records) == len(lines) and set(map(type, records)) <= {dict}:
            return [number for number, _ in numbered], records
    try:
        record = json.loads(content, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict) and _is_by_topic(record):
        return [1], [record]
    pairs = parse_json_lines(data, name)
    return [line for line, _ in pairs], [record for _, record in pairs]


def _reject_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _build_column(key: str, records: Sequence[dict[str, Any]], lines: Sequence[int], name: str) -> pl.Series:
    """Return the values of a key; the first value of a wrong type is an error with its line."""
    _, types, dtype, wanted = _KEYS[key]
    values = [record.get(key) for record in records]
    value_types = set(map(type, values)) - {type(None)}
    if not value_types <= types:
        row = next(row for row, value in enumerate(values) if value is not None and type(value) not in types)
        raise _build_error(key, name, lines[row], wanted, quote_value(values[row]))
    if int in value_types:
        for row, value in enumerate(values):
            if type(value) is int and not -LARGEST_NUMBER < value < LARGEST_NUMBER:
                raise _build_error(key, name, lines[row], "a number of at most 18 digits", "one with more")
        if dtype is pl.String:
            values = [str(value) if type(value) is int else value for value in values]
    try:
        column = pl.Series(key, values, dtype=dtype, strict=False)
    except UnicodeEncodeError:
        row = next(row for row, value in enumerate(values) if value and not _is_text(value))
        raise _build_error(key, name, lines[row], "valid Unicode text", "half of a surrogate pair") from None
    return column.str.strip_chars() if str in types and int in types else column


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _build_error(key: str, name: str, line: int, wanted: str, found: str) -> InputError:
    return InputError(f"the {key} of a result", file=name, line=line, wanted=wanted, found=found)


def _check_results(table: pl.DataFrame, name: str) -> None:
    """Reject the first result with contradictory or missing values."""
    start, end, path, path_end = (pl.col(name) for name in ("start", "end", "path", "path_end"))
    pattern = pl.when(path_end.is_null()).then(path.str.contains(PATH.pattern))
    rules = {
        "topic": (_is_filled("topic"), "a string that is not empty"),
        "doc": (_is_filled("doc"), "a string that is not empty"),
        "run": (_is_filled("run") | pl.col("run").is_null(), "a string that is not empty"),
        "rsv": (pl.col("score").is_null() | pl.col("rsv").is_null(), "score or rsv, not both"),
        "start": (start.is_null() | (start >= NOT_FOUND_OFFSET), "0 or more, or -1 for not found"),
        "end": (
            end.is_null() | (start == NOT_FOUND_OFFSET) | (end >= start),
            "a start, and an end that is not before it",
        ),
        "page": (
            pl.col("page").is_null() | ((pl.col("page") >= 1) & path.is_null()),
            "a number from 1, and no path",
        ),
        "path": (path.is_null() | pattern.otherwise(path.str.contains(PLACE.pattern)), PATH.wanted),
        "path_end": (
            path_end.is_null() | (path.is_not_null() & path_end.str.contains(PLACE.pattern)),
            PLACE.wanted,
        ),
    }
    is_invalid = {key: ~valid.fill_null(value=False) for key, (valid, _) in rules.items()}
    invalid = table.filter(pl.any_horizontal(is_invalid.values())).head(1)
    for key, (_, wanted) in rules.items():
        if invalid.height and invalid.select(is_invalid[key]).item():
            value = invalid[key].item()
            value_text = "none" if value is None else quote_value(value)
            if key == "topic" and table["topic"].null_count() == table.height:
                raise _build_error(key, name, invalid["line"].item(), _TOPIC_OR_CHUNKS, value_text)
            if key == "end":
                begin = invalid["start"].item()
                value_text = f"{'no start' if begin is None else f'start {begin}'}, end {value}"
            raise _build_error(key, name, invalid["line"].item(), wanted, value_text)


def _is_filled(key: str) -> pl.Expr:
    return pl.col(key).is_not_null() & (pl.col(key) != "")


def _describe_other_keys(records: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return the notes about keys that are left out."""
    if set().union(*records) <= _KEYS.keys():
        return ()
    counts = Counter(key for record in records for key in record if key not in _KEYS)
    keys = ", ".join(f"{put_on_one_line(key[:40])} ({count:,})" for key, count in counts.most_common(10))
    return (f"keys left out: {keys}{', and others' if len(counts) > 10 else ''}",)


def _write(run: Run) -> bytes:
    results = run.results
    require_result_columns(
        run, results, ("topic", "doc"), format_name="jsonl", wanted="a topic and a document"
    )
    check_numbers(run, results, format_name="jsonl", finite=True)
    check_ids(run, results, format_name="jsonl")
    members = [_encode_member(key) for key in _WRITTEN_KEYS]
    if run.id:
        members.append(pl.lit(f'"run":{json.dumps(run.id, ensure_ascii=False)}'))
    inside = pl.concat_str(members, separator=",", ignore_nulls=True)
    return "".join(results.select(pl.concat_str(pl.lit("{"), inside, pl.lit("}\n"))).to_series()).encode()


def _encode_member(key: str) -> pl.Expr:
    """Return ``"key":value`` for each result, null if it has no value; values are encoded in bulk."""
    column = pl.col(_KEYS[key].column)
    encoded = pl.struct(column.alias(key)).struct.json_encode().str.head(-1).str.tail(-1)
    return pl.when(column.is_not_null()).then(encoded)


JSONL_RUNS = RunFormat(
    name="jsonl",
    about="JSON lines: spans, entry points, elements, ranges, quotations and whole documents",
    begins=rb"(?:\[\s*)?\{",
    read=_read,
    write=_write,
    result_kinds=("span", "point", "element", "range", "quotation", "whole"),
    combines=True,
    holds={
        "results": frozenset(RESULTS.schema) - {"line"},
        "about": frozenset({"id"}),
    },
)

CSV_RUNS = RunFormat(
    name="csv",
    about="CSV or TSV with a header: topic or question, document or text, start, end, score",
    begins=CSV_TABLE,
    accepts=is_csv_table,
    read=_read_csv,
    write=WritingRefusal("csv"),
    result_kinds=JSONL_RUNS.result_kinds,
    combines=True,
    holds={"results": frozenset(RESULTS.schema) - {"line"}},
)


_Types = set[type[pl.DataType]]
_ID_TYPES: _Types = {pl.String, pl.Int64}
_WHOLE_TYPES: _Types = {pl.Int64}
_NUMBER_TYPES: _Types = {pl.Int64, pl.Float64}
_TEXT_TYPES: _Types = {pl.String}
_TYPES: dict[str, tuple[_Types, type[pl.DataType]]] = {
    "topic": (_ID_TYPES, pl.String),
    "doc": (_ID_TYPES, pl.String),
    "run": (_ID_TYPES, pl.String),
    "rank": (_WHOLE_TYPES, pl.Int64),
    "score": (_NUMBER_TYPES, pl.Float64),
    "rsv": (_NUMBER_TYPES, pl.Float64),
    "distance": (_NUMBER_TYPES, pl.Float64),
    "start": (_WHOLE_TYPES, pl.Int64),
    "end": (_WHOLE_TYPES, pl.Int64),
    "page": (_WHOLE_TYPES, pl.Int64),
    "path": (_TEXT_TYPES, pl.String),
    "path_end": (_TEXT_TYPES, pl.String),
    "text": (_TEXT_TYPES, pl.String),
}
# the two readers may treat these differently: halves of surrogate pairs, and special numbers
_DOUBTFUL = (b"\\u", b"\r", b"\xef\xbb\xbf", b"NaN", b"Infinity")
# lists and objects, which no key of a run has; deep ones take the bulk reader hours, or all of its stack
_NESTED = re.compile(rb'^[ \t\r]*\[|"[ \t\r]*:[ \t\r]*[\[{]', re.MULTILINE)


def read_bulk(data: bytes) -> pl.DataFrame | None:
    """Return the objects of all lines as a table of all keys of a run and ``line``; None if irregular.

    >>> read_bulk(b'{"topic": 7, "doc": "a", "start": 0, "end": 5}').select("topic", "end", "line").row(0)
    ('7', 5, 1)
    >>> read_bulk(b'{"topic": 7, "doc": "a", "start": 0.5}') is None
    True
    """
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    may_nest = b"[" in data or data.count(b"{") > lines
    if any(mark in data for mark in _DOUBTFUL) or (may_nest and _NESTED.search(data)):
        return None
    try:
        table = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except NOT_IN_BULK:
        return None
    if table.height != lines or not _is_valid_table(table) or not _ids_are_alike(table, data):
        return None
    columns = {
        name: _cast_column(table[name], dtype)
        if name in table.columns
        else pl.lit(None, dtype=dtype).alias(name)
        for name, (_, dtype) in _TYPES.items()
    }
    line = pl.Series("line", np.arange(1, lines + 1), dtype=pl.UInt32)
    return table.select(*columns.values(), line)


def _is_valid_table(table: pl.DataFrame) -> bool:
    """Check whether all keys are known, and all values have a valid type and size."""
    for name, dtype in table.schema.items():
        types = _TYPES.get(name)
        if types is None or (dtype != pl.Null and dtype not in types[0]):
            return False
        if (
            dtype == pl.Int64
            and not table.select(
                pl.col(name).is_between(-LARGEST_NUMBER, LARGEST_NUMBER, "none").all()
            ).item()
        ):
            return False
    return True


def _ids_are_alike(table: pl.DataFrame, data: bytes) -> bool:
    """Check whether a column of id strings has only strings in the file: a number would become a string."""
    return all(
        data.count(f'"{name}":"'.encode()) + data.count(f'"{name}": "'.encode()) == column.len()
        for name, (types, _) in _TYPES.items()
        if types is _ID_TYPES and name in table.columns
        for column in [table[name].drop_nulls()]
        if column.dtype == pl.String
    )


def _cast_column(values: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
    values = values.cast(dtype)
    return values.str.strip_chars() if values.name in {"topic", "doc", "run"} else values
