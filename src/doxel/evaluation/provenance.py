"""The input files of an evaluation, with their hashes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SourceFile", "source_files"]


@dataclass(frozen=True)
class SourceFile:
    """A file or folder: its role, its name as given, its size and its SHA-256."""

    role: str
    name: str
    bytes: int
    sha256: str


def source_files(role: str, names: Iterable[str | os.PathLike[str]]) -> list[SourceFile]:
    """Return files with the hash of their bytes on disk; a folder has one hash.

    The hash of a folder covers the names and hashes of its files, in alphabetical order.
    """
    return [_of_folder(role, Path(name)) if Path(name).is_dir() else _of(role, Path(name)) for name in names]


def _of(role: str, path: Path) -> SourceFile:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return SourceFile(role, str(path), path.stat().st_size, digest)


def _of_folder(role: str, folder: Path) -> SourceFile:
    files = [_of(role, path) for path in sorted(folder.rglob("*")) if path.is_file()]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{Path(file.name).relative_to(folder).as_posix()}\0{file.sha256}\n".encode())
    return SourceFile(role, str(folder), sum(file.bytes for file in files), digest.hexdigest())
