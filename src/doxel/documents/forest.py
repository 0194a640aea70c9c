"""The elements of any number of documents, as columns.

Four small numbers per element are stored: its number of descendants, the size of the text between the
previous boundary (a start or an end) and its start, the size of the text between the last boundary inside
it and its end, and its label path.  Everything else is computed from them on demand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents import trees
from doxel.documents.labels import Labels
from doxel.documents.trees import Tree
from doxel.spans import Ints

if TYPE_CHECKING:
    from doxel.documents.paths import ChildIndex

__all__ = ["Forest"]

Stored = npt.NDArray[np.signedinteger[Any]]  # 32 bits are enough for one document and halve the memory


@dataclass(frozen=True)
class Forest:
    """Elements of several documents in document order.

    ``first`` contains the row of each document's root, and at its end the number of elements.
    """

    first: Ints
    descendants: Stored
    before: Stored
    inside: Stored
    label: Stored
    labels: Labels

    def __len__(self) -> int:
        return len(self.label)

    @cached_property
    def tree(self) -> Tree:
        """The documents as trees of elements."""
        return Tree(np.arange(1, len(self) + 1) + self.descendants)

    @property
    def subtree_end(self) -> Ints:
        """The row after each element's last descendant."""
        return self.tree.subtree_end

    @property
    def depth(self) -> Ints:
        """The number of steps in each element's path, 1 for a root."""
        return self.tree.depth

    @property
    def parent(self) -> Ints:
        """The row of each element's parent, -1 for a root."""
        return self.tree.parent

    @cached_property
    def document(self) -> Ints:
        """The number of each element's document."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def _sums(self) -> tuple[Ints, Ints, npt.NDArray[np.float64]]:
        """Cumulated text sizes: before starts, inside all elements, inside the elements that have ended."""
        before, inside = np.cumsum(self.before), np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(self.inside, out=inside[1:])
        ended = np.bincount(self.subtree_end, weights=self.inside, minlength=len(self) + 1)
        return before, inside, np.cumsum(ended)

    def spans(self, rows: Ints, document: Ints | None = None) -> tuple[Ints, Ints]:
        """Return start and end of the elements in ``rows``, by adding up the text before them.

        Passing the ``document`` of each row saves looking it up.

        The text before an element's start is the gaps before it and all earlier elements, and the inside
        texts of the elements that have ended; the text before its end adds the gaps of its descendants and
        the inside texts of the element and its descendants.
        """
        if document is None:
            document = np.searchsorted(self.first, rows, side="right") - 1
        root = self.first[document]
        before, inside, ended = self._sums
        start = before[rows] - before[root] + (ended[rows] - ended[root]).astype(np.int64)
        after = self.subtree_end[rows]
        return start, start + before[after - 1] - before[rows] + inside[after] - inside[rows]

    @cached_property
    def _spans(self) -> tuple[Ints, Ints]:
        return self.spans(np.arange(len(self)))

    @property
    def start(self) -> Ints:
        """The position of each element's first character in its document."""
        return self._spans[0]

    @property
    def end(self) -> Ints:
        """The position after each element's last character."""
        return self._spans[1]

    @cached_property
    def name(self) -> Ints:
        """The number of each element's local name in ``labels.names``."""
        return self.labels.name_ids[self.label]

    @cached_property
    def sibling(self) -> Ints:
        """The position of each element, from 1, among the siblings of its name."""
        return trees.sibling_positions(self.parent, self.name)

    @cached_property
    def _children(self) -> ChildIndex:
        from doxel.documents.paths import ChildIndex

        return ChildIndex.of(self)

    def find(self, document: Ints, paths: pl.Series) -> Ints:
        """Return the row of each path in its document, -1 where it names no element.

        ``document`` holds for each path the number of its document in the forest, -1 for none.
        """
        return self._children.find(document, paths)

    def path(self, row: int) -> str:
        """Return the path of one element, with a position at every step."""
        steps: list[str] = []
        while row >= 0:
            steps.append(f"/{self.labels.names[self.name[row]]}[{self.sibling[row]}]")
            row = int(self.parent[row])
        return "".join(reversed(steps))

    def paths(self) -> pl.Series:
        """Return the paths of all elements.

        They are built level by level, each from its parent's path: a million take about a second.
        """
        names = pl.Series(self.labels.names, dtype=pl.String).gather(self.name)
        steps = pl.select("/" + names + "[" + pl.Series(self.sibling).cast(pl.String) + "]").to_series()
        pieces: list[pl.Series] = []
        place = np.empty(len(self), dtype=np.int64)  # an element's index within its level
        back = np.empty(len(self), dtype=np.int64)
        done = 0
        for rows in self.tree.levels:
            place[rows] = np.arange(len(rows))
            back[rows] = done + place[rows]
            done += len(rows)
            last_steps = steps.gather(rows)
            pieces.append(pieces[-1].gather(place[self.parent[rows]]) + last_steps if pieces else last_steps)
        if not pieces:
            return pl.Series("path", [], dtype=pl.String)
        return pl.concat(pieces).gather(back).alias("path")

    def frame(self) -> pl.DataFrame:
        """Return the elements as a table: path, tag, start, end, depth, parent, subtree_end."""
        return pl.DataFrame(
            {
                "path": self.paths(),
                "tag": pl.Series(self.labels.names, dtype=pl.String).gather(self.name),
                "start": self.start,
                "end": self.end,
                "depth": self.depth,
                "parent": self.parent,
                "subtree_end": self.subtree_end,
            }
        )
