"""Collect the nodes of documents, and compute the columns that a part stores.

A document is a list of nodes in document order with the sizes of the texts around them.  Nothing is
computed until all documents of the part are collected, so that the arithmetic runs once, on long arrays.
Nodes that are not elements (comments, processing instructions) only leave a break in the text of their
parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import trees
from doxel.spans import Ints

__all__ = ["Columns", "NodeColumns", "Numbers"]


@dataclass(frozen=True)
class Columns:
    """The stored columns of the documents of one part."""

    element_counts: list[int]
    elements: dict[str, Ints]
    labels: dict[str, Any]
    attributes: dict[str, Any]
    breaks: dict[str, Ints]


class Numbers(dict[Any, int]):
    """Assigns numbers from 0 to things, in the order of their first lookup."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


class NodeColumns:
    """Growing lists of nodes, turned into ``Columns`` at the end.

    Readers extend ``tag``, ``text_size``, ``tail_size``, ``child_count`` and the three attribute lists in
    place: these lists are the hot path of ingestion.
    """

    def __init__(self) -> None:
        self.tags = Numbers()
        self.attribute_names = Numbers()
        self.tag: list[int] = []
        self.child_count: list[int] = []
        self.text_size: list[int] = []
        self.tail_size: list[int] = []
        self.attribute_node: list[int] = []
        self.attribute_name: list[int] = []
        self.attribute_value: list[str] = []
        self._roots: list[int] = []

    def begin(self) -> int:
        """Start a document and return the number of nodes before it."""
        self._roots.append(len(self.tag))
        return len(self.tag)

    def finish(self) -> Columns:
        """Compute the columns of all documents.

        A tag that is not a string marks a node that is not an element; its text does not count.
        """
        tag = np.array(self.tag, dtype=np.int64)
        is_element = np.array([isinstance(name, str) for name in self.tags], dtype=bool)[tag]
        ends = trees.subtree_ends(self.child_count)
        depth = trees.depths(ends)
        parent = trees.parents(depth)
        start, end = self._spans(ends, is_element)
        elements = np.flatnonzero(is_element)
        rank = np.concatenate([[0], np.cumsum(is_element)])  # elements before each node
        label, labels = _labels(tag, depth, parent, is_element, list(self.tags))
        return Columns(
            element_counts=np.diff([*rank[self._roots], rank[-1]]).tolist(),
            elements={
                **_shape(rank[ends[elements]], depth[elements], start[elements], end[elements]),
                "label": label[elements],
            },
            labels=labels,
            attributes={
                "element": rank[self.attribute_node],
                "name": pl.Series(list(self.attribute_names), dtype=pl.String).gather(self.attribute_name),
                "value": self.attribute_value,
            },
            breaks=_breaks(parent, start, is_element, rank),
        )

    def _spans(self, ends: Ints, is_element: Any) -> tuple[Ints, Ints]:
        """Return start and end of each node, counted from the start of its document.

        A node's start is the size of the texts of all earlier nodes and of the tails of those that have
        ended; its end adds its own text and the texts and tails of its descendants.
        """
        rows = np.arange(len(ends))
        text = np.where(is_element, np.array(self.text_size, dtype=np.int64), 0)
        tail = np.array(self.tail_size, dtype=np.int64)
        tail[self._roots] = 0  # white space after the root element is not part of the document
        texts = np.concatenate([[0], np.cumsum(text)])
        tails = np.concatenate([[0], np.cumsum(tail)])
        ended = np.bincount(ends, weights=tail, minlength=len(ends) + 1).astype(np.int64)
        tails_of_ended = np.cumsum(ended)
        start = texts[rows] + tails_of_ended[rows]
        end = texts[ends] + tails_of_ended[rows] + tails[ends] - tails[rows + 1]
        origin = np.repeat(start[self._roots], np.diff([*self._roots, len(ends)]))
        return start - origin, end - origin


def _shape(ends: Ints, depth: Ints, start: Ints, end: Ints) -> dict[str, Ints]:
    opening, closing = trees.boundaries(ends, depth)
    position = np.empty(2 * len(ends), dtype=np.int64)
    position[opening], position[closing] = start, end
    gaps = np.diff(position, prepend=0)
    before = np.where(depth == 1, 0, gaps[opening])  # each document counts from its own start
    return {"descendants": ends - np.arange(1, len(ends) + 1), "before": before, "inside": gaps[closing]}


def _breaks(parent: Ints, start: Ints, is_element: Any, rank: Ints) -> dict[str, Ints]:
    others = np.flatnonzero(~is_element)
    return {"element": rank[parent[others]], "position": start[others]}


def _labels(
    tag: Ints, depth: Ints, parent: Ints, is_element: Any, tags: list[Any]
) -> tuple[Ints, dict[str, Any]]:
    """Number the label paths of elements level by level: a label is a tag below a parent label."""
    label = np.full(len(tag) + 1, -1, dtype=np.int64)  # the last entry is the parent of roots
    label_parents: list[int] = []
    label_tags: list[str] = []
    for level in trees.levels(depth):
        rows = level[is_element[level]]
        key = (label[parent[rows]] + 1) * len(tags) + tag[rows]
        keys = pl.Series(key).unique().sort().to_numpy()  # far fewer than rows, so hashed before sorted
        label[rows] = len(label_tags) + np.searchsorted(keys, key)
        label_parents.extend((keys // len(tags) - 1).tolist())
        label_tags.extend(tags[number] for number in (keys % len(tags)).tolist())
    namespaces = [name[1:].rpartition("}")[0] or None for name in label_tags]
    names = [name.rpartition("}")[2] for name in label_tags]
    return label, {"parent": label_parents, "name": names, "namespace": namespaces}
