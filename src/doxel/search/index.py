"""An index that is open: the elements of a collection as trees, and what each word scores in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import Collection, Forest
from doxel.documents.trees import levels
from doxel.search.engine import TEXT, Words, idf, term_hits
from doxel.spans import Floats, Ints
from doxel.topics.nexi.shapes import ElementShape

__all__ = ["Reader", "SearchIndex"]


@dataclass(frozen=True)
class Reader:
    """One shelf as the engine opens it; ``counts`` is whether its elements count in the weights of words."""

    searcher: Any
    schema: Any
    counts: bool

    @cached_property
    def size(self) -> int:
        """How many elements it holds."""
        return int(self.searcher.num_docs)

    def found(self, word: str) -> int:
        """Return how many of its elements hold a word."""
        return int(self.searcher.doc_freq(TEXT, word))


@dataclass(frozen=True)
class SearchIndex:
    """A collection that can be searched.

    Rows are those of ``forest``, which holds all documents in the order of the collection.  ``values``
    are the numbers that elements are, NaN where they are none.  ``notes`` say what opening it took.
    """

    collection: Collection
    stem: str
    shelves: tuple[Reader, ...]
    forest: Forest
    values: Floats
    notes: tuple[str, ...] = ()

    @cached_property
    def words(self) -> Words:
        """What makes words of texts, as it was done for the index."""
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
        """How many characters each element has."""
        return self.forest.end - self.forest.start

    @cached_property
    def shape(self) -> ElementShape:
        """The elements as trees to walk in."""
        return ElementShape(self.forest)

    @cached_property
    def _levels(self) -> list[Ints]:
        return [rows for rows in levels(self.forest.depth) if len(rows)]

    def load(self) -> SearchIndex:
        """Derive what all queries need, so that the first one does not wait for it."""
        self.best_inside(np.zeros(len(self.forest)))
        _ = self.size, self.words, self.documents, self.forest.name, self.forest.document
        return self

    def best_inside(self, values: Floats) -> Floats:
        """Return for each element the highest value of its descendants, 0 where there is none above 0."""
        best = np.zeros(len(values))
        for rows in reversed(self._levels[1:]):
            np.maximum.at(best, self.forest.parent[rows], np.maximum(values[rows], best[rows]))
        return best

    def best_around(self, values: Floats) -> Floats:
        """Return for each element the highest value of its ancestors, 0 where there is none above 0."""
        best = np.zeros(len(values))
        for rows in self._levels[1:]:
            above = self.forest.parent[rows]
            best[rows] = np.maximum(values[above], best[above])
        return best

    def best_child(self, values: Floats) -> Floats:
        """Return for each element the highest value of its children, 0 where there is none above 0."""
        best = np.zeros(len(values))
        inner = np.flatnonzero(self.forest.parent >= 0)
        np.maximum.at(best, self.forest.parent[inner], values[inner])
        return best

    def weight(self, words: Sequence[str]) -> float:
        """Return the weight of a word, or the words of a phrase: the rarer, the higher.

        Counted are elements of a size that one would return; else the names of authors alone would
        make every other word look rare.
        """
        counting = [one for one in self.shelves if one.counts]
        total = sum(one.size for one in counting)
        return sum(idf(total, sum(one.found(word) for one in counting)) for word in words)

    def hits(self, words: tuple[str, ...]) -> tuple[Ints, Floats]:
        """Return the elements that hold a word, or several as a phrase, and the BM25 of each.

        Lengths are compared within a shelf; the weights of words are the same for all of them.
        """
        weight = self.weight(words)
        rows, scores = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for one in self.shelves:
            found, score = term_hits(one.searcher, one.schema, words)
            if len(found):
                own = sum(idf(one.size, one.found(word)) for word in words)
                rows.append(found)
                scores.append(score * (weight / own))
        return np.concatenate(rows), np.concatenate(scores)
