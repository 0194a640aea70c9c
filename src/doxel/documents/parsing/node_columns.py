"""Declare kinds of source documents, collect their nodes, and compute the columns that a part stores.

A document is a list of nodes in document order with the sizes of the texts around them.  Nothing is
computed until all documents of the part are collected, so that the arithmetic runs once, on long arrays.
Nodes that are not elements (comments, processing instructions) only leave a break in the text of their
parent.

Readers without a tree use ``OutlineBuilder``, which builds elements from spans of the text.  Elements are
opened and closed from front to back, each at a position of the text.  A position before the previous one
counts as the previous one, so that elements always nest.  The text between two boundaries belongs to the
innermost element around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import tree_arrays
from doxel.documents.tree_arrays import MAX_DEPTH
from doxel.errors import InputError
from doxel.markup import Declarations
from doxel.spans import Ints

__all__ = [
    "NodeColumns",
    "Numbering",
    "OutlineBuilder",
    "PartColumns",
    "SourceKind",
    "SourceReader",
    "mark_sections",
]


@dataclass(frozen=True)
class PartColumns:
    """The stored columns of the documents of one part."""

    element_counts: list[int]
    elements: dict[str, Ints]
    labels: dict[str, Any]
    attributes: dict[str, Any]
    breaks: dict[str, Ints]


class Numbering(dict[Any, int]):
    """Assigns numbers from 0 to things, in the order of their first lookup."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


class NodeColumns:
    """Growing lists of nodes, turned into ``PartColumns`` at the end.

    Readers extend ``tag``, ``text_size``, ``tail_size``, ``child_count`` and the three attribute lists in
    place: these lists are the hot path of ingestion.
    """

    def __init__(self) -> None:
        self.tags = Numbering()
        self.attribute_names = Numbering()
        self.tag: list[int] = []
        self.child_count: list[int] = []
        self.text_size: list[int] = []
        self.tail_size: list[int] = []
        self.attribute_node: list[int] = []
        self.attribute_name: list[int] = []
        self.attribute_value: list[str] = []
        self.losses: list[str] = []  # sentences about content of a document that could not be extracted
        self._roots: list[int] = []

    def begin(self) -> int:
        """Start a document and return the number of nodes before it."""
        self._roots.append(len(self.tag))
        return len(self.tag)

    def finish(self) -> PartColumns:
        """Compute the columns of all documents.

        A tag that is not a string marks a node that is not an element; its text does not count.
        """
        tag = np.array(self.tag, dtype=np.int64)
        is_element = np.array([isinstance(name, str) for name in self.tags], dtype=bool)[tag]
        ends = tree_arrays.compute_subtree_ends(self.child_count)
        depth = tree_arrays.compute_depths(ends)
        parent = tree_arrays.compute_parents(depth)
        start, end = self._spans(ends, is_element)
        elements = np.flatnonzero(is_element)
        rank = np.concatenate([[0], np.cumsum(is_element)])  # elements before each node
        label, labels = _number_labels(tag, depth, parent, is_element, list(self.tags))
        return PartColumns(
            element_counts=np.diff([*rank[self._roots], rank[-1]]).tolist(),
            elements={
                **_compute_shape(rank[ends[elements]], depth[elements], start[elements], end[elements]),
                "label": label[elements],
            },
            labels=labels,
            attributes={
                "element": rank[self.attribute_node],
                "name": pl.Series(list(self.attribute_names), dtype=pl.String).gather(self.attribute_name),
                "value": self.attribute_value,
            },
            breaks=_find_breaks(parent, start, is_element, rank),
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
        ending_tails = np.bincount(ends, weights=tail, minlength=len(ends) + 1).astype(np.int64)
        tails_of_ended = np.cumsum(ending_tails)
        start = texts[rows] + tails_of_ended[rows]
        end = texts[ends] + tails_of_ended[rows] + tails[ends] - tails[rows + 1]
        origin = np.repeat(start[self._roots], np.diff([*self._roots, len(ends)]))
        return start - origin, end - origin


def _compute_shape(ends: Ints, depth: Ints, start: Ints, end: Ints) -> dict[str, Ints]:
    opening, closing = tree_arrays.rank_boundaries(ends, depth)
    position = np.empty(2 * len(ends), dtype=np.int64)
    position[opening], position[closing] = start, end
    gaps = np.diff(position, prepend=0)
    before = np.where(depth == 1, 0, gaps[opening])  # each document counts from its own start
    return {"descendants": ends - np.arange(1, len(ends) + 1), "before": before, "inside": gaps[closing]}


def _find_breaks(parent: Ints, start: Ints, is_element: Any, rank: Ints) -> dict[str, Ints]:
    rows = np.flatnonzero(~is_element)
    return {"element": rank[parent[rows]], "position": start[rows]}


def _number_labels(
    tag: Ints, depth: Ints, parent: Ints, is_element: Any, tags: list[Any]
) -> tuple[Ints, dict[str, Any]]:
    """Number the label paths of elements level by level: a label is a tag below a parent label."""
    label = np.full(len(tag) + 1, -1, dtype=np.int64)  # the last entry is the parent of roots
    label_parents: list[int] = []
    label_tags: list[str] = []
    for level in tree_arrays.iterate_levels(depth):
        rows = level[is_element[level]]
        key = (label[parent[rows]] + 1) * len(tags) + tag[rows]
        keys = pl.Series(key).unique().sort().to_numpy()  # far fewer than rows, so hashed before sorted
        label[rows] = len(label_tags) + np.searchsorted(keys, key)
        label_parents.extend((keys // len(tags) - 1).tolist())
        label_tags.extend(tags[number] for number in (keys % len(tags)).tolist())
    namespaces = [name[1:].rpartition("}")[0] or None for name in label_tags]
    names = [name.rpartition("}")[2] for name in label_tags]
    return label, {"parent": label_parents, "name": names, "namespace": namespaces}


class OutlineBuilder:
    """Elements in document order with the sizes of the texts in and after them.

    ``name`` is the document's name in errors.

    >>> outline = OutlineBuilder("a.txt")
    >>> outline.open("document", 0)
    >>> outline.open("p", 2)
    >>> outline.close(5)
    >>> outline.close(6)
    >>> outline.text_sizes, outline.tail_sizes, outline.child_counts
    ([2, 3], [0, 1], [1, 0])
    """

    def __init__(self, name: str) -> None:
        self.tags: list[object] = []
        self.child_counts: list[int] = []
        self.text_sizes: list[int] = []
        self.tail_sizes: list[int] = []
        self.attributes: list[tuple[int, str, str]] = []
        self._name = name
        self._open: list[int] = []
        self._closed = -1  # the node whose tail is growing, or -1
        self._at = 0

    def open(self, tag: object, at: int, attributes: Iterable[tuple[str, str]] = ()) -> None:
        """Begin an element at a position; a tag that is not a string marks a break, not an element."""
        self._advance(at)
        number = len(self.tags)
        if self._open:
            self.child_counts[self._open[-1]] += 1
        if len(self._open) >= MAX_DEPTH:
            wanted = f"elements nested at most {MAX_DEPTH} deep, including the sections opened by headings"
            raise InputError("nested too deeply", file=self._name, wanted=wanted, found="deeper nesting")
        self.tags.append(tag)
        self.child_counts.append(0)
        self.text_sizes.append(0)
        self.tail_sizes.append(0)
        self.attributes.extend((number, name, value) for name, value in attributes)
        self._open.append(number)
        self._closed = -1

    def close(self, at: int) -> None:
        """End the innermost open element at a position."""
        self._advance(at)
        self._closed = self._open.pop()

    def _advance(self, at: int) -> None:
        gap = at - self._at
        if gap <= 0 or not self._open:
            return
        if self._closed >= 0:
            self.tail_sizes[self._closed] += gap
        else:
            self.text_sizes[self._open[-1]] += gap
        self._at = at

    def add_to(self, columns: NodeColumns) -> None:
        """Append the document to the columns of a part."""
        first = columns.begin()
        tags, names = columns.tags, columns.attribute_names
        columns.tag.extend([tags[tag] for tag in self.tags])
        columns.child_count.extend(self.child_counts)
        columns.text_size.extend(self.text_sizes)
        columns.tail_size.extend(self.tail_sizes)
        for number, name, value in self.attributes:
            columns.attribute_node.append(first + number)
            columns.attribute_name.append(names[name])
            columns.attribute_value.append(value)


def mark_sections(levels: Iterable[int | None], own: int | None = None) -> Iterator[tuple[int, bool]]:
    """Yield for each child how many sections end before it, and whether one begins with it.

    ``levels`` are the levels of headings among the children, None for other children.  A heading ends the
    sections of headings of the same or a lower rank, and begins its own; a heading that skips a level
    nests only one deeper.  If the parent is a section already, ``own`` is the index of its own heading,
    which begins no section.

    >>> list(mark_sections([None, 1, None, 3, 2]))
    [(0, False), (0, True), (0, False), (0, True), (1, True)]
    """
    open_levels: list[int] = []
    for number, level in enumerate(levels):
        endings = 0
        if level is not None and number != own:
            while open_levels and open_levels[-1] >= level:
                open_levels.pop()
                endings += 1
            open_levels.append(level)
            yield endings, True
        else:
            yield 0, False


SourceReader = Callable[[NodeColumns, bytes, str], bytes]
"""Appends a document, given its bytes and its name for errors, and returns its text in UTF-8.

If the document cannot be read it raises InputError and appends nothing.
"""


@dataclass(frozen=True)
class SourceKind:
    """A kind of source document: its name, file suffixes, text rule and reader.

    ``suffixes`` are in lower case; ``open`` creates a reader for any number of documents.  The rule defines
    which characters count as text, and collections store its name.  ``in_lines``: a line of JSON may
    contain such a document.
    """

    name: str
    rule: str
    suffixes: tuple[str, ...]
    open: Callable[[Declarations], SourceReader]
    in_lines: bool = True
