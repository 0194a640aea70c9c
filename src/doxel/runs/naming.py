"""Unique names for several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

__all__ = ["run_names"]


def run_names(runs: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return a unique name for each run, given by id and file: the id, or ``id:file`` if ids repeat.

    If the file names are the same too, their paths are used, and otherwise their positions in the list.

    >>> run_names([("a", "x/1.run"), ("b", "x/2.run"), ("a", "x/3.run")])
    ['a:1.run', 'b', 'a:3.run']
    >>> run_names([("a", "x/1.run"), ("a", "y/1.run")])
    ['a:x/1.run', 'a:y/1.run']
    >>> run_names([("a", None), ("a", None)])
    ['a:1', 'a:2']
    """
    names = [run for run, _ in runs]
    for shared_id in [name for name, count in Counter(names).items() if count > 1]:
        rows = [row for row, (run, _) in enumerate(runs) if run == shared_id]
        for row, suffix in zip(rows, _told_apart([runs[row][1] for row in rows]), strict=True):
            names[row] = f"{shared_id}:{suffix}"
    return names


def _told_apart(files: list[str | None]) -> list[str]:
    paths = [file for file in files if file is not None]
    for suffixes in ([PurePath(path).name for path in paths], paths):
        if len(set(suffixes)) == len(files):
            return suffixes
    return [str(number) for number, _ in enumerate(files, 1)]
