"""Index batches of documents as segments, in parallel, and merge them into one index.

An index of the engine has one writer, but it is a folder of independent segments and a list of them,
``meta.json``.  So several processes or machines write batches of documents as small indexes, whose
segments are then moved into one folder and whose lists are merged.  Extracting the texts is a ninth of the
work, writing the index the rest: parallel extraction with a single writer would save almost nothing.

Scores do not depend on how documents are divided: the engine counts words and lengths over all segments.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.errors import CollectionError
from doxel.search.cutting import cut
from doxel.search.engine import ELEMENT, TEXT, Words, engine, new_index, reopen
from doxel.search.shelves import SHELVES, Shelf, shelf_of
from doxel.spans import Floats, Ints
from doxel.topics.nexi.query_parser import NUMBER_PATTERN

__all__ = ["Batch", "Indexed", "batches", "index_batch", "put_together"]

_BATCH = 4_000_000  # characters: about a second of work
_HEAP = 30_000_000  # bytes: enough for the largest shelf of a batch to become one segment
_MOST_DIGITS = 400  # characters, including white space, of the longest number
_NUMBER = re.compile(NUMBER_PATTERN)
_LIST, _FILES = "meta.json", ".managed.json"


@dataclass(frozen=True)
class Batch:
    """Documents that are indexed together: rows ``first`` to ``end`` (exclusive) of the collection."""

    first: int
    end: int
    names: str

    def __str__(self) -> str:
        return self.names


@dataclass(frozen=True)
class Indexed:
    """An indexed batch: its folder, its size, and the elements whose text is a number."""

    folder: str
    elements: int
    characters: int
    numbers: Ints
    values: Floats


def batches(collection: Collection) -> Iterator[Batch]:
    """Yield batches of all documents: the parts of the collection, with small parts combined."""
    names = collection.documents["doc"]
    first = end = characters = 0
    for part in collection.manifest.parts:
        end += part.documents
        characters += part.characters
        if characters >= _BATCH:
            yield _batch(names, first, end)
            first, characters = end, 0
    if end > first:
        yield _batch(names, first, end)


def _batch(names: pl.Series, first: int, end: int) -> Batch:
    return Batch(first, end, f"documents {names[first]} to {names[end - 1]}")


def index_batch(collection: Collection, stem: str, folder: Path, batch: Batch) -> Indexed:
    """Index the elements of a batch, each on its shelf, in a new folder."""
    # a random name: if a worker dies and the batch is repeated, the second one writes to another folder
    batch_folder = folder / f"batch-{batch.first}.{secrets.token_hex(4)}"
    batch_folder.mkdir()
    shelf_texts: dict[Shelf, list[tuple[int, str]]] = {}
    numbers: list[tuple[int, float]] = []
    for element, size, text in cut(collection, np.arange(batch.first, batch.end)):
        shelf_texts.setdefault(shelf_of(size), []).append((element, text))
        if len(text) < _MOST_DIGITS and _NUMBER.fullmatch(text.strip()):
            numbers.append((element, float(text)))
    words = Words(stem)
    for shelf, texts in shelf_texts.items():
        _write(batch_folder / shelf.name, words, texts)
    return Indexed(
        batch_folder.name,
        elements=sum(map(len, shelf_texts.values())),
        characters=int(collection.documents["characters"][batch.first : batch.end].cast(pl.Int64).sum()),
        numbers=np.array([element for element, _ in numbers], dtype=np.int64),
        values=np.array([value for _, value in numbers]),
    )


def _write(folder: Path, words: Words, texts: Sequence[tuple[int, str]]) -> None:
    folder.mkdir()
    document = engine().Document
    writer = new_index(folder, words).writer(_HEAP, 1)  # one thread, because there are several processes
    for element, text in texts:
        entry = document()
        entry.add_text(TEXT, text)
        entry.add_unsigned(ELEMENT, element)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()


def put_together(folder: Path, done: Sequence[Indexed], stem: str) -> None:
    """Merge the indexed batches into one index per shelf, and remove their folders."""
    words = Words(stem)
    for shelf in SHELVES:
        target = folder / shelf.name
        target.mkdir()
        new_index(target, words)
        _gather(target, [folder / indexed.folder / shelf.name for indexed in done])
    for batch_folder in folder.glob("batch-*"):  # including those of workers that died
        shutil.rmtree(batch_folder)


def _gather(target: Path, sources: Sequence[Path]) -> None:
    """Move the segments of small indexes into an empty one."""
    merged = _read(target)
    files = [_LIST]
    for source in filter(Path.is_dir, sources):
        meta = _read(source)
        if meta["schema"] != merged["schema"]:
            raise CollectionError(f"{source}: not made by the same version of the search engine")
        merged["segments"] += meta["segments"]
        merged["opstamp"] = max(merged["opstamp"], meta["opstamp"])
        for file in source.iterdir():
            if file.name != _LIST and not file.name.startswith("."):
                file.rename(target / file.name)
                files.append(file.name)
    (target / _FILES).write_text(json.dumps(files), "utf-8")
    (target / _LIST).write_text(json.dumps(merged), "utf-8")
    expected = sum(segment["max_doc"] for segment in merged["segments"])
    actual = reopen(target)[0].num_docs
    if actual != expected:
        raise CollectionError(f"{target}: wanted {expected:,} elements after merging, found {actual:,}")


def _read(folder: Path) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((folder / _LIST).read_text("utf-8"))
    return meta
