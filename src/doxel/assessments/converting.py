"""Convert assessments to another format: places become positions, paths or quotations."""

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
from doxel.files.file_format import Conversion
from doxel.wording import pluralise

__all__ = ["convert_assessments"]

_WAYS: dict[str, dict[str, tuple[str, ...]]] = {
    "highlights": {
        "position": ("start", "end"),
        "path": ("path", "path_end"),
        "quotation": ("text", "prefix", "suffix"),
    },
    "beps": {"position": ("position",), "path": ("path",)},
}
"""The ways to give a place, with their columns; the first one that a row has counts."""

_PLACE_NOUNS = {"highlights": "highlight", "beps": "best entry point"}


def convert_assessments(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None = None
) -> Conversion[Assessments]:
    """Convert assessments to a format; without a collection nothing is looked up.

    A collection only fills in missing values: documents keep their names, and positions do not change.
    """
    if target.name == "trec" and assessments.scale != "documents":
        return _of_documents(assessments, target)
    if assessments.scale == "documents" and "highlights" in target.holds:
        return _of_parts(assessments, target, collection)
    return _converted(assessments, target, collection)


def _of_documents(assessments: Assessments, target: AssessmentFormat) -> Conversion[Assessments]:
    """Return assessments of whole documents: all judgements of parts are lost."""
    converted = with_document_grades(assessments)
    losses = target.losses(assessments.tables, {**assessments.tables, **converted.tables})
    relevant = int((converted.judged["grade"] > 0).sum())
    note = f"{relevant:,} of {converted.judged.height:,} documents are relevant as a whole"
    return Conversion(converted, (f"scale (from {assessments.scale} to documents)", *losses), (note,))


def _of_parts(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None
) -> Conversion[Assessments]:
    """Return assessments of parts: a relevant document becomes one highlight of its whole text."""
    if collection is None:
        return replace(_converted(assessments, target, None), wants_collection=True)
    whole, count = with_whole_highlights(assessments, collection)
    converted = _converted(replace(whole, scale="2006"), target, collection)
    note = f"{pluralise(count, 'relevant document is', 'relevant documents are')} highlighted from end to end"
    scale = f"scale (from documents to {target.scale})"
    return replace(converted, losses=(scale, *converted.losses), notes=(note, *converted.notes))


def _converted(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None
) -> Conversion[Assessments]:
    converted = assessments if collection is None else _found(assessments, target, collection)
    tables = dict(assessments.tables)
    notes: list[str] = []
    for name in _WAYS:
        translated = _said_otherwise(
            tables[name], getattr(converted, name), target.holds.get(name, frozenset()), name
        )
        for way, rows in translated.items():
            columns = _WAYS[name][way]
            tables[name] = tables[name].with_columns(
                pl.when(~rows).then(column).alias(column) for column in columns
            )
            if collection is not None and rows.any():
                noun = _PLACE_NOUNS[name]
                count = pluralise(int(rows.sum()), f"{noun} with a {way} is", f"{noun}s with a {way} are")
                notes.append(f"{count} written with the places found in {collection.folder}")
    losses = target.losses(tables, converted.tables)
    if target.scale != assessments.scale:
        losses = [f"scale (from {assessments.scale} to {target.scale})", *losses]
    wants_collection = collection is None and _lacks_places(assessments, target)
    return Conversion(converted, tuple(losses), tuple(notes), wants_collection)


def _lacks_places(assessments: Assessments, target: AssessmentFormat) -> bool:
    """Check whether a row gives its place only in ways that the format does not hold, but could."""
    for name, ways in _WAYS.items():
        first_columns = [columns[0] for columns in ways.values()]
        columns = [column for column in first_columns if column in target.holds.get(name, frozenset())]
        table: pl.DataFrame = getattr(assessments, name)
        if columns and not table.select(pl.any_horizontal(pl.col(columns).is_not_null()).all()).item():
            return True
    return False


def _found(assessments: Assessments, target: AssessmentFormat, collection: Collection) -> Assessments:
    """Fill in missing places with those found in the collection."""
    resolved = resolve(assessments, collection)
    if "path" in target.holds.get("highlights", frozenset()):
        resolved = locate(resolved, collection)
    if target.name == "web-annotation":
        resolved = quote(resolved, collection)
    tables: dict[str, Any] = {
        name: _filled(getattr(assessments, name), getattr(resolved, name)) for name in TABLES
    }
    return replace(assessments, **tables)


def _filled(table: pl.DataFrame, resolved: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(values.fill_null(resolved[values.name]) for values in table.get_columns())


def _said_otherwise(
    source: pl.DataFrame, converted: pl.DataFrame, holds: frozenset[str], table: str
) -> dict[str, pl.Series]:
    """Return the translated rows, for each way to give a place that the format does not hold."""
    translated: dict[str, pl.Series] = {}
    held_columns = [columns[0] for columns in _WAYS[table].values() if columns[0] in holds]
    is_done = pl.Series([False] * source.height, dtype=pl.Boolean)
    for way, columns in _WAYS[table].items():
        is_own = source[columns[0]].is_not_null() & ~is_done
        is_done |= is_own
        if columns[0] not in holds and held_columns:
            column = held_columns[0]
            translated[way] = is_own & source[column].is_null() & converted[column].is_not_null()
    return translated
