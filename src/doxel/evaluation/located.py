"""Match the results of a run with the elements of the judged documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.quantisation import Quantisation
from doxel.recallbases.element_base import ElementBase
from doxel.spans import Booleans, Floats, Ints

__all__ = ["Located"]


@dataclass(frozen=True)
class Located:
    """A ranked run with the position of its results in an element base.

    ``document`` is the document of each result in the base, -1 if its pair has no relevant text; ``row`` is
    the element, -1 for passages and for elements outside the base.
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
        is_located = (self.document >= 0) & self.ranked.is_element
        return np.where(is_located, self.base.forest.first[self.document] + self.ranked.element, -1)

    def of_elements(self, values: Floats) -> Floats:
        """Return one value per result from values of elements; 0 for results that are not in the base."""
        rows = np.flatnonzero(self.row >= 0)
        result_values: Floats = np.zeros(len(self.row))
        result_values[rows] = values[self.row[rows]]
        return result_values

    def relevance(self, gain: Floats, quantisation: Quantisation) -> Floats:
        """Return the relevance q of each result.

        This is the gain of an element, or the highlighted share of a passage; 0 for repeats.
        """
        q = self.of_elements(gain)
        if quantisation.is_specificity:
            q = np.where(self.is_passage, self.share, q)
        return np.where(self.ranked.is_repeat, 0.0, q)

    @cached_property
    def is_passage(self) -> Booleans:
        """Whether a result was found and is not an element."""
        return self.ranked.found & ~self.ranked.is_element

    @cached_property
    def share(self) -> Floats:
        """The highlighted share of each result."""
        size = self.ranked.size
        return np.divide(self.ranked.relevant, size, out=np.zeros(len(size)), where=size > 0)

    @cached_property
    def overlap(self) -> Floats:
        """The share of each result that was seen before; 1 for an empty element below an earlier result."""
        size, new = self.ranked.size, self.ranked.seen.new_size
        share: Floats = np.divide(size - new, size, out=np.zeros(len(size)), where=size > 0)
        share[self._empty_below_earlier()] = 1.0
        return share

    def _empty_below_earlier(self) -> Ints:
        """Return the empty elements with an ancestor at an earlier rank.

        A row of the base belongs to one document and topic, so it identifies an element of the run.
        """
        parent = self.base.tree.parent
        results = np.flatnonzero((self.row >= 0) & (self.ranked.size == 0))
        first = np.full(
            len(parent) + 1, len(self.ranked), dtype=np.int64
        )  # the first result that returns each row
        first[self.row[::-1]] = np.arange(len(self.ranked))[::-1]
        first[-1] = len(self.ranked)  # for results that are not in the base
        below = np.zeros(len(results), dtype=bool)
        above = parent[self.row[results]]
        while (above >= 0).any():
            below |= (above >= 0) & (first[above] < results)
            above = np.where(above >= 0, parent[above], -1)
        return results[below]
