"""Find the new text of results: characters that no earlier result of the same article contains."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np

from doxel.spans import Booleans, Ints

__all__ = ["Fragments", "new_text"]


class Fragments(NamedTuple):
    """Fragments [start, end) of new text, each with the number of its result."""

    result: Ints
    start: Ints
    end: Ints

    def take(self, places: Ints) -> Fragments:
        """Return the fragments at the given positions, in the given order."""
        return Fragments(self.result[places], self.start[places], self.end[places])

    def total(self, values: Ints, results: int) -> Ints:
        """Return the sum of the fragments' values for each of ``results`` results."""
        sums = np.zeros(results, dtype=np.int64)
        np.add.at(sums, self.result, values)
        return sums

    def sizes(self, results: int) -> Ints:
        """Return the number of new characters of each of ``results`` results."""
        return self.total(self.end - self.start, results)


def new_text(article: Ints, start: Ints, end: Ints) -> Fragments:
    """Return the new text of results, which are in rank order.

    >>> new_text(np.array([0, 0, 0]), np.array([10, 40, 0]), np.array([20, 50, 45]))
    Fragments(result=array([0, 1, 2, 2]), start=array([10, 40,  0, 20]), end=array([20, 50, 10, 40]))
    """
    repeated = _with_overlap(article, start, end)
    plain = np.flatnonzero(~repeated)
    seen: dict[int, _Seen] = {}
    rows = [
        (result, *gap)
        for result in np.flatnonzero(repeated).tolist()
        for gap in seen.setdefault(int(article[result]), _Seen()).add(int(start[result]), int(end[result]))
    ]
    more = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Fragments(
        np.concatenate((plain, more[:, 0])),
        np.concatenate((start[plain], more[:, 1])),
        np.concatenate((end[plain], more[:, 2])),
    )


def _with_overlap(article: Ints, start: Ints, end: Ints) -> Booleans:
    """Mark the results of articles in which any two results overlap; usually there are none."""
    order = np.lexsort((start, article))
    order = order[end[order] > start[order]]
    stride = int(end.max(initial=0)) + 1
    key = article[order] * stride
    reach = np.maximum.accumulate(key + end[order])
    overlaps = (key + start[order])[1:] < reach[:-1]
    return np.isin(article, article[order][1:][overlaps])


class _Seen:
    """The characters seen so far in one article, as sorted disjoint spans."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, start: int, end: int) -> list[tuple[int, int]]:
        """Mark [start, end) as seen; return the parts of it that are new."""
        if end <= start:
            return []
        # the spans that touch the new one and are merged with it
        low, high = bisect_left(self.ends, start), bisect_right(self.starts, end)
        starts, ends = self.starts[low:high], self.ends[low:high]
        gaps = [gap for gap in zip([start, *ends], [*starts, end], strict=True) if gap[0] < gap[1]]
        self.starts[low:high] = [min([start, *starts])]
        self.ends[low:high] = [max([end, *ends])]
        return gaps
