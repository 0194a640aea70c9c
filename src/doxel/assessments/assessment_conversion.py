"""Convert assessments to another format: places become positions, paths or quotations.

Some formats hold positions, some paths, some quotations.
:func:`doxel.assessments.assessment_spans.resolve_assessments` turns all of them into positions;
``add_quotations`` and ``add_paths`` turn positions into the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES, AssessmentFormat, Assessments
from doxel.assessments.judged_pairs import convert_to_document_grades, highlight_whole_documents
from doxel.documents.collection import Collection
from doxel.documents.element_paths import PlaceFinder, Side
from doxel.files.file_format import Conversion
from doxel.wording import pluralise

__all__ = ["add_paths", "add_quotations", "convert_assessments"]

_PLACE_COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
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
    if target.scale == "documents" and assessments.scale != "documents":
        return _convert_to_documents(assessments, target)
    if assessments.scale == "documents" and "highlights" in target.holds:
        return _convert_to_parts(assessments, target, collection)
    conversion = _convert_places(assessments, target, collection)
    if not assessments.has_aspects or "aspect" in target.holds.get("highlights", frozenset()):
        return conversion
    return replace(conversion, thing=_merge_aspects(conversion.thing))


def _merge_aspects(assessments: Assessments) -> Assessments:
    """Return assessments without aspects; text of several aspects is highlighted once."""
    highlights = assessments.highlights
    columns = [name for name in highlights.columns if name not in {"aspect", "line"}]
    is_first = pl.struct(columns).is_first_distinct() | pl.col("aspect").is_null()
    nothing = pl.lit(None, dtype=pl.String)
    return replace(
        assessments,
        highlights=highlights.filter(is_first).with_columns(aspect=nothing),
        aspects=assessments.aspects.clear(),
    )


def _convert_to_documents(assessments: Assessments, target: AssessmentFormat) -> Conversion[Assessments]:
    """Return assessments of whole documents: all judgements of parts are lost."""
    documents = convert_to_document_grades(assessments)
    losses = target.losses(assessments.tables, {**assessments.tables, **documents.tables})
    relevant = int((documents.judged["grade"] > 0).sum())
    note = f"{relevant:,} of {documents.judged.height:,} documents are relevant as a whole"
    return Conversion(documents, (f"scale (from {assessments.scale} to documents)", *losses), (note,))


def _convert_to_parts(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None
) -> Conversion[Assessments]:
    """Return assessments of parts: a relevant document becomes one highlight of its whole text."""
    if collection is None:
        return replace(_convert_places(assessments, target, None), wants_collection=True)
    highlighted, count = highlight_whole_documents(assessments, collection)
    conversion = _convert_places(replace(highlighted, scale="2006"), target, collection)
    note = f"{pluralise(count, 'relevant document is', 'relevant documents are')} highlighted from end to end"
    scale = f"scale (from documents to {target.scale})"
    return replace(conversion, losses=(scale, *conversion.losses), notes=(note, *conversion.notes))


def _convert_places(
    assessments: Assessments, target: AssessmentFormat, collection: Collection | None
) -> Conversion[Assessments]:
    output = assessments if collection is None else _fill_places(assessments, target, collection)
    tables = dict(assessments.tables)
    notes: list[str] = []
    for name in _PLACE_COLUMNS:
        translated = _find_translated_rows(
            tables[name], getattr(output, name), target.holds.get(name, frozenset()), name
        )
        for way, rows in translated.items():
            columns = _PLACE_COLUMNS[name][way]
            tables[name] = tables[name].with_columns(
                pl.when(~rows).then(column).alias(column) for column in columns
            )
            if collection is not None and rows.any():
                noun = _PLACE_NOUNS[name]
                count = pluralise(int(rows.sum()), f"{noun} with a {way} is", f"{noun}s with a {way} are")
                notes.append(f"{count} written with the places found in {collection.folder}")
    losses = target.losses(tables, output.tables)
    if target.scale != assessments.scale:
        losses = [f"scale (from {assessments.scale} to {target.scale})", *losses]
    wants_collection = collection is None and _lacks_places(assessments, target)
    return Conversion(output, tuple(losses), tuple(notes), wants_collection)


def _lacks_places(assessments: Assessments, target: AssessmentFormat) -> bool:
    """Check whether a row gives its place only in ways that the format does not hold, but could."""
    for name, ways in _PLACE_COLUMNS.items():
        first_columns = [columns[0] for columns in ways.values()]
        columns = [column for column in first_columns if column in target.holds.get(name, frozenset())]
        table: pl.DataFrame = getattr(assessments, name)
        if columns and not table.select(pl.any_horizontal(pl.col(columns).is_not_null()).all()).item():
            return True
    return False


def _fill_places(assessments: Assessments, target: AssessmentFormat, collection: Collection) -> Assessments:
    """Fill in missing places with those found in the collection."""
    resolved = resolve_assessments(assessments, collection)
    if "path" in target.holds.get("highlights", frozenset()):
        resolved = add_paths(resolved, collection)
    if target.name == "web-annotation":
        resolved = add_quotations(resolved, collection)
    tables: dict[str, Any] = {
        name: _fill_nulls(getattr(assessments, name), getattr(resolved, name)) for name in ASSESSMENT_TABLES
    }
    return replace(assessments, **tables)


def _fill_nulls(table: pl.DataFrame, resolved: pl.DataFrame) -> pl.DataFrame:
    gaps = (values for values in table.get_columns() if values.null_count())
    return table.with_columns(values.fill_null(resolved[values.name]) for values in gaps)


def _find_translated_rows(
    source: pl.DataFrame, output: pl.DataFrame, holds: frozenset[str], table: str
) -> dict[str, pl.Series]:
    """Return the translated rows, for each way to give a place that the format does not hold."""
    translated: dict[str, pl.Series] = {}
    held_columns = [columns[0] for columns in _PLACE_COLUMNS[table].values() if columns[0] in holds]
    is_done = pl.Series([False] * source.height, dtype=pl.Boolean)
    for way, columns in _PLACE_COLUMNS[table].items():
        is_own = source[columns[0]].is_not_null() & ~is_done
        is_done |= is_own
        if columns[0] not in holds and held_columns:
            column = held_columns[0]
            translated[way] = is_own & source[column].is_null() & output[column].is_not_null()
    return translated


_CONTEXT = 32  # characters before and after a quotation: enough to distinguish repeated sentences


def add_quotations(assessments: Assessments, collection: Collection) -> Assessments:
    """Add quotations to the highlights of resolved assessments, with some text before and after.

    A quotation can still be found after small changes of a document; annotation formats keep both.
    """
    numbers = dict(assessments.judged.select("doc", "number").iter_rows())
    rows = assessments.highlights.select("doc", "start", "end", "text", "prefix", "suffix").rows()
    quotations = [row[3:] for row in rows]
    current_doc, text = None, ""
    for index in sorted(range(len(rows)), key=lambda index: rows[index][0]):  # a document is read once
        doc, start, end, quotation, *_ = rows[index]
        number = numbers.get(doc)
        if start is None or quotation is not None or number is None:
            continue
        if doc != current_doc:
            current_doc, text = doc, collection.text(number)
        prefix, suffix = text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]
        quotations[index] = (text[start:end], prefix, suffix)
    columns = pl.DataFrame(
        quotations, schema=dict.fromkeys(("text", "prefix", "suffix"), pl.String), orient="row"
    )
    return replace(assessments, highlights=assessments.highlights.with_columns(columns.get_columns()))


def add_paths(assessments: Assessments, collection: Collection) -> Assessments:
    """Add paths and sizes to the highlights and best entry points of resolved assessments.

    Existing paths do not change; new ones give a text node and an offset in it.
    """
    numbers = assessments.judged.select("doc", "number").unique("doc")
    known_numbers = numbers["number"].drop_nulls().to_numpy().astype(np.int64)
    strip = assessments.about.get("whitespace-text-node", "").startswith("strip")
    places = PlaceFinder(collection, known_numbers, strip=strip)

    def paths(frame: pl.DataFrame, column: str, side: Side) -> pl.Series:
        number = frame.join(numbers, on="doc", how="left", maintain_order="left")["number"]
        position = frame[column].fill_null(-1).to_numpy()
        return places.places(number.fill_null(-1).to_numpy(), position, side=side)

    highlights, beps = assessments.highlights, assessments.beps
    lacks_path = highlights["path"].is_null()  # a passage with a path and no path_end ends with that element
    end = pl.select(pl.when(lacks_path).then(paths(highlights, "end", "end"))).to_series()
    return replace(
        assessments,
        highlights=highlights.with_columns(
            path=highlights["path"].fill_null(paths(highlights, "start", "start")),
            path_end=highlights["path_end"].fill_null(end),
            size=highlights["size"].fill_null(highlights["end"] - highlights["start"]),
        ),
        beps=beps.with_columns(path=beps["path"].fill_null(paths(beps, "position", "start"))),
    )
