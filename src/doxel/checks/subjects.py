"""What is checked: files, topics, a run, all runs together, the assessments, each with its surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.checks.meeting import groups, partners, path_spans
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.runs import Run
from doxel.runs.order import order as in_order
from doxel.runs.resolve import resolve
from doxel.spans import Ints
from doxel.topics import Topics
from doxel.topics.structure import Constraints

__all__ = ["AllRuns", "CheckedAssessments", "CheckedRun", "CheckedTopics", "Reading", "Surroundings"]


@dataclass
class Reading:
    """What reading files had to say: those that could not be read, and what was left out of others."""

    errors: list[InputError] = field(default_factory=list)
    notes: list[tuple[str | None, str]] = field(default_factory=list)

    def note(self, file: str | None, sentences: Sequence[str]) -> None:
        """Keep the notes of a file."""
        self.notes += [(file, sentence) for sentence in sentences]


@dataclass(frozen=True)
class Surroundings:
    """What a run or the assessments are checked against; None where it was not named."""

    collection: Collection | None = None
    topics: tuple[str, ...] | None = None
    assessed: tuple[str, ...] | None = None
    constraints: Constraints | None = None


@dataclass(frozen=True)
class CheckedTopics:
    """The topics of all topic files, those included whose id stands there twice."""

    topics: Topics
    collection: Collection | None = None


@dataclass(frozen=True)
class AllRuns:
    """Ids and files of all runs that could be read."""

    runs: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class CheckedRun:
    """A run, found in the collection if there is one.

    ``filed`` has the columns of resolved results, in file order, and the positions as the file has
    them: ``written_start`` and ``written_end``.  ``order`` says what the ranking is taken from.
    """

    run: Run
    filed: pl.DataFrame
    around: Surroundings
    order: str = "rank"

    @classmethod
    def of(cls, run: Run, around: Surroundings, order: str = "rank") -> CheckedRun:
        """Resolve a run."""
        written = run.results.select(written_start="start", written_end="end")
        return cls(run, resolve(run, around.collection).hstack(written), around, order)

    @property
    def task(self) -> str | None:
        """The task of the run."""
        return self.run.task

    @cached_property
    def results(self) -> pl.DataFrame:
        """The results in their order, with their ``position`` in the topic, from 1."""
        return in_order(self.filed, by=self.order)

    @cached_property
    def by_rank(self) -> pl.DataFrame:
        """The results in the order of their ranks, whatever the ranking is taken from."""
        return self.results if self.order == "rank" else in_order(self.filed)

    @cached_property
    def spans(self) -> tuple[Ints, Ints, Ints]:
        """Group, start and end of each result, for asking which share text; empty where it has none.

        A group is a document of a topic.  Without a collection elements and whole documents have
        spans among themselves, but cannot be compared with positions.
        """
        frame = self.results
        start, end = (frame[name].fill_null(0).to_numpy().copy() for name in ("start", "end"))
        is_quotation = frame["path"].is_null() & frame["text"].is_not_null()
        bare = self._is_bare & frame["path_end"].is_null() & ~is_quotation
        rows = np.flatnonzero(bare.to_numpy())
        if len(rows):
            start[rows], end[rows] = path_spans(frame["path"].fill_null("").gather(rows))
        return groups(frame.select("topic", "doc", bare=bare)), start, end

    @cached_property
    def _is_bare(self) -> pl.Series:
        """Whether a result has no span although nothing is wrong with it: there is no collection."""
        return self.results["start"].is_null() & self.results["problem"].is_null()

    @cached_property
    def overlapping(self) -> Ints:
        """The row of another result that shares text with each, -1 for none."""
        return partners(*self.spans)

    @property
    def overlap(self) -> float | None:
        """The mean over topics of the share of results that overlap another; None where that is not known."""
        group, start, end = self.spans
        if (self._is_bare.to_numpy() & (end <= start)).any() or not len(group):
            return None
        meets = self.results.select("topic", meets=pl.Series(self.overlapping >= 0))
        shares = meets.group_by("topic", maintain_order=True).agg(pl.col("meets").mean())["meets"]
        return float(shares.to_numpy().mean())

    @cached_property
    def topics(self) -> pl.DataFrame:
        """The topics in file order: topic, results, and the line of the first."""
        return self.results.group_by("topic", maintain_order=True).agg(
            results=pl.len(), line=pl.col("line").min()
        )


@dataclass(frozen=True)
class CheckedAssessments:
    """Assessments as their files have them (``given``), and found in the collection (``found``).

    Without a collection the two are the same.
    """

    given: Assessments
    found: Assessments
    around: Surroundings
    repeated: pl.DataFrame

    @cached_property
    def files(self) -> pl.DataFrame:
        """The file that judges each document for a topic, and the document's declared size."""
        return self.found.judged.select("topic", "doc", "file", "docsize")

    def with_files(self, places: pl.DataFrame) -> pl.DataFrame:
        """Return places with the files that judge their documents."""
        key = ["topic", "doc"]
        files = self.files.select(*key, "file")
        return places.join(files, on=key, how="left", maintain_order="left", nulls_equal=True)

    @property
    def is_resolved(self) -> bool:
        """Whether places were looked up in a collection."""
        return self.found is not self.given
