"""One document of a collection: its text, its elements, and how they relate."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from doxel.arguments import check_methods
from doxel.documents.element_forest import Forest
from doxel.documents.element_paths import parse_path
from doxel.errors import CollectionError

if TYPE_CHECKING:
    from doxel.documents.collection import Collection

__all__ = ["Document"]


@check_methods
@dataclass(frozen=True)
class Document:
    """A document; its elements are numbered from 0 in document order.

    ``text`` is its text, ``forest`` its elements as arrays, ``elements`` the same as a table.
    """

    id: str
    source: str
    number: int = field(repr=False)
    collection: Collection = field(repr=False)

    @cached_property
    def text(self) -> str:
        """The text, in which all spans count code points."""
        return self.collection.text(self.number)

    @cached_property
    def forest(self) -> Forest:
        """The elements as arrays."""
        return self.collection.forest([self.number])

    @cached_property
    def elements(self) -> pl.DataFrame:
        """The elements as a table: path, tag, start, end, depth, parent, subtree_end."""
        return self.forest.frame()

    def find(self, path: str) -> int:
        """Return the element with a path."""
        parse_path(path)
        row = int(self.forest.find(np.zeros(1, dtype=np.int64), pl.Series([path]))[0])
        if row < 0:
            raise CollectionError(f"document {self.id!r} has no element {path}")
        return row

    def _check_element(self, element: int) -> None:
        if not 0 <= element < len(self.forest.parent):
            raise CollectionError(f"document {self.id!r} has no element with number {element:,}")

    def path(self, element: int) -> str:
        """Return the path of an element."""
        self._check_element(element)
        return self.forest.path(element)

    def span(self, element: int) -> tuple[int, int]:
        """Return start and end of an element."""
        self._check_element(element)
        return int(self.forest.start[element]), int(self.forest.end[element])

    def text_of(self, element: int) -> str:
        """Return the text of an element."""
        start, end = self.span(element)
        return self.text[start:end]

    def parent(self, element: int) -> int | None:
        """Return the parent of an element, None for the root."""
        self._check_element(element)
        parent = int(self.forest.parent[element])
        return parent if parent >= 0 else None

    def ancestors(self, element: int) -> list[int]:
        """Return the ancestors of an element, nearest first."""
        ancestors: list[int] = []
        while (above := self.parent(ancestors[-1] if ancestors else element)) is not None:
            ancestors.append(above)
        return ancestors

    def children(self, element: int) -> list[int]:
        """Return the children of an element in document order."""
        self._check_element(element)
        below = slice(element + 1, int(self.forest.subtree_end[element]))
        return (np.flatnonzero(self.forest.parent[below] == element) + element + 1).tolist()

    def attributes(self, element: int) -> dict[str, str]:
        """Return the attributes of an element; names in namespaces look like ``{uri}name``."""
        self._check_element(element)
        rows = self._attributes.filter(pl.col("element") == element)
        return dict(rows.select("name", "value").iter_rows())

    @cached_property
    def _attributes(self) -> pl.DataFrame:
        return self.collection.attributes(self.number)
