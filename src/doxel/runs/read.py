"""Reading runs, whatever their format, and writing them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import PurePath

from doxel.errors import InputError
from doxel.files import Member, members, read_bytes, write_file
from doxel.files.formats import recognise
from doxel.runs.fol import FOL, read_fol
from doxel.runs.formats import FORMATS, format_named
from doxel.runs.run import Run

__all__ = ["file_stem", "read_member", "read_run", "read_runs", "write_run"]

_HEAD = 65_536  # bytes by which a format is recognised
_BLANK = b" \t\r\n\xef\xbb\xbf"

Path = str | os.PathLike[str]


def read_run(path: Path, *, format: str | None = None, fol_end: bool = False) -> Run:  # noqa: A002 -- the public word
    """Read a run from a file, compressed or not.

    The format is recognised by content unless ``format`` names it.  ``fol_end``: where a file has
    offsets and lengths, the lengths are ends.  A run without an id of its own is called like its file.
    """
    name = os.fspath(path)
    return _read(read_bytes(path), name, PurePath(name).name, format_name=format, fol_end=fol_end)


def read_member(member: Member, *, format: str | None = None, fol_end: bool = False) -> Run:  # noqa: A002
    """Read a run that is a file of a folder or archive."""
    return _read(member.read(), member.display, member.name, format_name=format, fol_end=fol_end)


def read_runs(
    paths: Path | Iterable[Path],
    *,
    format: str | None = None,  # noqa: A002 -- the public word
    fol_end: bool = False,
) -> list[Run]:
    """Read runs from files, and from all files of folders and archives, in order of name.

    An id that several of them share becomes ``id:file``.
    """
    sources = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    runs: list[Run] = []
    names: list[str] = []
    for member in chain.from_iterable(map(members, sources)):
        runs.append(read_member(member, format=format, fol_end=fol_end))
        names.append(member.name)
    if not runs:
        listed = ", ".join(map(str, sources)) or "no path"
        raise InputError(f"nothing to read in {listed}", wanted="files of runs", found="none")
    return _told_apart(runs, names)


def _read(data: bytes, display: str, file_name: str, *, format_name: str | None, fol_end: bool) -> Run:
    head = data[:_HEAD]
    if not head.strip(_BLANK) and not data.strip(_BLANK):
        raise InputError("empty file", file=display, wanted="a run", found="no results")
    chosen = format_named(format_name) if format_name else recognise(FORMATS, head, file=display, kind="runs")
    run = read_fol(data, display, fol_end=fol_end) if chosen is FOL else chosen.read(data, display)
    return run if run.id else replace(run, id=file_stem(file_name))


def _told_apart(runs: list[Run], names: list[str]) -> list[Run]:
    """Give each run an id of its own: where it is shared, its file's name is added, or else its path."""
    rows: dict[str, list[int]] = {}
    for row, run in enumerate(runs):
        rows.setdefault(run.id, []).append(row)
    for shared, group in rows.items():
        if len(group) == 1:
            continue
        choices = [[PurePath(names[row]).name for row in group], [names[row] for row in group]]
        choices.append([str(runs[row].file) for row in group])
        labels = next((some for some in choices if len(set(some)) == len(some)), None)
        if labels is None:
            twice = next(file for file, count in Counter(choices[-1]).items() if count > 1)
            raise InputError("named twice", file=twice, wanted="each run once")
        for row, label in zip(group, labels, strict=True):
            runs[row] = replace(runs[row], id=f"{shared}:{label}")
    return runs


def write_run(run: Run, path: Path, format: str) -> None:  # noqa: A002 -- the public word
    """Write a run to a file, whole or not at all; .gz, .xz and .zst are compressed.

    What the format cannot keep is left out: ``FORMATS`` say what that is (``Format.losses``, given
    ``run.tables``).  A result that the format cannot say at all is an error.
    """
    write_file(path, format_named(format).write(run))


def file_stem(path: Path) -> str:
    """Return a file's name without any of its extensions.

    >>> file_stem("runs/a.run.gz")
    'a'
    """
    name = PurePath(path).name
    return name.split(".")[0] or name
