"""Checking runs, topics and assessments, before anything is scored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.resolve import resolve
from doxel.assessments.sets import combine
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
from doxel.runs.tasks import TASKS
from doxel.topics import Topics
from doxel.topics.structure import Constraints, Structure, parse_queries

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
    """Find everything that is wrong or doubtful.

    Parameters
    ----------
    runs
        Runs, or their files, folders and archives.
    assessments, topics
        What the runs are to be scored against, and what was asked: objects, files or folders.
    collection
        The documents; without them it cannot be checked whether paths, positions and quotations fit.
    task
        The task of all runs; without it each run's own.
    order
        ``"rank"``, ``"file"`` or ``"score"``: what the ranking of a run is taken from.
    fol_end
        The last column of 8-column runs is an end, not a length.
    structure
        How the structure of the topics' queries is taken, such as ``"target=strict"``: results that do
        not conform are found.
    progress
        Called after each run.

    Returns
    -------
    Report
        Groups of findings, each with a code that ``docs/checks.md`` explains.
    """
    if task is not None and task not in TASKS:
        raise InputError("a task", wanted=f"one of {', '.join(TASKS)}", found=repr(task))
    documents = read_collection(Path(collection)) if isinstance(collection, str | os.PathLike) else collection
    checker = _Checker(documents)
    checker.take_topics(topics, None if structure is None else Structure.parse(structure))
    checker.take_assessments(assessments)
    summaries: list[RunSummary] = []
    given = [runs] if isinstance(runs, Run | str | os.PathLike) else runs
    for run in read_all_runs(given, checker.reading, fol_end=fol_end):
        summaries.append(checker.take_run(run if task is None else replace(run, task=task), order))
        if progress is not None:
            progress()
    return checker.report(summaries)


class _Checker:
    """Collects what is found, subject by subject."""

    def __init__(self, collection: Collection | None) -> None:
        self.reading = Reading()
        self.around = Surroundings(collection)
        self._groups: list[Group] = []
        self._notes: list[str] = []
        self._not_looked_up = 0
        if collection is not None:
            self._apply(sources.COLLECTION_CHECKS, collection, file=str(collection.folder))

    def _apply(self, checks: Sequence[Check[Subject]], subject: Subject, *, file: str | None = None) -> None:
        for one in checks:
            self._groups += group_findings(one, one.find(subject), file=file)

    def take_topics(self, given: Topics | Paths | None, structure: Structure | None = None) -> None:
        """Check topics, and keep their ids, and what they ask for, for what comes after."""
        if structure is not None and given is None:
            raise InputError(f"structure: {structure} is that of the topics' queries", wanted="topics (-t)")
        paths = [] if isinstance(given, Topics) else paths_of(given)
        topics = given if isinstance(given, Topics) else read_all_topics(paths, self.reading)
        if topics is None:
            if paths:
                self._notes.append("no topic could be read: topics were not compared with them")
            return
        self._apply(sources.TOPIC_CHECKS, CheckedTopics(topics, self.around.collection))
        self.around = replace(self.around, topics=tuple(dict.fromkeys(topics.ids)))
        if structure is not None and not structure.is_vague:
            queries, _ = parse_queries(topics)  # those that cannot be understood are findings already
            constraints = Constraints(structure, queries, frozenset(queries))
            self.around = replace(self.around, constraints=constraints)

    def take_assessments(self, given: Assessments | Paths | None) -> None:
        """Check assessments, and keep their topics for what comes after."""
        paths = [] if isinstance(given, Assessments) else paths_of(given)
        parts = [given] if isinstance(given, Assessments) else read_assessment_files(paths, self.reading)
        checked = self._one_set(parts) if parts else None
        if checked is None:
            if paths:
                self._notes.append(
                    "no assessments could be read as one set: runs were not compared with them"
                )
            return
        self._apply(ASSESSMENT_CHECKS, checked, file=checked.given.file or _only(paths))
        self.around = replace(self.around, assessed=tuple(checked.given.topics))

    def _one_set(self, parts: list[Assessments]) -> CheckedAssessments | None:
        """Return the parts as one set, found in the collection; where they are none, that is a finding."""
        try:
            given = combine(parts)
            found = given if self.around.collection is None else resolve(given, self.around.collection)
        except InputError as error:
            self._apply(assessed_topics.SET_CHECKS, [error])
            return None
        if found is given and given.elements.height + given.highlights.filter(_has_no_span()).height:
            self._notes.append(
                "without a collection (-c) paths and quotations of assessments are not looked up"
            )
        return CheckedAssessments(given, found, self.around, repeated_judgements(parts))

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
        """Return what was found, the most serious first."""
        self._apply(sources.FILE_CHECKS, self.reading)
        self._apply(run_topics.SET_CHECKS, AllRuns(tuple((one.id, one.file) for one in summaries)))
        if self._not_looked_up:
            self._notes.append(
                f"without a collection (-c) documents, paths and positions of {self._not_looked_up:,} "
                "results are not looked up"
            )
        codes = {one.code: number for number, one in enumerate(CHECKS)}
        severities = list(SEVERITIES)

        def key(group: Group) -> tuple[Any, ...]:
            return severities.index(group.check.severity), codes[group.check.code]

        return Report(tuple(sorted(self._groups, key=key)), tuple(summaries), tuple(self._notes))


def _only(paths: list[Any]) -> str | None:
    return str(paths[0]) if len(paths) == 1 else None


def _has_no_span() -> pl.Expr:
    return pl.col("start").is_null()
