"""An open search index: the elements of a collection as trees, and the scores of words in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import Collection, Forest
from doxel.documents.tree_arrays import iterate_levels
from doxel.search.engine import TEXT, Words, idf, term_hits
from doxel.spans import Floats, Ints
from doxel.topics.nexi.query_matching import ElementShape

__all__ = ["Reader", "SearchIndex"]


@dataclass(frozen=True)
class Reader:
    """One open shelf; ``counts``: its elements count in the weights of words."""

    searcher: Any
    schema: Any
    counts: bool

    @cached_property
    def size(self) -> int:
        """The number of elements on the shelf."""
        return int(self.searcher.num_docs)

    def found(self, word: str) -> int:
        """Return the number of elements that contain a word."""
        return int(self.searcher.doc_freq(TEXT, word))


@dataclass(frozen=True)
class SearchIndex:
    """The search index of a collection.

    Rows are the rows of ``forest``, which contains all documents in the order of the collection.
    ``values`` are the numbers of elements whose text is a number, otherwise NaN.  ``notes`` are sentences
    about building the index.
    """

    collection: Collection
    stem: str
    shelves: tuple[Reader, ...]
    forest: Forest
    values: Floats
    notes: tuple[str, ...] = ()

    @cached_property
    def words(self) -> Words:
        """The word analyser that was used for the index."""
        return Words(self.stem)

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
        return sum(idf(total, sum(shelf.found(word) for shelf in shelves)) for word in words)

    def hits(self, words: tuple[str, ...]) -> tuple[Ints, Floats]:
        """Return the elements that contain a word, or several words as a phrase, and their BM25 scores.

        Lengths are compared within a shelf; the weights of words are the same for all shelves.
        """
        weight = self.weight(words)
        rows, scores = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for shelf in self.shelves:
            shelf_rows, shelf_scores = term_hits(shelf.searcher, shelf.schema, words)
            if len(shelf_rows):
                shelf_weight = sum(idf(shelf.size, shelf.found(word)) for word in words)
                rows.append(shelf_rows)
                scores.append(shelf_scores * (weight / shelf_weight))
        return np.concatenate(rows), np.concatenate(scores)
