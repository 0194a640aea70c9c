"""Writing a collection: one writer at a time, and no half-written parts are left behind.

Worker processes write each part under a temporary name; the writer renames it just before the manifest
lists it.  A worker that outlives its writer therefore cannot change a part of the next writer.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from doxel.documents.manifest import FILE, Ids, Manifest, read_manifest, write_manifest
from doxel.documents.parts import PartSummary
from doxel.errors import CollectionError
from doxel.files import explain_os_error

__all__ = ["adopt_part", "open_workplace", "scratch_name"]

_LOCK = ".lock"


@contextlib.contextmanager
def open_workplace(folder: Path, ids: Ids | None) -> Iterator[Manifest]:
    """Lock a new or existing collection for writing, and yield its manifest.

    Afterwards, even after an error, the folder contains only the parts that the manifest lists; a new
    collection without parts is removed.
    """
    is_new = not os.path.lexists(folder)
    with _locked(folder):
        try:
            yield _manifest_of(folder, ids)
        finally:
            with contextlib.suppress(OSError):  # must not hide an earlier error
                _tidy(folder, is_new=is_new)


def scratch_name(number: int) -> str:
    """Return a unique temporary name for the part with a number."""
    return f"part-{number:04d}.{secrets.token_hex(4)}"


def adopt_part(folder: Path, part: PartSummary) -> PartSummary:
    """Rename a complete part to the name under which the manifest will list it."""
    name = part.name.partition(".")[0]
    try:
        (folder / part.name).rename(folder / name)
    except OSError as error:
        raise CollectionError(f"{folder / name}: cannot be written: {explain_os_error(error)}") from error
    return replace(part, name=name)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other writers out; the lock ends with the process, even if it is killed."""
    try:
        if (folder / FILE).exists():
            read_manifest(folder)  # fails for a folder of something else, which stays as it is
        elif folder.is_dir() and not _is_empty(folder):
            raise CollectionError(f"{folder}: wanted a new folder or a collection, found other files")
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / _LOCK).open("w")
    except OSError as error:
        raise CollectionError(f"{folder}: cannot be written: {explain_os_error(error)}") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CollectionError(f"{folder}: another process is writing this collection") from None
        yield


def _is_empty(folder: Path) -> bool:
    """Return whether a folder is empty, or has only the lock and temporary manifest of a failed writer."""
    return all(path.name == _LOCK or path.name.startswith(f".{FILE}.") for path in folder.iterdir())


def _manifest_of(folder: Path, ids: Ids | None) -> Manifest:
    if not (folder / FILE).exists():
        manifest = Manifest(text_rule="", ids=ids)
        write_manifest(folder, manifest)
        return manifest
    manifest = read_manifest(folder)
    if ids is not None and manifest.ids not in (None, ids):
        raise CollectionError(
            f"{folder}: its document ids are by {manifest.ids} and cannot be changed to {ids}"
        )
    _remove_leftovers(folder, manifest)
    return replace(manifest, ids=manifest.ids or ids)


def _tidy(folder: Path, *, is_new: bool) -> None:
    manifest = read_manifest(folder) if (folder / FILE).exists() else Manifest(text_rule="")
    _remove_leftovers(folder, manifest)
    if not manifest.parts:
        for name in (FILE, _LOCK):
            (folder / name).unlink(missing_ok=True)
        if is_new:
            folder.rmdir()


def _remove_leftovers(folder: Path, manifest: Manifest) -> None:
    """Remove unlisted parts and temporary manifests of interrupted writers."""
    listed_names = {part.name for part in manifest.parts}
    for leftover in folder.glob("part-*"):
        if leftover.name not in listed_names:
            shutil.rmtree(leftover, ignore_errors=True)
    for leftover in folder.glob(f".{FILE}.*"):
        leftover.unlink(missing_ok=True)
