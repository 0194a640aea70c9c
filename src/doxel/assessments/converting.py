"""Assessments for another format: places said as positions, as paths, or with quotations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from doxel.assessments.assessments import TABLES, Assessments
from doxel.assessments.declare import AssessmentFormat
from doxel.assessments.describe import locate, quote
from doxel.assessments.resolve import resolve
from doxel.assessments.whole_documents import with_document_grades, with_whole_highlights
from doxel.documents.collection import Collection
from doxel.files.formats import Converted

__all__ = ["convert_assessments"]

_WAYS: dict[str, dict[str, tuple[str, ...]]] = {
    "highlights": {
        "position": ("start", "end"),
        "path": ("path", "path_end"),
        "quotation": ("text", "prefix", "suffix"),
    },
    "beps": {"position": ("position",), "path": ("path",)},
}
"""The ways of saying a place, and their columns; the first that a row has counts."""


def convert_assessments(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None = None
) -> Converted[Assessments]:
    """Return assessments as a format can hold them; without a collection nothing is looked up.

    A collection only fills in what is left open: documents keep their names, positions stay as written.
    """
    if target.name == "trec" and assessments.scale != "documents":
        return _of_documents(assessments, target)
    if assessments.scale == "documents" and "highlights" in target.holds:
        return _of_parts(assessments, target, collection)
    return _converted(assessments, target, collection)


def _of_documents(assessments: Assessments, target: AssessmentFormat) -> Converted[Assessments]:
    """Return assessments of whole documents: everything that was said of parts is lost."""
    written = with_document_grades(assessments)
    lost = target.losses(assessments.tables, {**assessments.tables, **written.tables})
    relevant = int((written.judged["grade"] > 0).sum())
    note = f"{relevant:,} of {written.judged.height:,} documents are relevant as a whole"
    return Converted(written, (f"scale (from {assessments.scale} to documents)", *lost), (note,))


def _of_parts(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None
) -> Converted[Assessments]:
    """Return assessments of parts: a relevant document is highlighted from end to end."""
    if collection is None:
        return replace(_converted(assessments, target, None), wants_collection=True)
    whole, count = with_whole_highlights(assessments, collection)
    converted = _converted(replace(whole, scale="2006"), target, collection)
    note = f"{count:,} relevant documents are highlighted from end to end"
    scale = f"scale (from documents to {target.scale})"
    return replace(converted, losses=(scale, *converted.losses), notes=(note, *converted.notes))


def _converted(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None
) -> Converted[Assessments]:
    written = assessments if collection is None else _found(assessments, target, collection)
    kept = dict(assessments.tables)
    notes: list[str] = []
    for name in _WAYS:
        otherwise = _said_otherwise(
            kept[name], getattr(written, name), target.holds.get(name, frozenset()), name
        )
        for way, rows in otherwise.items():
            columns = _WAYS[name][way]
            kept[name] = kept[name].with_columns(pl.when(~rows).then(one).alias(one) for one in columns)
            if collection is not None and rows.any():
                told = f"{rows.sum():,} {name} are no longer said by {way}"
                notes.append(f"{told}, but as found in {collection.folder}")
    lost = target.losses(kept, written.tables)
    if target.scale != assessments.scale:
        lost = [f"scale (from {assessments.scale} to {target.scale})", *lost]
    wants_collection = collection is None and _lacks_places(assessments, target)
    return Converted(written, tuple(lost), tuple(notes), wants_collection)


def _lacks_places(assessments: Assessments, target: AssessmentFormat) -> bool:
    """Tell whether some place is said only in ways that the format does not know, though it knows others."""
    for name, ways in _WAYS.items():
        known = [columns[0] for columns in ways.values() if columns[0] in target.holds.get(name, frozenset())]
        table: pl.DataFrame = getattr(assessments, name)
        if known and not table.select(pl.any_horizontal(pl.col(known).is_not_null()).all()).item():
            return True
    return False


def _found(assessments: Assessments, target: AssessmentFormat, collection: Collection) -> Assessments:
    """Return assessments with whatever the collection tells of their places, where they leave that open."""
    found = resolve(assessments, collection)
    if "path" in target.holds.get("highlights", frozenset()):
        found = locate(found, collection)
    if target.name == "web-annotation":
        found = quote(found, collection)
    tables: dict[str, Any] = {
        name: _filled(getattr(assessments, name), getattr(found, name)) for name in TABLES
    }
    return replace(assessments, **tables)


def _filled(given: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    return given.with_columns(values.fill_null(found[values.name]) for values in given.get_columns())


def _said_otherwise(
    given: pl.DataFrame, written: pl.DataFrame, holds: frozenset[str], table: str
) -> dict[str, pl.Series]:
    """Return, for each way that the format does not know, the rows that are now said in one that it does."""
    found: dict[str, pl.Series] = {}
    known = [columns[0] for columns in _WAYS[table].values() if columns[0] in holds]
    said = pl.Series([False] * given.height, dtype=pl.Boolean)
    for way, columns in _WAYS[table].items():
        own = given[columns[0]].is_not_null() & ~said
        said |= own
        if columns[0] not in holds and known:
            found[way] = own & given[known[0]].is_null() & written[known[0]].is_not_null()
    return found
