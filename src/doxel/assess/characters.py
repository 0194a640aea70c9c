"""Sets of characters of one document, as sorted spans that do not touch.

Highlighting is the union of two such sets, removing a highlight their difference.  The sets are small, some
tens of spans, and events are applied one at a time: plain loops are several times faster here than arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

__all__ = ["Characters", "Span", "common", "joined", "without"]

Span = tuple[int, int]
Characters = tuple[Span, ...]


def joined(*sets: Iterable[Span]) -> Characters:
    """Return the characters that are in any of the sets.

    >>> joined([(5, 9), (0, 2)], [(2, 4)])
    ((0, 4), (5, 9))
    """
    spans: list[Span] = []
    first, last = 0, -1
    for start, end in sorted(map(tuple, chain.from_iterable(sets))):
        if start <= last:
            last = max(last, end)
        elif start < end:
            if last >= 0:
                spans.append((first, last))
            first, last = start, end
    return (*spans, (first, last)) if last >= 0 else ()


def common(first: Iterable[Span], second: Iterable[Span]) -> Characters:
    """Return the characters that are in both sets.

    >>> common([(0, 6), (8, 9)], [(4, 20)])
    ((4, 6), (8, 9))
    """
    lefts, rights = joined(first), joined(second)
    spans: list[Span] = []
    left = right = 0
    while left < len(lefts) and right < len(rights):
        start = max(lefts[left][0], rights[right][0])
        end = min(lefts[left][1], rights[right][1])
        if start < end:
            spans.append((start, end))
        if lefts[left][1] <= rights[right][1]:
            left += 1
        else:
            right += 1
    return tuple(spans)


def without(first: Iterable[Span], second: Iterable[Span]) -> Characters:
    """Return the characters of the first set that are not in the second.

    >>> without([(0, 10)], [(3, 4), (8, 20)])
    ((0, 3), (4, 8))
    """
    spans, removed = joined(first), joined(second)
    if not spans or not removed:
        return spans
    ends = [0, *(end for _, end in removed)]
    starts = [*(start for start, _ in removed), max(spans[-1][1], removed[-1][1])]
    return common(spans, zip(ends, starts, strict=True))
