"""Sets of characters of one document, as sorted spans that do not touch.

Highlighting and taking back are the union and the difference of such sets, whatever was marked before.
The sets are small, some tens of spans, and a log is folded one event at a time: plain loops are several
times as quick here as arrays would be.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

__all__ = ["Characters", "Span", "common", "joined", "without"]

Span = tuple[int, int]
Characters = tuple[Span, ...]


def joined(*sets: Iterable[Span]) -> Characters:
    """Return all characters that are in any of the sets.

    >>> joined([(5, 9), (0, 2)], [(2, 4)])
    ((0, 4), (5, 9))
    """
    found: list[Span] = []
    first, last = 0, -1
    for start, end in sorted(map(tuple, chain.from_iterable(sets))):
        if start <= last:
            last = max(last, end)
        elif start < end:
            if last >= 0:
                found.append((first, last))
            first, last = start, end
    return (*found, (first, last)) if last >= 0 else ()


def common(one: Iterable[Span], other: Iterable[Span]) -> Characters:
    """Return the characters that are in both sets.

    >>> common([(0, 6), (8, 9)], [(4, 20)])
    ((4, 6), (8, 9))
    """
    here, there = joined(one), joined(other)
    found: list[Span] = []
    left = right = 0
    while left < len(here) and right < len(there):
        start = max(here[left][0], there[right][0])
        end = min(here[left][1], there[right][1])
        if start < end:
            found.append((start, end))
        if here[left][1] <= there[right][1]:
            left += 1
        else:
            right += 1
    return tuple(found)


def without(one: Iterable[Span], other: Iterable[Span]) -> Characters:
    """Return the characters of the first set that are not in the second.

    >>> without([(0, 10)], [(3, 4), (8, 20)])
    ((0, 3), (4, 8))
    """
    kept, gone = joined(one), joined(other)
    if not kept or not gone:
        return kept
    ends = [0, *(end for _, end in gone)]
    starts = [*(start for start, _ in gone), max(kept[-1][1], gone[-1][1])]
    return common(kept, zip(ends, starts, strict=True))
