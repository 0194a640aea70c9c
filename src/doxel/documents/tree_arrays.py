"""Trees as arrays: parents, depths and subtrees, computed from the number of children of each node.

Nodes are in pre-order (document order of their start tags), one tree after the other, so that a subtree
is a range of rows and one array stores any number of documents.  All functions are linear or sort once;
none recurses and none loops over nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from doxel.spans import Booleans, Ints, sort_stably

__all__ = [
    "MAX_DEPTH",
    "Tree",
    "compute_depths",
    "compute_parents",
    "compute_sibling_positions",
    "compute_subtree_ends",
    "iterate_levels",
    "rank_boundaries",
]

MAX_DEPTH = 256
"""The deepest allowed nesting of elements, in documents of every kind."""


def compute_subtree_ends(child_counts: npt.ArrayLike) -> Ints:
    """Return for each node the row after its last descendant.

    Going through the rows, count the nodes still owed: each node pays one and orders its children.  A
    subtree ends where the debt first falls below its value before the subtree's root; since the debt falls
    by one at a time, that is the next row with exactly the value one below.

    >>> compute_subtree_ends([2, 1, 0, 0, 0]).tolist()  # a(b(c) d) and a second tree e
    [4, 3, 3, 4, 5]
    """
    counts = np.asarray(child_counts, dtype=np.int64)
    n = len(counts)
    owed = np.concatenate([[0], np.cumsum(counts - 1)])
    owed -= owed.min(initial=0)
    order = sort_stably(owed)
    key = owed[order] * (n + 1) + order
    ends = np.arange(1, n + 1)  # correct for nodes without children
    inner = np.flatnonzero(counts)
    end_key = (owed[inner] - 1) * (n + 1) + inner
    ends[inner] = order[np.searchsorted(key, end_key)]
    return ends


def compute_depths(ends: Ints) -> Ints:
    """Return for each node the number of steps in its path: 1 for a root.

    >>> compute_depths(np.array([4, 3, 3, 4, 5])).tolist()
    [1, 2, 3, 2, 1]
    """
    closings = np.bincount(ends, minlength=len(ends) + 1)
    return np.arange(1, len(ends) + 1) - np.cumsum(closings)[: len(ends)]


def iterate_levels(depth: Ints) -> Iterator[Ints]:
    """Yield the rows of each depth in turn, in document order, roots first.

    >>> [rows.tolist() for rows in iterate_levels(np.array([1, 2, 3, 2, 1]))]
    [[0, 4], [1, 3], [2]]
    """
    order = sort_stably(depth)
    bounds = np.cumsum(np.bincount(depth, minlength=1))
    for begin, stop in pairwise(bounds.tolist()):
        yield order[begin:stop]


def compute_parents(depth: Ints) -> Ints:
    """Return for each node the row of its parent, -1 for a root.

    >>> compute_parents(np.array([1, 2, 3, 2, 1])).tolist()
    [-1, 0, 1, 0, -1]
    """
    parent = np.full(len(depth), -1, dtype=np.int64)
    above = np.zeros(0, dtype=np.int64)
    for rows in iterate_levels(depth):
        if len(above):
            parent[rows] = above[np.searchsorted(above, rows) - 1]
        above = rows
    return parent


def compute_sibling_positions(parent: Ints, name: Ints) -> Ints:
    """Return each node's position, counted from 1, among the siblings with its name.

    >>> compute_sibling_positions(np.array([-1, 0, 0, 0]), np.array([9, 1, 2, 1])).tolist()
    [1, 1, 1, 2]
    """
    order = np.lexsort((name, parent))  # stable: siblings with one name stay in document order
    new = np.ones(len(parent), dtype=bool)
    new[1:] = (parent[order][1:] != parent[order][:-1]) | (name[order][1:] != name[order][:-1])
    new |= parent[order] == -1  # every root is the first of its document
    rows = np.arange(len(parent))
    position = np.empty(len(parent), dtype=np.int64)
    position[order] = rows - np.maximum.accumulate(np.where(new, rows, 0)) + 1
    return position


def rank_boundaries(ends: Ints, depth: Ints) -> tuple[Ints, Ints]:
    """Return the ranks of each node's start and end in the sequence of all starts and ends.

    Before a node starts, all earlier nodes have started and all but its ancestors have ended; before
    it ends, its descendants have started and ended as well.

    >>> rank_boundaries(np.array([2, 2]), np.array([1, 2]))
    (array([0, 1]), array([3, 2]))
    """
    ancestors = depth - 1
    return 2 * np.arange(len(ends)) - ancestors, 2 * ends - ancestors - 1


@dataclass(frozen=True)
class Tree:
    """Trees given by the row after each node's last descendant; depths, parents and levels follow from it.

    >>> tree = Tree(np.array([4, 3, 3, 4]))  # a(b(c) d)
    >>> tree.below(np.array([False, True, False, False])).tolist()
    [False, False, True, False]
    """

    subtree_end: Ints

    @cached_property
    def depth(self) -> Ints:
        """The number of steps in each node's path, 1 for a root."""
        return compute_depths(self.subtree_end)

    @cached_property
    def parent(self) -> Ints:
        """The row of each node's parent, -1 for a root."""
        return compute_parents(self.depth)

    @cached_property
    def levels(self) -> list[Ints]:
        """The rows of each depth, roots first."""
        return list(iterate_levels(self.depth))

    def below(self, marked: Booleans) -> Booleans:
        """Mark the nodes with a proper ancestor among the marked nodes."""
        rows = np.flatnonzero(marked)
        openings = np.zeros(len(marked) + 1, dtype=np.int64)
        openings[rows + 1] = 1
        np.subtract.at(openings, self.subtree_end[rows], 1)
        return np.cumsum(openings)[:-1] > 0

    def above(self, marked: Booleans) -> Booleans:
        """Mark the nodes with a proper descendant among the marked nodes."""
        before = np.concatenate([[0], np.cumsum(marked)])
        return before[self.subtree_end] > before[1:]
