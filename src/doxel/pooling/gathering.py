"""What runs have to offer to a pool: their results, found in the collection, as far down as they are read.

How far a run has been read is counted in steps.  By documents, a step ends where the next document
begins that the run had not named before; by results, every result is a step.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.options import checked_option
from doxel.runs import Run
from doxel.runs.naming import run_names
from doxel.runs.order import order as in_order
from doxel.runs.read import read_each
from doxel.runs.resolve import resolve
from doxel.tables import Column, Table
from doxel.wording import counted

__all__ = ["COUNTS", "OFFERED", "Given", "Offered", "RunReader", "gather"]

COUNTS = ("documents", "results")

OFFERED = Table(
    "what runs offer",
    (
        Column("turn", pl.Int64, "the place of the run among the runs, from 0"),
        Column("run", pl.String, "its id"),
        Column("topic", pl.String, "the topic's id"),
        Column("doc", pl.String, "the document's id"),
        Column("rank", pl.Int64, "the rank of the result, from 1"),
        Column("step", pl.Int64, "how far the run must be read to reach it, from 1"),
        Column("path", pl.String, "an element's path"),
        Column("start", pl.Int64, "first character"),
        Column("end", pl.Int64, "end"),
    ),
)

Given = Run | str | os.PathLike[str]


@dataclass(frozen=True)
class Offered:
    """``results`` has the columns of ``OFFERED``, ``topics`` are those of all runs, in order of appearance.

    ``unknown`` counts results by why their document is not known, ``lost`` those within reach by why
    their place in the document is not.
    """

    results: pl.DataFrame
    topics: tuple[str, ...]
    unknown: dict[str, int]
    lost: dict[str, int]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of the results that could not be found."""
        outside = [
            f"{counted(count, 'result is', 'results are')} left out: {why}"
            for why, count in self.unknown.items()
        ]
        lost = [
            f"{counted(count, 'result names', 'results name')} a place that is not there, only "
            f"{'its document is' if count == 1 else 'their documents are'} pooled: {why}"
            for why, count in self.lost.items()
        ]
        return (*outside, *lost)


class RunReader:
    """Reads runs from files, folders and archives when it is iterated over, one after the other.

    With ``on_error="skip"`` a run that cannot be read is left out, unless none can, and ``skipped`` says why.
    """

    def __init__(
        self, given: Given | Iterable[Given], *, on_error: str = "raise", fol_end: bool = False
    ) -> None:
        self._given = [given] if isinstance(given, Run | str | os.PathLike) else list(given)
        self._skips, self._fol_end = checked_option("on_error", on_error) == "skip", fol_end
        self.skipped: list[str] = []

    def __iter__(self) -> Iterator[Run]:
        self.skipped = []
        there = False
        for one in self._given:
            for run in [one] if isinstance(one, Run) else self._read(one):
                there = True
                yield run
        if not there:
            first = f"no run could be read; the first: {self.skipped[0]}" if self.skipped else "no run"
            raise InputError(first, wanted="at least one")

    def _read(self, path: str | os.PathLike[str]) -> Iterator[Run]:
        for run in read_each(path, fol_end=self._fol_end):
            if isinstance(run, Run):
                yield run
            elif self._skips:
                self.skipped.append(str(run))
            else:
                raise run

    def named(self) -> list[Run]:
        """Return all runs at once, under the ids that they have in a pool."""
        runs = list(self)
        names = run_names([(run.id, run.file) for run in runs])
        return [replace(run, id=name) for run, name in zip(runs, names, strict=True)]


def gather(
    runs: Iterable[Run],
    *,
    collection: Collection | None,
    count: str = "documents",
    order: str = "rank",
    topics: Iterable[str] | None = None,
    depth: int | None = None,
    documents: int | None = None,
    progress: Callable[[], None] | None = None,
) -> Offered:
    """Find the results of runs, and keep those that a pool of this depth or size could need.

    A run is let go before the next is read.  An id that several runs share becomes ``id:file``.
    """
    if count not in COUNTS:
        raise InputError("what depth counts", wanted=" or ".join(COUNTS), found=repr(count))
    wanted = None if topics is None else pl.Series(list(topics), dtype=pl.String)
    unknown: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    tables = [OFFERED.empty().drop("run")]
    seen: dict[str, None] = {}
    ids: list[tuple[str, str | None]] = []
    for turn, run in enumerate(runs):
        # an element is one here, although a Best in Context run only points at its start
        found = in_order(resolve(replace(run, task=None), collection), by=order)
        seen.update(dict.fromkeys(found["topic"].unique(maintain_order=True)))
        if wanted is not None:
            found = found.filter(pl.col("topic").is_in(wanted.implode()))
        if collection is not None:
            unknown.update(_problems(found.filter(pl.col("number").is_null())))
            found = found.filter(pl.col("number").is_not_null())
        kept = _in_steps(found, count, known=collection is not None).filter(_in_reach(depth, documents))
        kept = kept if collection is None else _with_roots(kept, collection)
        lost.update(_problems(kept))
        ids.append((run.id, run.file))
        tables.append(OFFERED.fit(kept.with_columns(turn=pl.lit(turn, dtype=pl.Int64))).drop("run"))
        if progress is not None:
            progress()
    names = pl.Series(run_names(ids), dtype=pl.String)
    together = pl.concat(tables)
    results = together.with_columns(run=names.gather(together["turn"]))
    return Offered(OFFERED.fit(results), tuple(seen), dict(unknown), dict(lost))


def _problems(found: pl.DataFrame) -> dict[str, int]:
    return dict(found["problem"].drop_nulls().value_counts(sort=True).rows())


def _in_steps(found: pl.DataFrame, count: str, *, known: bool) -> pl.DataFrame:
    """Return results with their steps; ``named`` is how many documents their run has named by then."""
    is_place = pl.col("problem").is_null() & pl.col("path_end").is_null()
    first = pl.struct("topic", "doc").is_first_distinct().cast(pl.Int64)
    counted = found.with_columns(
        rank=pl.col("position"),
        named=first.cum_sum().over("topic"),
        path=pl.when(is_place & ~_is_span(known=known)).then("path"),
        **{name: pl.when(pl.col("problem").is_null()).then(name) for name in ("start", "end")},
    )
    return counted.with_columns(step=pl.col("named" if count == "documents" else "rank"))


def _with_roots(kept: pl.DataFrame, collection: Collection) -> pl.DataFrame:
    """Return results in which a whole document is its root, where it has one."""
    whole = pl.col("path").is_null() & (pl.col("element") == 0)
    numbers = kept.filter(whole)["number"].unique().to_numpy()
    if not len(numbers):
        return kept
    forest, place = collection.shared_forest(numbers)
    names = pl.Series(forest.labels.names, dtype=pl.String).gather(forest.name[forest.first[place[numbers]]])
    roots = pl.DataFrame({"number": numbers, "root": "/" + names + "[1]"})
    joined = kept.join(roots, on="number", how="left", maintain_order="left")
    return joined.with_columns(path=pl.when(whole).then("root").otherwise("path"))


def _is_span(*, known: bool) -> pl.Expr:
    """Tell results that were given as spans, where a path beside them says nothing."""
    return pl.col("element").is_null() if known else pl.col("start").is_not_null()


def _in_reach(depth: int | None, documents: int | None) -> pl.Expr:
    """Leave out what lies deeper than any pool of this depth, or of so many documents, can reach."""
    reach = pl.lit(value=True)
    if depth is not None:
        reach &= pl.col("step") <= depth
    if documents is not None:
        reach &= pl.col("named") <= documents
    return reach
