"""The ideal recall base: the elements without overlap that a perfect system would return.

Four constructions over the same arrays: gains of elements in document order, and their tree.  Two
gains are equal when they differ by less than the tolerance.
"""

from __future__ import annotations

import numpy as np

from doxel.documents.trees import Tree
from doxel.spans import Booleans, Floats, Ints

__all__ = ["CONSTRUCTIONS", "ideal"]


_TOLERANCE = 1e-12


def ideal(gain: Floats, tree: Tree, *, construction: str = "path", tie: str = "ancestor") -> Booleans:
    """Mark the elements of the ideal recall base."""
    return CONSTRUCTIONS[construction](gain, tree, tie == "ancestor")


def _leaves(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """Relevant elements with no relevant descendant."""
    del ancestor_first  # there is nothing to choose between
    relevant = gain > 0
    return relevant & ~tree.above(relevant)


def _path(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """The best element of each relevant path; of two that overlap the one with the shorter path."""
    best = np.arange(len(gain))
    for rows in tree.levels[1:]:
        above = best[tree.parent[rows]]
        slack = _TOLERANCE if ancestor_first else -_TOLERANCE
        best[rows] = np.where(gain[rows] > gain[above] + slack, rows, above)
    chosen = np.zeros(len(gain), dtype=bool)
    chosen[best[_leaves(gain, tree, ancestor_first)]] = True
    return chosen & ~tree.below(chosen)


def _best_sum(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """The disjoint set with the largest sum of gains."""
    below = np.zeros(len(gain))  # the best sum among proper descendants
    takes = np.zeros(len(gain), dtype=bool)
    for rows in reversed(tree.levels):
        slack = -_TOLERANCE if ancestor_first else _TOLERANCE
        takes[rows] = (gain[rows] > 0) & (gain[rows] > below[rows] + slack)
        best = np.where(takes[rows], gain[rows], below[rows])
        inner = tree.parent[rows] >= 0
        np.add.at(below, tree.parent[rows][inner], best[inner])
    return takes & ~tree.below(takes)


def _greedy(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """Take the highest gain, drop what overlaps it, repeat.

    An element that stands before all of its relatives in that order is certain to be taken, so all
    such elements are taken at once.
    """
    by_depth = tree.depth if ancestor_first else -tree.depth
    order = np.lexsort((np.arange(len(gain)), by_depth, -np.round(gain, 12)))
    turn = np.empty(len(gain), dtype=np.int64)
    turn[order] = np.arange(len(gain))
    left = gain > 0
    chosen = np.zeros(len(gain), dtype=bool)
    while left.any():
        waiting = np.where(left, turn, len(gain))
        taken = left & (waiting <= _first_above(waiting, tree)) & (waiting <= _first_below(waiting, tree))
        chosen |= taken
        left &= ~(taken | tree.below(taken) | tree.above(taken))
    return chosen


def _first_above(turn: Ints, tree: Tree) -> Ints:
    """The first turn among an element and its ancestors."""
    first = turn.copy()
    for rows in tree.levels[1:]:
        first[rows] = np.minimum(first[rows], first[tree.parent[rows]])
    return first


def _first_below(turn: Ints, tree: Tree) -> Ints:
    """The first turn among an element and its descendants."""
    first = turn.copy()
    for rows in reversed(tree.levels[1:]):
        np.minimum.at(first, tree.parent[rows], first[rows])
    return first


CONSTRUCTIONS = {"path": _path, "greedy": _greedy, "best-sum": _best_sum, "leaves": _leaves}
