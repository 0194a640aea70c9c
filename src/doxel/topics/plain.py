"""Topics in plain files: ``tsv``, lines of ``id<TAB>text``, and ``jsonl``, lines of JSON objects.

A line of ``jsonl`` has an ``id`` and any fields of a topic; the title's key is ``text`` (as doxel writes
it) or ``title``.  Keys that are not fields of a topic are kept in ``about``.

A line of ``tsv`` is one query, so a title of several lines is written as one line.  A first line
``id<TAB>text`` is a header.
"""

from __future__ import annotations

import json
from typing import Any

from doxel.errors import InputError
from doxel.files.formats import Format
from doxel.files.lines import identifier, json_lines, numbered_lines
from doxel.topics.topics import TOPICS, Topic, Topics
from doxel.wording import shown

__all__ = ["JSONL", "TSV"]

_COLUMNS = tuple(name for name in TOPICS.schema if name not in {"about", "file", "line"})
_HEADING = {("id", "text"), ("id", "title"), ("topic", "text"), ("topic", "title"), ("id", "query")}


def _is_tsv(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \r\n").partition(b"\n")[0]
    return first.count(b"\t") == 1 and not first.startswith((b"{", b"<"))


def _read_tsv(data: bytes, name: str) -> Topics:
    rows: list[dict[str, object]] = []
    for number, (line, text) in enumerate(numbered_lines(data, name)):
        fields = tuple(part.strip() for part in text.split("\t"))
        if number == 0 and tuple(part.lower() for part in fields) in _HEADING:
            continue
        if len(fields) != 2 or not all(fields):
            wanted = "an id, a tab and a text"
            raise InputError("a topic", file=name, line=line, wanted=wanted, found=shown(text))
        rows.append({"id": fields[0], "title": fields[1], "file": name, "line": line})
    return _topics(rows, name, "tsv")


def _write_tsv(topics: Topics) -> bytes:
    lines = []
    for topic in topics:
        title = " ".join((topic.title or "").split()) if _breaks_a_line(topic.title) else topic.title
        if not title or _breaks_a_line(topic.id):
            raise InputError(
                f"topic {topic.id!r}", wanted="an id without tabs, and a title", found=shown(title)
            )
        lines.append(f"{topic.id}\t{title}\n")
    return "".join(lines).encode()


def _breaks_a_line(text: str | None) -> bool:
    return text is not None and any(mark in text for mark in "\t\n\r")


def _is_jsonl(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return first.startswith(b"{") and b'"id"' in first


def _read_jsonl(data: bytes, name: str) -> Topics:
    return _topics([_row(record, name, line) for line, record in json_lines(data, name)], name, "jsonl")


def _row(record: dict[str, Any], name: str, line: int) -> dict[str, object]:
    row: dict[str, object] = {"file": name, "line": line}
    if "text" in record and "title" in record:
        raise InputError("a topic", file=name, line=line, wanted="a text or a title", found="both")
    about = {key: value for key, value in record.items() if key not in (*_COLUMNS, "text")}
    for key, value in record.items():
        column = "title" if key == "text" else key
        if column in {"id", "ct_no", "parent"} and value is not None:
            row[column] = identifier(value, f"the {key} of a topic", file=name, line=line)
        elif column in _COLUMNS and value is not None:
            if not isinstance(value, str):
                problem = f"the {key} of a topic"
                raise InputError(problem, file=name, line=line, wanted="a string", found=shown(value))
            row[column] = value.strip() or None
    if "id" not in row:
        raise InputError("a topic", file=name, line=line, wanted='an "id"', found=shown(list(record)))
    row["about"] = json.dumps(about, ensure_ascii=False) if about else None
    return row


def _write_jsonl(topics: Topics) -> bytes:
    return "".join(json.dumps(_record(topic), ensure_ascii=False) + "\n" for topic in topics).encode()


def _record(topic: Topic) -> dict[str, object]:
    record = {
        "text" if column == "title" else column: getattr(topic, column)
        for column in _COLUMNS
        if getattr(topic, column) is not None
    }
    return {**record, **topic.about}


def _topics(rows: list[dict[str, object]], name: str, format_name: str) -> Topics:
    if not rows:
        raise InputError("empty file", file=name, wanted="topics", found="none")
    return Topics(TOPICS.from_rows(rows), format=format_name)


TSV = Format(
    name="tsv",
    about="lines of id, tab, text",
    recognises=_is_tsv,
    read=_read_tsv,
    write=_write_tsv,
    holds={"topics": frozenset({"id", "title"})},
)

JSONL = Format(
    name="jsonl",
    about='lines of JSON objects: {"id", "text", ...}',
    recognises=_is_jsonl,
    read=_read_jsonl,
    write=_write_jsonl,
    holds={"topics": frozenset((*_COLUMNS, "about"))},
)
