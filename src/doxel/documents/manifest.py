"""The manifest of a collection, and writing a collection safely.

The manifest lists the complete parts and the text rules they follow.  It is replaced atomically after
every part: the parts it lists are complete, other parts do not exist.  This one mechanism provides crash
safety, resuming and adding documents.

A lock allows one writer at a time.  Worker processes write each part under a temporary name; the writer
renames it just before the manifest lists it.  A worker that outlives its writer therefore cannot change a
part of the next writer.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from doxel._version import __version__
from doxel.documents.parts import PartSummary
from doxel.errors import CollectionError
from doxel.files import explain_os_error, write_atomically
from doxel.wording import quote_value

__all__ = [
    "MANIFEST_FILE",
    "MANIFEST_FORMAT",
    "Ids",
    "Manifest",
    "adopt_part",
    "make_scratch_name",
    "open_for_writing",
    "read_manifest",
    "write_manifest",
]

MANIFEST_FORMAT = 1
MANIFEST_FILE = "manifest.json"
_PART = re.compile(r"part-[0-9]{1,9}")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_TOO_MANY = 10**15  # documents, elements or characters of one part

Ids = Literal["name", "path"]


@dataclass(frozen=True)
class Manifest:
    """The properties of a collection and the list of its parts.

    ``text_rule`` names the rules that its texts follow, separated by commas.  ``ids`` is undecided (None)
    until an ingestion has been completed; until then ids are base names if these are unique, else paths.
    """

    text_rule: str
    ids: Ids | None = None
    parts: tuple[PartSummary, ...] = ()
    complete: bool = False
    format: int = MANIFEST_FORMAT
    written_by: str = __version__

    @property
    def fingerprint(self) -> str:
        """A hash of all documents' names and texts, independent of their order."""
        return f"{sum(int(part.fingerprint, 16) for part in self.parts) % (1 << 128):032x}"

    @property
    def source_bytes(self) -> int | None:
        """The size of the source documents; None if a part does not record it."""
        sizes = [part.source_bytes for part in self.parts if part.source_bytes is not None]
        return sum(sizes) if len(sizes) == len(self.parts) else None

    @property
    def next_part(self) -> int:
        """The number of the next part."""
        return 1 + max((int(part.name.removeprefix("part-")) for part in self.parts), default=0)

    def with_part(self, part: PartSummary, rules: Iterable[str] = ()) -> Manifest:
        """Return the manifest with one more part, whose texts follow ``rules``."""
        known_rules = {rule for rule in self.text_rule.split(", ") if rule}
        text_rule = ", ".join(sorted(known_rules.union(rules)))
        return replace(self, parts=(*self.parts, part), text_rule=text_rule, complete=False)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a collection; raise CollectionError with the reason if that fails."""
    path = folder / MANIFEST_FILE
    try:
        data = json.loads(path.read_bytes())
        if data["format"] == MANIFEST_FORMAT:
            return _parse_manifest(data)
    except FileNotFoundError:
        problem = "has no manifest" if folder.is_dir() else "does not exist"
        raise CollectionError(f"{folder}: {problem}: wanted a collection made by 'doxel ingest'") from None
    except OSError as error:
        raise CollectionError(f"{path}: cannot be read: {explain_os_error(error)}") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CollectionError(f"{path}: not a manifest of a collection: found {str(error)[:200]}") from error
    raise CollectionError(
        f"{folder}: wanted a collection of format {MANIFEST_FORMAT}, "
        f"found format {quote_value(data['format'])}: "
        "ingest the documents again with this version"
    )


def _parse_manifest(data: dict[str, Any]) -> Manifest:
    parts = tuple(PartSummary(**part) for part in data.pop("parts"))
    odd_names = [part.name for part in parts if not _PART.fullmatch(part.name)]
    if odd_names:
        raise ValueError(f"a part named {quote_value(odd_names[0])}, not like part-0001")
    if len({part.name for part in parts}) < len(parts):
        raise ValueError("the same part twice")
    for part in parts:
        counts = (part.documents, part.elements, part.characters, part.source_bytes or 0)
        if not all(type(count) is int and 0 <= count < _TOO_MANY for count in counts):
            raise ValueError(f"{part.name} with invalid counts")
        if not isinstance(part.fingerprint, str) or not _FINGERPRINT.fullmatch(part.fingerprint):
            raise ValueError(f"{part.name} with an invalid fingerprint")
    manifest = Manifest(parts=parts, **data)
    if manifest.ids not in {None, "name", "path"} or not isinstance(manifest.text_rule, str):
        raise ValueError("invalid ids or text rules")
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a collection atomically."""
    # vars() rather than asdict(), which would copy every part each time one is added
    data = {**vars(manifest), "parts": [vars(part) for part in manifest.parts]}
    with write_atomically(folder / MANIFEST_FILE) as stream:
        stream.write(json.dumps(data, indent=1).encode() + b"\n")


_LOCK = ".lock"


@contextlib.contextmanager
def open_for_writing(folder: Path, ids: Ids | None) -> Iterator[Manifest]:
    """Lock a new or existing collection for writing, and yield its manifest.

    Afterwards, even after an error, the folder contains only the parts that the manifest lists; a new
    collection without parts is removed.
    """
    is_new = not os.path.lexists(folder)
    with _lock_folder(folder):
        try:
            yield _prepare_manifest(folder, ids)
        finally:
            with contextlib.suppress(OSError):  # must not hide an earlier error
                _tidy_folder(folder, is_new=is_new)


def make_scratch_name(number: int) -> str:
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
def _lock_folder(folder: Path) -> Iterator[None]:
    """Keep other writers out; the lock ends with the process, even if it is killed."""
    try:
        if (folder / MANIFEST_FILE).exists():
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
    return all(path.name == _LOCK or path.name.startswith(f".{MANIFEST_FILE}.") for path in folder.iterdir())


def _prepare_manifest(folder: Path, ids: Ids | None) -> Manifest:
    if not (folder / MANIFEST_FILE).exists():
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


def _tidy_folder(folder: Path, *, is_new: bool) -> None:
    manifest = read_manifest(folder) if (folder / MANIFEST_FILE).exists() else Manifest(text_rule="")
    _remove_leftovers(folder, manifest)
    if not manifest.parts:
        for name in (MANIFEST_FILE, _LOCK):
            (folder / name).unlink(missing_ok=True)
        if is_new:
            folder.rmdir()


def _remove_leftovers(folder: Path, manifest: Manifest) -> None:
    """Remove unlisted parts and temporary manifests of interrupted writers."""
    listed_names = {part.name for part in manifest.parts}
    for leftover in folder.glob("part-*"):
        if leftover.name not in listed_names:
            shutil.rmtree(leftover, ignore_errors=True)
    for leftover in folder.glob(f".{MANIFEST_FILE}.*"):
        leftover.unlink(missing_ok=True)
