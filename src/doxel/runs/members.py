"""The runs of a file, folder or archive one by one, those that cannot be read included."""

from __future__ import annotations

import os
from collections.abc import Iterator

from doxel.errors import InputError
from doxel.files import members
from doxel.runs.read import read_member
from doxel.runs.run import Run

__all__ = ["read_each"]


def read_each(path: str | os.PathLike[str], *, fol_end: bool = False) -> Iterator[Run | InputError]:
    """Yield each run, or why it could not be read; a file that is none does not keep others from it.

    Unlike :func:`doxel.runs.read_runs` this leaves ids as they are, even where several runs share one.
    """
    some = False
    for member in members(path):
        some = True
        try:
            yield read_member(member, fol_end=fol_end)
        except InputError as error:
            yield error
    if not some:
        yield InputError("nothing to read", file=str(path), wanted="runs", found="no files")
