"""Opens the index of a collection, and builds it first where there is none that fits."""

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
    """Open the index of a collection.

    An index that is missing, that is of an earlier state of the collection or that cannot be read is
    built anew, and the notes of what is returned say so; unless it may not be built.  ``jobs`` processes
    build it, None for all cores, if it pays; or the workers of a Dask scheduler, at the address ``cluster``.
    ``progress`` is told of each batch: how many elements, and how many characters of documents.

    Raises
    ------
    CollectionError
        Where it would have to be built and may not, or cannot.
    """
    opened = collection if isinstance(collection, Collection) else read_collection(collection)
    Words(stem)  # refuses unknown languages, and says if there is no engine, before anything is looked at
    folder = index_folder(opened, stem)
    reason = _reason_to_build(opened, folder, stem)
    notes: tuple[str, ...] = ()
    if reason is None:
        try:
            return _open(opened, folder, stem, notes)
        except (ValueError, OSError, KeyError, pl.exceptions.PolarsError) as error:
            reason = f"its search index cannot be read ({str(error).splitlines()[0]})"
    if not may_build:
        raise CollectionError(f"{opened.folder}: {reason}, and it was said not to build one")
    shutil.rmtree(folder, ignore_errors=True)
    began = time.monotonic()
    build(opened, stem, jobs=jobs, cluster=cluster, progress=progress)
    took = f"it was built in {time.monotonic() - began:.1f} s"
    return _open(opened, folder, stem, (f"{opened.folder}: {reason}: {took}",))


def _reason_to_build(collection: Collection, folder: Path, stem: str) -> str | None:
    if (folder / SUMMARY).exists():
        return None
    if any(collection.folder.glob(f"search-{stem}-*")):
        return "its search index is of an earlier state of the collection"
    others = sorted(path.name.split("-")[1] for path in collection.folder.glob("search-*-*"))
    if others:
        return f"its search index is for other words (stemming {', '.join(others)}, not {stem})"
    return "it has no search index yet"


def _open(collection: Collection, folder: Path, stem: str, notes: tuple[str, ...]) -> SearchIndex:
    summary = json.loads((folder / SUMMARY).read_text("utf-8"))
    if summary["format"] != FORMAT:
        raise ValueError(f"wanted format {FORMAT}, found {summary['format']}")
    # the smallest hold names and numbers more than sentences
    shelves = tuple(_reader(folder / one.name, counts=one.smallest > 1) for one in SHELVES)
    if sum(one.size for one in shelves) != summary["elements"]:
        raise ValueError("elements are missing")
    forest = collection.forest(np.arange(len(collection)))
    numbers = pl.read_parquet(folder / NUMBERS)
    values = np.full(len(forest), np.nan)
    values[numbers["element"].to_numpy()] = numbers["value"].to_numpy()
    return SearchIndex(collection, stem, shelves, forest, values, notes).load()


def _reader(folder: Path, *, counts: bool) -> Reader:
    searcher, schema = reopen(folder)
    return Reader(searcher, schema, counts)
