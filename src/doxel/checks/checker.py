"""Check runs, topics and assessments before scoring.

A file that cannot be read becomes a finding, and does not stop the reading of the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS, combine_assessments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.checks import run_task_checks, source_checks
from doxel.checks.check_declaration import SEVERITIES, Check, FindingGroup, Report, RunSummary, group_findings
from doxel.checks.check_subjects import (
    AllRuns,
    CheckContext,
    CheckedAssessments,
    CheckedRun,
    CheckedTopics,
    ReadingProblems,
)
from doxel.checks.check_table import ASSESSMENT_CHECKS, CHECKS, RUN_CHECKS
from doxel.documents import Collection, read_collection
from doxel.errors import InputError
from doxel.files.archives import read_file_set
from doxel.files.file_format import FileFormat, recognise_format
from doxel.runs import Run
from doxel.runs.run import TASK_NAMES
from doxel.runs.run_files import read_each_run
from doxel.topics import Topics
from doxel.topics.query_structure import Constraints, Structure, parse_queries
from doxel.topics.topic_files import TOPIC_FORMATS
from doxel.wording import pluralise

__all__ = ["check_inputs"]

CheckSubject = TypeVar("CheckSubject")


def check_inputs(
    runs: Run | str | os.PathLike[str] | Iterable[Run | str | os.PathLike[str]] = (),
    *,
    assessments: Assessments | _Paths | None = None,
    topics: Topics | _Paths | None = None,
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
    for run in _read_all_runs(sources_of_runs, checker.reading, fol_end=fol_end):
        summaries.append(checker.take_run(run if task is None else replace(run, task=task), order))
        if progress is not None:
            progress()
    return checker.report(summaries)


class _Checker:
    """Collects findings, subject by subject."""

    def __init__(self, collection: Collection | None) -> None:
        self.reading = ReadingProblems()
        self.around = CheckContext(collection)
        self._groups: list[FindingGroup] = []
        self._notes: list[str] = []
        self._not_looked_up = 0
        if collection is not None:
            self._apply(source_checks.COLLECTION_CHECKS, collection, file=str(collection.folder))

    def _apply(
        self, checks: Sequence[Check[CheckSubject]], subject: CheckSubject, *, file: str | None = None
    ) -> None:
        for check in checks:
            self._groups += group_findings(check, check.find(subject), file=file)

    def take_topics(self, source: Topics | _Paths | None, structure: Structure | None = None) -> None:
        """Check topics, and remember their ids and queries for the later checks."""
        if structure is not None and source is None:
            raise InputError(f"structure: {structure} applies to the topics' queries", wanted="topics (-t)")
        paths = [] if isinstance(source, Topics) else list_paths(source)
        topics = source if isinstance(source, Topics) else _read_all_topics(paths, self.reading)
        if topics is None:
            if paths:
                self._notes.append(
                    "no topics could be read, so runs and assessments were not compared with them"
                )
            return
        self._apply(source_checks.TOPIC_CHECKS, CheckedTopics(topics, self.around.collection))
        self.around = replace(self.around, topics=tuple(dict.fromkeys(topics.ids)))
        if structure is not None and not structure.is_vague:
            queries, _ = parse_queries(topics)  # invalid queries are already findings
            constraints = Constraints(structure, queries, frozenset(queries))
            self.around = replace(self.around, constraints=constraints)

    def take_assessments(self, source: Assessments | _Paths | None) -> None:
        """Check assessments, and remember their topics for the later checks."""
        paths = [] if isinstance(source, Assessments) else list_paths(source)
        parts = [source] if isinstance(source, Assessments) else _read_assessment_files(paths, self.reading)
        checked = self._combine_parts(parts) if parts else None
        if checked is None:
            if paths:
                self._notes.append(
                    "the assessments could not be read as one set, so runs were not compared with them"
                )
            return
        self._apply(ASSESSMENT_CHECKS, checked, file=checked.original.file or _take_single(paths))
        judged = checked.resolved.judged["doc"].unique(maintain_order=True)
        self.around = replace(self.around, assessed=tuple(checked.original.topics), judged=judged)

    def _combine_parts(self, parts: list[Assessments]) -> CheckedAssessments | None:
        """Combine the parts and resolve them in the collection; a conflict between parts is a finding."""
        try:
            combined = combine_assessments(parts)
            collection = self.around.collection
            resolved = combined if collection is None else resolve_assessments(combined, collection)
        except InputError as error:
            self._apply(source_checks.ASSESSMENT_SET_CHECKS, [error])
            return None
        without_span = combined.highlights.filter(_has_no_span())
        if resolved is combined and combined.elements.height + without_span.height:
            self._notes.append(
                "paths and quotations of the assessments were not checked; pass a collection with -c"
            )
        return CheckedAssessments(combined, resolved, self.around, find_repeated_judgements(parts))

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
        self._apply(source_checks.FILE_CHECKS, self.reading)
        self._apply(run_task_checks.RUN_SET_CHECKS, AllRuns(tuple((run.id, run.file) for run in summaries)))
        if self._not_looked_up:
            self._notes.append(
                f"documents, paths and positions of {pluralise(self._not_looked_up, 'result')} were not "
                "checked; pass a collection with -c"
            )
        codes = {check.code: number for number, check in enumerate(CHECKS)}
        severities = list(SEVERITIES)

        def key(group: FindingGroup) -> tuple[Any, ...]:
            return severities.index(group.check.severity), codes[group.check.code]

        return Report(tuple(sorted(self._groups, key=key)), tuple(summaries), tuple(self._notes))


def _take_single(paths: list[Any]) -> str | None:
    return str(paths[0]) if len(paths) == 1 else None


def _has_no_span() -> pl.Expr:
    return pl.col("start").is_null()


_Path = str | os.PathLike[str]
_Paths = _Path | Sequence[_Path]
FilePart = TypeVar("FilePart", Assessments, Topics)
Loaded = TypeVar("Loaded")


def list_paths(paths: _Paths | None) -> list[_Path]:
    """Return no path, one path or several paths as a list."""
    if paths is None:
        return []
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def _read_all_runs(runs: Iterable[Run | _Path], reading: ReadingProblems, *, fol_end: bool) -> Iterator[Run]:
    """Yield runs, read one at a time, so that memory does not grow with their number."""
    for source in runs:
        for run in [source] if isinstance(source, Run) else read_each_run(source, fol_end=fol_end):
            if isinstance(run, InputError):
                reading.errors.append(run)
                continue
            reading.note(run.file, run.notes)
            yield run


def _read_assessment_files(paths: Sequence[_Path], reading: ReadingProblems) -> list[Assessments]:
    """Return the assessments of each file, not yet combined."""
    parts = _read_files(paths, ASSESSMENT_FORMATS, reading, kind="assessments")
    for part in parts:
        reading.note(part.file, part.notes)
    empty = [part for part in parts if not part.judged.height]
    if parts and len(empty) == len(parts):
        reading.errors.append(
            InputError("no assessments", file=parts[0].file, wanted="judged documents", found="none")
        )
        return []
    return parts


def _read_all_topics(paths: Sequence[_Path], reading: ReadingProblems) -> Topics | None:
    """Return the topics of all files, including those whose id occurs twice; None if there are no topics."""
    parts = _read_files(paths, TOPIC_FORMATS, reading, kind="topics")
    if not parts:
        return None
    for part in parts:
        reading.note(None, part.notes)
    return Topics(pl.concat([part.table for part in parts]))


def _read_files(
    paths: Sequence[_Path], formats: Sequence[FileFormat[FilePart]], reading: ReadingProblems, *, kind: str
) -> list[FilePart]:
    parts: list[FilePart] = []
    for path in paths:
        file_set = _try_reading(partial(read_file_set, path, kind=kind), reading)
        if file_set is None:
            continue
        reading.note(str(path), file_set.notes)
        for name, data in file_set.files:
            part = _try_reading(partial(_read_bytes, formats, name, data, kind), reading)
            parts += [] if part is None else [part]
    return parts


def _read_bytes(formats: Sequence[FileFormat[FilePart]], name: str, data: bytes, kind: str) -> FilePart:
    return recognise_format(formats, data, file=name, kind=kind).read(data, name)


def _try_reading(read: Callable[[], Loaded], reading: ReadingProblems) -> Loaded | None:
    try:
        return read()
    except InputError as error:
        reading.errors.append(error)
        return None


def find_repeated_judgements(parts: Sequence[Assessments]) -> pl.DataFrame:
    """Return the judgements of documents that an earlier line judged for the same topic."""
    judged = pl.concat([part.judged for part in parts])
    return judged.filter(~pl.struct("topic", "doc").is_first_distinct())
