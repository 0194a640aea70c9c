"""Remove the overlap of elements: three ways to select between an element and its descendants.

score
    Of two elements that overlap, select the one with the higher score.
specificity
    Select the smallest: the innermost elements with at least half the score of the best element that they
    overlap; where nothing was selected, the elements with the highest scores.
bottom-up
    From the leaves to the root, an element replaces the elements selected in it if its score is at least
    their mean score, weighted by the scores themselves, so that many poor elements do not outweigh a good
    one.

The selected elements are ranked by score, equal ones in document order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxel.documents.tree_arrays import iterate_levels
from doxel.search.index import SearchIndex
from doxel.spans import Floats, Ints

__all__ = ["CHOICES", "best_first"]

_NEAR = 0.5  # the smallest share of the best score among overlapping elements


def best_first(scores: Floats) -> Ints:
    """Return the elements with a score, best first, equal ones in document order."""
    rows = np.flatnonzero(scores > 0)
    return rows[np.argsort(-scores[rows], kind="stable")]


def by_score(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Select the element with the higher score of two that overlap."""
    return _greedily(index, best_first(scores), limit)


def by_specificity(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Select the smaller of two elements with similar scores."""
    best = np.maximum(index.best_inside(scores), index.best_around(scores))
    is_near = (scores > 0) & (scores >= _NEAR * best)
    is_innermost = is_near & ~index.shape.above(is_near)
    first = best_first(np.where(is_innermost, scores, 0.0))
    rest = best_first(np.where(is_innermost, 0.0, scores))
    rows = _greedily(index, np.concatenate([first, rest]), len(first) + limit)
    return rows[np.lexsort((rows, -scores[rows]))][:limit]


def bottom_up(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Select an element instead of the elements selected in it, if they are not better on average."""
    parent = index.forest.parent
    total, squares = np.zeros(len(scores)), np.zeros(len(scores))
    is_selected = np.zeros(len(scores), dtype=bool)
    for rows in reversed(list(iterate_levels(index.forest.depth))):
        own = scores[rows]
        is_better = (own > 0) & (own * total[rows] >= squares[rows])
        is_selected[rows] = is_better
        total[rows] = np.where(is_better, own, total[rows])
        squares[rows] = np.where(is_better, own**2, squares[rows])
        inner = rows[parent[rows] >= 0]
        np.add.at(total, parent[inner], total[inner])
        np.add.at(squares, parent[inner], squares[inner])
    is_outermost = is_selected & ~index.shape.below(is_selected)
    return best_first(np.where(is_outermost, scores, 0.0))[:limit]


def _greedily(index: SearchIndex, rows: Ints, limit: int) -> Ints:
    """Return the first ``limit`` elements that do not overlap an earlier one."""
    is_excluded = bytearray(len(index.forest))
    parents, ends = index.forest.parent, index.forest.subtree_end
    selection: list[int] = []
    for row in rows.tolist():
        if is_excluded[row]:
            continue
        selection.append(row)
        if len(selection) == limit:
            break
        end = int(ends[row])
        is_excluded[row:end] = b"\1" * (end - row)
        ancestor = int(parents[row])
        while ancestor >= 0 and not is_excluded[ancestor]:
            is_excluded[ancestor] = 1
            ancestor = int(parents[ancestor])
    return np.array(selection, dtype=np.int64)


CHOICES: dict[str, Callable[[SearchIndex, Floats, int], Ints]] = {
    "score": by_score,
    "specificity": by_specificity,
    "bottom-up": bottom_up,
}
