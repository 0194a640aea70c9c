"""Whole files of JSON, with the line on which each object begins.

Campaigns publish questions, gold and submissions as one JSON value.  A walk over the parsed value meets its
objects in the order in which the file opens them, so one search for opening braces outside strings finds the
line of every object, and errors can name it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from doxel.errors import InputError
from doxel.files.contents import decode_utf8, parse_identifier, parse_json_file
from doxel.wording import quote_value

__all__ = ["JsonFile", "dump_records", "load_records"]

_BRACES = re.compile(r'"(?:[^"\\]|\\.)*"|\{', re.DOTALL)
_LINE_END = re.compile("\n")
_NAMES: dict[type, str] = {str: "a text", int: "a whole number, 0 or more", list: "a list", dict: "an object"}
_LARGEST = 1 << 62
Value = TypeVar("Value")
Content = TypeVar("Content")


class JsonFile:
    r"""The parsed content of a JSON file, and the line of each object.

    >>> file = JsonFile(b'[{"id": "a"},\n {"id": 7}]', "x.json", wanted="a list")
    >>> [(file.find_line(record), file.read_id(record)) for record in file.content]
    [(1, 'a'), (2, '7')]
    """

    def __init__(self, data: bytes, name: str, *, wanted: str) -> None:
        self.name = name
        self._text = decode_utf8(data, name)
        self.content: Any = parse_json_file(self._text, name, wanted)
        self._lines: dict[int, int] | None = None

    def find_line(self, record: dict[str, Any]) -> int | None:
        """Return the line on which an object of the file begins."""
        if self._lines is None:
            ends = [match.start() for match in _LINE_END.finditer(self._text)]
            braces = (match.start() for match in _BRACES.finditer(self._text) if match[0] == "{")
            records = _walk_objects(self.content)
            self._lines = {
                id(item): bisect_right(ends, at) + 1 for item, at in zip(records, braces, strict=True)
            }
        return self._lines.get(id(record))

    def fail(self, record: object, problem: str, *, wanted: str, found: str) -> InputError:
        """Return the error for an object of the file, with its line."""
        line = self.find_line(record) if isinstance(record, dict) else 1
        return InputError(problem, file=self.name, line=line, wanted=wanted, found=found)

    def take(
        self, record: Any, key: str, kind: type[Value], default: Value | None = None, *, owner: str = "object"
    ) -> Value:
        """Return a value of an object; a missing one is the default, any other type is an error."""
        if not isinstance(record, dict):
            raise self.fail(record, f"the {owner}", wanted="an object", found=quote_value(record))
        value = record.get(key)
        if value is None and default is not None:
            return default
        is_valid = isinstance(value, kind) and not isinstance(value, bool)
        if not is_valid or (kind is int and not 0 <= value < _LARGEST):  # type: ignore[operator]
            found = "nothing" if value is None else quote_value(value)
            raise self.fail(record, f"the {key} of the {owner}", wanted=_NAMES[kind], found=found)
        return value  # type: ignore[return-value]

    def take_objects(
        self, record: Any, key: str, default: list[Any] | None = None, *, owner: str = "object"
    ) -> list[dict[str, Any]]:
        """Return a list of objects under a key."""
        items = self.take(record, key, list, default, owner=owner)
        return self.check_objects(items, record, f"the {key} of the {owner}")

    def take_texts(
        self, record: Any, key: str, default: list[Any] | None = None, *, owner: str = "object"
    ) -> list[str]:
        """Return a list of texts under a key."""
        items = self.take(record, key, list, default, owner=owner)
        for item in items:
            if not isinstance(item, str):
                problem = f"the {key} of the {owner}"
                raise self.fail(record, problem, wanted="a list of texts", found=quote_value(item))
        return items

    def check_objects(self, items: Any, record: object, problem: str) -> list[dict[str, Any]]:
        """Return a list after checking that it contains objects only."""
        if not isinstance(items, list):
            raise self.fail(record, problem, wanted="a list of objects", found=quote_value(items))
        for item in items:
            if not isinstance(item, dict):
                raise self.fail(record, problem, wanted="a list of objects", found=quote_value(item))
        return items

    def read_id(self, record: dict[str, Any], key: str = "id", *, owner: str = "question") -> str:
        """Return the id of an object, which may be written as a whole number."""
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        line = self.find_line(record)  # a search, so only for this rare case
        return parse_identifier(value, f"the {key} of the {owner}", file=self.name, line=line)

    def check_unique(self, records: list[dict[str, Any]], find_id: Callable[[dict[str, Any]], str]) -> None:
        """Raise an error for the first object with the id of an earlier one."""
        lines: dict[str, int | None] = {}
        for record in records:
            name = find_id(record)
            if name in lines:
                earlier = f"another in line {lines[name]}"
                raise self.fail(
                    record, f"{quote_value(name)} occurs twice", wanted="each id once", found=earlier
                )
            lines[name] = self.find_line(record)


def _walk_objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in the order in which the file opens them."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))


def dump_records(records: list[dict[str, Any]]) -> str:
    """Return objects as lines of JSON, the form in which ``about`` stores those of a campaign's file."""
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


def load_records(text: str) -> list[dict[str, Any]]:
    """Return the objects of lines of JSON, written by :func:`dump_records`."""
    return [json.loads(line) for line in text.split("\n") if line]
