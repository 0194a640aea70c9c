"""Extract the texts of elements for indexing, with words separated where markup separates them.

The text of ``<title>Maps</title><p>Roads`` has no white space between its two words, while ``H<sub>2</sub>O``
is one word.  The parent element decides: if it has text of its own, its children are inline; otherwise they
are blocks, and a line end is added between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.spans import Ints

__all__ = ["cut", "element_texts", "set_apart"]

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
_BLOCK = 1_000_000  # elements per block of documents


def set_apart(text: str, start: Ints, end: Ints, parent: Ints) -> tuple[str, Ints, Ints]:
    """Return a text with a line end where block elements start or end, and the elements' spans in it.

    ``parent`` is the number of each element's parent, -1 for the root.  An element without visible text
    gets an empty span.

    >>> rows = np.array([0, 0, 1]), np.array([3, 1, 3]), np.array([-1, 0, 0])  # <a><b>x</b><c>yz</c></a>
    >>> separated, starts, ends = set_apart("xyz", *rows)
    >>> [separated[start:end].split() for start, end in zip(starts, ends)]
    [['x', 'yz'], ['x'], ['yz']]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    visible_before = np.concatenate([[0], np.cumsum(~np.isin(codes, _SPACES))])
    visible = visible_before[end] - visible_before[start]
    has_parent = parent >= 0
    in_children = np.bincount(parent[has_parent], weights=visible[has_parent], minlength=len(parent))
    has_blocks = visible == in_children.astype(np.int64)
    is_block = np.where(has_parent, has_blocks[parent], True)
    breaks = np.unique(np.concatenate([start[is_block], end[is_block]]))
    borders = [0, *breaks.tolist(), len(text)]
    separated = "\n".join(text[first:last] for first, last in pairwise(borders))
    new_start = start + np.searchsorted(breaks, start, side="right")
    new_end = end + np.searchsorted(breaks, end, side="left")
    return separated, new_start, np.where(visible > 0, new_end, new_start)


def cut(collection: Collection, numbers: Ints) -> Iterator[tuple[int, int, str]]:
    """Yield the elements of some documents: number in the collection, size, and text.

    ``numbers`` are the numbers of consecutive documents.  Elements without visible text are left out.
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
    """Yield the number in the collection and the text of the elements whose size is in a range.

    Elements without visible text are left out.
    """
    for element, size, text in cut(collection, np.arange(len(collection))):
        if smallest <= size < largest:
            yield element, text


def _blocks(numbers: Ints, counts: Ints) -> list[Ints]:
    """Divide documents into blocks of a limited number of elements."""
    block = (np.cumsum(counts) - counts) // _BLOCK
    return np.split(numbers, np.flatnonzero(np.diff(block)) + 1) if len(numbers) else []
