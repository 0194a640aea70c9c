"""Batches of documents: the work of one process, from source files to a part on disk.

The work has two steps, so that one batch is parsed while the previous one is written.
"""

from __future__ import annotations

import contextlib
import gc
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from doxel.documents.columns import NodeColumns
from doxel.documents.identity import digest
from doxel.documents.kinds import Readers
from doxel.documents.parts import DocumentRow, PartSummary, write_part
from doxel.documents.workplace import scratch_name
from doxel.errors import CollectionError, InputError
from doxel.files import Member, explain_os_error
from doxel.markup import Declarations

__all__ = ["Batch", "Gathered", "Outcome", "gather", "store"]


@dataclass(frozen=True)
class Batch:
    """The documents of one part, with the part's number."""

    number: int
    members: tuple[Member, ...]

    def __str__(self) -> str:
        return f"{self.members[0].display} to {self.members[-1].display}"


@dataclass(frozen=True)
class Outcome:
    """The part written for a batch, if any of its documents could be read, and the errors of the others."""

    part: PartSummary | None
    rules: Counter[str]
    refused: tuple[InputError, ...]
    source_bytes: int


@dataclass(frozen=True)
class Gathered:
    """The parsed documents of a batch, before their columns are computed and written."""

    number: int
    rows: list[DocumentRow]
    columns: NodeColumns
    refused: tuple[InputError, ...]
    source_bytes: int


def gather(batch: Batch, *, declared: Declarations, strict: bool) -> Gathered:
    """Parse the documents of one batch."""
    columns = NodeColumns()
    readers = Readers(columns, declared)
    rows: list[DocumentRow] = []
    refused: list[InputError] = []
    source_bytes = 0
    with _without_garbage_collector():
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
            rows.append(DocumentRow(member.name, digest(data), text, rule))
    return Gathered(batch.number, rows, columns, tuple(refused), source_bytes)


def store(gathered: Gathered, *, folder: Path) -> Outcome:
    """Write the documents of one batch as a part."""
    # a new name each time: if a worker dies here, the worker that repeats its task writes elsewhere
    place = folder / scratch_name(gathered.number)
    part = _write(place, gathered.rows, gathered.columns) if gathered.rows else None
    rules = Counter(row.rule for row in gathered.rows)
    return Outcome(part, rules, gathered.refused, gathered.source_bytes)


@contextlib.contextmanager
def _without_garbage_collector() -> Iterator[None]:
    """Pause garbage collection: there are no cycles, and scanning a million strings would triple the time."""
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
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        shutil.rmtree(folder, ignore_errors=True)
        reason = explain_os_error(error) if isinstance(error, OSError) else str(error)
        raise CollectionError(f"{folder}: cannot be written: {reason}") from error
