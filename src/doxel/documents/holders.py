"""Find the smallest element around a span of text."""

from __future__ import annotations

import numpy as np

from doxel.documents.forest import Forest
from doxel.spans import Ints

__all__ = ["holders"]


def holders(forest: Forest, document: Ints, start: Ints, end: Ints) -> Ints:
    """Return the row of the smallest element that contains each span, -1 if its document has no elements.

    ``document`` is the number of each span's document in the forest.  Of elements with the same extent
    the innermost is the smallest.  For an empty span, the character after it counts.
    """
    if not len(forest):
        return np.full(len(start), -1, dtype=np.int64)
    root = forest.first[document]
    has_root = forest.first[document + 1] > root
    length = np.where(has_root, forest.end[np.minimum(root, len(forest) - 1)], 0)
    stop = np.minimum(np.maximum(end, start + 1), length)
    begin = np.minimum(start, np.maximum(stop - 1, 0))
    stride = 2 + int(forest.end.max(initial=0))
    # the last element that starts at or before the span is inside the smallest element around it
    line = forest.document * stride + forest.start
    holder = np.searchsorted(line, document * stride + begin, side="right") - 1
    for _ in range(int(forest.depth.max(initial=1))):
        too_short = (holder >= root) & (forest.end[holder] < stop)
        holder = np.where(too_short, forest.parent[holder], holder)
    return np.where(has_root, np.maximum(holder, root), -1)
