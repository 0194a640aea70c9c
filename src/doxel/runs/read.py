"""Reading a run, whatever its format: recognised by content."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import PurePath

from doxel.errors import InputError
from doxel.files import read_bytes
from doxel.runs.run import Run
from doxel.runs.text import read_text_run

__all__ = ["file_stem", "read_run"]


def read_run(path: str | os.PathLike[str], *, fol_end: bool = False) -> Run:
    """Read a run from a file, compressed or not."""
    data = read_bytes(path)
    if not data.strip():
        raise InputError("empty file", file=str(path), wanted="a run", found="no results")
    run = read_text_run(data, str(path), fol_end=fol_end)
    return run if run.id else replace(run, id=file_stem(path))


def file_stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without any of its extensions.

    >>> file_stem("runs/a.run.gz")
    'a'
    """
    return PurePath(path).name.split(".")[0]
