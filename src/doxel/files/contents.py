"""Read and decode whole files; split them into lines and JSON lines.

Contents are decompressed and decoded as UTF-8; an invalid byte is reported with its line.  Source
documents are decoded by their byte order mark, else by their declaration, else as UTF-8; invalid bytes
are refused, never replaced, because one character more or less would shift every position after it.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from typing import Any

from doxel.errors import InputError
from doxel.files.compression import decompress, join_chunks, read_chunks
from doxel.wording import pluralise, quote_value

__all__ = [
    "MAX_LINE_BYTES",
    "decode_source",
    "decode_utf8",
    "encode_source",
    "explain_json_error",
    "explain_os_error",
    "name_binary_kind",
    "parse_identifier",
    "parse_json_file",
    "parse_json_lines",
    "parse_json_mapping",
    "read_bytes",
    "read_text",
    "refuse_long_lines",
    "split_lines",
]

_LIST_MEMBER = re.compile(r"\s*[\[,]\s*(?P<first>[^\s\]])")


def explain_os_error(error: OSError | ValueError) -> str:
    """Return the reason why a file cannot be opened, for use inside a sentence.

    >>> explain_os_error(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return reason[:1].lower() + reason[1:]


def explain_json_error(error: ValueError | RecursionError) -> str:
    """Return the reason why a text is not JSON, for errors that the JSON parser does not locate.

    >>> explain_json_error(RecursionError()), explain_json_error(ValueError("NaN, which is not JSON"))
    ('lists or objects nested too deeply', 'NaN, which is not JSON')
    """
    if isinstance(error, RecursionError):
        return "lists or objects nested too deeply"
    if isinstance(error, UnicodeEncodeError):
        return "half of a surrogate pair"
    # Python refuses to convert thousands of digits
    return "a number of too many digits" if "digits" in str(error) else str(error) or type(error).__name__


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a whole file, and decompress it if it is compressed."""
    name = str(path)
    try:
        # no path object: creating one takes as long as reading a small file
        with open(path, "rb") as stream:  # noqa: PTH123
            is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            # pipes are allowed, but reading a device could never end
            data = stream.read() if is_file else join_chunks(read_chunks(stream.read), name)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=name) from error
    return decompress(data, name)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a whole UTF-8 file without its byte-order mark; an invalid byte is reported with its line."""
    return decode_utf8(read_bytes(path), str(path))


def decode_utf8(data: bytes, name: str) -> str:
    r"""Decode UTF-8; an invalid byte is reported with its line.

    >>> decode_utf8(b"caf\xe9", "menu.txt")
    Traceback (most recent call last):
    doxel.errors.InputError: menu.txt, line 1: wanted UTF-8 text, found byte 0xe9
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = name_binary_kind(data) or f"byte 0x{data[error.start]:02x}"
        raise InputError("", file=name, line=line, wanted="UTF-8 text", found=found) from None


_BINARY_KINDS = {
    b"PK\x03\x04": "a zip archive or an office document",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"PAR1": "a Parquet file",
    b"SQLite format 3\0": "an SQLite database",
    codecs.BOM_UTF16_LE: "UTF-16; save the file as UTF-8",
    codecs.BOM_UTF16_BE: "UTF-16; save the file as UTF-8",
}


def name_binary_kind(data: bytes) -> str | None:
    """Return what a file is that is not UTF-8 text, by its first bytes, or None.

    >>> name_binary_kind(b"%PDF-1.7"), name_binary_kind(b"1 Q0 d 1 0.5 r")
    ('a PDF document', None)
    """
    return next((kind for mark, kind in _BINARY_KINDS.items() if data.startswith(mark)), None)


MAX_LINE_BYTES = 10_000_000  # in bytes; a longer line means a file without line ends


def split_lines(data: bytes, name: str) -> list[tuple[int, str]]:
    """Return the lines that are not blank, stripped, with their numbers counted from 1.

    Only a line feed ends a line: texts may contain the other characters at which Python splits lines.
    """
    refuse_long_lines(data, name)
    lines = decode_utf8(data, name).split("\n")
    return [(number, text) for number, line in enumerate(lines, 1) if (text := line.strip())]


_COMMENT = re.compile(rb"^[^\S\n]*#[^\n]*", re.MULTILINE)


def blank_comments(data: bytes) -> bytes:
    r"""Empty the lines that start with #, so that the others keep their numbers.

    >>> blank_comments(b"# judged in May\n1 0 a#2 1\n")
    b'\n1 0 a#2 1\n'
    """
    # most files have no comments, and this test is faster than a search in every line
    may_have = b"#" in data and (
        b"\n#" in data or data[:1024].lstrip().startswith(b"#") or b"\n " in data or b"\n\t" in data
    )
    return _COMMENT.sub(b"", data) if may_have else data


def refuse_long_lines(data: bytes, name: str) -> None:
    """Raise an error that names the first line of more than ``MAX_LINE_BYTES``."""
    at = 0
    while len(data) - at > MAX_LINE_BYTES:
        end = data.rfind(b"\n", at, at + MAX_LINE_BYTES + 1)
        if end < 0:
            stop = data.find(b"\n", at)
            size = (len(data) if stop < 0 else stop) - at
            line = data.count(b"\n", 0, at) + 1
            wanted = f"lines of at most {MAX_LINE_BYTES:,} bytes"
            found = pluralise(size, "byte")
            raise InputError("a very long line", file=name, line=line, wanted=wanted, found=found)
        at = end + 1


def parse_json_lines(data: bytes, name: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the JSON object of each line that is not blank, with the line's number.

    A file with a single list of objects is read too; each object then has the line on which it begins.
    """
    if data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"[":
        return _parse_json_list(decode_utf8(data, name), name)
    return [(line, _parse_json_object(text, name, line)) for line, text in split_lines(data, name)]


def _parse_json_list(text: str, name: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the objects of a JSON list, with the line on which each begins."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        wanted = "a JSON list of objects"
        raise InputError("JSON", file=name, line=error.lineno, wanted=wanted, found=error.msg) from None
    except (ValueError, RecursionError) as error:
        found = explain_json_error(error)
        raise InputError("JSON", file=name, wanted="a JSON list of objects", found=found) from None
    decoder = json.JSONDecoder()
    records: list[tuple[int, dict[str, Any]]] = []
    line, at = 1, 0
    while (member := _LIST_MEMBER.match(text, at)) is not None:
        line += text.count("\n", at, member.start("first"))
        end = decoder.raw_decode(text, member.start("first"))[1]
        records.append((line, _parse_json_object(text[member.start("first") : end], name, line)))
        line += text.count("\n", member.start("first"), end)
        at = end
    return records


def _parse_json_object(text: str, name: str, line: int) -> dict[str, Any]:
    problem = ""
    try:
        record = json.loads(text, parse_constant=_refuse_constant)
        if "\\ud" in text.lower():
            json.dumps(record, ensure_ascii=False).encode()  # fails on a lone surrogate
        if isinstance(record, dict):
            return record
    except json.JSONDecodeError as error:
        problem = f" ({error.msg})"
    except (ValueError, RecursionError) as error:
        problem = f" ({explain_json_error(error)})"
    found = quote_value(text) + problem
    raise InputError("JSON lines", file=name, line=line, wanted="a JSON object", found=found)


def parse_json_file(text: str, name: str, wanted: str) -> Any:
    """Return the JSON value of a whole file; a key that occurs twice in an object is an error."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeats)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()  # fails on a lone surrogate
    except json.JSONDecodeError as error:
        raise InputError(
            "a JSON file", file=name, line=error.lineno, wanted=wanted, found=error.msg
        ) from None
    except _RepeatedKeyError as error:
        found = f"{quote_value(str(error))} twice"
        raise InputError("a JSON object", file=name, wanted="each key once", found=found) from None
    except (ValueError, RecursionError) as error:
        found = explain_json_error(error)
        raise InputError("a JSON file", file=name, line=1, wanted=wanted, found=found) from None
    return value


def parse_json_mapping(text: str, name: str, wanted: str) -> dict[str, Any]:
    """Return the JSON object of a whole file; a key that occurs twice is an error."""
    record = parse_json_file(text, name, wanted)
    if not isinstance(record, dict):
        raise InputError("a JSON file", file=name, line=1, wanted=wanted, found=quote_value(record))
    return record


class _RepeatedKeyError(ValueError):
    pass


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):  # a value would vanish, and shift the lines of all later objects
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return record


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name}, which is not JSON")


def parse_identifier(value: object, label: str, *, file: str, line: int | None) -> str:
    """Return an id that JSON stores as a string or an integer; ``label`` names the field in the error."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value.strip()
    found = "nothing" if value is None else quote_value(value)
    raise InputError(label, file=file, line=line, wanted="a string that is not empty", found=found)


# Longer marks come first: the mark of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENCODING_NAMES = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


def decode_source(data: bytes, name: str, *, declared: str | None = None) -> str:
    r"""Return the text of a document; an invalid byte is reported with its line.

    >>> decode_source(b"caf\xc3\xa9", "menu.txt")
    'café'
    >>> decode_source(b"line\ncaf\xe9", "menu.txt")
    Traceback (most recent call last):
    doxel.errors.InputError: menu.txt, line 2: wanted UTF-8 text, found byte 0xe9
    """
    if not data.strip():
        found = "nothing but white space" if data else "no content"
        raise InputError("empty file", file=name, wanted="a document", found=found)
    mark, encoding = next(
        ((mark, encoding) for mark, encoding in _BYTE_ORDER_MARKS if data.startswith(mark)),
        (b"", declared or "utf-8"),
    )
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "ignore")
        wanted = f"{_ENCODING_NAMES.get(encoding, encoding)} text"
        found = f"byte 0x{body[error.start]:02x}"
        raise InputError("", file=name, line=_count_lines(before), wanted=wanted, found=found) from None
    at = text.find("\0")
    if at >= 0:
        wanted = "text in UTF-8, or with a byte order mark in UTF-16"
        found = "a null character, as in binary files"
        raise InputError("not text", file=name, line=_count_lines(text[:at]), wanted=wanted, found=found)
    return text


def encode_source(text: str, name: str) -> bytes:
    """Return the text of a document as UTF-8; a very long line is refused, whatever ends the lines."""
    data = text.encode()
    if len(data) > MAX_LINE_BYTES:
        refuse_long_lines(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), name)
    return data


def _count_lines(before: str) -> int:
    return before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
