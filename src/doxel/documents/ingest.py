"""``doxel ingest``: source documents into a collection on disk.

Documents are gathered into batches of some megabytes; each batch becomes one part, written by
whichever process handles it, and exists from the moment the manifest lists it.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import polars as pl

from doxel import executors
from doxel.documents.collection import Collection
from doxel.documents.columns import NodeColumns
from doxel.documents.manifest import Ids, Manifest, read_manifest, write_manifest
from doxel.documents.parts import DocumentRow, PartSummary, digest, write_part
from doxel.documents.sources import Ledger, document_key, document_members
from doxel.documents.xml import TEXT_RULE, add_document, text_of
from doxel.errors import CollectionError, InputError
from doxel.files import Member, explain_os_error
from doxel.markup import Declarations, XmlParser, declarations

__all__ = ["IngestReport", "ingest"]

BATCH_BYTES = 8_000_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class IngestReport:
    """What an ingestion did: counts of what was added, and all that was not, with the reason."""

    documents: int
    elements: int
    characters: int
    already_there: int
    seconds: float
    refused: tuple[InputError, ...] = ()
    ignored: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Batch:
    name: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class _Outcome:
    part: PartSummary | None
    refused: tuple[InputError, ...]
    source_bytes: int


def ingest(
    sources: Iterable[str],
    output: str,
    *,
    ids: Ids | None = None,
    dtd: tuple[str, ...] = (),
    entities: str | None = None,
    strict: bool = False,
    jobs: int | None = 1,
    progress: Progress | None = None,
) -> IngestReport:
    """Read documents into a collection, a new one or one that exists.

    What the collection holds already is skipped, so that an interrupted ingestion is completed by
    repeating it.  A document that cannot be read is reported and left out, or with ``strict`` raised.
    ``progress`` is called with the documents and source bytes of each part that was added.
    """
    began = time.monotonic()
    folder = Path(output)
    declared = declarations(dtd, entities)
    with _locked(folder):
        manifest = _open_or_create(folder, ids)
        ledger = Ledger(_known_documents(folder, manifest), ids=manifest.ids)
        ignored: Counter[str] = Counter()
        todo = _Todo(document_members(sources, ignored), ledger, next_part=_next_part(manifest))
        build = partial(_build, folder=folder, declared=declared, strict=strict)
        before = manifest
        refused: list[InputError] = []
        for outcome in executors.run(build, todo.batches(), jobs=jobs):
            refused.extend(outcome.refused)
            if outcome.part is not None:
                manifest = manifest.with_part(outcome.part)
                write_manifest(folder, manifest)
            if progress is not None:
                progress(outcome.part.documents if outcome.part else 0, outcome.source_bytes)
        if not manifest.parts and not refused:
            raise InputError("no XML document among the sources", wanted="files such as *.xml")
        decided: Ids = manifest.ids or ("name" if ledger.names_are_unique else "path")
        write_manifest(folder, replace(manifest, ids=decided, complete=True))
    added = manifest.parts[len(before.parts) :]
    return IngestReport(
        documents=sum(part.documents for part in added),
        elements=sum(part.elements for part in added),
        characters=sum(part.characters for part in added),
        already_there=todo.already_there,
        seconds=time.monotonic() - began,
        refused=tuple(refused),
        ignored=dict(ignored),
    )


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the collection for writing; the lock goes with the process, however that ends."""
    try:
        if folder.is_dir() and any(folder.iterdir()) and not (folder / ".lock").exists():
            raise CollectionError(f"{folder}: wanted a new folder or a collection, found other files")
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / ".lock").open("w")
    except OSError as error:
        raise CollectionError(f"{folder}: cannot be written: {explain_os_error(error)}") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CollectionError(f"{folder}: another process is writing this collection") from None
        yield


def _open_or_create(folder: Path, ids: Ids | None) -> Manifest:
    if (folder / "manifest.json").exists():
        manifest = read_manifest(folder)
        if ids is not None and manifest.ids not in (None, ids):
            raise CollectionError(
                f"{folder}: its document ids are by {manifest.ids}, decided once, not {ids}"
            )
        manifest = replace(manifest, ids=manifest.ids or ids)
    else:
        manifest = Manifest(text_rule=TEXT_RULE, ids=ids)
        write_manifest(folder, manifest)
    listed = {part.name for part in manifest.parts}
    for leftover in folder.glob("part-*"):
        if leftover.name not in listed:
            shutil.rmtree(leftover)
    return manifest


def _known_documents(folder: Path, manifest: Manifest) -> dict[str, tuple[str, str]]:
    if not manifest.parts:
        return {}
    rows = Collection(folder, manifest).documents.select("source", "source_hash")
    return {document_key(source): (source, source_hash) for source, source_hash in rows.iter_rows()}


def _next_part(manifest: Manifest) -> int:
    return 1 + max((int(part.name.removeprefix("part-")) for part in manifest.parts), default=0)


class _Todo:
    """Divides the documents that are not there yet into batches, and counts those that are."""

    def __init__(self, documents: Iterable[Member], ledger: Ledger, *, next_part: int) -> None:
        self._documents, self._ledger, self._number = documents, ledger, next_part
        self.already_there = 0

    def batches(self) -> Iterator[_Batch]:
        """Yield batches of about ``BATCH_BYTES``."""
        waiting: list[Member] = []
        size = 0
        for member in self._documents:
            if member.refusal is None and not self._ledger.is_new(member):
                self.already_there += 1
                continue
            waiting.append(member)
            size += member.size
            if size >= BATCH_BYTES:
                yield self._batch(waiting)
                waiting, size = [], 0
        if waiting:
            yield self._batch(waiting)

    def _batch(self, waiting: list[Member]) -> _Batch:
        name = f"part-{self._number:04d}"
        self._number += 1
        return _Batch(name, tuple(waiting))


def _build(batch: _Batch, *, folder: Path, declared: Declarations, strict: bool) -> _Outcome:
    """Parse the documents of one batch and write them as a part."""
    parser = XmlParser(declared)
    columns = NodeColumns()
    rows: list[DocumentRow] = []
    refused: list[InputError] = []
    source_bytes = 0
    with _without_garbage_collector():
        for member in batch.members:
            try:
                data = member.read()
                source_bytes += len(data)
                root = parser.parse(data, member.display)
            except InputError as error:
                if strict:
                    raise
                refused.append(error)
                continue
            add_document(columns, root)
            rows.append(DocumentRow(member.name, digest(data), text_of(root)))
        part = _write(folder / batch.name, rows, columns) if rows else None
    return _Outcome(part, tuple(refused), source_bytes)


@contextlib.contextmanager
def _without_garbage_collector() -> Iterator[None]:
    """Spare the collector a million short strings without a single cycle: it would triple the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _write(folder: Path, rows: list[DocumentRow], columns: NodeColumns) -> PartSummary:
    try:
        return write_part(folder, rows, columns.finish())
    except (OSError, pl.exceptions.PolarsError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        reason = explain_os_error(error) if isinstance(error, OSError) else str(error)
        raise CollectionError(f"{folder}: cannot be written: {reason}") from error
