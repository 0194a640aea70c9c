"""The texts of elements as an index wants them: words that markup keeps apart do not run together.

The text of a document has nothing between ``<title>Maps</title><p>Roads``, but there are two words.  In
``H<sub>2</sub>O`` there is one.  What tells them apart is the element around: one that has text of its
own between its children sets them in a line, any other stacks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.spans import Ints

__all__ = ["cut", "element_texts", "set_apart"]

_SPACES = np.array(sorted(ord(one) for one in map(chr, range(0x3001)) if one.isspace()), dtype=np.uint32)
_BLOCK = 1_000_000  # elements that are laid out at a time


def set_apart(text: str, start: Ints, end: Ints, parent: Ints) -> tuple[str, Ints, Ints]:
    """Return a text with a line end wherever stacked elements begin or end, and the elements' spans in it.

    ``parent`` holds for each element the number of the one around it, -1 for the root.  An element
    without any text to read gets an empty span.

    >>> rows = np.array([0, 0, 1]), np.array([3, 1, 3]), np.array([-1, 0, 0])  # <a><b>x</b><c>yz</c></a>
    >>> broken, starts, ends = set_apart("xyz", *rows)
    >>> [broken[begin:stop].split() for begin, stop in zip(starts, ends)]
    [['x', 'yz'], ['x'], ['yz']]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    filled = np.concatenate([[0], np.cumsum(~np.isin(codes, _SPACES))])
    inked = filled[end] - filled[start]
    inner = parent >= 0
    in_children = np.bincount(parent[inner], weights=inked[inner], minlength=len(parent))
    stacks = inked == in_children.astype(np.int64)
    stacked = np.where(inner, stacks[parent], True)
    cuts = np.unique(np.concatenate([start[stacked], end[stacked]]))
    pieces = [0, *cuts.tolist(), len(text)]
    broken = "\n".join(text[begin:stop] for begin, stop in pairwise(pieces))
    new_start = start + np.searchsorted(cuts, start, side="right")
    new_end = end + np.searchsorted(cuts, end, side="left")
    return broken, new_start, np.where(inked > 0, new_end, new_start)


def cut(collection: Collection, numbers: Ints) -> Iterator[tuple[int, int, str]]:
    """Yield the elements of some documents: number in the collection, size, and text.

    ``numbers`` are those of documents that follow each other.  Elements without anything to read are left
    out.
    """
    counts = collection.documents["elements"].cast(pl.Int64)
    before = int(counts[: int(numbers[0])].sum()) if len(numbers) else 0
    for block in _blocks(numbers, counts.gather(numbers).to_numpy()):
        forest = collection.forest(block)
        sizes = forest.end - forest.start
        for document, number in enumerate(block.tolist()):
            rows = slice(int(forest.first[document]), int(forest.first[document + 1]))
            parent = np.maximum(forest.parent[rows] - rows.start, -1)
            text, start, end = set_apart(
                collection.text(number), forest.start[rows], forest.end[rows], parent
            )
            first = before + rows.start
            for row in np.flatnonzero(end > start).tolist():
                yield first + row, int(sizes[rows.start + row]), text[start[row] : end[row]]
        before += len(forest)


def element_texts(collection: Collection, smallest: int, largest: int) -> Iterator[tuple[int, str]]:
    """Yield the elements whose size lies in a range, by their numbers in the collection, with their texts.

    Elements without anything to read are left out.
    """
    for element, size, text in cut(collection, np.arange(len(collection))):
        if smallest <= size < largest:
            yield element, text


def _blocks(numbers: Ints, counts: Ints) -> list[Ints]:
    """Divide documents so that their elements can be laid out some at a time."""
    block = (np.cumsum(counts) - counts) // _BLOCK
    return np.split(numbers, np.flatnonzero(np.diff(block)) + 1) if len(numbers) else []
