"""Sets of files: several files, folders and archives read as one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from doxel.errors import InputError
from doxel.files import compression
from doxel.files.compression import bomb, strip_compression
from doxel.files.members import members
from doxel.wording import counted, listed

__all__ = ["FileSet", "Paths", "is_companion", "read_file_set"]

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

# Files of other kinds in the folders that campaigns distributed.
_COMPANION_SUFFIXES = {".css", ".dtd", ".htm", ".html", ".log", ".md", ".pdf", ".rng", ".xsd"}
_COMPANION_NAMES = ("readme", "license", "licence", "changes")


@dataclass(frozen=True)
class FileSet:
    """The files of a set as pairs of name and content, and the names of files left out of folders."""

    files: tuple[tuple[str, bytes], ...]
    left_out: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user about files that were left out."""
        if not self.left_out:
            return ()
        return (f"{counted(len(self.left_out), 'file')} left out: {listed(self.left_out)}",)


def read_file_set(paths: Paths, *, kind: str) -> FileSet:
    """Read all given files, and all files in the given folders and archives.

    Declarations and descriptions (``*.dtd``, ``*.html``, ``README`` and the like) in folders and archives
    are left out.  An empty file, or no file at all, is an error.
    """
    files: list[tuple[str, bytes]] = []
    left_out: list[str] = []
    size = 0
    for path in _each(paths):
        is_file = Path(path).is_file()
        for member in members(path):
            if is_companion(member.name) and not (is_file and member.path is not None):
                left_out.append(member.display)
                continue
            content = member.read()
            if not content.strip(b" \t\r\n\xef\xbb\xbf"):
                raise InputError("empty file", file=member.display, wanted=kind, found="no content")
            size += len(content)
            if size > compression.MOST_BYTES:  # many small files can make a bomb too
                raise bomb(str(path))
            files.append((member.display, content))
    if not files:
        names = ", ".join(str(path) for path in _each(paths)) or "no path"
        raise InputError(f"nothing to read in {names}", wanted=f"files of {kind}", found="none")
    return FileSet(tuple(files), tuple(left_out))


def _each(paths: Paths) -> Iterable[str | os.PathLike[str]]:
    return [paths] if isinstance(paths, str | os.PathLike) else paths


def is_companion(name: str) -> bool:
    """Return whether a file is a declaration or description rather than data."""
    path = PurePosixPath(strip_compression(name))
    describes = path.name.lower().startswith(_COMPANION_NAMES) or path.name.endswith(".about.json")
    return describes or path.suffix.lower() in _COMPANION_SUFFIXES
