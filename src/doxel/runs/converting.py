"""Runs for another format: results said in the words that it has.

A result that the format can say as it stands is left as it is.  Any other is looked up in the
collection: a path, a quotation or a whole document becomes positions; a position becomes a path where
it is exactly an element, and where not all are, the places in the text at which it begins and ends.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.documents.positions import Places
from doxel.files.formats import Converted
from doxel.runs.declare import RunFormat, Way
from doxel.runs.resolve import resolve
from doxel.runs.run import NOT_FOUND, RESULTS, Run
from doxel.runs.whole_documents import rank_documents
from doxel.spans import Ints
from doxel.wording import counted

__all__ = ["convert_run"]

_COLUMNS = {
    "span": ("start", "end"),
    "point": ("start",),
    "element": ("path",),
    "range": ("path", "path_end"),
    "quotation": ("text",),
    "whole": (),
}
_PLACE = ("start", "end", "path", "path_end", "text")


def convert_run(
    run: Run, target: RunFormat, collection: Collection | None = None, *, documents: str = "first"
) -> Converted[Run]:
    """Return a run as a format can hold it; without a collection nothing is looked up.

    A format of whole documents gets each document once, ranked as ``documents`` says.
    """
    given = RESULTS.fit(run.results)
    written, kept = given, given
    notes: tuple[str, ...] = ()
    wants_collection = False
    if target.name != "jsonl":  # which can say everything, and several things at once
        way = given.select(_way(target.says)).to_series()
        written = given.with_columns(_said_so(way))
        wants_collection = collection is None and way.null_count() > 0 and target.name != "trec"
        if collection is not None:
            translation = _Translation(run, way, target, collection)
            written, kept = translation.of(written), translation.without_translated(given)
            notes = translation.notes
    about = run.tables["about"]
    lost = target.losses({"results": kept.drop("line"), "about": about}, {"results": written, "about": about})
    converted = replace(run, results=written)
    if target.name == "trec":
        again = int(given.select(pl.struct("topic", "doc").is_duplicated().sum()).item())
        if again:
            converted, done = rank_documents(run, documents)
            notes = (*notes, *done)
            lost = lost or [f"results of a document that is listed again ({counted(again, 'row')})"]
    return Converted(converted, tuple(lost), notes, wants_collection)


def _way(known: tuple[Way, ...]) -> pl.Expr:
    """Return in which of the known ways each result says where it is, null for none of them.

    Where it says so in several ways the first counts, as everywhere.
    """
    has = {name: pl.col(name).is_not_null() for name in _PLACE}
    said = {
        "span": has["start"] & has["end"],
        "point": has["start"] & ~has["end"],
        "range": has["path"] & has["path_end"],
        "element": has["path"] & ~has["path_end"],
        "quotation": has["text"],
        "whole": ~pl.any_horizontal(has.values()),
    }
    way = pl.lit(None, dtype=pl.String)
    for name in reversed(said):
        if name in known:
            way = pl.when(said[name]).then(pl.lit(name)).otherwise(way)
    return way


def _said_so(way: pl.Series) -> list[pl.Expr]:
    """Return the columns of places, with those alone in which each result says where it is."""
    return [
        pl.when(way.is_null() | way.is_in([one for one, columns in _COLUMNS.items() if name in columns]))
        .then(name)
        .alias(name)
        for name in _PLACE
    ]


class _Translation:
    """Results that a format cannot say as they stand, found in a collection."""

    def __init__(self, run: Run, way: pl.Series, target: RunFormat, collection: Collection) -> None:
        self.aim = next((one for one in ("span", "element", "point") if one in target.says), None)
        self.collection = collection
        # without its task, because an element is wanted with its extent, even where it is an entry point
        self.resolved = resolve(replace(run, task=None), collection)
        found = self.resolved["problem"].is_null()
        waiting = way.is_null() & self._can_be_translated(run)
        self.rows = np.flatnonzero((waiting & found).to_numpy())
        self.lost = waiting & ~found if self.aim == "span" else waiting.head(0)

    def _can_be_translated(self, run: Run) -> pl.Series:
        """Tell which results mean the same in the new way: a passage is no entry point, nor the reverse."""
        placed, ended = (run.results[name].is_not_null() for name in ("start", "end"))
        if self.aim == "point":
            return ~placed if run.task == "best-in-context" else placed & ~placed
        return ~placed | ended if self.aim is not None else placed & ~placed

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said in other words."""
        if not len(self.rows):
            return ()
        words = {"span": "positions", "point": "entry points", "element": "paths"}[str(self.aim)]
        said = counted(len(self.rows), "result is", "results are")
        return (f"{said} written as {words}, found in {self.collection.folder}",)

    def _columns(self) -> dict[str, pl.Series]:
        """Return what the translated results say in the new way."""
        start, end = (self.resolved[name].gather(self.rows) for name in ("start", "end"))
        if self.aim != "element":
            return {"start": start} if self.aim == "point" else {"start": start, "end": end}
        number = self.resolved["number"].gather(self.rows).to_numpy()
        places = Places(self.collection, number)
        path = _elements_at(places, number, start.to_numpy(), end.to_numpy())
        if not path.null_count() and self.resolved["path_end"].null_count() == self.resolved.height:
            return {"path": path}
        return {
            "path": places.places(number, start.to_numpy(), side="start"),
            "path_end": places.places(number, end.to_numpy(), side="end"),
        }

    def of(self, written: pl.DataFrame) -> pl.DataFrame:
        """Return the results with what was found, instead of what they said before."""
        columns = self._columns() if len(self.rows) else {}
        row = np.full(written.height, -1, dtype=np.int64)
        row[self.rows] = np.arange(len(self.rows))
        place = pl.Series(row)
        place = place.set(place < 0, None)
        for name in _PLACE:
            new = columns[name].gather(place) if name in columns else pl.lit(None, dtype=RESULTS.schema[name])
            value = pl.when(place.is_not_null()).then(new).otherwise(pl.col(name))
            if len(self.lost):  # so a system says that a passage was not found
                nowhere = pl.lit(NOT_FOUND if name in {"start", "end"} else None, dtype=RESULTS.schema[name])
                value = pl.when(self.lost).then(nowhere).otherwise(value)
            written = written.with_columns(value.alias(name))
        return written

    def without_translated(self, given: pl.DataFrame) -> pl.DataFrame:
        """Return the results without what is now said in other words."""
        others = np.ones(given.height, dtype=bool)
        others[self.rows] = False
        return given.with_columns(pl.when(pl.Series(others)).then(name).alias(name) for name in _PLACE)


def _elements_at(places: Places, number: Ints, start: Ints, end: Ints) -> pl.Series:
    """Return the path of the outermost element with exactly a span, null where there is none.

    An empty span is no element: many could be meant.
    """
    forest = places.forest
    elements = pl.DataFrame(
        {"document": forest.document, "start": forest.start, "end": forest.end, "row": np.arange(len(forest))}
    ).unique(["document", "start", "end"], keep="first", maintain_order=True)
    wanted = pl.DataFrame({"document": places.document(number), "start": start, "end": end})
    row = wanted.join(elements, on=["document", "start", "end"], how="left", maintain_order="left")["row"]
    row = row.set(pl.Series(end <= start), None)
    return forest.paths().gather(row)
