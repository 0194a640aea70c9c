"""Verify a collection: compare whole files with their checksums, and compute the fingerprint from the texts.

Opening a collection reads only the ends of its files, and evaluating only the files it needs.  A verification
reads everything: after a copy, from time to time on a disk, and before results are published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from doxel.documents.document_names import compute_digest
from doxel.documents.manifest import Manifest, read_manifest
from doxel.documents.parts import PART_TABLES, PartSummary, StoredParts, compute_fingerprint
from doxel.errors import CollectionError
from doxel.files import explain_os_error
from doxel.files.checksums import find_damaged_file

__all__ = ["Verification", "verify_collection"]


@dataclass(frozen=True)
class Verification:
    """The outcome of a verification: the recomputed fingerprint, and a sentence per problem.

    ``fingerprint`` is None if texts cannot be read.  ``checked_files`` of ``files`` have a checksum.
    ``unlisted`` are parts in the folder that the manifest does not list; they are not read.
    """

    documents: int
    files: int
    checked_files: int
    fingerprint: str | None
    problems: tuple[str, ...]
    unlisted: tuple[str, ...]


def verify_collection(folder: str | Path, progress: Callable[[], None] | None = None) -> Verification:
    """Read all files of a collection and list everything that is damaged.

    ``progress`` is called after each part.  Raises CollectionError if the manifest is damaged.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    parts = StoredParts(path, manifest.parts)
    problems: list[str] = []
    total: int | None = 0
    for number, part in enumerate(manifest.parts):
        damage = list(_find_damaged_files(parts, number, part))
        problems += damage
        try:
            if not damage:
                _read_tables(parts, number)
            fingerprint = _compute_from_texts(parts, number)
        except CollectionError as error:
            problems += [] if damage else [str(error)]  # the damage may have caused it
            total = None
        else:
            total = None if total is None else total + int(fingerprint, 16)
            if fingerprint != part.fingerprint and not damage:
                problems.append(
                    f"{path / part.name}: the texts differ from those that were ingested: wanted the "
                    f"fingerprint {part.fingerprint}, found {fingerprint}"
                )
        if progress is not None:
            progress()
    return Verification(
        documents=sum(part.documents for part in manifest.parts),
        files=len(PART_TABLES) * len(manifest.parts),
        checked_files=sum(len(part.files) for part in manifest.parts),
        fingerprint=None if total is None else f"{total % (1 << 128):032x}",
        problems=tuple(problems),
        unlisted=tuple(_list_unlisted(path, manifest)),
    )


def _find_damaged_files(parts: StoredParts, number: int, part: PartSummary) -> Iterator[str]:
    for table in PART_TABLES:
        path = parts.path(number, table)
        try:
            checksum = part.files.get(table)
            damage = None if checksum is None else find_damaged_file(path, checksum)
        except OSError as error:
            damage = explain_os_error(error)
        if damage is not None:
            yield f"{path}: changed since it was written: {damage}"


def _read_tables(parts: StoredParts, number: int) -> None:
    """Read all tables but the texts, with the checks that reading makes."""
    parts.elements(number)
    for table in ("attributes", "breaks"):
        parts.table(number, table)


def _compute_from_texts(parts: StoredParts, number: int) -> str:
    """Return the fingerprint of a part, computed from its texts and the names of its documents."""
    sources = parts.table(number, "documents", ("source",))["source"]
    texts = parts.table(number, "texts")["text"].cast(pl.Binary)
    if len(texts) != len(sources) or texts.null_count() or sources.null_count():
        raise CollectionError(f"{parts.path(number, 'texts')}: wanted a text for each document")
    return compute_fingerprint(sources, (compute_digest(text) for text in texts))


def _list_unlisted(folder: Path, manifest: Manifest) -> list[str]:
    listed_names = {part.name for part in manifest.parts}
    return sorted(path.name for path in folder.glob("part-*") if path.name not in listed_names)
