"""Words of documents: runs of non-space characters, each text node split on its own (section 6)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxel.documents import Collection
from doxel.recallbases import ElementBase
from doxel.spans import Ints

__all__ = ["WordCounts"]


class WordCounts:
    """Counts words before any position of the documents of an element base."""

    def __init__(self, base: ElementBase, collection: Collection, numbers: Ints) -> None:
        starts = [
            _word_starts(collection, int(number), base, document) for document, number in enumerate(numbers)
        ]
        self._stride = 2 + int(base.forest.end.max(initial=0))
        line = [document * self._stride + places for document, places in enumerate(starts)]
        self._line = np.concatenate(line) if line else np.zeros(0, dtype=np.int64)

    def before(self, document: Ints, position: Ints) -> Ints:
        """Return how many words of all documents begin before a position of a document."""
        return np.searchsorted(self._line, document * self._stride + position)


def _word_starts(collection: Collection, number: int, base: ElementBase, document: int) -> Ints:
    text = np.frombuffer(collection.text(number).encode("utf-32-le"), dtype=np.uint32)
    begins = np.zeros(len(text) + 1, dtype=bool)
    rows = slice(base.forest.first[document], base.forest.first[document + 1])
    begins[base.forest.start[rows]] = begins[base.forest.end[rows]] = True
    begins[collection.breaks(number)["position"].to_numpy()] = True
    solid = ~_is_space(text)
    after_space = np.append(True, ~solid[:-1]) if len(solid) else solid
    return np.flatnonzero(solid & (after_space | begins[:-1]))


def _is_space(text: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    codes, place = np.unique(text, return_inverse=True)
    blank = np.array([chr(code).isspace() for code in codes.tolist()], dtype=bool)
    return blank[place] if len(codes) else np.zeros(0, dtype=bool)
