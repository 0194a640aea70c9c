"""Assessments as JSON lines, the simplest format to write by hand or with a program.

==================================================  ===============================================
``{"topic", "doc", "start", "end"}`` (+ "grade")    a highlight, by offsets
``{"topic", "doc", "text"}`` (+ "grade")            a highlight, by quotation (+ "prefix", "suffix")
``{"topic", "doc", "bep"}``                         a best entry point
``{"topic", "doc"}``                                judged, nothing relevant
==================================================  ===============================================

A highlight may have both offsets and quotation.  Other keys are ignored and listed in the notes.  But a
line with other keys and none of the keys above is an error: otherwise a misspelt key would turn a
relevant document into one with nothing relevant.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

from doxel.assessments.assessments import (
    BEPS,
    HIGHLIGHTS,
    JUDGED,
    AssessmentFormat,
    Assessments,
    check_complete,
)
from doxel.errors import InputError
from doxel.files.contents import parse_identifier, parse_json_lines
from doxel.wording import pluralise, quote_value

__all__ = ["JSONL_ASSESSMENTS", "parse_grade", "parse_position"]

_LARGEST_GRADE = sys.float_info.max  # a JSON integer may be larger than any float
_HIGHLIGHT_KEYS = ("start", "end", "text", "prefix", "suffix", "grade")
_ALL_KEYS = {"topic", "doc", "bep", *_HIGHLIGHT_KEYS}
_KEY_COMBINATIONS = '"start" and "end", "text", "bep", or only "topic" and "doc"'


def _is_jsonl(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return first.startswith(b"{") and b'"topic"' in first


def _read(data: bytes, name: str) -> Assessments:
    judged: dict[tuple[str, str], dict[str, object]] = {}
    highlights: list[dict[str, object]] = []
    beps: list[dict[str, object]] = []
    others: Counter[str] = Counter()
    for line, record in parse_json_lines(data, name):
        place = _read_pair(record, name, line)
        others.update(key for key in record if key not in _ALL_KEYS)
        judged.setdefault((place["topic"], place["doc"]), {**place, "file": name, "line": line})
        if "bep" in record:
            beps.append({**place, "position": parse_position(record["bep"], "bep", name, line), "line": line})
        elif "start" in record or "text" in record:
            highlights.append({**place, **_read_highlight(record, name, line), "line": line})
    if not judged:
        raise InputError("empty file", file=name, wanted="assessments", found="none")
    notes = [
        f"{name}: the key {key!r} is ignored ({pluralise(count, 'line')})" for key, count in others.items()
    ]
    return Assessments(
        scale="2006",
        judged=JUDGED.from_rows(judged.values()),
        highlights=HIGHLIGHTS.from_rows(highlights),
        beps=BEPS.from_rows(beps),
        file=name,
        format="jsonl",
        notes=tuple(notes),
    )


def _read_pair(record: dict[str, Any], name: str, line: int) -> dict[str, str]:
    """Return topic and document of a line, after checking that its keys fit together."""
    keys = set(record)
    is_whole_span = ("start" in keys) == ("end" in keys)
    is_highlight = bool(keys & {"start", "text"})
    is_valid = (
        is_whole_span
        and not ("bep" in keys and keys & set(_HIGHLIGHT_KEYS))
        and (is_highlight or not keys & set(_HIGHLIGHT_KEYS))
        and (is_highlight or "bep" in keys or not keys - {"topic", "doc"})
        and ("text" in keys or not keys & {"prefix", "suffix"})
    )
    if not is_valid:
        keys_text = ", ".join(quote_value(key, 30) for key in list(record)[:8])
        raise InputError("an assessment", file=name, line=line, wanted=_KEY_COMBINATIONS, found=keys_text)
    return {
        key: parse_identifier(record.get(key), f"the {key}", file=name, line=line) for key in ("topic", "doc")
    }


def _read_highlight(record: dict[str, Any], name: str, line: int) -> dict[str, object]:
    values: dict[str, object] = {}
    if "start" in record:
        start, end = (parse_position(record[key], key, name, line) for key in ("start", "end"))
        if end < start:
            offsets = f"start {start}, end {end}"
            raise InputError(
                "a highlight", file=name, line=line, wanted="an end after its start", found=offsets
            )
        values |= {"start": start, "end": end}
    for key in ("text", "prefix", "suffix"):
        if key in record:
            if not isinstance(record[key], str) or (key == "text" and not record[key].strip()):
                value = quote_value(record[key])
                raise InputError(f"the {key}", file=name, line=line, wanted="a text", found=value)
            values[key] = record[key]
    if record.get("grade") is not None:
        values["grade"] = parse_grade(record["grade"], name, line)
    return values


def parse_position(value: object, label: str, name: str, line: int | None) -> int:
    """Return a value as an offset in a text; any other value is an error."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62:
        return value
    wanted = "a whole number, 0 or more"
    raise InputError(f"the {label}", file=name, line=line, wanted=wanted, found=quote_value(value))


def parse_grade(value: object, name: str, line: int | None) -> float:
    """Return a value as a grade; a value that is not a number is an error."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST_GRADE:
        return float(value)
    raise InputError("the grade", file=name, line=line, wanted="a number", found=quote_value(value))


def _write(assessments: Assessments) -> bytes:
    check_complete(assessments, "jsonl")
    records: dict[tuple[str, str], list[dict[str, object]]] = {
        key: [] for key in assessments.judged.select("topic", "doc").iter_rows()
    }
    for topic, doc, position in assessments.beps.select("topic", "doc", "position").iter_rows():
        records[topic, doc].append({"bep": _require_position(position, "best entry point", topic, doc)})
    for topic, doc, *values in assessments.highlights.select("topic", "doc", *_HIGHLIGHT_KEYS).iter_rows():
        record = {key: value for key, value in zip(_HIGHLIGHT_KEYS, values, strict=True) if value is not None}
        if "text" not in record:
            _require_position(record.get("start"), "highlight", topic, doc)
            _require_position(record.get("end"), "highlight", topic, doc)
        records[topic, doc].append(record)
    lines = [
        json.dumps({"topic": topic, "doc": doc, **record}, ensure_ascii=False)
        for (topic, doc), pair_records in records.items()
        for record in pair_records or [{}]
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _require_position(value: object, label: str, topic: str, doc: str) -> object:
    if value is None:
        problem = f"a {label} of topic {topic}, document {doc} cannot be written as jsonl"
        wanted = "its position; pass a collection with -c to find it"
        raise InputError(problem, wanted=wanted, found="none")
    return value


JSONL_ASSESSMENTS = AssessmentFormat(
    name="jsonl",
    about='lines of JSON objects: {"topic", "doc", "start", "end", ...}',
    scale="2006",
    recognises=_is_jsonl,
    read=_read,
    write=_write,
    holds={
        "judged": frozenset({"topic", "doc"}),
        "highlights": frozenset({"topic", "doc", *_HIGHLIGHT_KEYS}),
        "beps": frozenset({"topic", "doc", "position"}),
    },
)
