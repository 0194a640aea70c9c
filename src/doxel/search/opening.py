"""Open the index of a collection, and build it first if it is missing or outdated."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from doxel.documents import Collection, read_collection
from doxel.errors import CollectionError
from doxel.search.building import FORMAT, NUMBERS, SUMMARY, build, index_folder
from doxel.search.engine import Words, reopen
from doxel.search.index import Reader, SearchIndex
from doxel.search.shelves import SHELVES

__all__ = ["open_index"]


def open_index(
    collection: Collection | str | Path,
    *,
    stem: str = "english",
    may_build: bool = True,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SearchIndex:
    """Open the index of a collection, and build it if necessary.

    An index that is missing, outdated or unreadable is built, with a note, unless ``may_build`` is false.
    ``jobs`` is the number of processes, None for all cores if the collection is large enough; ``cluster``
    is the address of a Dask scheduler whose workers build the index instead.  ``progress`` is called after
    each batch with its number of elements and of characters.

    Raises
    ------
    CollectionError
        If the index must be built and ``may_build`` is false, or if it cannot be built.
    """
    open_collection = collection if isinstance(collection, Collection) else read_collection(collection)
    Words(stem)  # raises the errors of an unknown language and of a missing engine first
    folder = index_folder(open_collection, stem)
    reason = _reason_to_build(open_collection, folder, stem)
    if reason is None:
        try:
            return _open(open_collection, folder, stem, ())
        except (ValueError, OSError, KeyError, pl.exceptions.PolarsError) as error:
            reason = f"its search index cannot be read ({str(error).splitlines()[0]})"
    if not may_build:
        raise CollectionError(f"{open_collection.folder}: {reason}, and building one is not allowed")
    shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    build(open_collection, stem, jobs=jobs, cluster=cluster, progress=progress)
    seconds = time.monotonic() - start
    note = f"{open_collection.folder}: {reason}; built a new one in {seconds:.1f} s"
    return _open(open_collection, folder, stem, (note,))


def _reason_to_build(collection: Collection, folder: Path, stem: str) -> str | None:
    if (folder / SUMMARY).exists():
        return None
    if any(collection.folder.glob(f"search-{stem}-*")):
        return "its search index is from an earlier state of the collection"
    others = sorted(path.name.split("-")[1] for path in collection.folder.glob("search-*-*"))
    if others:
        return f"its search index has another stemming ({', '.join(others)}, not {stem})"
    return "it has no search index yet"


def _open(collection: Collection, folder: Path, stem: str, notes: tuple[str, ...]) -> SearchIndex:
    summary = json.loads((folder / SUMMARY).read_text("utf-8"))
    if summary["format"] != FORMAT:
        raise ValueError(f"wanted format {FORMAT}, found {summary['format']}")
    # the smallest elements contain names and numbers rather than sentences
    shelves = tuple(_reader(folder / shelf.name, counts=shelf.smallest > 1) for shelf in SHELVES)
    if sum(shelf.size for shelf in shelves) != summary["elements"]:
        raise ValueError("elements are missing")
    forest = collection.forest(np.arange(len(collection)))
    numbers = pl.read_parquet(folder / NUMBERS)
    values = np.full(len(forest), np.nan)
    values[numbers["element"].to_numpy()] = numbers["value"].to_numpy()
    return SearchIndex(collection, stem, shelves, forest, values, notes).load()


def _reader(folder: Path, *, counts: bool) -> Reader:
    searcher, schema = reopen(folder)
    return Reader(searcher, schema, counts)
