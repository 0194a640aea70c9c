"""Assessments, found in a collection: positions for paths and quotations, the collection's ids.

What cannot be found is kept, without position, and says why in ``problem``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.assessments.assessments import TABLES, Assessments
from doxel.assessments.writing import union_sizes
from doxel.documents.collection import Collection
from doxel.documents.paths import canonical_paths
from doxel.documents.positions import Places
from doxel.documents.quotes import find_quotes
from doxel.errors import InputError
from doxel.runs.resolve import BACKWARDS, OUTSIDE, UNKNOWN_DOCUMENT, UNKNOWN_PATH
from doxel.spans import Booleans, Ints
from doxel.wording import counted

__all__ = ["DIFFERENT_TEXT", "NO_POSITION", "problems", "resolve", "unfound"]

_KEY = ["topic", "doc"]

DIFFERENT_TEXT = "the text there is not the quoted one"
NO_POSITION = "no position"

_NOUNS = {
    "judged": "judged document",
    "highlights": "highlight",
    "elements": "assessed element",
    "beps": "best entry point",
}


def resolve(assessments: Assessments, collection: Collection) -> Assessments:
    """Return assessments with every document, element and position that the collection knows.

    - ``doc`` becomes the collection's id, ``judged.number`` its row in ``collection.documents``;
    - highlights and best entry points get positions from their paths or quotations; those that have
      positions are checked against the text;
    - elements get ``element``, their row in the document, and paths with a position at every step;
    - sizes of judged documents that no file declared are filled in.

    Rows that are not found keep their place, with null instead of positions and a ``problem``:
    :func:`problems` counts these.
    """
    finder = _Finder(assessments, collection)
    judged = finder.named(assessments.judged)
    _refuse_two_names(judged)
    found = replace(
        assessments,
        judged=judged,
        highlights=finder.highlights(assessments.highlights),
        elements=finder.elements(assessments.elements),
        beps=finder.beps(assessments.beps),
    )
    return replace(found, judged=_with_sizes(found, collection))


def problems(assessments: Assessments) -> pl.DataFrame:
    """Return how many rows of which table have which problem: table, problem, rows."""
    tables: dict[str, pl.DataFrame] = {name: getattr(assessments, name) for name in TABLES}
    counted = [
        table.with_columns(table=pl.lit(name))
        .filter(pl.col("problem").is_not_null())
        .group_by("table", "problem", maintain_order=True)
        .agg(rows=pl.len())
        for name, table in tables.items()
    ]
    return pl.concat(counted)


def unfound(found: pl.DataFrame) -> list[str]:
    """Say what :func:`problems` counted, a sentence a table and problem.

    >>> unfound(pl.DataFrame({"table": ["beps"], "problem": ["unknown path"], "rows": [2]}))
    ['2 best entry points were not found in the collection (unknown path)']
    """
    return [
        f"{counted(rows, f'{_NOUNS[table]} was', f'{_NOUNS[table]}s were')} not found in the collection "
        f"({problem})"
        for table, problem, rows in found.iter_rows()
    ]


class _Finder:
    """Looks up documents and places; the elements of a document are read once, if at all."""

    def __init__(self, assessments: Assessments, collection: Collection) -> None:
        self._collection = collection
        self._strip = assessments.about.get("whitespace-text-node", "").startswith("strip")
        docs = pl.concat([getattr(assessments, name)["doc"] for name in TABLES]).unique(maintain_order=True)
        found = collection.numbers(docs)
        number = pl.Series(found, dtype=pl.Int64).replace(-1, None)
        self._known = pl.DataFrame(
            {"doc": docs, "number": number, "id": collection.documents["doc"].gather(number)}
        )
        self._sizes = collection.documents["characters"].to_numpy().astype(np.int64)

    def named(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table with the collection's ids, and the numbers of documents in ``number``."""
        found = frame.select("doc").join(self._known, on="doc", how="left", maintain_order="left")
        unknown = pl.when(pl.col("number").is_null()).then(pl.lit(UNKNOWN_DOCUMENT))
        return frame.with_columns(
            doc=found["id"].fill_null(frame["doc"]),
            number=found["number"],
            problem=found.select(unknown.alias("problem")).to_series(),
        )

    def highlights(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return highlights with positions, or with problems."""
        named = self.named(frame)
        number = named["number"].fill_null(-1).to_numpy()
        start, end = _positions(named["start"]), _positions(named["end"])
        problem = named["problem"].to_numpy().astype(object)
        given = (start >= 0) & (end >= 0)
        by_path = ~given & named["path"].is_not_null().to_numpy()
        by_quote = ~given & ~by_path & named["text"].is_not_null().to_numpy()
        known = number >= 0
        rows = np.flatnonzero(by_path & known)
        first = named["path"].gather(rows)
        last = named["path_end"].fill_null(named["path"]).gather(rows)
        places = self._places(number[rows])
        start[rows] = places.positions(number[rows], first, side="start")
        end[rows] = places.positions(number[rows], last, side="end")
        problem[rows[(start[rows] < 0) | (end[rows] < 0)]] = UNKNOWN_PATH
        rows = np.flatnonzero(by_quote & known)
        start[rows], end[rows], why = self._quotes(named, number, rows)
        problem[rows] = why.to_numpy()
        problem[known & ~given & ~by_path & ~by_quote] = NO_POSITION
        rows = np.flatnonzero(given & known & named["text"].is_not_null().to_numpy())
        problem[rows[~self._says_so(named, number, start, end, rows)]] = DIFFERENT_TEXT
        self._check_bounds(number, start, end, problem)
        return _filled(named, frame, {"start": start, "end": end}, problem)

    def beps(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return best entry points with positions, or with problems."""
        named = self.named(frame)
        number = named["number"].fill_null(-1).to_numpy()
        position = _positions(named["position"])
        problem = named["problem"].to_numpy().astype(object)
        known = number >= 0
        given = position >= 0
        by_path = ~given & named["path"].is_not_null().to_numpy()
        rows = np.flatnonzero(by_path & known)
        places = self._places(number[rows])
        position[rows] = places.positions(number[rows], named["path"].gather(rows), side="start")
        problem[rows[position[rows] < 0]] = UNKNOWN_PATH
        problem[known & ~given & ~by_path] = NO_POSITION
        self._check_bounds(number, position, position, problem)
        return _filled(named, frame, {"position": position}, problem)

    def elements(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return elements with their rows in the document, or with problems."""
        named = self.named(frame)
        number = named["number"].fill_null(-1).to_numpy()
        places = self._places(number)
        row = places.elements(number, named["path"])
        problem = named["problem"].to_numpy().astype(object)
        problem[(number >= 0) & (row < 0)] = UNKNOWN_PATH
        found = row >= 0
        if len(places.forest):
            row[found] -= places.forest.first[places.document(number[found])]
        path = pl.select(
            pl.when(pl.Series(found)).then(canonical_paths(named["path"])).otherwise(named["path"])
        ).to_series()
        return _filled(named.with_columns(path=path), frame, {"element": row}, problem)

    def _places(self, numbers: Ints) -> Places:
        return Places(self._collection, numbers, strip=self._strip)

    def _quotes(self, named: pl.DataFrame, number: Ints, rows: Ints) -> tuple[Ints, Ints, pl.Series]:
        text, prefix, suffix = (named[column].gather(rows) for column in ("text", "prefix", "suffix"))
        return find_quotes(self._collection, number[rows], text, prefixes=prefix, suffixes=suffix)

    def _says_so(self, named: pl.DataFrame, number: Ints, start: Ints, end: Ints, rows: Ints) -> Booleans:
        """Tell for each row whether the text at its position is the quoted one, but for white space."""
        same = np.zeros(len(rows), dtype=bool)
        opened, text = -1, ""
        for place in np.argsort(number[rows], kind="stable").tolist():
            row = int(rows[place])
            if number[row] != opened:
                opened, text = int(number[row]), self._collection.text(int(number[row]))
            there, quoted = text[start[row] : end[row]], named["text"][row]
            same[place] = "".join(there.split()) == "".join(quoted.split())
        return same

    def _check_bounds(self, number: Ints, start: Ints, end: Ints, problem: npt.NDArray[np.object_]) -> None:
        ok = problem == np.array(None)
        size = self._sizes[np.maximum(number, 0)] if len(self._sizes) else number
        problem[ok & (end < start)] = BACKWARDS
        problem[ok & (end >= start) & (end > size)] = OUTSIDE


def _positions(values: pl.Series) -> Ints:
    return values.fill_null(-1).to_numpy().copy()


def _filled(
    named: pl.DataFrame, frame: pl.DataFrame, columns: dict[str, Ints], problem: npt.NDArray[np.object_]
) -> pl.DataFrame:
    """Return the table with its own columns, the found ones filled in where there is no problem."""
    why = pl.Series("problem", problem.tolist(), dtype=pl.String)
    values = {name: pl.Series(found, dtype=pl.Int64).replace(-1, None) for name, found in columns.items()}
    cleared = {
        name: pl.select(pl.when(why.is_null()).then(value)).to_series() for name, value in values.items()
    }
    return named.with_columns(**cleared, problem=why).select(frame.columns)


def _refuse_two_names(judged: pl.DataFrame) -> None:
    twice = judged.filter(pl.struct(_KEY).is_duplicated())
    if twice.height:
        topic, doc = twice.select(_KEY).row(0)
        lines = twice.filter(topic=topic, doc=doc).select("file", "line").rows()
        raise InputError(
            f"topic {topic}, document {doc} judged twice, under two names",
            file=lines[1][0],
            line=lines[1][1],
            wanted="one judgement a topic and document",
            found=f"the first in {lines[0][0]}, line {lines[0][1]}",
        )


def _with_sizes(assessments: Assessments, collection: Collection) -> pl.DataFrame:
    judged = assessments.judged
    characters = collection.documents["characters"].cast(pl.Int64)
    judged = judged.with_columns(docsize=judged["docsize"].fill_null(characters.gather(judged["number"])))
    if assessments.scale not in {"2005", "2006"}:
        return judged
    lost = assessments.highlights.filter(pl.col("problem").is_not_null()).select(_KEY).unique()
    whole = judged.join(
        lost.with_columns(lost=pl.lit(value=True)), on=_KEY, how="left", maintain_order="left"
    )
    sizes = pl.when(whole["lost"].is_null()).then(union_sizes(assessments))
    return judged.with_columns(rsize=judged["rsize"].fill_null(pl.select(sizes).to_series()))
