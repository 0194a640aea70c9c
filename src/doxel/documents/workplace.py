"""A collection that is being written: one writer at a time, and nothing half-written left behind.

A part is written under a name of its own, by whatever process, and gets its place from the writer
just before the manifest lists it: should a process outlive its writer, it cannot touch a part of the
next one.
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
    """Hold a collection for writing, a new one or one that exists, and give its manifest.

    Afterwards, whatever happened, only what the manifest lists is there; a collection without any
    part is not there at all.
    """
    is_new = not os.path.lexists(folder)
    with _locked(folder):
        try:
            yield _manifest_of(folder, ids)
        finally:
            with contextlib.suppress(OSError):  # it must not hide what went wrong before
                _tidy(folder, is_new=is_new)


def scratch_name(number: int) -> str:
    """Return a name under which to write the part with a number: never the same twice."""
    return f"part-{number:04d}.{secrets.token_hex(4)}"


def adopt_part(folder: Path, part: PartSummary) -> PartSummary:
    """Give a part that is complete the name under which the manifest will list it."""
    name = part.name.partition(".")[0]
    try:
        (folder / part.name).rename(folder / name)
    except OSError as error:
        raise CollectionError(f"{folder / name}: cannot be written: {explain_os_error(error)}") from error
    return replace(part, name=name)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other writers out; the lock goes with the process, however that ends."""
    try:
        if (folder / FILE).exists():
            read_manifest(folder)  # a folder of something else is left as it is
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
    """Tell whether nothing is there, or only what a writer leaves that ended before it began."""
    return all(path.name == _LOCK or path.name.startswith(f".{FILE}.") for path in folder.iterdir())


def _manifest_of(folder: Path, ids: Ids | None) -> Manifest:
    if not (folder / FILE).exists():
        manifest = Manifest(text_rule="", ids=ids)
        write_manifest(folder, manifest)
        return manifest
    manifest = read_manifest(folder)
    if ids is not None and manifest.ids not in (None, ids):
        raise CollectionError(f"{folder}: its document ids are by {manifest.ids}, decided once, not {ids}")
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
    """Remove what writers that were interrupted have left: parts, and manifests not yet in place."""
    listed = {part.name for part in manifest.parts}
    for leftover in folder.glob("part-*"):
        if leftover.name not in listed:
            shutil.rmtree(leftover, ignore_errors=True)
    for leftover in folder.glob(f".{FILE}.*"):
        leftover.unlink(missing_ok=True)
