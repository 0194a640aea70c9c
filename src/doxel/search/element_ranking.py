"""Rank scored elements as the results of a task, with or without overlap.

The tasks:

thorough
    All elements, the best first.
focused
    The same without overlap.
relevant-in-context
    Documents by their best element; in each, the elements with at least half of its score, without overlap
    and in reading order.
best-in-context
    Documents by their best element, whose start is the entry point.
documents
    Whole documents: by the score of the root or, if the query has structure, of their best element.

Overlap is removed in one of three ways:

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

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from doxel.documents.tree_arrays import iterate_levels
from doxel.errors import InputError
from doxel.search.search_index import SearchIndex
from doxel.spans import Floats, Ints
from doxel.topics.query_structure import Structure

__all__ = [
    "OVERLAPS",
    "OVERLAP_SELECTIONS",
    "QUERY_FIELDS",
    "SEARCH_TASKS",
    "RankedElements",
    "SearchOptions",
    "rank_elements",
    "sort_best_first",
]

_WORTH_READING = 0.5  # the smallest share of the best score in a document


@dataclass(frozen=True)
class RankedElements:
    """The elements of a ranking in order, and the scores by which they are ordered."""

    rows: Ints
    rsv: Floats


def rank_elements(index: SearchIndex, scores: Floats, options: SearchOptions) -> RankedElements:
    """Rank the scored elements of a topic for the task."""
    if options.task == "thorough":
        rows = sort_best_first(scores)[: options.limit]
    elif options.task == "focused":
        rows = OVERLAP_SELECTIONS[options.overlap](index, scores, options.limit)
    elif options.task == "relevant-in-context":
        return _rank_in_context(index, scores, options)
    else:
        rows = _find_best_of_documents(index, scores)[: options.limit]
    return RankedElements(rows, scores[rows])


def _find_best_of_documents(index: SearchIndex, scores: Floats) -> Ints:
    """Return the best element of each document with a score, the best document first."""
    rows = sort_best_first(scores)
    _, first = np.unique(index.forest.document[rows], return_index=True)
    return rows[np.sort(first)]


def _rank_in_context(index: SearchIndex, scores: Floats, options: SearchOptions) -> RankedElements:
    best = _find_best_of_documents(index, scores)
    document = index.forest.document
    place = np.full(len(index.numbers), len(best), dtype=np.int64)
    place[document[best]] = np.arange(len(best))
    best_score = np.append(scores[best], 0.0)
    rows = OVERLAP_SELECTIONS[options.overlap](index, scores, len(scores))
    rows = rows[scores[rows] >= _WORTH_READING * best_score[place[document[rows]]]]
    rows = rows[np.lexsort((rows, place[document[rows]]))][: options.limit]
    return RankedElements(rows, best_score[place[document[rows]]])


_NEAR = 0.5  # the smallest share of the best score among overlapping elements


def sort_best_first(scores: Floats) -> Ints:
    """Return the elements with a score, best first, equal ones in document order."""
    rows = np.flatnonzero(scores > 0)
    return rows[np.argsort(-scores[rows], kind="stable")]


def select_by_score(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Select the element with the higher score of two that overlap."""
    return _select_greedily(index, sort_best_first(scores), limit)


def select_by_specificity(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Select the smaller of two elements with similar scores."""
    best = np.maximum(index.best_inside(scores), index.best_around(scores))
    is_near = (scores > 0) & (scores >= _NEAR * best)
    is_innermost = is_near & ~index.shape.above(is_near)
    innermost = sort_best_first(np.where(is_innermost, scores, 0.0))
    outer = sort_best_first(np.where(is_innermost, 0.0, scores))
    rows = _select_greedily(index, np.concatenate([innermost, outer]), len(innermost) + limit)
    return rows[np.lexsort((rows, -scores[rows]))][:limit]


def select_bottom_up(index: SearchIndex, scores: Floats, limit: int) -> Ints:
    """Select an element instead of the elements selected in it, if they are not better on average."""
    parent = index.forest.parent
    total, squares = np.zeros(len(scores)), np.zeros(len(scores))
    is_selected = np.zeros(len(scores), dtype=bool)
    for rows in reversed(list(iterate_levels(index.forest.depth))):
        row_scores = scores[rows]
        is_better = (row_scores > 0) & (row_scores * total[rows] >= squares[rows])
        is_selected[rows] = is_better
        total[rows] = np.where(is_better, row_scores, total[rows])
        squares[rows] = np.where(is_better, row_scores**2, squares[rows])
        inner = rows[parent[rows] >= 0]
        np.add.at(total, parent[inner], total[inner])
        np.add.at(squares, parent[inner], squares[inner])
    is_outermost = is_selected & ~index.shape.below(is_selected)
    return sort_best_first(np.where(is_outermost, scores, 0.0))[:limit]


def _select_greedily(index: SearchIndex, rows: Ints, limit: int) -> Ints:
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


OVERLAP_SELECTIONS: dict[str, Callable[[SearchIndex, Floats, int], Ints]] = {
    "score": select_by_score,
    "specificity": select_by_specificity,
    "bottom-up": select_bottom_up,
}


SEARCH_TASKS = ("thorough", "focused", "relevant-in-context", "best-in-context", "documents")
OVERLAPS = ("score", "specificity", "bottom-up")
QUERY_FIELDS = ("title", "castitle")
_STRUCTURE = Structure("strict", "vague")


@dataclass(frozen=True)
class SearchOptions:
    """The options of a search.

    ``overlap`` is the way to remove overlap for tasks without overlap; ``field`` the topic field to use as
    the query, None to select it by the kind of topic; ``structure`` the interpretation of structure in
    queries; ``smallest`` the minimum size in characters of elements that the query does not name;
    ``size_prior`` the exponent of the size by which the score of an element is multiplied: below 0 it
    favours small elements, because a large element contains everything that a small one in it does;
    ``limit`` the number of results per topic.
    """

    task: str = "focused"
    overlap: str = "score"
    field: str | None = None
    structure: Structure = _STRUCTURE
    smallest: int = 50
    size_prior: float = -0.3
    limit: int = 1500

    def __post_init__(self) -> None:
        for label, value, choices in (
            ("the task of a search", self.task, SEARCH_TASKS),
            ("the removal of overlap", self.overlap, OVERLAPS),
            ("the topic field to search for", self.field or QUERY_FIELDS[0], QUERY_FIELDS),
        ):
            if value not in choices:
                raise InputError(label, wanted=f"one of {', '.join(choices)}", found=repr(value))
        for label, number in (("the smallest size", self.smallest), ("the limit", self.limit)):
            if number < 1:
                raise InputError(label, wanted="a whole number from 1", found=str(number))
        if not math.isfinite(self.size_prior) or abs(self.size_prior) > 2.0:
            raise InputError("the size prior", wanted="a number from -2 to 2", found=str(self.size_prior))
