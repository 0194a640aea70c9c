"""Paths of elements and places in documents: parsing them, and finding them in a forest.

======================================  ==========================================================
``/article[1]/p[2]``                    an element: its start or its end
``/article[1]/p[2]/text()[3]``          the third text node of that element: its start or its end
``/article[1]/p[2]/text()[3].17``       the place after 17 characters of it, as a start or as an end
======================================  ==========================================================

Paths are absolute; a step is a local name and a position among the siblings with that name, [1] by
default.  Many paths are resolved at once (see :mod:`~doxel.documents.child_index`).

A text node is text without any markup in it: child elements, comments and processing instructions
separate text nodes. Offsets are between characters, from 0 (before the first) to the length of the node
(after the last), so an end is exclusive like every end in doxel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from doxel.documents.element_forest import Forest
from doxel.errors import InputError
from doxel.spans import Ints

if TYPE_CHECKING:
    from doxel.documents.collection import Collection

__all__ = [
    "PATH_PATTERN",
    "PLACE_PATTERN",
    "STEP_REGEX",
    "PlaceFinder",
    "Side",
    "TextNodes",
    "canonicalise_paths",
    "find_positions",
    "parse_path",
]

_STEP = r"/(?:[^/\[\]():\s]+:)?([^/\[\]():\s]+)(?:\[([1-9][0-9]{0,17})\])?"
PATH_PATTERN = rf"^(?:{_STEP})+$".replace("([^", "(?:[^").replace("([1-9]", "(?:[1-9]")
STEP_REGEX = re.compile(_STEP)
_PATH_REGEX = re.compile(PATH_PATTERN)


def parse_path(path: str) -> list[tuple[str, int]]:
    """Return the steps of a path as names and positions.

    >>> parse_path("/article[1]/x:p[12]/b")
    [('article', 1), ('p', 12), ('b', 1)]
    >>> parse_path("/article[0]")
    Traceback (most recent call last):
    doxel.errors.InputError: element path: wanted steps such as /article[1]/p[2], positions from 1, \
found '/article[0]'
    """
    if not _PATH_REGEX.match(path):
        raise InputError(
            "element path", wanted="steps such as /article[1]/p[2], positions from 1", found=repr(path)
        )
    return [(name, int(position or 1)) for name, position in STEP_REGEX.findall(path)]


def canonicalise_paths(paths: pl.Series) -> pl.Series:
    """Return paths with a position at every step and without namespace prefixes.

    >>> canonicalise_paths(pl.Series(["/article/x:p[2]", "/article[1]/b[1]"])).to_list()
    ['/article[1]/p[2]', '/article[1]/b[1]']
    """
    # most paths are canonical already, a run repeats most of its paths, and passages have none
    if paths.null_count() == len(paths) or not paths.unique().str.contains(r"[^\]](?:/|$)|:").any():
        return paths
    return paths.str.replace_all(r"/[^/\[\]():]+:", "/").str.replace_all(r"([^\]/])(/|$)", "${1}[1]${2}")


_TEXT_NODE = r"/text\(\)(?:\[([1-9][0-9]*)\])?(?:\.([0-9]+))?"
PLACE_PATTERN = rf"{PATH_PATTERN[:-1]}(?:{_TEXT_NODE})?$".replace("([1-9]", "(?:[1-9]").replace(
    "([0-9]", "(?:[0-9]"
)
_XML_SPACE = " \t\r\n"
_LARGEST = 1 << 40

Side = Literal["start", "end"]


@dataclass(frozen=True)
class TextNodes:
    """The text nodes of a forest, sorted by the element they belong to and by position."""

    owner: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, forest: Forest, breaks: Iterable[tuple[int, int]] = ()) -> TextNodes:
        """Return the text nodes of a forest.

        ``breaks`` are pairs of an element's row and the position, in its document, of a comment or
        processing instruction that interrupts its text.

        The forest stores the size of the text between any two neighbouring boundaries of elements: text
        before a start belongs to the parent, text before an end to the element itself.
        """
        leading, trailing = np.flatnonzero(forest.before), np.flatnonzero(forest.inside)
        owner = np.concatenate([forest.parent[leading], trailing])
        end = np.concatenate([forest.start[leading], forest.end[trailing]])
        start = end - np.concatenate([forest.before[leading], forest.inside[trailing]])
        order = np.lexsort((start, owner))
        return _split_at_breaks(
            cls(owner[order], start[order], end[order]), np.array(list(breaks), dtype=np.int64)
        )

    def find(self, owner: Ints, number: Ints) -> Ints:
        """Return the row of each element's text node with a number, counted from 1; -1 if there is none."""
        if not len(self.owner):
            return np.full(len(owner), -1, dtype=np.int64)
        place = np.searchsorted(self.owner, owner) + number - 1
        inside = np.minimum(place, len(self.owner) - 1)
        exists = (owner >= 0) & (place < len(self.owner)) & (self.owner[inside] == owner)
        return np.where(exists, inside, -1)

    def select(self, rows: Ints) -> TextNodes:
        """Return the text nodes with the given rows."""
        return TextNodes(self.owner[rows], self.start[rows], self.end[rows])


def _split_at_breaks(nodes: TextNodes, breaks: Ints) -> TextNodes:
    """Split text nodes at breaks; a break at the edge of a node splits nothing."""
    if not len(breaks):
        return nodes
    element, position = np.unique(breaks, axis=0).T
    stride = 1 + max(int(nodes.end.max(initial=0)), int(position.max()))
    node = np.searchsorted(nodes.owner * stride + nodes.start, element * stride + position) - 1
    inside = node >= 0
    inside[inside] &= nodes.owner[node[inside]] == element[inside]
    inside[inside] &= position[inside] < nodes.end[node[inside]]
    node, position = node[inside], position[inside]
    return TextNodes(
        np.insert(nodes.owner, node + 1, nodes.owner[node]),
        np.insert(nodes.start, node + 1, position),  # a break starts the piece after it
        np.insert(nodes.end, node, position),  # and ends the piece before it
    )


class PlaceFinder:
    """Finds places in documents of a collection; their elements are read once.

    ``numbers`` are rows of ``collection.documents``, in any order, possibly repeated; -1 is an unknown
    document.  ``strip`` does not count text nodes that contain only white space, as in assessment files
    with ``whitespace-text-node="strip"``.
    """

    def __init__(self, collection: Collection, numbers: Ints, *, strip: bool = False) -> None:
        self.collection = collection
        self.strip = strip
        self.numbers: Ints = np.unique(numbers[numbers >= 0])
        self.forest = collection.forest(self.numbers)

    def document(self, numbers: Ints) -> Ints:
        """Return the index of each document in the forest, -1 if it is not in it."""
        if not len(self.numbers):
            return np.full(len(numbers), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        return np.where(self.numbers[place] == numbers, place, -1)

    def elements(self, numbers: Ints, paths: pl.Series) -> Ints:
        """Return the row in the forest of each path, -1 where it names no element."""
        is_valid = paths.str.contains(PATH_PATTERN).fill_null(value=False).to_numpy()
        row = np.full(len(paths), -1, dtype=np.int64)
        valid = np.flatnonzero(is_valid)
        row[valid] = self.forest.find(self.document(numbers[valid]), paths.gather(valid))
        return row

    def positions(self, numbers: Ints, paths: pl.Series, *, side: Side) -> Ints:
        """Return the position of each place in its document, -1 where it names none."""
        offsets = np.full(len(paths), -1, dtype=np.int64)
        is_text = paths.str.contains("/text()", literal=True).fill_null(value=False).to_numpy()
        element_rows, text_rows = np.flatnonzero(~is_text), np.flatnonzero(is_text)
        row = self.elements(numbers[element_rows], paths.gather(element_rows))
        bound = self.forest.start if side == "start" else self.forest.end
        offsets[element_rows[row >= 0]] = bound[row[row >= 0]]
        if len(text_rows):
            offsets[text_rows] = self._text_positions(numbers[text_rows], paths.gather(text_rows), side)
        return offsets

    def places(self, numbers: Ints, positions: Ints, *, side: Side) -> pl.Series:
        """Return a path for each position: a text node and an offset; null if there is no such text.

        The inverse of :meth:`find_positions`.  Where a choice exists, a start is in the text node of the
        character after it, an end in that of the character before it.
        """
        document = self.document(numbers)
        nodes = self._text_nodes(np.arange(len(self.forest)))
        if not len(nodes.owner):
            return pl.Series([None] * len(numbers), dtype=pl.String)
        stride = 2 + int(nodes.end.max())
        line = self.forest.document[nodes.owner] * stride
        order = np.argsort(line + nodes.start, kind="stable")
        target = np.maximum(document, 0) * stride + positions
        edge = (line + nodes.start)[order]
        node = np.searchsorted(edge, target, side="right" if side == "start" else "left") - 1
        if side == "end":  # no character precedes the beginning of a text
            node[positions == 0] += 1
        node = order[np.clip(node, 0, len(order) - 1)]
        exists = (document >= 0) & (self.forest.document[nodes.owner[node]] == document)
        exists &= (nodes.start[node] <= positions) & (positions <= nodes.end[node])
        rank = node - np.searchsorted(nodes.owner, nodes.owner[node]) + 1
        path = self.forest.paths().gather(nodes.owner[node])
        place = pl.format("{}/text()[{}].{}", path, pl.Series(rank), pl.Series(positions - nodes.start[node]))
        return pl.select(pl.when(pl.Series(exists)).then(place)).to_series()

    def _text_positions(self, numbers: Ints, paths: pl.Series, side: Side) -> Ints:
        parts = pl.select(paths.str.extract_groups(rf"^(.+?){_TEXT_NODE}$")).to_series().struct.unnest()
        path, number, offset = parts.get_columns()
        owner = self.elements(numbers, path)
        nodes = self._text_nodes(owner)
        node = nodes.find(owner, _parse_digits(number, otherwise=1))
        if not len(nodes.owner):
            return node
        start, end = nodes.start[node], nodes.end[node]
        at = start + _parse_digits(offset, otherwise=0)
        place = np.where(offset.is_null().to_numpy(), start if side == "start" else end, at)
        return np.where((node >= 0) & (place <= end), place, -1)

    def _text_nodes(self, owners: Ints) -> TextNodes:
        """Return the text nodes of all documents, or with ``strip`` the non-blank ones of the elements."""
        if not self.strip:
            return self._all_text_nodes
        nodes = self._all_text_nodes
        candidates = np.flatnonzero(np.isin(nodes.owner, owners))
        document = self.forest.document[nodes.owner[candidates]]
        not_blank: list[int] = []
        for number in np.unique(document).tolist():
            text = self.collection.text(int(self.numbers[number]))
            rows = candidates[document == number].tolist()
            not_blank.extend(row for row in rows if text[nodes.start[row] : nodes.end[row]].strip(_XML_SPACE))
        return nodes.select(np.array(sorted(not_blank), dtype=np.int64))

    @cached_property
    def _all_text_nodes(self) -> TextNodes:
        return TextNodes.of(self.forest, self._breaks())

    def _breaks(self) -> Iterable[tuple[int, int]]:
        interrupted = self.collection.documents["breaks"].to_numpy()[self.numbers]
        for place in np.flatnonzero(interrupted).tolist():
            first = int(self.forest.first[place])
            for element, position in self.collection.breaks(int(self.numbers[place])).iter_rows():
                yield first + element, position


def _parse_digits(digits: pl.Series, *, otherwise: int) -> Ints:
    """Return digits as numbers; very large numbers, of which no sum overflows, are larger than any text."""
    numbers = digits.cast(pl.Int64, strict=False)
    numbers = pl.select(pl.when(digits.is_null()).then(otherwise).otherwise(numbers)).to_series()
    return numbers.fill_null(_LARGEST).clip(upper_bound=_LARGEST).to_numpy()


def find_positions(
    collection: Collection, numbers: Ints, paths: pl.Series, *, side: Side, strip: bool = False
) -> Ints:
    """Return the position of each place in its document, -1 where it names none.

    ``numbers`` are rows of ``collection.documents`` (-1: unknown), ``side`` is the start or the end of an
    element.  For several queries about the same documents, use :class:`PlaceFinder`.
    """
    return PlaceFinder(collection, numbers, strip=strip).positions(numbers, paths, side=side)
