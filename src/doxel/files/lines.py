"""Files of lines: numbered lines and JSON lines, with short errors that name the line."""

from __future__ import annotations

import json
from typing import Any

from doxel.errors import InputError
from doxel.files.reading import decode
from doxel.wording import counted, shown

__all__ = ["LONGEST_LINE", "identifier", "json_lines", "numbered_lines"]

LONGEST_LINE = 10_000_000  # in bytes; a longer line means a file without line ends


def numbered_lines(data: bytes, name: str) -> list[tuple[int, str]]:
    """Return the lines that are not blank, stripped, with their numbers counted from 1.

    Only a line feed ends a line: texts may contain the other characters at which Python splits lines.
    """
    _refuse_long_lines(data, name)
    lines = decode(data, name).split("\n")
    return [(number, text) for number, line in enumerate(lines, 1) if (text := line.strip())]


def _refuse_long_lines(data: bytes, name: str) -> None:
    at = 0
    while len(data) - at > LONGEST_LINE:
        end = data.rfind(b"\n", at, at + LONGEST_LINE + 1)
        if end < 0:
            stop = data.find(b"\n", at)
            size = (len(data) if stop < 0 else stop) - at
            line = data.count(b"\n", 0, at) + 1
            wanted = f"lines of at most {LONGEST_LINE:,} bytes"
            found = counted(size, "byte")
            raise InputError("a very long line", file=name, line=line, wanted=wanted, found=found)
        at = end + 1


def json_lines(data: bytes, name: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the JSON object of each line that is not blank, with the line's number."""
    return [(line, _json_object(text, name, line)) for line, text in numbered_lines(data, name)]


def _json_object(text: str, name: str, line: int) -> dict[str, Any]:
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
        problem = f" ({type(error).__name__})"
    found = shown(text) + problem
    raise InputError("JSON lines", file=name, line=line, wanted="a JSON object", found=found)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def identifier(value: object, what: str, *, file: str, line: int | None) -> str:
    """Return an id that JSON stores as a string or an integer; ``what`` names the field in the error."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value.strip()
    found = "nothing" if value is None else shown(value)
    raise InputError(what, file=file, line=line, wanted="a string that is not empty", found=found)
