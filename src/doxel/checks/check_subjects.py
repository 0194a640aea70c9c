"""The subjects of checks: files, topics, a run, all runs together, the assessments.

The last functions find spans that share text with another span of their group.  Without a collection the
offsets of elements are unknown, but their paths are enough: an element shares text with its ancestors and
descendants, and with nothing else.  If paths are sorted as strings, with a slash at the end, all paths
below a path follow it directly.  So a path becomes the span from its own position in that order to the
position after the last path below it, and the same function applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.assessments import Assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.runs import Run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import resolve_run
from doxel.spans import Ints

if TYPE_CHECKING:
    from doxel.topics import Topics
    from doxel.topics.query_structure import Constraints

__all__ = [
    "AllRuns",
    "CheckContext",
    "CheckedAssessments",
    "CheckedRun",
    "CheckedTopics",
    "ReadingProblems",
    "build_path_spans",
    "find_partners",
    "number_groups",
]


@dataclass
class ReadingProblems:
    """The errors of files that could not be read, and the notes about files that were."""

    errors: list[InputError] = field(default_factory=list)
    notes: list[tuple[str | None, str]] = field(default_factory=list)

    def note(self, file: str | None, sentences: Sequence[str]) -> None:
        """Add the notes of a file."""
        self.notes += [(file, sentence) for sentence in sentences]


@dataclass(frozen=True)
class CheckContext:
    """The data that a run or the assessments are checked against; None for data that was not given."""

    collection: Collection | None = None
    topics: tuple[str, ...] | None = None
    assessed: tuple[str, ...] | None = None
    constraints: Constraints | None = None
    judged: pl.Series | None = None  # the documents judged for any topic


@dataclass(frozen=True)
class CheckedTopics:
    """The topics of all topic files, including those whose id occurs twice."""

    topics: Topics
    collection: Collection | None = None


@dataclass(frozen=True)
class AllRuns:
    """The ids and files of all runs that could be read."""

    runs: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class CheckedRun:
    """A run, resolved in the collection if there is one.

    ``filed`` has the columns of resolved results, in file order, and the positions written in the file:
    ``written_start`` and ``written_end``.  ``order`` is the source of the ranking: rank, file or score.
    """

    run: Run
    filed: pl.DataFrame
    around: CheckContext
    order: str = "rank"

    @classmethod
    def of(cls, run: Run, around: CheckContext, order: str = "rank") -> CheckedRun:
        """Resolve a run."""
        positions = run.results.select(written_start="start", written_end="end")
        return cls(run, resolve_run(run, around.collection).hstack(positions), around, order)

    @property
    def task(self) -> str | None:
        """The task of the run."""
        return self.run.task

    @cached_property
    def results(self) -> pl.DataFrame:
        """The results in their order, with their ``position`` in the topic, from 1."""
        return order_results(self.filed, by=self.order)

    @cached_property
    def by_rank(self) -> pl.DataFrame:
        """The results in the order of their ranks, even if scoring uses another order."""
        return self.results if self.order == "rank" else order_results(self.filed)

    @cached_property
    def spans(self) -> tuple[Ints, Ints, Ints]:
        """Group, start and end of each result, to find results that share text; empty without a span.

        A group is a document of a topic.  Without a collection, elements and whole documents form
        separate groups, because their paths cannot be compared with positions.
        """
        frame = self.results
        start, end = (frame[name].fill_null(0).to_numpy().copy() for name in ("start", "end"))
        is_quotation = frame["path"].is_null() & frame["text"].is_not_null()
        bare = self._is_bare & frame["path_end"].is_null() & ~is_quotation
        rows = np.flatnonzero(bare.to_numpy())
        if len(rows):
            start[rows], end[rows] = build_path_spans(frame["path"].fill_null("").gather(rows))
        return number_groups(frame.select("topic", "doc", bare=bare)), start, end

    @cached_property
    def _is_bare(self) -> pl.Series:
        """Whether a result has no span only because there is no collection."""
        return self.results["start"].is_null() & self.results["problem"].is_null()

    @cached_property
    def overlapping(self) -> Ints:
        """For each result, the row of another result that shares text with it, or -1."""
        return find_partners(*self.spans)

    @property
    def overlap(self) -> float | None:
        """The share of results that overlap another, averaged over topics; None if it is unknown."""
        group, start, end = self.spans
        if (self._is_bare.to_numpy() & (end <= start)).any() or not len(group):
            return None
        meets = self.results.select("topic", meets=pl.Series(self.overlapping >= 0))
        shares = meets.group_by("topic", maintain_order=True).agg(pl.col("meets").mean())["meets"]
        return float(shares.to_numpy().mean())

    @cached_property
    def topics(self) -> pl.DataFrame:
        """The topics in file order: topic, number of results, and the line of the first result."""
        return self.results.group_by("topic", maintain_order=True).agg(
            results=pl.len(), line=pl.col("line").min()
        )


@dataclass(frozen=True)
class CheckedAssessments:
    """Assessments as written in their files (``original``) and resolved in the collection (``resolved``).

    Without a collection the two are the same object.
    """

    original: Assessments
    resolved: Assessments
    around: CheckContext
    repeated: pl.DataFrame

    @cached_property
    def files(self) -> pl.DataFrame:
        """The file that judges each document for a topic, and the document's declared size."""
        return self.resolved.judged.select("topic", "doc", "file", "docsize")

    def with_files(self, places: pl.DataFrame) -> pl.DataFrame:
        """Add to each place the file that judges its document."""
        key = ["topic", "doc"]
        files = self.files.select(*key, "file")
        return places.join(files, on=key, how="left", maintain_order="left", nulls_equal=True)

    @property
    def is_resolved(self) -> bool:
        """Whether the assessments were resolved in a collection."""
        return self.resolved is not self.original


def number_groups(keys: pl.DataFrame) -> Ints:
    """Number the rows; equal rows get the same number.

    >>> number_groups(pl.DataFrame({"topic": ["1", "2", "1"], "doc": ["a", "a", "a"]})).tolist()
    [0, 1, 0]
    """
    numbered = keys.unique(maintain_order=True).with_row_index("group")
    rows = keys.join(numbered, on=keys.columns, how="left", maintain_order="left", nulls_equal=True)
    return rows["group"].cast(pl.Int64).to_numpy()


def find_partners(group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> Ints:
    """Return, for each span, another span of its group that shares text with it, or -1.

    Empty spans share text with nothing.

    >>> find_partners([0, 0, 0, 1], [0, 5, 20, 0], [10, 15, 25, 10]).tolist()
    [1, 0, -1, -1]
    """
    groups, starts, ends = (np.asarray(column, dtype=np.int64) for column in (group, start, end))
    partner = np.full(len(groups), -1, dtype=np.int64)
    rows = np.flatnonzero(ends > starts)
    if not len(rows):
        return partner
    # ranks instead of positions: with large positions, placing the groups end to end would overflow
    distinct, place = np.unique(np.concatenate([starts[rows], ends[rows]]), return_inverse=True)
    _, number = np.unique(groups[rows], return_inverse=True)
    line_start = number * len(distinct) + place[: len(rows)]
    line_end = number * len(distinct) + place[len(rows) :]
    order = np.argsort(line_start, kind="stable")
    rows, line_start, line_end = rows[order], line_start[order], line_end[order]
    reached = np.maximum.accumulate(line_end)
    reaches = np.maximum.accumulate(np.where(line_end == reached, np.arange(len(rows)), 0))
    later = np.flatnonzero(line_start[1:] < line_end[:-1])
    partner[rows[later]] = rows[later + 1]
    earlier = np.flatnonzero(line_start[1:] < reached[:-1]) + 1
    partner[rows[earlier]] = rows[reaches[earlier - 1]]
    return partner


def build_path_spans(paths: pl.Series) -> tuple[Ints, Ints]:
    """Return spans for canonical paths that contain each other as the elements do; "" contains all.

    >>> start, end = build_path_spans(pl.Series(["/a[1]", "/a[1]/b[1]", "/a[1]/b[10]", "/a[1]/b[1]/c[2]"]))
    >>> ((start[:, None] <= start) & (end <= end[:, None])).astype(int).tolist()
    [[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    """
    first, beyond = paths + "/", paths + "0"  # "0" is the character after "/"
    places = pl.concat([first, beyond]).unique().sort()
    start, end = (_find_ranks(places, borders) for borders in (first, beyond))
    return start, end


def _find_ranks(places: pl.Series, values: pl.Series) -> Ints:
    ranks = pl.DataFrame({"value": places, "rank": np.arange(len(places), dtype=np.int64)})
    rows = values.to_frame("value").join(ranks, on="value", how="left", maintain_order="left")
    return rows["rank"].to_numpy()
