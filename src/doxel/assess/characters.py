"""Sets of characters of one document, as sorted spans that do not touch.

Highlighting and taking back are the union and the difference of such sets, whatever was marked before.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from doxel.spans import Coverage, Ints, intersection, merge

__all__ = ["Characters", "Span", "common", "joined", "size", "without"]

Span = tuple[int, int]
Characters = tuple[Span, ...]


def joined(*sets: Iterable[Span]) -> Characters:
    """Return all characters that are in any of the sets.

    >>> joined([(5, 9), (0, 2)], [(2, 4)])
    ((0, 4), (5, 9))
    """
    start, end = _columns(span for one in sets for span in one)
    return _spans(*merge(np.zeros_like(start), start, end)[1:])


def common(one: Iterable[Span], other: Iterable[Span]) -> Characters:
    """Return the characters that are in both sets.

    >>> common([(0, 6), (8, 9)], [(4, 20)])
    ((4, 6), (8, 9))
    """
    start, end = _columns(joined(one))
    held, until = _columns(other)
    cover = Coverage(np.zeros_like(held), held, until)
    return _spans(*intersection(cover, np.zeros_like(start), start, end)[1:])


def without(one: Iterable[Span], other: Iterable[Span]) -> Characters:
    """Return the characters of the first set that are not in the second.

    >>> without([(0, 10)], [(3, 4), (8, 20)])
    ((0, 3), (4, 8))
    """
    kept = joined(one)
    gone = joined(other)
    if not kept or not gone:
        return kept
    ends = [0, *(end for _, end in gone)]
    starts = [*(start for start, _ in gone), max(kept[-1][1], gone[-1][1])]
    return common(kept, zip(ends, starts, strict=True))


def size(spans: Characters) -> int:
    """Return how many characters a set has.

    >>> size(((0, 4), (5, 9)))
    8
    """
    return sum(end - start for start, end in spans)


def _columns(spans: Iterable[Span]) -> tuple[Ints, Ints]:
    table = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _spans(start: Ints, end: Ints) -> Characters:
    return tuple(zip(start.tolist(), end.tolist(), strict=True))
