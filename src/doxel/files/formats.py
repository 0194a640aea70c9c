"""What a file format is: declared once, recognised by content, and what becomes of what it cannot hold.

A format names the columns it holds.  Whatever else has values is a loss, counted by rows, and nobody
loses it unasked.  Where the same can be said in other words, a path as positions, it is not lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import polars as pl

from doxel.errors import InputError
from doxel.wording import counted

__all__ = ["Converted", "Format", "named", "recognise"]

Thing = TypeVar("Thing")
Chosen = TypeVar("Chosen", bound="Format[Any]")


@dataclass(frozen=True, kw_only=True)
class Format(Generic[Thing]):
    """A file format of runs, assessments or topics, declared once.

    ``recognises`` looks at the beginning of a file.  ``holds`` names, for each table of the thing, the
    columns that the format can keep: writing and reading again gives back exactly these.
    """

    name: str
    about: str
    recognises: Callable[[bytes], bool]
    read: Callable[[bytes, str], Thing]
    write: Callable[[Thing], bytes]
    holds: Mapping[str, frozenset[str]]

    def losses(
        self, kept: Mapping[str, pl.DataFrame], written: Mapping[str, pl.DataFrame] | None = None
    ) -> list[str]:
        """Return what of some tables the format does not keep, as ``table.column (rows)``.

        ``kept`` are the tables to be kept, without what is said in other words; ``written`` the same
        tables, row by row, as they will be written, where that is not as they stand.
        """
        found: list[str] = []
        for name, table in kept.items():
            for column, values in zip(table.columns, table.get_columns(), strict=True):
                lost = values.is_not_null()
                if column in self.holds.get(name, frozenset()):
                    lost &= (table if written is None else written[name])[column].is_null()
                if lost.any():
                    found.append(f"{name}.{column} ({counted(int(lost.sum()), 'row')})")
        return found


@dataclass(frozen=True)
class Converted(Generic[Thing]):
    """Something as it will be written; what of it is lost; what is said in other words.

    ``wants_collection``: with a collection more could be said in the words that the format has.
    """

    thing: Thing
    losses: tuple[str, ...]
    notes: tuple[str, ...] = ()
    wants_collection: bool = False


def recognise(formats: Sequence[Chosen], head: bytes, *, file: str, kind: str) -> Chosen:
    """Return the format of a file, by its beginning."""
    for one in formats:
        if one.recognises(head):
            return one
    raise InputError(
        f"not a known format of {kind}",
        file=file,
        line=1,
        wanted=f"one of {_names(formats)}",
        found=repr(head[:60].decode("utf-8", "replace")),
    )


def named(formats: Sequence[Chosen], name: str, *, kind: str) -> Chosen:
    """Return the format with a name."""
    for one in formats:
        if one.name == name:
            return one
    raise InputError(f"a format of {kind}", wanted=f"one of {_names(formats)}", found=repr(name))


def _names(formats: Sequence[Format[Any]]) -> str:
    return ", ".join(one.name for one in formats)
