"""JSON lines as source documents: every line is a document, so that a file is like an archive.

A line is ``{"id": "a", "text": "..."}``; an optional ``"format"`` is the kind of the text (``markdown``,
``html``), plain text by default.  The document's id is the id as written, without control characters;
``_id`` is read too, and a number becomes its digits.  Other keys are left out and counted.

A document's source is ``corpus.jsonl#id``, even if its file has another suffix.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from doxel.documents.encoding import decode_source
from doxel.documents.kinds import KINDS
from doxel.errors import InputError
from doxel.files import Member, strip_compression

__all__ = ["MARK", "is_json_lines", "looks_like_json_lines", "records"]

MARK = ".jsonl#"
"""The separator of file name and id in the source of a document."""

_SUFFIXES = (".jsonl", ".ndjson")
_FORMATS = tuple(kind.name for kind in KINDS if kind.in_lines)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_WANTED = 'an object such as {"id": "a", "text": "..."}'


def is_json_lines(name: str) -> bool:
    """Return whether a file contains documents as lines of JSON, by its name."""
    return strip_compression(name).lower().endswith(_SUFFIXES)


def looks_like_json_lines(data: bytes) -> bool:
    """Return whether the first line of a file is an object with an id and a text."""
    try:
        first = json.loads(_in_utf8(data, "").lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError, InputError):
        return False
    return isinstance(first, dict) and "text" in first and ("id" in first or "_id" in first)


def records(file: Member, left_out: Counter[str]) -> Iterator[Member]:
    """Yield the documents of a file; an invalid line becomes a member with a ``refusal``.

    Keys that are not read are counted in ``left_out``.
    """
    name = strip_compression(file.name)
    stem = next((name[: -len(end)] for end in _SUFFIXES if name.lower().endswith(end)), name)
    try:
        data = _in_utf8(file.read(), file.display)
    except InputError as error:
        yield Member(file.name, file.display, refusal=error)
        return
    if not data.strip():
        refusal = InputError("empty file", file=file.display, wanted=_WANTED, found="no content")
        yield Member(file.name, file.display, refusal=refusal)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield _record(line, stem, file.display, number, left_out)


def _in_utf8(data: bytes, name: str) -> bytes:
    """Convert a file with the byte order mark of UTF-16 to UTF-8, so that it can be split into lines."""
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return decode_source(data, name).encode() if is_utf16 else data.removeprefix(codecs.BOM_UTF8)


def _record(line: bytes, stem: str, file: str, number: int, left_out: Counter[str]) -> Member:
    try:
        identifier, text, kind, others = _parsed(line, file, number)
    except InputError as error:
        return Member(f"{stem}{MARK}{number}", file, len(line), refusal=error)
    left_out.update(others)
    # the reader removes one byte order mark: without this one it would remove one from the text itself
    content = codecs.BOM_UTF8 + text.encode()
    display = f"{file}, line {number}"
    return Member(f"{stem}{MARK}{identifier}", display, len(line), content=content, kind=kind)


def _parsed(line: bytes, file: str, number: int) -> tuple[str, str, str, set[str]]:
    """Return id, text and format of a document, and the other keys of its line."""

    def wrong(problem: str, wanted: str, found: object) -> InputError:
        return InputError(problem, file=file, line=number, wanted=wanted, found=str(found))

    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise wrong("", "UTF-8 text", f"byte 0x{line[error.start]:02x}") from None
    except (ValueError, RecursionError) as error:
        raise wrong("not a line of JSON", _WANTED, error) from None
    if not isinstance(record, dict):
        raise wrong("", _WANTED, _short(record))
    text, kind = record.get("text"), record.get("format", "text")
    if not isinstance(text, str):
        raise wrong("text of a document", "a string", _short(text) if "text" in record else "none")
    if odd := _NO_TEXT.search(text):
        found = "a null character" if odd[0] == "\0" else "half of a surrogate pair"
        raise wrong("text of a document", "characters", found)
    if kind not in _FORMATS:
        raise wrong("format of a document", f"one of {', '.join(_FORMATS)}", _short(kind))
    identifier = _identifier(record, wrong)
    return identifier, text, kind, record.keys() - {"id" if "id" in record else "_id", "text", "format"}


def _identifier(record: dict[str, Any], wrong: Any) -> str:
    identifier = record.get("id", record.get("_id"))
    if isinstance(identifier, int) and not isinstance(identifier, bool):
        return str(identifier)
    if not isinstance(identifier, str) or not identifier.strip() or _CONTROL.search(identifier):
        wanted = "a string that is not empty and without control characters, or a whole number"
        raise wrong("id of a document", wanted, "none" if identifier is None else _short(identifier))
    return identifier


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
