"""Read and write runs in any format.

``RUN_FORMATS`` lists the formats in the order in which they are recognised.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import PurePath

from doxel.arguments import check_arguments
from doxel.errors import InputError
from doxel.files import Member, iterate_members, read_bytes, write_file
from doxel.files.budget import check_table_size
from doxel.files.file_format import find_format, recognise_format
from doxel.runs.campaigns.archehr_submissions import ARCHEHR_SUBMISSIONS
from doxel.runs.campaigns.bioasq_answers import BIOASQ_ANSWERS
from doxel.runs.campaigns.genomics_passages import GENOMICS_PASSAGES
from doxel.runs.campaigns.locomo_predictions import LOCOMO_PREDICTIONS
from doxel.runs.campaigns.qasper_predictions import QASPER_PREDICTIONS
from doxel.runs.column_runs import BEP, FOL, PATHS, TREC_RUNS, read_fol
from doxel.runs.document_runs import MSMARCO_RUNS, RUN_JSON
from doxel.runs.inex_xml_runs import INEX_XML
from doxel.runs.jsonl_runs import CSV_RUNS, JSONL_RUNS
from doxel.runs.run import Run, name_runs
from doxel.runs.run_format import RunFormat

__all__ = [
    "RUN_FORMATS",
    "find_run_format",
    "read_each_run",
    "read_run",
    "read_run_member",
    "read_runs",
    "strip_extensions",
    "write_run",
]

_HEAD_BYTES = 65_536  # the format is recognised from this many bytes
_BLANK = b" \t\r\n\xef\xbb\xbf"

RunPath = str | os.PathLike[str]


@check_arguments
def read_run(
    path: RunPath,
    *,
    format: str | None = None,  # noqa: A002 -- the public word
    fol_end: bool = False,
    reader: Callable[[bytes, str], Run | None] | None = None,
) -> Run:
    """Read a run from a file, compressed or not.

    The format is recognised by content unless ``format`` names it.  ``fol_end``: in a file of offsets
    and lengths, read the lengths as ends.  A ``reader`` is tried first; it returns None for a file that it
    does not read.  A run without an id is named after its file.
    """
    name = os.fspath(path)
    data = read_bytes(path)
    run = reader(data, name) if reader is not None and data.strip(_BLANK) else None
    return run or _parse_run(data, name, PurePath(name).name, format_name=format, fol_end=fol_end)


def read_run_member(member: Member, *, format: str | None = None, fol_end: bool = False) -> Run:  # noqa: A002
    """Read a run from a file of a folder or archive."""
    return _parse_run(member.read(), member.display, member.name, format_name=format, fol_end=fol_end)


def read_runs(
    paths: RunPath | Iterable[RunPath],
    *,
    format: str | None = None,  # noqa: A002 -- the public word
    fol_end: bool = False,
) -> list[Run]:
    """Read runs from files, and from all files of folders and archives, in order of name.

    An id shared by several runs becomes ``id:file``.
    """
    sources = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    runs: dict[str, Run] = {}
    relative_names: list[str] = []
    for member in chain.from_iterable(map(iterate_members, sources)):
        if member.display in runs:
            raise InputError("named twice", file=member.display, wanted="each run once")
        runs[member.display] = read_run_member(member, format=format, fol_end=fol_end)
        relative_names.append(member.name)
    if not runs:
        paths_text = ", ".join(map(str, sources)) or "no path"
        raise InputError(f"nothing to read in {paths_text}", wanted="files of runs", found="none")
    # within one folder, the path below it already identifies a file
    files = relative_names if len(set(relative_names)) == len(relative_names) else list(runs)
    names = name_runs([(run.id, file) for run, file in zip(runs.values(), files, strict=True)])
    return [replace(run, id=name) for name, run in zip(names, runs.values(), strict=True)]


def read_each_run(path: RunPath, *, fol_end: bool = False) -> Iterator[Run | InputError]:
    """Yield each run of a file, folder or archive, or the error for a run that cannot be read.

    An error does not stop the reading of the other runs.  Unlike :func:`read_runs`, this function keeps
    ids that several runs share.
    """
    is_empty = True
    for member in iterate_members(path):
        is_empty = False
        try:
            yield read_run_member(member, fol_end=fol_end)
        except InputError as error:
            yield error
    if is_empty:
        yield InputError("nothing to read", file=str(path), wanted="runs", found="no files")


def _parse_run(data: bytes, display: str, file_name: str, *, format_name: str | None, fol_end: bool) -> Run:
    check_table_size(len(data), display)
    head = data[:_HEAD_BYTES]
    if not head.strip(_BLANK) and not data.strip(_BLANK):
        raise InputError("empty file", file=display, wanted="a run", found="no results")
    if format_name:
        run_format = find_run_format(format_name)
    else:
        run_format = recognise_format(RUN_FORMATS, head, file=display, kind="runs")
    run = read_fol(data, display, fol_end=fol_end) if run_format is FOL else run_format.read(data, display)
    return run if run.id else replace(run, id=strip_extensions(file_name))


@check_arguments
def write_run(run: Run, path: RunPath, format: str) -> None:  # noqa: A002 -- the public word
    """Write a run to a file atomically; .gz, .xz and .zst files are compressed.

    Columns that the format cannot store are left out; ``RunFormat.losses`` lists them for ``run.tables``.  A
    result that the format cannot express at all is an error.
    """
    write_file(path, find_run_format(format).write(run))


def strip_extensions(path: RunPath) -> str:
    """Return a file's name without any of its extensions.

    >>> strip_extensions("runs/a.run.gz")
    'a'
    """
    name = PurePath(path).name
    return name.split(".")[0] or name


RUN_FORMATS: tuple[RunFormat, ...] = (
    INEX_XML,
    BIOASQ_ANSWERS,
    GENOMICS_PASSAGES,
    ARCHEHR_SUBMISSIONS,
    LOCOMO_PREDICTIONS,
    QASPER_PREDICTIONS,
    RUN_JSON,
    JSONL_RUNS,
    CSV_RUNS,
    PATHS,
    FOL,
    BEP,
    TREC_RUNS,
    MSMARCO_RUNS,
)


def find_run_format(name: str) -> RunFormat:
    """Return the run format with a name."""
    return find_format(RUN_FORMATS, name, kind="runs")
