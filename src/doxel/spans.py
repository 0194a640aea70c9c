"""Spans as arrays: merged, and how much of one set of them another covers.

A span is half-open, zero-based, and counts code points.  Spans that must not meet (of different
documents, or of different topics) carry different groups, any whole numbers.  For the arithmetic the
groups are laid out on one long line, one after the other with a gap between them, so that everything
is one sort and one binary search however many groups there are.

A span that ends where it starts, or earlier, or starts before 0, holds nothing: such a place is not
known, or empty, and is left out.  No text reaches beyond ``FURTHEST``: up to there the line is short enough
for any number of groups that memory can hold, beyond it numbers would run over.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["FURTHEST", "Booleans", "Coverage", "Floats", "Ints", "intersection", "merge", "runs_of", "sums"]

Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FURTHEST = 2**31 - 1


def merge(
    group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike, *, touching: bool = True
) -> tuple[Ints, Ints, Ints]:
    """Return the union of spans: groups, starts and ends, sorted, without overlap.

    Spans of one group that touch become one, unless ``touching`` is False.

    >>> [column.tolist() for column in merge([1, 0, 0, 0], [5, 4, 0, 8], [9, 6, 5, 8])]
    [[0, 1], [0, 5], [6, 9]]
    """
    groups, starts, ends = _whole(group), _whole(start), _whole(end)
    held = (ends > starts) & (starts >= 0)
    groups, starts, ends = groups[held], starts[held], ends[held]
    distinct, number = np.unique(groups, return_inverse=True)
    stride = int(ends.max(initial=0)) + 1
    line_start = number * stride + starts
    order = np.argsort(line_start, kind="stable")
    line_start, line_end = line_start[order], (number * stride + ends)[order]
    reached = np.maximum.accumulate(line_end)
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = line_start[1:] > reached[:-1] if touching else line_start[1:] >= reached[:-1]
    closes = np.ones(len(order), dtype=bool)
    closes[:-1] = opens[1:]
    owner = number[order][opens]
    return distinct[owner], line_start[opens] - owner * stride, reached[closes] - owner * stride


class Coverage:
    """What a set of spans covers, ready to be asked about many other spans.

    ``group``, ``start`` and ``end`` hold the union of the spans, as from :func:`merge`.

    >>> coverage = Coverage([0, 0, 7], [0, 10, 0], [5, 20, 3])
    >>> coverage.covered([0, 0, 7, 8], [3, 0, 2, 0], [12, 99, 9, 9]).tolist()
    [4, 15, 1, 0]
    """

    def __init__(self, group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> None:
        self.group, self.start, self.end = merge(group, start, end)
        self._distinct, number = np.unique(self.group, return_inverse=True)
        self._longest = int(self.end.max(initial=0))
        self._line_start = number * (self._longest + 1) + self.start
        self._before = np.concatenate([[0], np.cumsum(self.end - self.start)])

    def covered(self, group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> Ints:
        """Return how many characters of each span are covered.

        The spans may reach beyond what is covered, and may be of groups in which nothing is.
        """
        groups, starts, ends = _whole(group), _whole(start), _whole(end)
        if not len(self.start):
            return np.zeros(len(groups), dtype=np.int64)
        number, known = self.numbers(groups)
        counted = self._covered_before(number, ends) - self._covered_before(number, starts)
        return np.where(known & (ends > starts) & (starts >= 0), counted, 0)

    def total(self, group: npt.ArrayLike) -> Ints:
        """Return how many characters are covered in each group.

        >>> Coverage([0, 0], [0, 10], [5, 20]).total([0, 1]).tolist()
        [15, 0]
        """
        groups = _whole(group)
        return self.covered(groups, np.zeros_like(groups), np.full_like(groups, self._longest))

    def numbers(self, groups: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return the number of each group among those in which anything is covered, and whether it is one."""
        if not len(self._distinct):
            return np.zeros(len(groups), dtype=np.int64), np.zeros(len(groups), dtype=bool)
        number = np.minimum(np.searchsorted(self._distinct, groups), len(self._distinct) - 1)
        return number, self._distinct[number] == groups

    def _covered_before(self, number: Ints, position: Ints) -> Ints:
        """Return the covered characters of the whole line before a position of a group."""
        place = number * (self._longest + 1) + np.clip(position, 0, self._longest)
        spans = np.searchsorted(self._line_start, place, side="right")
        last = np.maximum(spans - 1, 0)
        within = np.minimum(place - self._line_start[last], self.end[last] - self.start[last])
        return np.where(spans > 0, self._before[last] + within, 0)


def intersection(
    cover: Coverage, group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike
) -> tuple[Ints, Ints, Ints]:
    """Return the covered pieces of spans: the number of the span, start and end of the piece.

    >>> cover = Coverage([0, 0], [0, 10], [5, 20])
    >>> [column.tolist() for column in intersection(cover, [0, 1, 0], [3, 0, 6], [12, 9, 9])]
    [[0, 0], [3, 10], [5, 12]]
    """
    groups, starts, ends = _whole(group), _whole(start), _whole(end)
    number, known = cover.numbers(groups)
    stride = 1 + int(max(cover.end.max(initial=0), ends.max(initial=0)))
    line, base = cover.numbers(cover.group)[0] * stride, number * stride
    begin = np.searchsorted(line + cover.end, base + starts, side="right")
    stop = np.searchsorted(line + cover.start, base + ends)
    count = np.where(known & (ends > starts) & (starts >= 0), np.maximum(stop - begin, 0), 0)
    piece, span = runs_of(begin, count), np.repeat(np.arange(len(groups)), count)
    return span, np.maximum(cover.start[piece], starts[span]), np.minimum(cover.end[piece], ends[span])


def sums(group: npt.ArrayLike, values: npt.ArrayLike, groups: int) -> npt.NDArray[np.float64]:
    """Return the sum of values in each of the groups 0, 1, ...

    >>> sums([0, 2, 2], [1, 2, 3], 3).tolist()
    [1.0, 0.0, 5.0]
    """
    found = np.bincount(_whole(group), weights=np.asarray(values, dtype=np.float64), minlength=groups)
    return np.asarray(found, dtype=np.float64)


def runs_of(begin: Ints, count: Ints) -> Ints:
    """Return the numbers of several runs of consecutive numbers, one run after the other.

    >>> runs_of(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(count)
    shift: Ints = np.repeat(begin - (ends - count), count)
    return np.arange(len(shift)) + shift


def _whole(values: npt.ArrayLike) -> Ints:
    return np.asarray(values, dtype=np.int64)
