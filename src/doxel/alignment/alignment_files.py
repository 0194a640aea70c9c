"""Align the texts of a file: JSON lines with quoted texts become JSON lines with offsets.

Each line of a run or of assessments keeps its keys, except the text and the text around it, and gains
``doc``, ``start``, ``end``, ``how``, ``identity``, ``coverage`` and ``places``.  A text joined from several
pieces becomes one line per piece.  Lines without a text that name a document are copied.
"""

from __future__ import annotations

import json
import os
from typing import Any

import polars as pl

from doxel.alignment.aligner import ALIGNMENTS, UNPLACED, align
from doxel.documents.collection import Collection
from doxel.documents.document_names import NO_DOCUMENT
from doxel.errors import InputError
from doxel.files.contents import parse_json_lines, read_bytes
from doxel.wording import join_words, quote_value

__all__ = ["align_file"]

_NOT_FOUND = -1  # the offset of a result that was not found, as in a run
_TEXT_KEYS = ("text", "prefix", "suffix")
_PLACE_KEYS = ("start", "path", "page", "bep", "aspects")
_DIGITS = 4


def align_file(
    source: str | os.PathLike[str], collection: Collection, *, drop_unplaced: bool = False
) -> tuple[bytes, pl.DataFrame]:
    """Return the lines of a file with offsets, and the table of alignments.

    A text that is not found keeps its line, with the offset -1, unless ``drop_unplaced`` is true.
    """
    name = os.fspath(source)
    numbered = parse_json_lines(read_bytes(source), name)
    if not numbered:
        raise InputError("empty file", file=name, wanted="JSON lines with texts", found="none")
    _check_keys(numbered, name)
    rows = [_check_record(record, name, line) for line, record in numbered if record.get("text") is not None]
    table = align(rows, collection) if rows else ALIGNMENTS.empty()
    spans: dict[int, list[dict[str, Any]]] = {}
    for span in table.iter_rows(named=True):
        spans.setdefault(span["row"], []).append(span)
    lines: list[dict[str, Any]] = []
    text_row = 0
    for _, record in numbered:
        if record.get("text") is None:
            lines.append(record)
            continue
        lines += [
            _write_record(record, span)
            for span in spans[text_row]
            if span["how"] != UNPLACED or not drop_unplaced
        ]
        text_row += 1
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode(), table


def _check_keys(numbered: list[tuple[int, dict[str, Any]]], name: str) -> None:
    """Reject a line with neither a text nor a document, and a file with neither texts nor positions."""
    has_places = any(record.keys() & {"text", *_PLACE_KEYS} for _, record in numbered)
    for line, record in numbered:
        if not has_places or not record.keys() & {"text", "doc", "aspects"}:
            keys = join_words([quote_value(key, 30) for key in record])
            found = f"the keys {keys}" if record else "no keys"
            raise InputError("a text to align", file=name, line=line, wanted='the key "text"', found=found)


def _check_record(record: dict[str, Any], name: str, line: int) -> dict[str, Any]:
    """Return the keys of a line that locate its text; a value of a wrong type is an error."""
    rules = {
        **dict.fromkeys(_TEXT_KEYS, ((str,), "a string")),
        **dict.fromkeys(("doc", "topic"), ((str, int), "a string")),
        **dict.fromkeys(("start", "end", "rank"), ((int,), "a whole number")),
    }
    for key, (types, description) in rules.items():
        value = record.get(key)
        if value is not None and (not isinstance(value, types) or isinstance(value, bool)):
            raise InputError(f"the {key}", file=name, line=line, wanted=description, found=quote_value(value))
    return {key: record.get(key) for key in rules}


def _write_record(record: dict[str, Any], span: dict[str, Any]) -> dict[str, Any]:
    other_keys = {key: value for key, value in record.items() if key not in _TEXT_KEYS}
    if span["how"] == UNPLACED:
        doc = other_keys.get("doc")
        place = {"doc": NO_DOCUMENT if doc is None else doc, "start": _NOT_FOUND, "end": _NOT_FOUND}
        return {**other_keys, **place, "how": UNPLACED}
    placement = {key: span[key] for key in ("doc", "start", "end", "how", "places")}
    ratios = {key: round(span[key], _DIGITS) for key in ("identity", "coverage")}
    return {**other_keys, **placement, **ratios}
