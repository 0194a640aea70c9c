"""A name of its own for each of several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

__all__ = ["run_names"]


def run_names(runs: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return the names of runs, given by id and file: the id, and ``id:file`` for ids that several share.

    Where file names do not tell runs apart either, their paths do, and else their places in the list.

    >>> run_names([("a", "x/1.run"), ("b", "x/2.run"), ("a", "x/3.run")])
    ['a:1.run', 'b', 'a:3.run']
    >>> run_names([("a", "x/1.run"), ("a", "y/1.run")])
    ['a:x/1.run', 'a:y/1.run']
    >>> run_names([("a", None), ("a", None)])
    ['a:1', 'a:2']
    """
    names = [run for run, _ in runs]
    for shared in [name for name, count in Counter(names).items() if count > 1]:
        places = [place for place, (run, _) in enumerate(runs) if run == shared]
        for place, addition in zip(places, _told_apart([runs[place][1] for place in places]), strict=True):
            names[place] = f"{shared}:{addition}"
    return names


def _told_apart(files: list[str | None]) -> list[str]:
    paths = [file for file in files if file is not None]
    for told in ([PurePath(path).name for path in paths], paths):
        if len(set(told)) == len(files):
            return told
    return [str(number) for number, _ in enumerate(files, 1)]
