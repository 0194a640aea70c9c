"""JSON lines as source documents: every line is a document, so that a file is like an archive.

``{"id": "a", "text": "..."}``; ``"format"`` may say what the text is (``markdown``, ``html``), else it is
plain text.  The id is the document's id exactly as it stands, whatever characters are in it but control
characters; ``_id`` is understood too, and a number is its digits.  Other keys are left out and counted.

A document's source is ``corpus.jsonl#id``, wherever its file is called otherwise too.
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
"""What stands between the file and the id in the source of a document."""

_SUFFIXES = (".jsonl", ".ndjson")
_FORMATS = tuple(kind.name for kind in KINDS if kind.in_lines)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_WANTED = 'an object such as {"id": "a", "text": "..."}'


def is_json_lines(name: str) -> bool:
    """Tell whether a file holds documents as lines of JSON, by its name."""
    return strip_compression(name).lower().endswith(_SUFFIXES)


def looks_like_json_lines(data: bytes) -> bool:
    """Tell whether the first line of a file is an object with an id and a text."""
    try:
        first = json.loads(_in_utf8(data, "").lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError, InputError):
        return False
    return isinstance(first, dict) and "text" in first and ("id" in first or "_id" in first)


def records(file: Member, left_out: Counter[str]) -> Iterator[Member]:
    """Yield the documents of a file; a line that is none is a member that says why.

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
    """Return a file in UTF-8, in which lines can be found, where it says that it is in UTF-16."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return decode_source(data, name).encode() if marked else data.removeprefix(codecs.BOM_UTF8)


def _record(line: bytes, stem: str, file: str, number: int, left_out: Counter[str]) -> Member:
    try:
        identifier, text, kind, others = _parsed(line, file, number)
    except InputError as error:
        return Member(f"{stem}{MARK}{number}", file, len(line), refusal=error)
    left_out.update(others)
    # with a mark of its own no other that the text begins with is taken away
    content = codecs.BOM_UTF8 + text.encode()
    display = f"{file}, line {number}"
    return Member(f"{stem}{MARK}{identifier}", display, len(line), content=content, kind=kind)


def _parsed(line: bytes, file: str, number: int) -> tuple[str, str, str, set[str]]:
    """Return id, text and format of a document, and what else its line has."""

    def wrong(what: str, wanted: str, found: object) -> InputError:
        return InputError(what, file=file, line=number, wanted=wanted, found=str(found))

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
    found = record.get("id", record.get("_id"))
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str) or not found.strip() or _CONTROL.search(found):
        wanted = "a string that is not empty and without control characters, or a whole number"
        raise wrong("id of a document", wanted, "none" if found is None else _short(found))
    return found


def _short(value: object) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
