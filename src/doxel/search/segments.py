"""Segments: what is indexed of some documents by whoever does it, and put together in one place.

An index of the engine has one writer, but it is a folder of segments that know nothing of one another, and
a list of them, ``meta.json``.  Batches of documents are therefore written by several processes or
machines as small indexes, whose segments then move into one folder and whose lists become one.  Cutting
documents into texts is a ninth of the work, writing them the rest: to cut in many places and to write in
one would save next to nothing.

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
from doxel.topics.nexi.tokens import NUMBER

__all__ = ["Batch", "Indexed", "batches", "index_batch", "put_together"]

_BATCH = 4_000_000  # characters: about a second
_HEAP = 30_000_000  # what a batch takes of the largest shelf, so that it becomes one segment
_MOST_DIGITS = 400  # characters, white space included, that may be a number
_NUMBER = re.compile(NUMBER)
_LIST, _FILES = "meta.json", ".managed.json"


@dataclass(frozen=True)
class Batch:
    """Documents that are indexed together: from ``first`` to before ``end``, in the collection's order."""

    first: int
    end: int
    names: str

    def __str__(self) -> str:
        return self.names


@dataclass(frozen=True)
class Indexed:
    """A batch that is indexed: where, how much it was, and which of its elements are numbers."""

    folder: str
    elements: int
    characters: int
    numbers: Ints
    values: Floats


def batches(collection: Collection) -> Iterator[Batch]:
    """Yield all documents: the parts of the collection, small ones together."""
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
    """Index the elements of a batch, each on its shelf, in a folder of their own."""
    # named here: should a worker die in the middle, whoever does it again writes somewhere else
    place = folder / f"batch-{batch.first}.{secrets.token_hex(4)}"
    place.mkdir()
    shelved: dict[Shelf, list[tuple[int, str]]] = {}
    found: list[tuple[int, float]] = []
    for element, size, text in cut(collection, np.arange(batch.first, batch.end)):
        shelved.setdefault(shelf_of(size), []).append((element, text))
        if len(text) < _MOST_DIGITS and _NUMBER.fullmatch(text.strip()):
            found.append((element, float(text)))
    words = Words(stem)
    for shelf, texts in shelved.items():
        _write(place / shelf.name, words, texts)
    return Indexed(
        place.name,
        elements=sum(map(len, shelved.values())),
        characters=int(collection.documents["characters"][batch.first : batch.end].cast(pl.Int64).sum()),
        numbers=np.array([element for element, _ in found], dtype=np.int64),
        values=np.array([value for _, value in found]),
    )


def _write(folder: Path, words: Words, texts: Sequence[tuple[int, str]]) -> None:
    folder.mkdir()
    document = engine().Document
    writer = new_index(folder, words).writer(_HEAP, 1)  # in one thread: there are several processes
    for element, text in texts:
        entry = document()
        entry.add_text(TEXT, text)
        entry.add_unsigned(ELEMENT, element)
        writer.add_document(entry)
    writer.commit()
    writer.wait_merging_threads()


def put_together(folder: Path, done: Sequence[Indexed], stem: str) -> None:
    """Make one index a shelf of all that was indexed, and remove what is left of the batches."""
    words = Words(stem)
    for shelf in SHELVES:
        target = folder / shelf.name
        target.mkdir()
        new_index(target, words)
        _gather(target, [folder / one.folder / shelf.name for one in done])
    for left in folder.glob("batch-*"):  # of workers that died, too
        shutil.rmtree(left)


def _gather(target: Path, sources: Sequence[Path]) -> None:
    """Move the segments of small indexes into one that is empty."""
    together = _read(target)
    files = [_LIST]
    for source in filter(Path.is_dir, sources):
        listed = _read(source)
        if listed["schema"] != together["schema"]:
            raise CollectionError(f"{source}: not made by the same version of the search engine")
        together["segments"] += listed["segments"]
        together["opstamp"] = max(together["opstamp"], listed["opstamp"])
        for file in source.iterdir():
            if file.name != _LIST and not file.name.startswith("."):
                file.rename(target / file.name)
                files.append(file.name)
    (target / _FILES).write_text(json.dumps(files), "utf-8")
    (target / _LIST).write_text(json.dumps(together), "utf-8")
    wanted = sum(one["max_doc"] for one in together["segments"])
    found = reopen(target)[0].num_docs
    if found != wanted:
        raise CollectionError(f"{target}: wanted {wanted:,} elements put together, found {found:,}")


def _read(folder: Path) -> dict[str, Any]:
    listed: dict[str, Any] = json.loads((folder / _LIST).read_text("utf-8"))
    return listed
