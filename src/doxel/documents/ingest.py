"""``doxel ingest``: read source documents into a collection on disk.

Documents are divided into batches of a few megabytes.  The process that handles a batch writes it as one
part, which exists from the moment the manifest lists it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from doxel import executors
from doxel.documents.batches import Batch, gather, store
from doxel.documents.collection import Collection
from doxel.documents.kinds import KINDS
from doxel.documents.ledger import Ledger
from doxel.documents.manifest import Ids, Manifest, write_manifest
from doxel.documents.sources import document_members
from doxel.documents.workplace import adopt_part, open_workplace
from doxel.errors import InputError
from doxel.files import Member, explain_os_error
from doxel.markup import declarations

__all__ = ["IngestReport", "ingest"]

BATCH_BYTES = 8_000_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class IngestReport:
    """The outcome of an ingestion: counts of what was added, and what was not added, with the reason.

    ``ignored`` counts files of other kinds by suffix, ``rules`` counts documents by text rule, and
    ``left_out`` counts the values in lines of JSON that are neither id nor text, by key.
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
    progress: Progress | None = None,
) -> IngestReport:
    """Read documents into a new or existing collection.

    Documents that the collection contains already are skipped, so an interrupted ingestion is completed by
    repeating it.  A document that cannot be read is reported and left out; with ``strict`` its error is
    raised.  ``jobs`` is the number of processes; with ``cluster``, the address of a Dask scheduler, its
    workers are used instead.  ``progress`` is called with the number of documents and source bytes of each
    part that was added.
    """
    began = time.monotonic()
    paths = _existing(sources)
    declared = declarations(dtd, entities)
    folder = Path(output)
    if cluster is not None:  # workers have other working directories
        paths, folder = [os.path.abspath(path) for path in paths], folder.absolute()  # noqa: PTH100
    ignored: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    with open_workplace(folder, ids) as before, Ledger(ids=before.ids) as ledger:
        manifest = before
        for documents in _known_documents(folder, manifest):
            ledger.add_known(documents)
        todo = _Todo(document_members(paths, ignored, left_out), ledger, manifest, strict=strict)
        parse = partial(gather, declared=declared, strict=strict)
        write = partial(store, folder=folder)
        refused: list[InputError] = []
        for outcome in executors.run_in_steps(parse, write, todo.batches(), jobs=jobs, cluster=cluster):
            refused.extend(outcome.refused)
            rules.update(outcome.rules)
            if outcome.part is not None:
                manifest = manifest.with_part(adopt_part(folder, outcome.part), outcome.rules)
                write_manifest(folder, manifest)
            if progress is not None:
                progress(outcome.part.documents if outcome.part else 0, outcome.source_bytes)
        refused.extend(todo.refused)
        if manifest.parts:
            write_manifest(folder, replace(manifest, ids=_ids(folder, manifest, ledger), complete=True))
        elif not refused:
            raise _no_documents(ignored)
    added = manifest.parts[len(before.parts) :]
    return IngestReport(
        documents=sum(part.documents for part in added),
        elements=sum(part.elements for part in added),
        characters=sum(part.characters for part in added),
        already_there=todo.already_there,
        seconds=time.monotonic() - began,
        refused=tuple(refused),
        ignored=dict(ignored),
        rules=dict(rules),
        left_out=dict(left_out),
    )


def _no_documents(ignored: Counter[str]) -> InputError:
    counts = ", ".join(f"{count:,} of {suffix}" for suffix, count in sorted(ignored.items()))
    wanted = f"files such as {', '.join(f'*{kind.suffixes[0]}' for kind in KINDS)} or *.jsonl"
    return InputError("no documents in the sources", wanted=wanted, found=counts or "no files")


def _existing(sources: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the sources as strings; a missing one is reported before any work is done."""
    several = [sources] if isinstance(sources, str | os.PathLike) else sources
    paths = [os.fspath(source) for source in several]
    for path in paths:
        try:
            os.stat(path)  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError) as error:
            raise InputError(f"cannot be read: {explain_os_error(error)}", file=path) from error
        except OSError:  # it exists; reading it will report the error
            continue
    return paths


def _known_documents(folder: Path, manifest: Manifest) -> Iterator[Iterable[tuple[str, str]]]:
    """Yield the sources and hashes of a collection's documents, part by part."""
    for table in Collection(folder, manifest).stored("source", "source_hash"):
        yield table.iter_rows()


def _ids(folder: Path, manifest: Manifest, ledger: Ledger) -> Ids:
    """Return whether the ids of a complete collection are names or paths."""
    if manifest.ids is not None:
        return manifest.ids
    if ledger.names_differ:
        return "name"
    with Ledger(ids=None) as ingested:  # without the documents that were refused
        for documents in _known_documents(folder, manifest):
            ingested.add_known(documents)
            if not ingested.names_differ:
                return "path"
    return "name"


class _Todo:
    """Divides new documents into batches, and counts those that the collection contains already."""

    def __init__(
        self, documents: Iterable[Member], ledger: Ledger, manifest: Manifest, *, strict: bool
    ) -> None:
        self._documents, self._ledger, self._strict = documents, ledger, strict
        self._number = manifest.next_part
        self.already_there = 0
        self.refused: list[InputError] = []

    def batches(self) -> Iterator[Batch]:
        """Yield batches of about ``BATCH_BYTES``."""
        waiting: list[Member] = []
        size = 0
        for member in filter(self._is_wanted, self._documents):
            waiting.append(member)
            size += member.size
            if size >= BATCH_BYTES:
                yield self._batch(waiting)
                waiting, size = [], 0
        if waiting:
            yield self._batch(waiting)

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

    def _batch(self, waiting: list[Member]) -> Batch:
        self._number += 1
        return Batch(self._number - 1, tuple(waiting))
