"""Count highlighted characters inside spans, for many spans at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxel.spans import Ints

__all__ = ["Highlights"]


@dataclass(frozen=True)
class Highlights:
    """Highlights [start, end), each in one judged document, given by its number (``pair``).

    A character in two highlights counts twice, as in the tool.
    """

    pair: Ints
    start: Ints
    end: Ints

    def size(self, pair: Ints, start: Ints, end: Ints) -> Ints:
        """Return the highlighted characters of the spans [start, end).

        >>> marks = Highlights(np.array([0, 0, 1]), np.array([10, 50, 0]), np.array([20, 60, 5]))
        >>> marks.size(np.array([0, 1]), np.array([15, 0]), np.array([55, 100])).tolist()
        [10, 5]
        """
        return self.before(pair, np.maximum(start, end)) - self.before(pair, start)

    def before(self, pair: Ints, position: Ints) -> Ints:
        """Return the highlighted characters before a position of a document."""
        # distance to the starts minus distance to the ends: inside a highlight it grows by 1 per character
        return self._starts.passed(pair, position) - self._ends.passed(pair, position)

    def merged(self) -> Highlights:
        """Return the same characters in highlights that do not overlap."""
        order = np.lexsort((self.start, self.pair))
        pair, start, end = self.pair[order], self.start[order], self.end[order]
        stride = int(end.max(initial=0)) + 1
        reach = np.maximum.accumulate(pair * stride + end)
        first = np.ones(len(pair), dtype=np.bool_)
        first[1:] = (pair * stride + start)[1:] > reach[:-1]
        last = np.append(first[1:], True)[: len(pair)]
        return Highlights(pair[first], start[first], reach[last] - pair[last] * stride)

    @cached_property
    def _starts(self) -> _Borders:
        return _Borders.of(self.pair, self.start, self._stride)

    @cached_property
    def _ends(self) -> _Borders:
        return _Borders.of(self.pair, self.end, self._stride)

    @cached_property
    def _stride(self) -> int:
        return int(self.end.max(initial=0)) + 2


@dataclass(frozen=True)
class _Borders:
    """The starts, or the ends, of the highlights of all documents in one sorted array.

    Position x of document d is stored as ``d * stride + x``, so that one binary search serves all documents.
    """

    stride: int
    key: Ints
    total: Ints

    @classmethod
    def of(cls, pair: Ints, position: Ints, stride: int) -> _Borders:
        order = np.lexsort((position, pair))
        total = np.concatenate(([0], np.cumsum(position[order])))
        return cls(stride, (pair * stride + position)[order], total)

    def passed(self, pair: Ints, position: Ints) -> Ints:
        """Return the sum of the distances from the borders before a position to the position."""
        # after the last border both sums grow alike, so their difference is constant
        position = np.clip(position, 0, self.stride - 1)
        first = np.searchsorted(self.key, pair * self.stride)
        last = np.searchsorted(self.key, pair * self.stride + position)
        count: Ints = last - first
        return count * position - (self.total[last] - self.total[first])
