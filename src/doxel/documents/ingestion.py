"""``doxel ingest``: read source documents into a collection on disk.

Documents are divided into batches of a few megabytes.  The process that handles a batch writes it as one
part, which exists from the moment the manifest lists it.  The work on a batch has two steps, so that one
batch is parsed while the previous one is written.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import polars as pl

from doxel import executors
from doxel.arguments import check_arguments
from doxel.documents.collection import Collection
from doxel.documents.document_names import compute_digest
from doxel.documents.ingestion_ledger import Ledger
from doxel.documents.manifest import (
    Ids,
    Manifest,
    adopt_part,
    make_scratch_name,
    open_for_writing,
    write_manifest,
)
from doxel.documents.parsing.node_columns import NodeColumns
from doxel.documents.parsing.sources import SOURCE_KINDS, SourceReaders, iterate_documents
from doxel.documents.parts import DocumentRow, PartSummary, write_part
from doxel.errors import CollectionError, InputError
from doxel.files import Member, explain_os_error
from doxel.files.named_sources import is_dataset_name
from doxel.markup import Declarations, read_declarations

__all__ = ["IngestReport", "ParsedBatch", "StoredBatch", "ingest"]

BATCH_BYTES = 8_000_000

IngestProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class IngestReport:
    """The outcome of an ingestion: counts of the added documents, and the reasons why others were not added.

    ``ignored`` counts files of other kinds by suffix, ``rules`` counts documents by text rule, and
    ``left_out`` counts the values in lines of JSON that are neither id nor text, by key.  ``losses`` are
    sentences about pages of PDF files that have no text.
    """

    documents: int
    elements: int
    characters: int
    already_there: int
    seconds: float
    refused: tuple[InputError, ...] = ()
    ignored: dict[str, int] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    losses: tuple[str, ...] = ()


@check_arguments
def ingest(
    sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    ids: Ids | None = None,
    dtd: tuple[str | os.PathLike[str], ...] = (),
    entities: str | None = None,
    strict: bool = False,
    jobs: int | None = 1,
    cluster: str | None = None,
    progress: IngestProgress | None = None,
) -> IngestReport:
    """Read documents into a new or existing collection.

    Documents that the collection contains already are skipped, so an interrupted ingestion is completed by
    repeating it.  A document that cannot be read is reported and left out; with ``strict`` its error is
    raised.  ``jobs`` is the number of processes; with ``cluster``, the address of a Dask scheduler, its
    workers are used instead.  ``progress`` is called with the number of documents and source bytes of each
    part that was added.
    """
    began = time.monotonic()
    paths = _check_sources(sources)
    declarations = read_declarations(dtd, entities)
    folder = Path(output)
    if cluster is not None:  # workers have other working directories
        paths = [path if is_dataset_name(path) else os.path.abspath(path) for path in paths]  # noqa: PTH100
        folder = folder.absolute()
    ignored: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    with open_for_writing(folder, ids) as before, Ledger(ids=before.ids) as ledger:
        manifest = before
        for documents in _iterate_known_documents(folder, manifest):
            ledger.add_known(documents)
        todo = _NewDocuments(iterate_documents(paths, ignored, left_out), ledger, manifest, strict=strict)
        parse = partial(parse_batch, declared=declarations, strict=strict)
        write = partial(store_batch, folder=folder)
        refused: list[InputError] = []
        losses: list[str] = []
        for outcome in executors.run_in_steps(parse, write, todo.batches(), jobs=jobs, cluster=cluster):
            refused.extend(outcome.refused)
            losses.extend(outcome.losses)
            rules.update(outcome.rules)
            if outcome.part is not None:
                manifest = manifest.with_part(adopt_part(folder, outcome.part, manifest), outcome.rules)
                write_manifest(folder, manifest)
            if progress is not None:
                progress(outcome.part.documents if outcome.part else 0, outcome.source_bytes)
        refused.extend(todo.refused)
        if manifest.parts:
            write_manifest(
                folder, replace(manifest, ids=_decide_ids(folder, manifest, ledger), complete=True)
            )
        elif not refused:
            raise _build_no_documents_error(ignored)
    new_parts = manifest.parts[len(before.parts) :]
    return IngestReport(
        documents=sum(part.documents for part in new_parts),
        elements=sum(part.elements for part in new_parts),
        characters=sum(part.characters for part in new_parts),
        already_there=todo.already_there,
        seconds=time.monotonic() - began,
        refused=tuple(refused),
        ignored=dict(ignored),
        rules=dict(rules),
        left_out=dict(left_out),
        losses=tuple(losses),
    )


def _build_no_documents_error(ignored: Counter[str]) -> InputError:
    counts = ", ".join(f"{count:,} of {suffix}" for suffix, count in sorted(ignored.items()))
    wanted = f"files such as {', '.join(f'*{kind.suffixes[0]}' for kind in SOURCE_KINDS)} or *.jsonl"
    return InputError("no documents in the sources", wanted=wanted, found=counts or "no files")


def _check_sources(sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the sources as strings; a missing one is reported before any work is done."""
    source_list = [sources] if isinstance(sources, str | os.PathLike) else sources
    paths = [os.fspath(source) for source in source_list]
    for path in paths:
        if is_dataset_name(path):
            continue
        try:
            os.stat(path)  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError, ValueError) as error:  # ValueError: a null character
            raise InputError(f"cannot be read: {explain_os_error(error)}", file=path) from error
        except OSError:  # it exists; reading it will report the error
            continue
    return paths


def _iterate_known_documents(folder: Path, manifest: Manifest) -> Iterator[Iterable[tuple[str, str]]]:
    """Yield the sources and hashes of a collection's documents, part by part."""
    for table in Collection(folder, manifest).stored("source", "source_hash"):
        yield table.iter_rows()


def _decide_ids(folder: Path, manifest: Manifest, ledger: Ledger) -> Ids:
    """Return whether the ids of a complete collection are names or paths."""
    if manifest.ids is not None:
        return manifest.ids
    if ledger.names_differ:
        return "name"
    with Ledger(ids=None) as ingested:  # without the documents that were refused
        for documents in _iterate_known_documents(folder, manifest):
            ingested.add_known(documents)
            if not ingested.names_differ:
                return "path"
    return "name"


class _NewDocuments:
    """Divides new documents into batches, and counts those that the collection contains already."""

    def __init__(
        self, documents: Iterable[Member], ledger: Ledger, manifest: Manifest, *, strict: bool
    ) -> None:
        self._documents, self._ledger, self._strict = documents, ledger, strict
        self._number = manifest.next_part
        self.already_there = 0
        self.refused: list[InputError] = []

    def batches(self) -> Iterator[SourceBatch]:
        """Yield batches of about ``BATCH_BYTES``."""
        members: list[Member] = []
        size = 0
        for member in filter(self._is_wanted, self._documents):
            members.append(member)
            size += member.size
            if size >= BATCH_BYTES:
                yield self._batch(members)
                members, size = [], 0
        if members:
            yield self._batch(members)

    def _is_wanted(self, member: Member) -> bool:
        if member.refusal is not None:
            return True  # reading it will report the error
        try:
            is_new = self._ledger.is_new(member)
        except InputError as error:
            if self._strict:
                raise
            self.refused.append(error)
            return False
        self.already_there += not is_new
        return is_new

    def _batch(self, members: list[Member]) -> SourceBatch:
        self._number += 1
        return SourceBatch(self._number - 1, tuple(members))


@dataclass(frozen=True)
class SourceBatch:
    """The documents of one part, with the part's number."""

    number: int
    members: tuple[Member, ...]

    def __str__(self) -> str:
        return f"{self.members[0].display} to {self.members[-1].display}"


@dataclass(frozen=True)
class StoredBatch:
    """The part written for a batch, if any of its documents could be read, and the errors of the others."""

    part: PartSummary | None
    rules: Counter[str]
    refused: tuple[InputError, ...]
    source_bytes: int
    losses: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParsedBatch:
    """The parsed documents of a batch, before their columns are computed and written."""

    number: int
    rows: list[DocumentRow]
    columns: NodeColumns
    refused: tuple[InputError, ...]
    source_bytes: int


def parse_batch(batch: SourceBatch, *, declared: Declarations, strict: bool) -> ParsedBatch:
    """Parse the documents of one batch."""
    columns = NodeColumns()
    readers = SourceReaders(columns, declared)
    rows: list[DocumentRow] = []
    refused: list[InputError] = []
    source_bytes = 0
    with _pause_garbage_collection():
        for member in batch.members:
            try:
                data = member.read()
                source_bytes += len(data)
                rule, text = readers.add(member, data)
            except InputError as error:
                if strict:
                    raise
                refused.append(error)
                continue
            rows.append(DocumentRow(member.name, compute_digest(data), text, rule, len(data)))
    return ParsedBatch(batch.number, rows, columns, tuple(refused), source_bytes)


def store_batch(parsed: ParsedBatch, *, folder: Path) -> StoredBatch:
    """Write the documents of one batch as a part."""
    # a new name each time: if a worker dies here, the worker that repeats its task writes elsewhere
    place = folder / make_scratch_name(parsed.number)
    part = _write_batch(place, parsed.rows, parsed.columns) if parsed.rows else None
    rules = Counter(row.rule for row in parsed.rows)
    losses = tuple(parsed.columns.losses)
    return StoredBatch(part, rules, parsed.refused, parsed.source_bytes, losses)


@contextlib.contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause garbage collection: there are no cycles, and scanning a million strings would triple the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _write_batch(folder: Path, rows: list[DocumentRow], columns: NodeColumns) -> PartSummary:
    try:
        return write_part(folder, rows, columns.finish())
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        shutil.rmtree(folder, ignore_errors=True)
        reason = explain_os_error(error) if isinstance(error, OSError) else str(error)
        raise CollectionError(f"{folder}: cannot be written: {reason}") from error
