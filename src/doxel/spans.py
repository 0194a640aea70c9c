"""Spans of text as arrays: their union, and how much of them another set of spans covers.

A span is half-open, zero-based, and counts code points.  Spans of different documents or topics must
not overlap; they carry different group numbers, which can be any integers.  The arithmetic puts all
groups on one line, one after the other with a gap between them, so that one sort and one binary search
are enough for any number of groups.

A span that ends at or before its start, or starts before 0, is empty or has an unknown position, and is
left out.  No offset exceeds ``MAX_OFFSET``: with larger offsets the positions on the line could overflow.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

__all__ = [
    "MAX_OFFSET",
    "Booleans",
    "Coverage",
    "Floats",
    "Ints",
    "concatenate_ranges",
    "intersect_spans",
    "merge_spans",
    "sort_stably",
    "sort_with_rows",
    "sum_by_group",
]

Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MAX_OFFSET = 2**31 - 1
_SPANS_AT_ONCE = 1 << 16


def merge_spans(
    group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike, *, touching: bool = True
) -> tuple[Ints, Ints, Ints]:
    """Return the union of spans: groups, starts and ends, sorted, without overlap.

    Spans of one group that touch become one, unless ``touching`` is False.

    >>> [column.tolist() for column in merge_spans([1, 0, 0, 0], [5, 4, 0, 8], [9, 6, 5, 8])]
    [[0, 1], [0, 5], [6, 9]]
    """
    groups, starts, ends = _convert_to_ints(group), _convert_to_ints(start), _convert_to_ints(end)
    is_valid = (ends > starts) & (starts >= 0)
    groups, starts, ends = groups[is_valid], starts[is_valid], ends[is_valid]
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
    """The text that a set of spans covers, prepared for queries with many other spans.

    ``group``, ``start`` and ``end`` hold the union of the spans, as from :func:`merge_spans`.

    >>> coverage = Coverage([0, 0, 7], [0, 10, 0], [5, 20, 3])
    >>> coverage.covered([0, 0, 7, 8], [3, 0, 2, 0], [12, 99, 9, 9]).tolist()
    [4, 15, 1, 0]
    """

    def __init__(self, group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> None:
        self.group, self.start, self.end = merge_spans(group, start, end)
        self._distinct, number = np.unique(self.group, return_inverse=True)
        begins = np.searchsorted(number, np.arange(len(self._distinct) + 1))
        self._first, self._last = self.start[begins[:-1]], self.end[begins[1:] - 1]  # the text of each group
        self._longest = int(self.end.max(initial=0))
        self._line_start = number * (self._longest + 1) + self.start
        self._before = np.concatenate([[0], np.cumsum(self.end - self.start)])

    def covered(self, group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike) -> Ints:
        """Return how many characters of each span are covered.

        The spans may extend beyond the covered text, and may belong to groups without any.
        """
        groups, starts, ends = _convert_to_ints(group), _convert_to_ints(start), _convert_to_ints(end)
        counts = np.zeros(len(groups), dtype=np.int64)
        if not len(self.start):
            return counts
        for begin in range(0, len(groups), _SPANS_AT_ONCE):  # intermediate arrays that stay in the caches
            block = slice(begin, begin + _SPANS_AT_ONCE)
            counts[block] = self._covered(groups[block], starts[block], ends[block])
        return counts

    def _covered(self, groups: Ints, starts: Ints, ends: Ints) -> Ints:
        number, is_known = self.numbers(groups)
        is_valid = is_known & (ends > starts) & (starts >= 0)
        rows = np.flatnonzero(is_valid & (ends > self._first[number]) & (starts < self._last[number]))
        number, counts = number[rows], np.zeros(len(groups), dtype=np.int64)
        counts[rows] = self._covered_before(number, ends[rows]) - self._covered_before(number, starts[rows])
        return counts

    def total(self, group: npt.ArrayLike) -> Ints:
        """Return how many characters are covered in each group.

        >>> Coverage([0, 0], [0, 10], [5, 20]).total([0, 1]).tolist()
        [15, 0]
        """
        groups = _convert_to_ints(group)
        return self.covered(groups, np.zeros_like(groups), np.full_like(groups, self._longest))

    def find_bounds(self, groups: Ints) -> tuple[Ints, Ints]:
        """Return the start of the first and the end of the last covered span of each group, 0 if it has none.

        >>> [bounds.tolist() for bounds in Coverage([0, 0], [3, 10], [5, 20]).find_bounds(np.array([0, 1]))]
        [[3, 0], [20, 0]]
        """
        number, is_known = self.numbers(groups)
        first, last = (np.append(bounds, 0) for bounds in (self._first, self._last))
        number[~is_known] = -1
        return first[number], last[number]

    def numbers(self, groups: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return each group's index among the groups with covered text, and whether it is one of them."""
        if not len(self._distinct):
            return np.zeros(len(groups), dtype=np.int64), np.zeros(len(groups), dtype=bool)
        number = np.minimum(np.searchsorted(self._distinct, groups), len(self._distinct) - 1)
        return number, self._distinct[number] == groups

    def _covered_before(self, number: Ints, position: Ints) -> Ints:
        """Return the number of covered characters on the line before each position of a group."""
        place = number * (self._longest + 1) + np.clip(position, 0, self._longest)
        spans = np.searchsorted(self._line_start, place, side="right")
        last = np.maximum(spans - 1, 0)
        within = np.minimum(place - self._line_start[last], self.end[last] - self.start[last])
        return np.where(spans > 0, self._before[last] + within, 0)


def intersect_spans(
    cover: Coverage, group: npt.ArrayLike, start: npt.ArrayLike, end: npt.ArrayLike
) -> tuple[Ints, Ints, Ints]:
    """Return the covered pieces of spans: for each piece its span's index, its start and its end.

    >>> cover = Coverage([0, 0], [0, 10], [5, 20])
    >>> [column.tolist() for column in intersect_spans(cover, [0, 1, 0], [3, 0, 6], [12, 9, 9])]
    [[0, 0], [3, 10], [5, 12]]
    """
    groups, starts, ends = _convert_to_ints(group), _convert_to_ints(start), _convert_to_ints(end)
    number, is_known = cover.numbers(groups)
    stride = 1 + int(max(cover.end.max(initial=0), ends.max(initial=0)))
    line, base = cover.numbers(cover.group)[0] * stride, number * stride
    begin = np.searchsorted(line + cover.end, base + starts, side="right")
    stop = np.searchsorted(line + cover.start, base + ends)
    count = np.where(is_known & (ends > starts) & (starts >= 0), np.maximum(stop - begin, 0), 0)
    piece, span = concatenate_ranges(begin, count), np.repeat(np.arange(len(groups)), count)
    return span, np.maximum(cover.start[piece], starts[span]), np.minimum(cover.end[piece], ends[span])


def sum_by_group(group: npt.ArrayLike, values: npt.ArrayLike, groups: int) -> npt.NDArray[np.float64]:
    """Return the sum of the values of each of the groups 0, 1, ...

    >>> sum_by_group([0, 2, 2], [1, 2, 3], 3).tolist()
    [1.0, 0.0, 5.0]
    """
    totals = np.bincount(
        _convert_to_ints(group), weights=np.asarray(values, dtype=np.float64), minlength=groups
    )
    return np.asarray(totals, dtype=np.float64)


def concatenate_ranges(begin: Ints, count: Ints) -> Ints:
    """Return several ranges of consecutive integers, one range after the other.

    >>> concatenate_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(count)
    shift: Ints = np.repeat(begin - (ends - count), count)
    return np.arange(len(shift)) + shift


def sort_stably(values: Ints) -> Ints:
    """Return the order that sorts non-negative numbers stably; small numbers are sorted by radix.

    >>> sort_stably(np.array([2, 0, 2, 1])).tolist()
    [1, 3, 0, 2]
    """
    fits = int(values.max(initial=0)) < 1 << 16
    return np.argsort(values.astype(np.uint16) if fits else values, kind="stable")


def sort_with_rows(numbers: Ints) -> tuple[Ints, Ints]:
    """Return sorted numbers, from 0 on, and the row of each.

    >>> [column.tolist() for column in sort_with_rows(np.array([7, 3, 5]))]
    [[3, 5, 7], [1, 2, 0]]
    """
    row_bits = len(numbers).bit_length()
    if int(numbers.max(initial=0)).bit_length() + row_bits > 63:
        order = np.argsort(numbers, kind="stable")
        return numbers[order], order
    # sorting numbers that encode their row takes a quarter of the time of an argsort
    encoded = (numbers << row_bits) + np.arange(len(numbers))
    ordered = pl.Series(encoded).sort(multithreaded=False).to_numpy()
    return ordered >> row_bits, ordered & ((1 << row_bits) - 1)


def _convert_to_ints(values: npt.ArrayLike) -> Ints:
    return np.asarray(values, dtype=np.int64)
