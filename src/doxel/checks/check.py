"""Check runs, topics and assessments before scoring."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessment_files import combine_assessments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.checks import assessed_topics, run_topics, sources
from doxel.checks.declare import SEVERITIES, Check
from doxel.checks.reading import (
    Paths,
    paths_of,
    read_all_runs,
    read_all_topics,
    read_assessment_files,
    repeated_judgements,
)
from doxel.checks.report import Group, Report, RunSummary, group_findings
from doxel.checks.subjects import (
    AllRuns,
    CheckedAssessments,
    CheckedRun,
    CheckedTopics,
    Reading,
    Surroundings,
)
from doxel.checks.table import ASSESSMENT_CHECKS, CHECKS, RUN_CHECKS
from doxel.documents import Collection, read_collection
from doxel.errors import InputError
from doxel.runs import Run
from doxel.runs.run import TASK_NAMES
from doxel.topics import Topics
from doxel.topics.query_structure import Constraints, Structure, parse_queries
from doxel.wording import pluralise

__all__ = ["check"]

Subject = TypeVar("Subject")


def check(
    runs: Run | str | os.PathLike[str] | Iterable[Run | str | os.PathLike[str]] = (),
    *,
    assessments: Assessments | Paths | None = None,
    topics: Topics | Paths | None = None,
    collection: Collection | str | os.PathLike[str] | None = None,
    task: str | None = None,
    order: str = "rank",
    fol_end: bool = False,
    structure: str | None = None,
    progress: Callable[[], None] | None = None,
) -> Report:
    """Find everything that is wrong or doubtful in runs, topics and assessments.

    Parameters
    ----------
    runs
        Runs, or files, folders and archives of runs.
    assessments, topics
        The assessments and topics that belong to the runs: objects, files or folders.
    collection
        The documents; without them, paths, positions and quotations cannot be checked.
    task
        The task of all runs; by default each run's own.
    order
        The source of the ranking: ``"rank"``, ``"file"`` or ``"score"``.
    fol_end
        Whether the last column of 8-column runs is an end instead of a length.
    structure
        How to interpret the structure of the topics' queries, such as ``"target=strict"``: results that
        do not match are then findings.
    progress
        Called after each run.

    Returns
    -------
    Report
        Groups of findings, each with a code that ``docs/checks.md`` explains.
    """
    if task is not None and task not in TASK_NAMES:
        raise InputError("a task", wanted=f"one of {', '.join(TASK_NAMES)}", found=repr(task))
    documents = read_collection(Path(collection)) if isinstance(collection, str | os.PathLike) else collection
    checker = _Checker(documents)
    checker.take_topics(topics, None if structure is None else Structure.parse(structure))
    checker.take_assessments(assessments)
    summaries: list[RunSummary] = []
    sources_of_runs = [runs] if isinstance(runs, Run | str | os.PathLike) else runs
    for run in read_all_runs(sources_of_runs, checker.reading, fol_end=fol_end):
        summaries.append(checker.take_run(run if task is None else replace(run, task=task), order))
        if progress is not None:
            progress()
    return checker.report(summaries)


class _Checker:
    """Collects findings, subject by subject."""

    def __init__(self, collection: Collection | None) -> None:
        self.reading = Reading()
        self.around = Surroundings(collection)
        self._groups: list[Group] = []
        self._notes: list[str] = []
        self._not_looked_up = 0
        if collection is not None:
            self._apply(sources.COLLECTION_CHECKS, collection, file=str(collection.folder))

    def _apply(self, checks: Sequence[Check[Subject]], subject: Subject, *, file: str | None = None) -> None:
        for check in checks:
            self._groups += group_findings(check, check.find(subject), file=file)

    def take_topics(self, source: Topics | Paths | None, structure: Structure | None = None) -> None:
        """Check topics, and remember their ids and queries for the later checks."""
        if structure is not None and source is None:
            raise InputError(f"structure: {structure} applies to the topics' queries", wanted="topics (-t)")
        paths = [] if isinstance(source, Topics) else paths_of(source)
        topics = source if isinstance(source, Topics) else read_all_topics(paths, self.reading)
        if topics is None:
            if paths:
                self._notes.append(
                    "no topics could be read, so runs and assessments were not compared with them"
                )
            return
        self._apply(sources.TOPIC_CHECKS, CheckedTopics(topics, self.around.collection))
        self.around = replace(self.around, topics=tuple(dict.fromkeys(topics.ids)))
        if structure is not None and not structure.is_vague:
            queries, _ = parse_queries(topics)  # invalid queries are already findings
            constraints = Constraints(structure, queries, frozenset(queries))
            self.around = replace(self.around, constraints=constraints)

    def take_assessments(self, source: Assessments | Paths | None) -> None:
        """Check assessments, and remember their topics for the later checks."""
        paths = [] if isinstance(source, Assessments) else paths_of(source)
        parts = [source] if isinstance(source, Assessments) else read_assessment_files(paths, self.reading)
        checked = self._one_set(parts) if parts else None
        if checked is None:
            if paths:
                self._notes.append(
                    "the assessments could not be read as one set, so runs were not compared with them"
                )
            return
        self._apply(ASSESSMENT_CHECKS, checked, file=checked.given.file or _only(paths))
        self.around = replace(self.around, assessed=tuple(checked.given.topics))

    def _one_set(self, parts: list[Assessments]) -> CheckedAssessments | None:
        """Combine the parts and resolve them in the collection; parts that do not combine are a finding."""
        try:
            combined = combine_assessments(parts)
            collection = self.around.collection
            resolved = combined if collection is None else resolve_assessments(combined, collection)
        except InputError as error:
            self._apply(assessed_topics.SET_CHECKS, [error])
            return None
        without_span = combined.highlights.filter(_has_no_span())
        if resolved is combined and combined.elements.height + without_span.height:
            self._notes.append(
                "paths and quotations of the assessments were not checked; pass a collection with -c"
            )
        return CheckedAssessments(combined, resolved, self.around, repeated_judgements(parts))

    def take_run(self, run: Run, order: str) -> RunSummary:
        """Check one run."""
        checked = CheckedRun.of(run, self.around, order)
        self._apply(RUN_CHECKS, checked, file=run.file)
        if self.around.collection is None:
            self._not_looked_up += run.results.height
        return RunSummary(
            id=run.id,
            file=run.file,
            format=run.format,
            task=checked.task,
            topics=checked.topics.height,
            results=run.results.height,
            overlap=checked.overlap,
        )

    def report(self, summaries: list[RunSummary]) -> Report:
        """Return the report of all findings, the most serious first."""
        self._apply(sources.FILE_CHECKS, self.reading)
        self._apply(run_topics.SET_CHECKS, AllRuns(tuple((run.id, run.file) for run in summaries)))
        if self._not_looked_up:
            self._notes.append(
                f"documents, paths and positions of {pluralise(self._not_looked_up, 'result')} were not "
                "checked; pass a collection with -c"
            )
        codes = {check.code: number for number, check in enumerate(CHECKS)}
        severities = list(SEVERITIES)

        def key(group: Group) -> tuple[Any, ...]:
            return severities.index(group.check.severity), codes[group.check.code]

        return Report(tuple(sorted(self._groups, key=key)), tuple(summaries), tuple(self._notes))


def _only(paths: list[Any]) -> str | None:
    return str(paths[0]) if len(paths) == 1 else None


def _has_no_span() -> pl.Expr:
    return pl.col("start").is_null()
