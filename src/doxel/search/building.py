"""Build the search index of a collection: batch by batch, locally or on a cluster, atomically."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel._version import __version__
from doxel.documents import Collection
from doxel.errors import CollectionError
from doxel.executors import run_items
from doxel.files import explain_os_error
from doxel.search.engine import engine
from doxel.search.segments import Indexed, batches, index_batch, put_together

__all__ = ["FORMAT", "NUMBERS", "SUMMARY", "Summary", "build", "index_folder", "state_of"]

FORMAT = 1
SUMMARY, NUMBERS = "index.json", "numbers.parquet"
_FEW = 3_000_000  # characters; for fewer, starting processes takes longer than it saves
_TRIES, _PAUSE = 100, 0.1  # seconds between tries; in total longer than a batch takes


@dataclass(frozen=True)
class Summary:
    """The metadata of an index."""

    state: str
    stem: str
    elements: int
    fingerprint: str
    format: int = FORMAT
    engine: str = ""
    written_by: str = __version__


def state_of(collection: Collection) -> str:
    """Return a digest of everything an index depends on: the documents, their sources, and their order."""
    table = collection.documents.select("source", "source_hash", "rule", "text_hash", "elements")
    lines = table.select(pl.concat_str(pl.all().cast(pl.String).fill_null(""), separator="\t")).to_series()
    digest = hashlib.sha256(collection.fingerprint.encode())
    digest.update("\n".join(lines).encode())
    return digest.hexdigest()[:16]


def index_folder(collection: Collection, stem: str) -> Path:
    """Return the folder of the index for the current state of a collection."""
    return collection.folder / f"search-{stem}-{state_of(collection)}"


def build(
    collection: Collection,
    stem: str,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Build the index of a collection beside its parts, unless another process has built it meanwhile.

    The folder gets its name when the index is complete; indexes of earlier states are then removed.
    ``jobs`` is the number of processes; ``cluster`` is the address of a Dask scheduler whose workers build
    the index instead.  ``progress`` is called after each batch with its number of elements and of
    characters.
    """
    engine()
    target = index_folder(collection, stem)
    with _held(collection.folder):
        if not (target / SUMMARY).exists():
            _remove(collection.folder, f".search-{stem}-*")
            # an absolute path, because workers have other working directories
            scratch = Path(tempfile.mkdtemp(dir=collection.folder.absolute(), prefix=f".{target.name}."))
            try:
                _fill(scratch, collection, stem, jobs, cluster, progress)
                shutil.rmtree(target, ignore_errors=True)
                scratch.chmod(0o777 & ~_umask())
                scratch.rename(target)
            finally:
                _clear(scratch)
        _remove(collection.folder, f"search-{stem}-*", but=target)
    return target


def _fill(
    folder: Path,
    collection: Collection,
    stem: str,
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    characters = sum(part.characters for part in collection.manifest.parts)
    jobs = 1 if jobs is None and characters < _FEW else jobs
    indexed_batches: list[Indexed] = []
    index = partial(index_batch, collection, stem, folder)
    for indexed in run_items(index, batches(collection), jobs=jobs, cluster=cluster):
        indexed_batches.append(indexed)
        if progress is not None:
            progress(indexed.elements, indexed.characters)
    put_together(folder, indexed_batches, stem)
    numbers = {
        "element": np.concatenate([indexed.numbers for indexed in indexed_batches]),
        "value": np.concatenate([indexed.values for indexed in indexed_batches]),
    }
    table = pl.DataFrame(numbers).sort("element")
    table.write_parquet(folder / NUMBERS, compression="zstd", statistics=False)
    summary = Summary(
        state=state_of(collection),
        stem=stem,
        elements=sum(indexed.elements for indexed in indexed_batches),
        fingerprint=collection.fingerprint,
        engine=str(engine().__version__),
    )
    (folder / SUMMARY).write_text(json.dumps(asdict(summary), indent=1) + "\n", "utf-8")


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the lock for building: other processes wait, and then find the finished index."""
    try:
        stream: Any = (folder / ".search.lock").open("w")
    except OSError as error:
        raise CollectionError(
            f"{folder}: the search index cannot be written: {explain_os_error(error)}"
        ) from error
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            yield
        except OSError as error:
            raise CollectionError(
                f"{folder}: the search index cannot be written: {explain_os_error(error)}"
            ) from error


def _remove(folder: Path, pattern: str, but: Path | None = None) -> None:
    for path in folder.glob(pattern):
        if path != but:
            shutil.rmtree(path, ignore_errors=True)


def _clear(scratch: Path) -> None:
    """Remove an unfinished index; after a failure, workers may continue to write into it for a moment."""
    for _ in range(_TRIES):
        shutil.rmtree(scratch, ignore_errors=True)
        if not scratch.exists():
            return
        time.sleep(_PAUSE)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
