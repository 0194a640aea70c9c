"""Convert the results of a run to the kinds of results that another format can express.

A result that the format can express does not change.  Any other result is looked up in the collection: a
path, a quotation or a whole document becomes offsets.  Offsets become the path of an element if all of
them are exactly elements, and otherwise the places in the text at which they start and end.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.documents.element_paths import PlaceFinder
from doxel.files.file_format import Conversion
from doxel.runs.result_order import order_results, rank_documents
from doxel.runs.result_spans import resolve_run
from doxel.runs.run import ABOUT_KEYS, NO_DOCUMENT, NOT_FOUND_OFFSET, RESULTS, Run
from doxel.runs.run_files import strip_extensions
from doxel.runs.run_format import ResultKind, RunFormat
from doxel.spans import Ints
from doxel.wording import pluralise

__all__ = ["convert_run"]

_KIND_COLUMNS = {
    "span": ("start", "end"),
    "point": ("start",),
    "element": ("path",),
    "range": ("path", "path_end"),
    "quotation": ("text",),
    "whole": (),
}
_PLACE_COLUMNS = ("start", "end", "path", "path_end", "text")
_RANKED_BY_SCORE = {"trec", "run-json"}  # tools that read these formats look at the scores alone


def convert_run(
    run: Run, target: RunFormat, collection: Collection | None = None, *, documents: str = "first"
) -> Conversion[Run]:
    """Convert a run to a format; without a collection nothing is looked up.

    A format of whole documents gets each document once, ranked by the rule ``documents``.
    """
    source = RESULTS.fit(run.results)
    converted_results, untranslated = source, source
    notes: tuple[str, ...] = ()
    wants_collection = False
    if not target.combines:
        kind = source.select(_find_kind(target.result_kinds)).to_series()
        converted_results = source.with_columns(_clear_other_places(kind))
        wants_collection = collection is None and kind.null_count() > 0 and target.name != "trec"
        if collection is not None:
            translation = _Translation(run, kind, target, collection)
            converted_results = translation.of(converted_results)
            untranslated = translation.without_translated(source)
            notes = translation.notes
    about = run.tables["about"]
    if run.file is not None and run.id == strip_extensions(PurePath(run.file).name):
        about = about.drop("id")  # it is the name of the file
    doc_or_null = pl.when(pl.col("doc") != NO_DOCUMENT).then("doc").alias("doc")
    losses = target.losses(
        {"results": untranslated.drop("line").with_columns(doc_or_null), "about": about},
        {"results": converted_results, "about": about},
    )
    kept_keys = target.holds.get("about", frozenset())
    header = {key: value for key, value in run.about.items() if key in ABOUT_KEYS or key in kept_keys}
    output = replace(run, results=converted_results, about=header)
    if target.name == "trec":
        repeats = int(source.select((~pl.struct("topic", "doc").is_first_distinct()).sum()).item())
        if repeats:
            output, ranking_notes = rank_documents(run, documents)
            notes = (*notes, *ranking_notes)
            losses = losses or [f"results of a document that is listed again ({pluralise(repeats, 'row')})"]
    if target.name in _RANKED_BY_SCORE:
        output, score_notes = _separate_scores(output)
        notes = (*notes, *score_notes)
    return Conversion(output, tuple(losses), notes, wants_collection)


def _separate_scores(run: Run) -> tuple[Run, tuple[str, ...]]:
    """Return a run whose scores alone give its ranking, and a note if some scores had to change.

    Other tools ignore ranks and break ties in their own way, and some read scores in single precision.  In a
    topic whose scores do not fall from each rank to the next, they become 1/rank.
    """
    ordered = order_results(run.results.with_row_index("row"))
    score = pl.coalesce("rsv", -pl.col("rank").cast(pl.Float64)).cast(pl.Float32)
    falls = (score < score.shift().over("topic")).fill_null(value=True)
    is_partial = pl.col("rsv").is_null().any().over("topic") & pl.col("rsv").is_not_null().any().over("topic")
    changes = ordered.select(~falls.all().over("topic") & ~is_partial).to_series()
    if not changes.any():
        return run, ()
    rewritten = ordered.with_columns(rsv=pl.when(changes).then(1.0 / pl.col("position")).otherwise("rsv"))
    count = ordered.filter(changes)["topic"].n_unique()
    note = (
        f"the scores of {pluralise(count, 'topic')} were tied, or contradicted the ranks: they are now "
        "1/rank, so that other tools rank the documents in the same order"
    )
    return replace(run, results=RESULTS.fit(rewritten.sort("row").drop("row", "position"))), (note,)


def _find_kind(kinds: tuple[ResultKind, ...]) -> pl.Expr:
    """Return the kind of each result, null if it is none of these kinds.

    If a result is of several kinds, the first counts, as for ``Run``.
    """
    has = {name: pl.col(name).is_not_null() for name in _PLACE_COLUMNS}
    conditions = {
        "span": has["start"] & has["end"],
        "point": has["start"] & ~has["end"],
        "range": has["path"] & has["path_end"],
        "element": has["path"] & ~has["path_end"],
        "quotation": has["text"],
        "whole": ~pl.any_horizontal(has.values()),
    }
    kind = pl.lit(None, dtype=pl.String)
    for name in reversed(conditions):
        if name in kinds:
            kind = pl.when(conditions[name]).then(pl.lit(name)).otherwise(kind)
    return kind


def _clear_other_places(kind: pl.Series) -> list[pl.Expr]:
    """Return the place columns of each result, with nulls in the columns that its kind does not use."""
    return [
        pl.when(
            kind.is_null()
            | kind.is_in([name for name, columns in _KIND_COLUMNS.items() if column in columns])
        )
        .then(column)
        .alias(column)
        for column in _PLACE_COLUMNS
    ]


class _Translation:
    """Results that a format cannot express directly, looked up in a collection."""

    def __init__(self, run: Run, kind: pl.Series, target: RunFormat, collection: Collection) -> None:
        self.aim = next((name for name in ("span", "element", "point") if name in target.result_kinds), None)
        self.collection = collection
        # without the task: an element must keep its extent, even if it is an entry point in this task
        self.resolved = resolve_run(replace(run, task=None), collection)
        is_found = self.resolved["problem"].is_null()
        is_pending = kind.is_null() & self._can_be_translated(run)
        self.rows = np.flatnonzero((is_pending & is_found).to_numpy())
        self.lost = is_pending & ~is_found if self.aim == "span" else is_pending.head(0)

    def _can_be_translated(self, run: Run) -> pl.Series:
        """Mark the results that keep their meaning: a passage is not an entry point, nor the reverse."""
        has_start, has_end = (run.results[name].is_not_null() for name in ("start", "end"))
        if self.aim == "point":
            return ~has_start if run.task == "best-in-context" else has_start & ~has_start
        return ~has_start | has_end if self.aim is not None else has_start & ~has_start

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence that counts the translated results."""
        if not len(self.rows):
            return ()
        kind = {"span": "positions", "point": "entry points", "element": "paths"}[str(self.aim)]
        count = pluralise(len(self.rows), "result is", "results are")
        return (f"{count} written as {kind}, found in {self.collection.folder}",)

    def _list_columns(self) -> dict[str, pl.Series]:
        """Return the place columns of the translated results."""
        start, end = (self.resolved[name].gather(self.rows) for name in ("start", "end"))
        if self.aim != "element":
            return {"start": start} if self.aim == "point" else {"start": start, "end": end}
        number = self.resolved["number"].gather(self.rows).to_numpy()
        places = PlaceFinder(self.collection, number)
        path = _find_elements_at(places, number, start.to_numpy(), end.to_numpy())
        if not path.null_count() and self.resolved["path_end"].null_count() == self.resolved.height:
            return {"path": path}
        return {
            "path": places.places(number, start.to_numpy(), side="start"),
            "path_end": places.places(number, end.to_numpy(), side="end"),
        }

    def of(self, results: pl.DataFrame) -> pl.DataFrame:
        """Return the results with their places replaced by the translated ones."""
        columns = self._list_columns() if len(self.rows) else {}
        row = np.full(results.height, -1, dtype=np.int64)
        row[self.rows] = np.arange(len(self.rows))
        source_row = pl.Series(row)
        source_row = source_row.set(source_row < 0, None)
        for name in _PLACE_COLUMNS:
            dtype = RESULTS.schema[name]
            new = columns[name].gather(source_row) if name in columns else pl.lit(None, dtype=dtype)
            value = pl.when(source_row.is_not_null()).then(new).otherwise(pl.col(name))
            if len(self.lost):  # in formats of spans this offset marks a passage that was not found
                not_found = pl.lit(NOT_FOUND_OFFSET if name in {"start", "end"} else None, dtype=dtype)
                value = pl.when(self.lost).then(not_found).otherwise(value)
            results = results.with_columns(value.alias(name))
        return results

    def without_translated(self, results: pl.DataFrame) -> pl.DataFrame:
        """Return the results with nulls for the places that were translated."""
        is_untouched = np.ones(results.height, dtype=bool)
        is_untouched[self.rows] = False
        return results.with_columns(
            pl.when(pl.Series(is_untouched)).then(name).alias(name) for name in _PLACE_COLUMNS
        )


def _find_elements_at(places: PlaceFinder, number: Ints, start: Ints, end: Ints) -> pl.Series:
    """Return the path of the outermost element that has exactly this span, null if there is none.

    An empty span has no element, because it would be ambiguous.
    """
    forest = places.forest
    elements = pl.DataFrame(
        {"document": forest.document, "start": forest.start, "end": forest.end, "row": np.arange(len(forest))}
    ).unique(["document", "start", "end"], keep="first", maintain_order=True)
    spans = pl.DataFrame({"document": places.document(number), "start": start, "end": end})
    row = spans.join(elements, on=["document", "start", "end"], how="left", maintain_order="left")["row"]
    row = row.set(pl.Series(end <= start), None)
    return forest.paths().gather(row)
