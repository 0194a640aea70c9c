"""One run of an evaluation at a time: read, found in the collection, put in order, laid out, scored.

A job holds all that this takes, and travels to whichever process does it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from doxel.assessments.assessed import Assessed
from doxel.assessments.listed import ListedDocuments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.asked import Asked
from doxel.evaluation.bases import Bases
from doxel.evaluation.evaluation import SCORES, Evaluation, Rejection
from doxel.evaluation.inputs import ChangedRun, Given, NamedFile
from doxel.evaluation.scoring import Options, RunScorer
from doxel.measures import Measure
from doxel.runs import Run, read_run
from doxel.runs.order import order as in_order
from doxel.runs.resolve import resolve

__all__ = ["Job", "Prepared", "Scored"]


@dataclass(frozen=True)
class Prepared:
    """A run that is read and laid out, with what will score it."""

    run: Run
    scorer: RunScorer


@dataclass(frozen=True)
class Scored:
    """What came of one run, under the id that it has in its file."""

    run: str
    file: str | None
    evaluation: Evaluation


@dataclass(frozen=True)
class Job:
    """What every process needs to score runs."""

    assessed: Assessed
    bases: Bases
    asked: Asked
    measures: list[Measure] | None
    options: Options
    collection: Collection | None
    fol_end: bool
    skip_errors: bool
    folder: Path = field(default_factory=Path.cwd)  # where relative paths begin, wherever a worker is

    def prepare(self, given: Given) -> Prepared | Rejection:
        """Read a run, find its results in the collection, order them and lay them out."""
        try:
            run = self._read(given)
            found = resolve(run, self.collection)
            if isinstance(self.collection, ListedDocuments):
                found = self.collection.elements_only(found)
            found = self.asked.mark(found, self.collection)
            results = in_order(found, by=self.options.order)
        except InputError as error:
            if not self.skip_errors:
                raise
            return Rejection(_name(given), "all", str(error))
        scorer = RunScorer(run.id, results, self.assessed, self.bases, self.options, declared_task=run.task)
        return Prepared(run, scorer)

    def _read(self, given: Given) -> Run:
        if isinstance(given, Run):
            return given
        if isinstance(given, NamedFile):
            return replace(self._read(given.path), id=given.name)
        if isinstance(given, ChangedRun):
            return given.change(self._read(given.given))
        away = Path.cwd() != self.folder
        run = read_run(self.folder / given if away else given, fol_end=self.fol_end)
        return replace(run, file=os.fspath(given)) if away else run

    def score(self, prepared: Prepared | Rejection) -> Scored:
        """Score a run that is prepared."""
        if isinstance(prepared, Rejection):
            return Scored(prepared.run, None, Evaluation(SCORES.empty(), (prepared,)))
        run = prepared.run
        found = prepared.scorer.score(self.measures)
        notes = (*(f"{run.id}: {note}" for note in run.notes), *found.warnings)
        return Scored(run.id, run.file, replace(found, warnings=notes))


def _name(given: Given) -> str:
    """Return what to call a run that could not be read."""
    if isinstance(given, ChangedRun):
        return _name(given.given)
    return given.id if isinstance(given, Run) else str(given)
