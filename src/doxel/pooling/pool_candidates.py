"""Collect the candidates for a pool: the results of runs, found in the collection, to a depth.

Depth is counted in steps.  By documents, a step is a new document and the results up to the next new
document of the run; by results, every result is a step.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.inputs.evaluation_options import check_option
from doxel.runs import Run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import resolve_run
from doxel.runs.run import name_runs
from doxel.runs.run_files import read_each_run
from doxel.tables import Column, Table
from doxel.wording import pluralise

__all__ = ["CANDIDATES", "DEPTH_UNITS", "PoolCandidates", "PoolSource", "RunReader", "collect_candidates"]

DEPTH_UNITS = ("documents", "results")

CANDIDATES = Table(
    "candidates for a pool",
    (
        Column("turn", pl.Int64, "the position of the run among the runs, from 0"),
        Column("run", pl.String, "its id"),
        Column("topic", pl.String, "the topic's id"),
        Column("doc", pl.String, "the document's id"),
        Column("rank", pl.Int64, "the rank of the result, from 1"),
        Column("step", pl.Int64, "the depth at which the run reaches it, from 1"),
        Column("path", pl.String, "an element's path"),
        Column("start", pl.Int64, "first character"),
        Column("end", pl.Int64, "end"),
    ),
)

PoolSource = Run | str | os.PathLike[str]


@dataclass(frozen=True)
class PoolCandidates:
    """The candidates for a pool.

    ``results`` has the columns of ``CANDIDATES``, ``topics`` are the topics of all runs, in order of
    appearance.  ``unknown`` counts the results without a known document, by problem; ``lost`` counts the
    results within the depth without a place in their document, by problem.
    """

    results: pl.DataFrame
    topics: tuple[str, ...]
    unknown: dict[str, int]
    lost: dict[str, int]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the results that were not found."""
        unknown_notes = [
            f"{pluralise(count, 'result is', 'results are')} left out: {problem}"
            for problem, count in self.unknown.items()
        ]
        lost_notes = [
            f"{pluralise(count, 'result was', 'results were')} not found in the document; only "
            f"{'its document is' if count == 1 else 'their documents are'} pooled: {problem}"
            for problem, count in self.lost.items()
        ]
        return (*unknown_notes, *lost_notes)


class RunReader:
    """Reads runs from files, folders and archives, one after another, during iteration.

    With ``on_error="skip"`` a run that cannot be read is left out, and ``skipped`` lists its error.  If no
    run can be read, that is an error.
    """

    def __init__(
        self, sources: PoolSource | Iterable[PoolSource], *, on_error: str = "raise", fol_end: bool = False
    ) -> None:
        self._sources = [sources] if isinstance(sources, Run | str | os.PathLike) else list(sources)
        self._skips, self._fol_end = check_option("on_error", on_error) == "skip", fol_end
        self.skipped: list[str] = []

    def __iter__(self) -> Iterator[Run]:
        self.skipped = []
        is_empty = True
        for source in self._sources:
            for run in [source] if isinstance(source, Run) else self._read(source):
                is_empty = False
                yield run
        if is_empty:
            if self.skipped:
                raise InputError(f"no run could be read; the first error: {self.skipped[0]}")
            raise InputError("no run", wanted="at least one")

    def _read(self, path: str | os.PathLike[str]) -> Iterator[Run]:
        for run in read_each_run(path, fol_end=self._fol_end):
            if isinstance(run, Run):
                yield run
            elif self._skips:
                self.skipped.append(str(run))
            else:
                raise run

    def list_runs(self) -> list[Run]:
        """Return all runs as a list, with the ids that they have in a pool."""
        runs = list(self)
        names = name_runs([(run.id, run.file) for run in runs])
        return [replace(run, id=name) for run, name in zip(runs, names, strict=True)]


def collect_candidates(
    runs: Iterable[Run],
    *,
    collection: Collection | None,
    count: str = "documents",
    order: str = "rank",
    topics: Iterable[str] | None = None,
    depth: int | None = None,
    documents: int | None = None,
    progress: Callable[[], None] | None = None,
) -> PoolCandidates:
    """Find the results of runs, and keep those that a pool of this depth or size may need.

    Only one run is in memory at a time.  An id shared by several runs becomes ``id:file``.
    """
    if count not in DEPTH_UNITS:
        raise InputError("the unit of depth", wanted=" or ".join(DEPTH_UNITS), found=repr(count))
    selected_topics = None if topics is None else pl.Series(list(topics), dtype=pl.String)
    unknown: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    tables = [CANDIDATES.empty().drop("run")]
    run_topics: dict[str, None] = {}
    ids: list[tuple[str, str | None]] = []
    for turn, run in enumerate(runs):
        # without the task: an element of a Best in Context run is pooled as an element, not as a point
        results = order_results(resolve_run(replace(run, task=None), collection), by=order)
        run_topics.update(dict.fromkeys(results["topic"].unique(maintain_order=True)))
        if selected_topics is not None:
            results = results.filter(pl.col("topic").is_in(selected_topics.implode()))
        if collection is not None:
            unknown.update(_count_problems(results.filter(pl.col("number").is_null())))
            results = results.filter(pl.col("number").is_not_null())
        results = _number_steps(results, count, is_resolved=collection is not None)
        results = results.filter(_is_reached(depth, documents))
        results = results if collection is None else _fill_root_paths(results, collection)
        lost.update(_count_problems(results))
        ids.append((run.id, run.file))
        tables.append(CANDIDATES.fit(results.with_columns(turn=pl.lit(turn, dtype=pl.Int64))).drop("run"))
        if progress is not None:
            progress()
    names = pl.Series(name_runs(ids), dtype=pl.String)
    table = pl.concat(tables)
    table = table.with_columns(run=names.gather(table["turn"]))
    return PoolCandidates(CANDIDATES.fit(table), tuple(run_topics), dict(unknown), dict(lost))


def _count_problems(results: pl.DataFrame) -> dict[str, int]:
    return dict(results["problem"].drop_nulls().value_counts(sort=True).rows())


def _number_steps(results: pl.DataFrame, count: str, *, is_resolved: bool) -> pl.DataFrame:
    """Add the steps of results; ``documents`` is the number of different documents up to a result."""
    is_place = pl.col("problem").is_null() & pl.col("path_end").is_null()
    is_first = pl.struct("topic", "doc").is_first_distinct().cast(pl.Int64)
    numbered = results.with_columns(
        rank=pl.col("position"),
        documents=is_first.cum_sum().over("topic"),
        path=pl.when(is_place & ~_is_span(is_resolved=is_resolved)).then("path"),
        **{name: pl.when(pl.col("problem").is_null()).then(name) for name in ("start", "end")},
    )
    return numbered.with_columns(step=pl.col("documents" if count == "documents" else "rank"))


def _fill_root_paths(results: pl.DataFrame, collection: Collection) -> pl.DataFrame:
    """Give whole documents the path of their root element, if they have one."""
    is_whole = pl.col("path").is_null() & (pl.col("element") == 0)
    numbers = results.filter(is_whole)["number"].unique().to_numpy()
    if not len(numbers):
        return results
    forest, place = collection.shared_forest(numbers)
    names = pl.Series(forest.labels.names, dtype=pl.String).gather(forest.name[forest.first[place[numbers]]])
    roots = pl.DataFrame({"number": numbers, "root": "/" + names + "[1]"})
    joined = results.join(roots, on="number", how="left", maintain_order="left")
    return joined.with_columns(path=pl.when(is_whole).then("root").otherwise("path"))


def _is_span(*, is_resolved: bool) -> pl.Expr:
    """Mark the results that are spans: their path, if any, has no meaning."""
    return pl.col("element").is_null() if is_resolved else pl.col("start").is_not_null()


def _is_reached(depth: int | None, documents: int | None) -> pl.Expr:
    """Mark the results that a pool of this depth or number of documents may contain."""
    is_reached = pl.lit(value=True)
    if depth is not None:
        is_reached &= pl.col("step") <= depth
    if documents is not None:
        is_reached &= pl.col("documents") <= documents
    return is_reached
