"""The ideal recall base: the non-overlapping elements that a perfect system would return.

There are four constructions over the same arrays: the gains of elements in document order, and their
tree.  Two gains are equal if they differ by less than the tolerance.
"""

from __future__ import annotations

import numpy as np

from doxel.documents.tree_arrays import Tree
from doxel.spans import Booleans, Floats, Ints

__all__ = ["CONSTRUCTIONS", "choose_ideal"]

_TOLERANCE = 1e-12


def choose_ideal(
    gain: Floats, tree: Tree, *, construction: str = "path", tie: str = "ancestor", paths: str = "leaf"
) -> Booleans:
    """Mark the elements of the ideal recall base under a construction and a tie rule.

    ``paths`` is a rule of the construction "path": a relevant path ends at a relevant element without another
    one inside ("leaf"), or at any relevant element ("any", the footnotes of 001 and 004 read literally).
    """
    if construction == "path" and paths == "any":
        return _choose_by_path(gain, tree, tie == "ancestor", ends=gain > 0)
    return CONSTRUCTIONS[construction](gain, tree, tie == "ancestor")


def _choose_leaves(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """Mark the relevant elements without a relevant descendant."""
    del ancestor_first  # ties cannot occur
    relevant = gain > 0
    return relevant & ~tree.above(relevant)


def _choose_by_path(gain: Floats, tree: Tree, ancestor_first: bool, ends: Booleans | None = None) -> Booleans:
    """Mark the best element of each relevant path; of two that overlap, the one nearer the root."""
    best = np.arange(len(gain))
    for rows in tree.levels[1:]:
        above = best[tree.parent[rows]]
        slack = _TOLERANCE if ancestor_first else -_TOLERANCE
        best[rows] = np.where(gain[rows] > gain[above] + slack, rows, above)
    is_best = np.zeros(len(gain), dtype=bool)
    is_best[best[_choose_leaves(gain, tree, ancestor_first) if ends is None else ends]] = True
    return is_best & ~tree.below(is_best)


def _choose_best_sum(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """Mark the disjoint set with the largest sum of gains."""
    below = np.zeros(len(gain))  # the best sum among proper descendants
    beats_below = np.zeros(len(gain), dtype=bool)
    for rows in reversed(tree.levels):
        slack = -_TOLERANCE if ancestor_first else _TOLERANCE
        beats_below[rows] = (gain[rows] > 0) & (gain[rows] > below[rows] + slack)
        best = np.where(beats_below[rows], gain[rows], below[rows])
        inner = tree.parent[rows] >= 0
        np.add.at(below, tree.parent[rows][inner], best[inner])
    return beats_below & ~tree.below(beats_below)


def _choose_greedily(gain: Floats, tree: Tree, ancestor_first: bool) -> Booleans:
    """Take the element with the highest gain, drop all that overlap it, and repeat.

    An element that precedes all of its ancestors and descendants in that order is certain to be taken, so
    each round takes all such elements at once.
    """
    by_depth = tree.depth if ancestor_first else -tree.depth
    order = np.lexsort((np.arange(len(gain)), by_depth, -np.round(gain, 12)))
    turn = np.empty(len(gain), dtype=np.int64)
    turn[order] = np.arange(len(gain))
    remaining = gain > 0
    is_ideal = np.zeros(len(gain), dtype=bool)
    while remaining.any():
        turns = np.where(remaining, turn, len(gain))
        is_taken = (
            remaining & (turns <= _find_first_above(turns, tree)) & (turns <= _find_first_below(turns, tree))
        )
        is_ideal |= is_taken
        remaining &= ~(is_taken | tree.below(is_taken) | tree.above(is_taken))
    return is_ideal


def _find_first_above(turn: Ints, tree: Tree) -> Ints:
    """Return the first turn among each element and its ancestors."""
    first = turn.copy()
    for rows in tree.levels[1:]:
        first[rows] = np.minimum(first[rows], first[tree.parent[rows]])
    return first


def _find_first_below(turn: Ints, tree: Tree) -> Ints:
    """Return the first turn among each element and its descendants."""
    first = turn.copy()
    for rows in reversed(tree.levels[1:]):
        np.minimum.at(first, tree.parent[rows], first[rows])
    return first


CONSTRUCTIONS = {
    "path": _choose_by_path,
    "greedy": _choose_greedily,
    "best-sum": _choose_best_sum,
    "leaves": _choose_leaves,
}
