"""Assessments for another format: places said as positions, as paths, or with quotations."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from doxel.assessments.assessments import TABLES, Assessments
from doxel.assessments.describe import locate, quote
from doxel.assessments.resolve import resolve
from doxel.documents.collection import Collection
from doxel.tables import Format
from doxel.topics.converting import Converted, losses

__all__ = ["SCALES", "convert_assessments"]

SCALES = {
    "inex2002": "2002",
    "inex2003": "2003",
    "inex2005": "2005",
    "inex2006": "2006",
    "qrels": "2006",
    "trec": "documents",
    "jsonl": "2006",
    "web-annotation": "2006",
}
"""The scale of what is read from each format."""

_SOURCES = {
    "highlights": {
        "position": ("start", "end"),
        "path": ("path", "path_end"),
        "quotation": ("text", "prefix", "suffix"),
    },
    "beps": {"position": ("position",), "path": ("path",)},
}


def convert_assessments(
    assessments: Assessments, target: Format[Assessments], collection: Collection | None = None
) -> Converted[Assessments]:
    """Return assessments as a format can hold them; without a collection nothing is looked up.

    Documents keep the names that they have.
    """
    written = assessments if collection is None else _found(assessments, target, collection)
    kept = dict(assessments.tables)
    counts: list[int] = []
    for name in _SOURCES:
        said = _said_otherwise(kept[name], getattr(written, name), target.holds.get(name, frozenset()), name)
        kept[name] = _blanked(kept[name], said)
        counts.append(sum(int(mask.sum()) for mask in said.values()))
    lost = losses(kept, written.tables, target.holds)
    scale = SCALES[target.name]
    if scale != assessments.scale:
        lost = (f"scale (from {assessments.scale} to {scale})", *lost)
    notes = ()
    if collection is not None and any(counts):
        told = " and ".join(
            f"{count:,} {what}" for count, what in zip(counts, ("highlights", "entry points"), strict=True)
        )
        notes = (f"{told} are written in other words, found in {collection.folder}",)
    return Converted(written, lost, notes)


def _found(assessments: Assessments, target: Format[Assessments], collection: Collection) -> Assessments:
    """Return assessments with whatever the collection tells of their places, under their own names."""
    found = resolve(assessments, collection)
    if "path" in target.holds.get("highlights", frozenset()):
        found = locate(found, collection)
    if target.name == "web-annotation":
        found = quote(found, collection)
    tables = {name: getattr(found, name).with_columns(getattr(assessments, name)["doc"]) for name in TABLES}
    return replace(found, **tables)


def _said_otherwise(
    given: pl.DataFrame, written: pl.DataFrame, holds: frozenset[str], table: str
) -> dict[str, pl.Series]:
    """Return, for each way of saying a place, the rows that say it so and are written in another way.

    A row says where it is in the first of the ways that it has.
    """
    ways = _SOURCES[table]
    found: dict[str, pl.Series] = {}
    before = pl.Series([False] * given.height, dtype=pl.Boolean)
    for way, columns in ways.items():
        own = given[columns[0]].is_not_null() & ~before
        before |= own
        if columns[0] in holds:
            continue
        others = [name for name in ways if name != way and ways[name][0] in holds]
        for other in others[:1]:
            new = given[ways[other][0]].is_null() & written[ways[other][0]].is_not_null()
            found[way] = own & new
    return found


def _blanked(given: pl.DataFrame, said: dict[str, pl.Series]) -> pl.DataFrame:
    """Return a table without what is written in other words."""
    ways = {way: columns for table in _SOURCES.values() for way, columns in table.items()}
    for way, rows in said.items():
        columns = [name for name in {*ways[way], *_of_both(way)} if name in given.columns]
        given = given.with_columns(pl.when(~rows).then(pl.col(name)).alias(name) for name in columns)
    return given


def _of_both(way: str) -> tuple[str, ...]:
    return tuple(name for table in _SOURCES.values() for name in table.get(way, ()))
