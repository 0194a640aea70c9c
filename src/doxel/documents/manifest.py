"""The manifest of a collection, and writing a collection safely.

The manifest lists the complete parts and the text rules they follow.  It is replaced atomically after
every part: the parts it lists are complete, and all others are ignored.  This one mechanism provides crash
safety, resuming and adding documents.

The manifest has a checksum of every file of a part, and one of itself.  Collections of format 1, made by
doxel 1.x, have neither; they are still opened, and become format 2 when documents are added.

A lock allows one writer at a time.  Worker processes write each part under a temporary name; the writer
renames it just before the manifest lists it.  A worker that outlives its writer therefore cannot change a
part of the next writer.

A writer removes the leftovers of an interrupted one: temporary names, and at most one part that was renamed
and is not listed yet.  If more parts are not listed, the manifest itself is damaged, and nothing is removed.
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
from doxel.documents.parts import PART_TABLES, PartSummary
from doxel.errors import CollectionError
from doxel.files import explain_os_error, write_atomically
from doxel.files.checksums import compute_seal, parse_checksums
from doxel.wording import join_words, quote_value

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

MANIFEST_FORMAT = 2
_FORMAT_WITHOUT_CHECKSUMS = 1
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
    ``adopting`` names the first part while it is renamed, before any part is listed.
    """

    text_rule: str
    ids: Ids | None = None
    parts: tuple[PartSummary, ...] = ()
    complete: bool = False
    adopting: str | None = None
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
    def parts_without_checksums(self) -> int:
        """The number of parts whose files have no checksums, because doxel 1.x wrote them."""
        return sum(not part.files for part in self.parts)

    @property
    def next_part(self) -> int:
        """The number of the next part."""
        return 1 + max((int(part.name.removeprefix("part-")) for part in self.parts), default=0)

    def with_part(self, part: PartSummary, rules: Iterable[str] = ()) -> Manifest:
        """Return the manifest with one more part, whose texts follow ``rules``."""
        known_rules = {rule for rule in self.text_rule.split(", ") if rule}
        text_rule = ", ".join(sorted(known_rules.union(rules)))
        return replace(self, parts=(*self.parts, part), text_rule=text_rule, complete=False, adopting=None)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a collection; raise CollectionError with the reason if that fails."""
    path = folder / MANIFEST_FILE
    try:
        data = json.loads(path.read_bytes())
        if data["format"] in (_FORMAT_WITHOUT_CHECKSUMS, MANIFEST_FORMAT):
            return _parse_manifest(data)
    except (FileNotFoundError, NotADirectoryError):
        problem = "is not a collection" if folder.exists() else "does not exist"
        raise CollectionError(
            f"{folder}: {problem}: wanted a folder made by 'doxel ingest DOCUMENTS -o COLLECTION'"
        ) from None
    except OSError as error:
        raise CollectionError(f"{path}: cannot be read: {explain_os_error(error)}") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CollectionError(f"{path}: not a manifest of a collection: found {str(error)[:200]}") from error
    raise CollectionError(
        f"{folder}: wanted a collection of format {MANIFEST_FORMAT} or {_FORMAT_WITHOUT_CHECKSUMS}, "
        f"found format {quote_value(data['format'])}: "
        "ingest the documents again with this version"
    )


def _parse_manifest(data: dict[str, Any]) -> Manifest:
    if data["format"] == MANIFEST_FORMAT and data.pop("checksum") != compute_seal(data):
        raise ValueError("content that does not fit its checksum: the file changed since it was written")
    parts = tuple(
        PartSummary(**{**part, "files": parse_checksums(part.get("files", {}))}) for part in data.pop("parts")
    )
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
        if set(part.files) not in (set(), set(PART_TABLES)):
            raise ValueError(f"{part.name} with checksums of other files than {', '.join(PART_TABLES)}")
    manifest = Manifest(parts=parts, **data)
    if manifest.ids not in {None, "name", "path"} or not isinstance(manifest.text_rule, str):
        raise ValueError("invalid ids or text rules")
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a collection atomically."""
    # vars() rather than asdict(), which would copy every part each time one is added
    parts = [vars(part) for part in manifest.parts]
    data = {**vars(manifest), "parts": parts, "format": MANIFEST_FORMAT}
    # one line per part: json.dumps with an indent is ten times slower, and runs after every part
    lines = ",\n".join(json.dumps(part) for part in parts)
    about = json.dumps({**data, "parts": None, "checksum": compute_seal(data)})
    with write_atomically(folder / MANIFEST_FILE) as stream:
        stream.write(about.replace('"parts": null', f'"parts": [\n{lines}\n]', 1).encode() + b"\n")


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
            manifest = _prepare_manifest(folder, ids)  # raises an error before anything is removed
        except BaseException:
            if is_new:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        try:
            _remove_leftovers(folder, manifest)
            yield manifest
        finally:
            with contextlib.suppress(OSError):  # must not hide an earlier error
                _tidy_folder(folder, is_new=is_new)


def make_scratch_name(number: int) -> str:
    """Return a unique temporary name for the part with a number."""
    return f"part-{number:04d}.{secrets.token_hex(4)}"


def adopt_part(folder: Path, part: PartSummary, manifest: Manifest) -> PartSummary:
    """Rename a complete part to the name under which the manifest will list it.

    The first part is announced in the manifest: after a crash it would look like a part that a damaged
    manifest lost.
    """
    name = part.name.partition(".")[0]
    if not manifest.parts:
        write_manifest(folder, replace(manifest, adopting=name))
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
            read_manifest(folder)  # raises an error for any other folder, which stays unchanged
        elif folder.is_dir() and not _is_empty(folder):
            raise CollectionError(f"{folder}: wanted a new folder or a collection, found other files")
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / _LOCK).open("w")
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
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
            f"{folder}: its documents are identified by {manifest.ids}, which cannot be changed to {ids}"
        )
    _refuse_lost_parts(folder, manifest)
    return replace(manifest, ids=manifest.ids or ids)


def _refuse_lost_parts(folder: Path, manifest: Manifest) -> None:
    """Raise CollectionError if the folder has more unlisted parts than an interrupted writer can leave."""
    listed_names = {part.name for part in manifest.parts} | {manifest.adopting}
    names = sorted(path.name for path in folder.glob("part-*") if _PART.fullmatch(path.name))
    lost_names = [name for name in names if name not in listed_names]
    if len(lost_names) > bool(manifest.parts):
        raise CollectionError(
            f"{folder / MANIFEST_FILE}: does not list {join_words(lost_names)}, so the manifest is "
            "damaged; nothing was changed: wanted a manifest from a backup, or a new folder to ingest into"
        )


def _tidy_folder(folder: Path, *, is_new: bool) -> None:
    if not (folder / MANIFEST_FILE).exists():
        return
    manifest = read_manifest(folder)
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
