"""Results of a run found among the elements of the judged pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.quantisation import Quantisation
from doxel.recallbases.elements import ElementBase
from doxel.spans import Booleans, Floats, Ints

__all__ = ["Located"]


@dataclass(frozen=True)
class Located:
    """A ranked list over an element base.

    ``document`` is the document of each result in the base, -1 where the pair holds nothing;
    ``row`` the element, -1 for passages and for what lies outside the base.
    """

    ranked: Ranked
    base: ElementBase

    @cached_property
    def document(self) -> Ints:
        """The document of each result in the base, -1 for none."""
        return np.where(self.ranked.found, self.base.documents(self.ranked.document_pair), -1)

    @cached_property
    def row(self) -> Ints:
        """The element of each result in the base, -1 for none."""
        there = (self.document >= 0) & self.ranked.is_element
        return np.where(there, self.base.forest.first[self.document] + self.ranked.element, -1)

    def of_elements(self, values: Floats) -> Floats:
        """Return a value of elements for each result, 0 for what is no element of the base."""
        there = np.flatnonzero(self.row >= 0)
        found: Floats = np.zeros(len(self.row))
        found[there] = values[self.row[there]]
        return found

    def relevance(self, gain: Floats, quantisation: Quantisation) -> Floats:
        """Return q of each result: of its element, for a passage its highlighted share, 0 for repeats."""
        q = self.of_elements(gain)
        if quantisation.is_specificity:
            q = np.where(self.is_passage, self.share, q)
        return np.where(self.ranked.is_repeat, 0.0, q)

    @cached_property
    def is_passage(self) -> Booleans:
        """Whether a result was found and is no element."""
        return self.ranked.found & ~self.ranked.is_element

    @cached_property
    def share(self) -> Floats:
        """The highlighted share of each result."""
        size = self.ranked.size
        return np.divide(self.ranked.relevant, size, out=np.zeros(len(size)), where=size > 0)

    @cached_property
    def overlap(self) -> Floats:
        """How much of each result was seen before; an empty element wholly if an ancestor was returned."""
        size, new = self.ranked.size, self.ranked.seen.new_size
        share: Floats = np.divide(size - new, size, out=np.zeros(len(size)), where=size > 0)
        share[self._empty_below_earlier()] = 1.0
        return share

    def _empty_below_earlier(self) -> Ints:
        """Return the empty elements of which an ancestor stands at an earlier rank.

        A row of the base is of one document and topic, so that it names an element of the run's list.
        """
        parent = self.base.tree.parent
        results = np.flatnonzero((self.row >= 0) & (self.ranked.size == 0))
        first = np.full(len(parent) + 1, len(self.ranked), dtype=np.int64)  # where each row is returned first
        first[self.row[::-1]] = np.arange(len(self.ranked))[::-1]
        first[-1] = len(self.ranked)  # of what is no element of the base
        below = np.zeros(len(results), dtype=bool)
        above = parent[self.row[results]]
        while (above >= 0).any():
            below |= (above >= 0) & (first[above] < results)
            above = np.where(above >= 0, parent[above], -1)
        return results[below]
