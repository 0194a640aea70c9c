"""Score one run at a time: read it, resolve its results in the collection, order and score them.

A :class:`Job` holds everything this needs and can be sent to another process.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.assessments.listed_documents import ListedDocuments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.asked import Asked
from doxel.evaluation.bases import Bases
from doxel.evaluation.evaluation import SCORES, Evaluation, Rejection
from doxel.evaluation.inputs import ChangedRun, Given, NamedFile
from doxel.evaluation.scoring import Options, RunScorer
from doxel.measures import Measure
from doxel.runs import Run, read_run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import resolve_run

__all__ = ["Job", "Prepared", "Scored"]


@dataclass(frozen=True)
class Prepared:
    """A run that has been read and laid out, with its scorer."""

    run: Run
    scorer: RunScorer


@dataclass(frozen=True)
class Scored:
    """The evaluation of one run, under the id from its file."""

    run: str
    file: str | None
    evaluation: Evaluation


@dataclass(frozen=True)
class Job:
    """Everything a process needs to score runs."""

    assessed: JudgedPairs
    bases: Bases
    asked: Asked
    measures: list[Measure] | None
    options: Options
    collection: Collection | None
    fol_end: bool
    skip_errors: bool
    folder: Path = field(default_factory=Path.cwd)  # base of relative paths, also on workers

    def prepare(self, source: Given) -> Prepared | Rejection:
        """Read a run, resolve its results in the collection, order them and lay them out."""
        try:
            run = self._read(source)
            resolved = resolve_run(run, self.collection)
            if isinstance(self.collection, ListedDocuments):
                resolved = self.collection.elements_only(resolved)
            resolved = self.asked.mark(resolved, self.collection)
            results = order_results(resolved, by=self.options.order)
        except InputError as error:
            if not self.skip_errors:
                raise
            return Rejection(_name(source), "all", str(error))
        scorer = RunScorer(run.id, results, self.assessed, self.bases, self.options, declared_task=run.task)
        return Prepared(run, scorer)

    def _read(self, source: Given) -> Run:
        if isinstance(source, Run):
            return source
        if isinstance(source, NamedFile):
            return replace(self._read(source.path), id=source.name)
        if isinstance(source, ChangedRun):
            return source.change(self._read(source.given))
        is_elsewhere = Path.cwd() != self.folder
        run = read_run(self.folder / source if is_elsewhere else source, fol_end=self.fol_end)
        return replace(run, file=os.fspath(source)) if is_elsewhere else run

    def score(self, prepared: Prepared | Rejection) -> Scored:
        """Score a prepared run."""
        if isinstance(prepared, Rejection):
            return Scored(prepared.run, None, Evaluation(SCORES.empty(), (prepared,)))
        run = prepared.run
        evaluation = prepared.scorer.score(self.measures)
        notes = (*(f"{run.id}: {note}" for note in run.notes), *evaluation.warnings)
        return Scored(run.id, run.file, replace(evaluation, warnings=notes))


def _name(source: Given) -> str:
    """Return the name to show for a run that could not be read."""
    if isinstance(source, ChangedRun):
        return _name(source.given)
    return source.id if isinstance(source, Run) else str(source)
