"""File formats: declared once, recognised by content; they report the data that they cannot store.

A format names the columns it stores.  Values in other columns are losses, counted by rows; a conversion
with losses needs the user's consent.  A value that the format stores in another form, such as a path as
positions, is not a loss.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import polars as pl

from doxel.errors import InputError
from doxel.files.contents import name_binary_kind
from doxel.wording import join_words, pluralise, quote_value

__all__ = [
    "Conversion",
    "FileFormat",
    "WritingRefusal",
    "describe_head",
    "find_format",
    "recognise_format",
]

_HEAD = 65_536  # bytes at the beginning by which a format is recognised
_BLANK = b" \t\r\n\0\xef\xbb\xbf\xff\xfe"  # white space, and the byte order marks of UTF-8 and UTF-16

Content = TypeVar("Content")
SomeFormat = TypeVar("SomeFormat", bound="FileFormat[Any]")


@dataclass(frozen=True)
class WritingRefusal:
    """The writer of a format that can only be read."""

    name: str

    def __call__(self, _thing: Any) -> bytes:
        """Raise an error."""
        raise InputError(f"{self.name} is a format that doxel only reads", wanted="another format to write")


@dataclass(frozen=True, kw_only=True)
class FileFormat(Generic[Content]):
    """A file format of runs, assessments or topics, declared once.

    ``begins`` is a regular expression (of bytes; a dot also matches line ends) for the beginning of a file
    after its first blanks; ``accepts`` checks the beginning where an expression cannot.  ``holds`` names the
    columns of each table that the format stores: writing and reading again returns exactly these.
    ``campaign`` marks the format of a single campaign, with its own kinds of ids and places, which cannot
    express everything.
    """

    name: str
    about: str
    begins: bytes = b""
    accepts: Callable[[bytes], bool] | None = None
    read: Callable[[bytes, str], Content]
    write: Callable[[Content], bytes]
    holds: Mapping[str, frozenset[str]]
    campaign: bool = False

    def recognises(self, head: bytes) -> bool:
        """Return whether a file with this beginning has the format."""
        start = head[:_HEAD].lstrip(_BLANK)
        return re.match(self.begins, start, re.DOTALL) is not None and (
            self.accepts is None or self.accepts(head)
        )

    @property
    def is_read_only(self) -> bool:
        """Whether doxel only reads the format."""
        return isinstance(self.write, WritingRefusal)

    def check_writing(self) -> None:
        """Raise an error if the format can only be read."""
        if isinstance(self.write, WritingRefusal):
            self.write(None)

    def losses(
        self, tables: Mapping[str, pl.DataFrame], written: Mapping[str, pl.DataFrame] | None = None
    ) -> list[str]:
        """Return the columns whose values the format does not store, as ``table.column (rows)``.

        ``tables`` are the tables to store, without the values that are stored in another form; ``written``
        are the same rows as they will be written, if that differs.
        """
        losses: list[str] = []
        for name, table in tables.items():
            for column, values in zip(table.columns, table.get_columns(), strict=True):
                rows = len(values) - values.null_count()
                if column in self.holds.get(name, frozenset()):
                    output = (table if written is None else written[name])[column]
                    has_gaps = output.null_count() > 0
                    rows = int((values.is_not_null() & output.is_null()).sum()) if has_gaps else 0
                if rows:
                    losses.append(f"{name}.{column} ({pluralise(rows, 'row')})")
        return losses


@dataclass(frozen=True)
class Conversion(Generic[Content]):
    """The thing as it will be written, its losses, and notes on values stored in another form.

    ``wants_collection``: with a collection, more values could be stored in another form.
    """

    thing: Content
    losses: tuple[str, ...]
    notes: tuple[str, ...] = ()
    wants_collection: bool = False


def recognise_format(formats: Sequence[SomeFormat], head: bytes, *, file: str, kind: str) -> SomeFormat:
    """Return the format of a file, recognised by its beginning."""
    for format_ in formats:
        if format_.recognises(head):
            return format_
    wanted, found = f"one of {_list_names(formats)}", describe_head(head)
    if found.startswith("JSON") and kind in _KEYS:
        wanted += f"; JSON lines need {_KEYS[kind]}"
    elif kind in _COLUMNS and re.match(rb"[\s\xef\xbb\xbf]*\w[^\n\0-\x08]*,", head):
        wanted += f"; a table needs {_COLUMNS[kind]}"
    raise InputError(f"not a known format of {kind}", file=file, line=1, wanted=wanted, found=found)


_KEYS = {
    "runs": '"topic", "doc", "start" and "end", or "question" and "contexts"',
    "assessments": '"topic", "doc", "start" and "end", or "question" and "reference_contexts"',
    "topics": '"id" and "text"',
}
_CSV_HEADER = "the names of its columns in the first line, such as topic,doc,start,end"
_COLUMNS = {
    "runs": _CSV_HEADER,
    "assessments": _CSV_HEADER,
    "topics": "tabs: an id, a tab and a text per line",
}


def describe_head(head: bytes) -> str:
    """Return the kind of a file of an unknown format: its binary kind, its JSON keys, or its beginning.

    >>> print(describe_head(b'{"qid": 1, "q": "why?"}'))
    JSON with the keys 'qid', 'q'
    """
    binary_kind = name_binary_kind(head)
    if binary_kind is not None:
        return binary_kind
    text = head.decode("utf-8", "replace")
    try:
        record, _ = json.JSONDecoder().raw_decode(text.lstrip("\ufeff \t\r\n["))
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict) and record:
        return f"JSON with the keys {join_words([quote_value(key, 30) for key in record])}"
    return repr(text[:60])


def find_format(formats: Sequence[SomeFormat], name: str, *, kind: str) -> SomeFormat:
    """Return the format with the given name."""
    for format_ in formats:
        if format_.name == name:
            return format_
    raise InputError(f"unknown format of {kind}", wanted=f"one of {_list_names(formats)}", found=repr(name))


def _list_names(formats: Sequence[FileFormat[Any]]) -> str:
    return ", ".join(format_.name for format_ in formats)
