"""An open search index: the elements of a collection as trees, and the scores of words in them.

``open_index`` builds the index first if it is missing, outdated or damaged.  The engine maps files into
memory and reads them without checks, so all files are compared with their checksums before it opens them.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import Collection, Forest, read_collection
from doxel.documents.tree_arrays import iterate_levels
from doxel.errors import CollectionError
from doxel.files.checksums import compute_seal, find_damaged_content, parse_checksums
from doxel.search.index_building import (
    INDEX_FORMAT,
    NUMBERS_FILE,
    SUMMARY_FILE,
    build_index,
    find_index_folder,
)
from doxel.search.search_engine import (
    SHELVES,
    TEXT_FIELD,
    WordStemmer,
    compute_idf,
    find_hits,
    open_engine_index,
)
from doxel.spans import Floats, Ints
from doxel.topics.nexi.query_matching import ElementShape

__all__ = ["SearchIndex", "open_index", "verify_indexes"]


_UNREADABLE = (ValueError, OSError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError)


@dataclass(frozen=True)
class ShelfReader:
    """One open shelf; ``counts``: its elements count in the weights of words."""

    searcher: Any
    schema: Any
    counts: bool

    @cached_property
    def size(self) -> int:
        """The number of elements on the shelf."""
        return int(self.searcher.num_docs)

    def count_matches(self, word: str) -> int:
        """Return the number of elements that contain a word."""
        return int(self.searcher.doc_freq(TEXT_FIELD, word))


@dataclass(frozen=True)
class SearchIndex:
    """The search index of a collection.

    Rows are the rows of ``forest``, which contains all documents in the order of the collection.
    ``values`` are the numbers of elements whose text is a number, otherwise NaN.  ``notes`` are sentences
    about building the index.
    """

    collection: Collection
    stem: str
    shelves: tuple[ShelfReader, ...]
    forest: Forest
    values: Floats
    notes: tuple[str, ...] = ()

    @cached_property
    def words(self) -> WordStemmer:
        """The word analyser that was used for the index."""
        return WordStemmer(self.stem)

    @cached_property
    def numbers(self) -> Ints:
        """The numbers of all documents."""
        return np.arange(len(self.collection))

    @cached_property
    def documents(self) -> pl.Series:
        """The ids of all documents."""
        return self.collection.documents["doc"]

    @cached_property
    def size(self) -> Ints:
        """The number of characters of each element."""
        return self.forest.end - self.forest.start

    @cached_property
    def shape(self) -> ElementShape:
        """The elements as trees."""
        return ElementShape(self.forest)

    @cached_property
    def _levels(self) -> list[Ints]:
        return [rows for rows in iterate_levels(self.forest.depth) if len(rows)]

    def load(self) -> SearchIndex:
        """Compute the data that all queries need, so that the first query is not slower."""
        self.best_inside(np.zeros(len(self.forest)))
        _ = self.size, self.words, self.documents, self.forest.name, self.forest.document
        return self

    def best_inside(self, values: Floats) -> Floats:
        """Return for each element the highest value of its descendants, at least 0."""
        best = np.zeros(len(values))
        for rows in reversed(self._levels[1:]):
            np.maximum.at(best, self.forest.parent[rows], np.maximum(values[rows], best[rows]))
        return best

    def best_around(self, values: Floats) -> Floats:
        """Return for each element the highest value of its ancestors, at least 0."""
        best = np.zeros(len(values))
        for rows in self._levels[1:]:
            above = self.forest.parent[rows]
            best[rows] = np.maximum(values[above], best[above])
        return best

    def best_child(self, values: Floats) -> Floats:
        """Return for each element the highest value of its children, at least 0."""
        best = np.zeros(len(values))
        inner = np.flatnonzero(self.forest.parent >= 0)
        np.maximum.at(best, self.forest.parent[inner], values[inner])
        return best

    def weight(self, words: Sequence[str]) -> float:
        """Return the weight of a word or of the words of a phrase: higher for rare words.

        Only elements of a size that a search returns are counted; otherwise small elements such as author
        names would make every other word look rare.
        """
        shelves = [shelf for shelf in self.shelves if shelf.counts]
        total = sum(shelf.size for shelf in shelves)
        return sum(compute_idf(total, sum(shelf.count_matches(word) for shelf in shelves)) for word in words)

    def hits(self, words: tuple[str, ...]) -> tuple[Ints, Floats]:
        """Return the elements that contain a word, or several words as a phrase, and their BM25 scores.

        Lengths are compared within a shelf; the weights of words are the same for all shelves.
        """
        weight = self.weight(words)
        rows, scores = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for shelf in self.shelves:
            shelf_rows, shelf_scores = find_hits(shelf.searcher, shelf.schema, words)
            if len(shelf_rows):
                shelf_weight = sum(compute_idf(shelf.size, shelf.count_matches(word)) for word in words)
                rows.append(shelf_rows)
                scores.append(shelf_scores * (weight / shelf_weight))
        return np.concatenate(rows), np.concatenate(scores)


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
    WordStemmer(stem)  # raises the errors of an unknown language and of a missing engine first
    folder = find_index_folder(open_collection, stem)
    reason = _find_reason_to_build(open_collection, folder, stem)
    if reason is None:
        try:
            return _open_files(open_collection, folder, stem, ())
        except _UNREADABLE as error:
            reason = f"its search index cannot be read ({str(error).splitlines()[0]})"
    if not may_build:
        raise CollectionError(f"{open_collection.folder}: {reason}, and building one is not allowed")
    shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    build_index(open_collection, stem, jobs=jobs, cluster=cluster, progress=progress)
    seconds = time.monotonic() - start
    note = f"{open_collection.folder}: {reason}; built a new one in {seconds:.1f} s"
    return _open_files(open_collection, folder, stem, (note,))


def _find_reason_to_build(collection: Collection, folder: Path, stem: str) -> str | None:
    if (folder / SUMMARY_FILE).exists():
        return None
    if any(collection.folder.glob(f"search-{stem}-*")):
        return "its search index is from an earlier state of the collection"
    stems = sorted(path.name.split("-")[1] for path in collection.folder.glob("search-*-*"))
    if stems:
        return f"its search index has another stemming ({', '.join(stems)}, not {stem})"
    return "it has no search index yet"


def _open_files(collection: Collection, folder: Path, stem: str, notes: tuple[str, ...]) -> SearchIndex:
    summary = _read_summary(folder)
    damage = next(_find_damaged_files(folder, summary), None)
    if damage is not None:
        raise ValueError(damage)
    # the smallest elements contain names and numbers rather than sentences
    shelves = tuple(_open_shelf(folder / shelf.name, counts=shelf.smallest > 1) for shelf in SHELVES)
    if sum(shelf.size for shelf in shelves) != summary["elements"]:
        raise ValueError("elements are missing")
    numbers = pl.read_parquet(folder / NUMBERS_FILE)
    forest = collection.forest(np.arange(len(collection)))
    if summary["format"] != INDEX_FORMAT:
        note = f"{collection.folder}: its search index carries no checksums, because doxel 1.x built it"
        notes = (*notes, note)
    values = np.full(len(forest), np.nan)
    values[numbers["element"].to_numpy()] = numbers["value"].to_numpy()
    return SearchIndex(collection, stem, shelves, forest, values, notes).load()


def _read_summary(folder: Path) -> dict[str, Any]:
    """Return the metadata of an index; raise ``ValueError`` if they are damaged or of another format."""
    summary: dict[str, Any] = json.loads((folder / SUMMARY_FILE).read_text("utf-8"))
    if summary["format"] not in (1, INDEX_FORMAT):
        raise ValueError(f"wanted format {INDEX_FORMAT}, found {summary['format']}")
    if summary["format"] == INDEX_FORMAT and summary.pop("checksum") != compute_seal(summary):
        raise ValueError(f"{SUMMARY_FILE} changed since it was written")
    return summary


def verify_indexes(collection_folder: str | Path) -> list[str]:
    """Return a sentence per damaged file of the search indexes of a collection."""
    problems: list[str] = []
    for folder in sorted(Path(collection_folder).glob("search-*")):
        try:
            damage = list(_find_damaged_files(folder, _read_summary(folder)))
        except _UNREADABLE as error:
            damage = [f"{SUMMARY_FILE} cannot be read ({str(error).splitlines()[0]})"]
        problems += [f"{folder}: {problem}; the next search builds a new index" for problem in damage]
    return problems


def _find_damaged_files(folder: Path, summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield the damage of each file of an index; one that doxel 1.x made has no checksums."""
    for name, checksum in parse_checksums(summary.get("files", {})).items():
        damage = find_damaged_content(folder / name, checksum)
        if damage is not None:
            yield f"{name} changed since it was written: {damage}"


def _open_shelf(folder: Path, *, counts: bool) -> ShelfReader:
    searcher, schema = open_engine_index(folder)
    return ShelfReader(searcher, schema, counts)
