"""Elements of which no two overlap: three ways of choosing between one and those in it.

score
    Of two that overlap, the one with the higher score.
specificity
    The smallest: of the elements that score at least half as much as the best that they overlap, those
    in which there is no other such; then, where nothing was chosen, the ones with the highest scores.
bottom-up
    From the leaves to the root: an element takes the place of what was chosen in it, if it scores at
    least as much as that does on average, each weighted by its score: many poor ones do not make a good
    one worse.

What is chosen is ranked by its score, elements with the same score in document order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxel.documents.trees import levels
from doxel.search.index import SearchIndex
from doxel.spans import Floats, Ints

__all__ = ["CHOICES", "best_first"]

_NEAR = 0.5  # of the best score that an element overlaps


def best_first(scores: Floats) -> Ints:
    """Return the elements with a score, the best first, equal ones in document order."""
    rows = np.flatnonzero(scores > 0)
    return rows[np.argsort(-scores[rows], kind="stable")]


def by_score(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Choose the higher score of two that overlap."""
    return _greedily(index, best_first(scores), limit)


def by_specificity(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Choose the smaller of two that score about as much."""
    best = np.maximum(index.best_inside(scores), index.best_around(scores))
    near = (scores > 0) & (scores >= _NEAR * best)
    innermost = near & ~index.shape.above(near)
    first = best_first(np.where(innermost, scores, 0.0))
    rest = best_first(np.where(innermost, 0.0, scores))
    chosen = _greedily(index, np.concatenate([first, rest]), len(first) + limit)
    return chosen[np.lexsort((chosen, -scores[chosen]))][:limit]


def bottom_up(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Choose an element rather than what is chosen in it, if that is no better on average."""
    parent = index.forest.parent
    total, squares = np.zeros(len(scores)), np.zeros(len(scores))
    taken = np.zeros(len(scores), dtype=bool)
    for rows in reversed(list(levels(index.forest.depth))):
        own = scores[rows]
        takes = (own > 0) & (own * total[rows] >= squares[rows])
        taken[rows] = takes
        total[rows] = np.where(takes, own, total[rows])
        squares[rows] = np.where(takes, own**2, squares[rows])
        inner = rows[parent[rows] >= 0]
        np.add.at(total, parent[inner], total[inner])
        np.add.at(squares, parent[inner], squares[inner])
    outermost = taken & ~index.shape.below(taken)
    return best_first(np.where(outermost, scores, 0.0))[:limit]


def _greedily(index: SearchIndex, rows: Ints, limit: int) -> Ints:
    """Return the first of some elements, without those that overlap one before them."""
    barred = bytearray(len(index.forest))
    parents, ends = index.forest.parent, index.forest.subtree_end
    chosen: list[int] = []
    for row in rows.tolist():
        if barred[row]:
            continue
        chosen.append(row)
        if len(chosen) == limit:
            break
        end = int(ends[row])
        barred[row:end] = b"\1" * (end - row)
        above = int(parents[row])
        while above >= 0 and not barred[above]:
            barred[above] = 1
            above = int(parents[above])
    return np.array(chosen, dtype=np.int64)


CHOICES: dict[str, Callable[[SearchIndex, Floats, int], Ints]] = {
    "score": by_score,
    "specificity": by_specificity,
    "bottom-up": bottom_up,
}
