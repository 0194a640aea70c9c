"""Count the words of documents: runs of non-space characters, split at the borders of text nodes."""

from __future__ import annotations

import numpy as np

from doxel.documents import Collection
from doxel.evaluation.tokens import is_solid
from doxel.recallbases import ElementBase
from doxel.spans import Ints

__all__ = ["WordCounts"]


class WordCounts:
    """Counts the words before any position in the documents of an element base."""

    def __init__(self, base: ElementBase, collection: Collection, numbers: Ints) -> None:
        starts = [
            _word_starts(collection, int(number), base, document) for document, number in enumerate(numbers)
        ]
        self._stride = 2 + int(base.forest.end.max(initial=0))
        line = [document * self._stride + places for document, places in enumerate(starts)]
        self._line = np.concatenate(line) if line else np.zeros(0, dtype=np.int64)

    def before(self, document: Ints, position: Ints) -> Ints:
        """Count the words, over all documents in order, that start before a position of a document."""
        return np.searchsorted(self._line, document * self._stride + position)


def _word_starts(collection: Collection, number: int, base: ElementBase, document: int) -> Ints:
    solid = is_solid(collection.text(number))
    begins = np.zeros(len(solid) + 1, dtype=bool)
    rows = slice(base.forest.first[document], base.forest.first[document + 1])
    begins[base.forest.start[rows]] = begins[base.forest.end[rows]] = True
    begins[collection.breaks(number)["position"].to_numpy()] = True
    after_space = np.concatenate([[True], ~solid])[:-1]
    return np.flatnonzero(solid & (after_space | begins[:-1]))
