"""Builds an index of a collection: shelf by shelf, in several processes, whole or not at all.

Elements of about the same size stand on one shelf, an index of the engine's own, so that BM25, whose
constants are fixed, compares the length of an element with the length of its like: a paragraph among
surnames would look endless, and an article hopeless.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel._version import __version__
from doxel.documents import Collection
from doxel.documents.trees import Ints
from doxel.errors import CollectionError
from doxel.executors import run
from doxel.files import explain_os_error
from doxel.search.cutting import element_texts
from doxel.search.engine import ELEMENT, TEXT, Floats, Words, engine, new_index
from doxel.topics.nexi.tokens import NUMBER

__all__ = ["FORMAT", "NUMBERS", "SHELVES", "SUMMARY", "Shelf", "Summary", "build", "index_folder", "state_of"]

FORMAT = 1
SUMMARY, NUMBERS = "index.json", "numbers.parquet"
_HEAP = 64_000_000
_MOST_DIGITS = 400  # characters, white space included, that may be a number
_FEW = 3_000_000  # characters for which starting processes takes longer than it saves
_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True)
class Shelf:
    """Elements of so many characters: from ``smallest`` to before ``largest``."""

    name: str
    smallest: int
    largest: int


SHELVES = tuple(
    Shelf(f"shelf-{number}", smallest, largest)
    for number, (smallest, largest) in enumerate(
        [(1, 50), (50, 400), (400, 3_200), (3_200, 25_600), (25_600, 2**62)], start=1
    )
)


@dataclass(frozen=True)
class Summary:
    """What an index says of itself."""

    state: str
    stem: str
    elements: int
    fingerprint: str
    format: int = FORMAT
    engine: str = ""
    written_by: str = __version__


def state_of(collection: Collection) -> str:
    """Return a digest of all that an index depends on: the documents, their sources, and their order."""
    table = collection.documents.select("source", "source_hash", "rule", "text_hash", "elements")
    lines = table.select(pl.concat_str(pl.all().cast(pl.String).fill_null(""), separator="\t")).to_series()
    digest = hashlib.sha256(collection.fingerprint.encode())
    digest.update("\n".join(lines).encode())
    return digest.hexdigest()[:16]


def index_folder(collection: Collection, stem: str) -> Path:
    """Return where the index of a collection is, as it now stands."""
    return collection.folder / f"search-{stem}-{state_of(collection)}"


def build(
    collection: Collection,
    stem: str,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Build the index of a collection beside its parts, unless someone has meanwhile done it.

    It appears under its name when it is complete, and takes the place of those of earlier states.
    ``progress`` is told of each shelf that is done: how many elements, and how many characters.
    """
    engine()
    target = index_folder(collection, stem)
    with _held(collection.folder):
        if not (target / SUMMARY).exists():
            _remove(collection.folder, f".search-{stem}-*")
            scratch = Path(tempfile.mkdtemp(dir=collection.folder, prefix=f".{target.name}."))
            try:
                _fill(scratch, collection, stem, jobs, progress)
                shutil.rmtree(target, ignore_errors=True)
                scratch.chmod(0o777 & ~_umask())
                scratch.rename(target)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        _remove(collection.folder, f"search-{stem}-*", but=target)
    return target


def _fill(
    folder: Path,
    collection: Collection,
    stem: str,
    jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    characters = int(collection.documents["characters"].cast(pl.Int64).sum())
    jobs = 1 if jobs is None and characters < _FEW else jobs
    fill = partial(_fill_shelf, collection, stem, folder)
    numbers, elements = [], 0
    for found, values, count, done in run(fill, SHELVES, jobs=jobs):
        numbers.append(pl.DataFrame({"element": found, "value": values}))
        elements += count
        if progress is not None:
            progress(count, done)
    pl.concat(numbers).sort("element").write_parquet(folder / NUMBERS, compression="zstd", statistics=False)
    summary = Summary(
        state=state_of(collection),
        stem=stem,
        elements=elements,
        fingerprint=collection.fingerprint,
        engine=str(engine().__version__),
    )
    (folder / SUMMARY).write_text(json.dumps(asdict(summary), indent=1) + "\n", "utf-8")


def _fill_shelf(
    collection: Collection, stem: str, folder: Path, shelf: Shelf
) -> tuple[Ints, Floats, int, int]:
    """Index a shelf; return the elements that are numbers, their values, and how much was done."""
    document = engine().Document
    path = folder / shelf.name
    path.mkdir()
    index = new_index(path, Words(stem))
    writer = index.writer(_HEAP, 1)  # in one thread: processes are what there are several of
    found: list[int] = []
    values: list[float] = []
    count = characters = 0
    for number, text in element_texts(collection, shelf.smallest, shelf.largest):
        entry = document()
        entry.add_text(TEXT, text)
        entry.add_unsigned(ELEMENT, number)
        writer.add_document(entry)
        count += 1
        characters += len(text)
        if len(text) < _MOST_DIGITS and _NUMBER.fullmatch(text.strip()):
            found.append(number)
            values.append(float(text))
    writer.commit()
    writer.wait_merging_threads()
    return np.array(found, dtype=np.int64), np.array(values), count, characters


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Let one process build at a time; others wait, and then find what it made."""
    try:
        stream: Any = (folder / ".search.lock").open("w")
    except OSError as error:
        raise CollectionError(
            f"{folder}: its search index cannot be written: {explain_os_error(error)}"
        ) from error
    with stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        try:
            yield
        except OSError as error:
            raise CollectionError(
                f"{folder}: its search index cannot be written: {explain_os_error(error)}"
            ) from error


def _remove(folder: Path, pattern: str, but: Path | None = None) -> None:
    for path in folder.glob(pattern):
        if path != but:
            shutil.rmtree(path, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
