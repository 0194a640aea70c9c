"""Reading of the files to check: a file that cannot be read becomes a finding, and the others are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessment_files import ASSESSMENT_FORMATS
from doxel.checks.subjects import Reading
from doxel.errors import InputError
from doxel.files.archives import read_file_set
from doxel.files.file_format import FileFormat, recognise_format
from doxel.runs import Run
from doxel.runs.run_files import read_each_run
from doxel.topics import Topics
from doxel.topics.topic_files import TOPIC_FORMATS

__all__ = [
    "Paths",
    "paths_of",
    "read_all_runs",
    "read_all_topics",
    "read_assessment_files",
    "repeated_judgements",
]

Path = str | os.PathLike[str]
Paths = Path | Sequence[Path]
Thing = TypeVar("Thing", Assessments, Topics)
Given = TypeVar("Given")


def paths_of(given: Paths | None) -> list[Path]:
    """Return no path, one path or several paths as a list."""
    if given is None:
        return []
    return [given] if isinstance(given, str | os.PathLike) else list(given)


def read_all_runs(runs: Iterable[Run | Path], reading: Reading, *, fol_end: bool) -> Iterator[Run]:
    """Yield runs, read one at a time, so that memory does not grow with their number."""
    for source in runs:
        for run in [source] if isinstance(source, Run) else read_each_run(source, fol_end=fol_end):
            if isinstance(run, InputError):
                reading.errors.append(run)
                continue
            reading.note(run.file, run.notes)
            yield run


def read_assessment_files(paths: Sequence[Path], reading: Reading) -> list[Assessments]:
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


def read_all_topics(paths: Sequence[Path], reading: Reading) -> Topics | None:
    """Return the topics of all files, including those whose id occurs twice; None if there are no topics."""
    parts = _read_files(paths, TOPIC_FORMATS, reading, kind="topics")
    if not parts:
        return None
    for part in parts:
        reading.note(None, part.notes)
    return Topics(pl.concat([part.table for part in parts]))


def _read_files(
    paths: Sequence[Path], formats: Sequence[FileFormat[Thing]], reading: Reading, *, kind: str
) -> list[Thing]:
    parts: list[Thing] = []
    for path in paths:
        file_set = _tried(partial(read_file_set, path, kind=kind), reading)
        if file_set is None:
            continue
        reading.note(str(path), file_set.notes)
        for name, data in file_set.files:
            part = _tried(partial(_read, formats, name, data, kind), reading)
            parts += [] if part is None else [part]
    return parts


def _read(formats: Sequence[FileFormat[Thing]], name: str, data: bytes, kind: str) -> Thing:
    return recognise_format(formats, data, file=name, kind=kind).read(data, name)


def _tried(read: Callable[[], Given], reading: Reading) -> Given | None:
    try:
        return read()
    except InputError as error:
        reading.errors.append(error)
        return None


def repeated_judgements(parts: Sequence[Assessments]) -> pl.DataFrame:
    """Return the judgements of documents that an earlier line judged for the same topic."""
    judged = pl.concat([part.judged for part in parts])
    return judged.filter(~pl.struct("topic", "doc").is_first_distinct())
