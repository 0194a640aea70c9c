"""Cut a text into blocks: block-level elements start and end on a new line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxel.documents.document import Document
from doxel.spans import Ints

__all__ = ["Block", "blocks"]

_SPACES = np.array([0x9, 0xA, 0xD, 0x20], dtype=np.uint32)
_SHORT = 40  # longest cell or keyword, in characters without spaces
_HEADINGS = {"title", "st", "h", "head", "heading", "name", "atl", "article-title", "label"}
_HEADINGS |= {f"h{level}" for level in range(1, 7)}


@dataclass(frozen=True)
class Block:
    """A block of a text and its kind.

    ``kind`` is ``text``, ``heading``, ``short`` (such as a cell or a keyword: blocks with the same ``line``
    are shown side by side) or ``plain``, which keeps the author's line breaks.
    """

    start: int
    end: int
    kind: str
    line: int = 0


def blocks(document: Document) -> list[Block]:
    """Cut a document's text into blocks; white space alone is in no block.

    An element is block-level unless it is part of mixed content, between words of its parent.
    """
    text, forest = document.text, document.forest
    if len(forest) <= 1:
        return [Block(0, len(text), "plain")] if text.strip() else []
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    words = np.concatenate([[0], np.cumsum(~np.isin(codes, _SPACES))])  # characters that are not spaces
    start, end, parent = forest.start, forest.end, forest.parent
    inside = words[end] - words[start]
    own = inside.copy()
    np.subtract.at(own, parent[1:], inside[1:])
    inline = np.zeros(len(forest), dtype=bool)
    has_children = np.zeros(len(forest), dtype=bool)
    has_children[parent[1:]] = True
    mixed = has_children & (own > 0)
    for element in range(1, len(forest)):  # parents come before their children
        inline[element] = inline[parent[element]] or mixed[parent[element]]
    block_level = np.flatnonzero(~inline & (end > start))
    borders = np.unique(np.concatenate([start[block_level], end[block_level]]))
    names = forest.labels.names
    result: list[Block] = []
    owner = block_level[_innermost(borders, start[block_level], end[block_level])]
    for first, last, element in zip(borders[:-1].tolist(), borders[1:].tolist(), owner.tolist(), strict=True):
        if words[last] > words[first]:
            heading = names[forest.name[element]] in _HEADINGS
            kind = "heading" if heading else "short" if words[last] - words[first] <= _SHORT else "text"
            result.append(Block(first, last, kind, int(parent[element])))
    return result


def _innermost(borders: Ints, start: Ints, end: Ints) -> Ints:
    """Return for each piece between borders the last element, in document order, that contains it."""
    owner = np.zeros(len(borders) - 1, dtype=np.int64)
    first, last = np.searchsorted(borders, start), np.searchsorted(borders, end)
    for element, (begin, stop) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        owner[begin:stop] = element
    return owner
