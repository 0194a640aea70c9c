"""What becomes of something that is written in another format: what is kept, what is lost.

A format names the columns it holds.  Whatever else has values is a loss, counted by rows, and nobody
loses it unasked.  Where the same can be said in other words, a path as positions, it is not lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import polars as pl

from doxel.tables import Format
from doxel.topics.topics import Topics

__all__ = ["Converted", "convert_topics", "losses"]

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Converted(Generic[Thing]):
    """Something as it will be written; what of it is lost; what is said in other words.

    ``wants_collection``: with a collection more could be said in the words that the format has.
    """

    thing: Thing
    losses: tuple[str, ...]
    notes: tuple[str, ...] = ()
    wants_collection: bool = False


def convert_topics(topics: Topics, target: Format[Topics]) -> Converted[Topics]:
    """Return topics as a format can hold them."""
    return Converted(topics, tuple(target.losses(topics.tables)))


def losses(
    kept: Mapping[str, pl.DataFrame], written: Mapping[str, pl.DataFrame], holds: Mapping[str, frozenset[str]]
) -> tuple[str, ...]:
    """Return what a format does not keep, as ``table.column (rows)``.

    ``kept`` are the tables to be kept, without what is said in other words; ``written`` the same
    tables, row by row, as they will be written.
    """
    found: list[str] = []
    for name, table in kept.items():
        for column, values in zip(table.columns, table.get_columns(), strict=True):
            there = values.is_not_null()
            if column in holds.get(name, frozenset()):
                there &= written[name][column].is_null()
            if there.any():
                found.append(f"{name}.{column} ({there.sum():,} rows)")
    return tuple(found)
