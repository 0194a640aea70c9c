"""Rank scored elements as the results of a task.

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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxel.search.index import SearchIndex
from doxel.search.options import Options
from doxel.search.overlap import CHOICES, best_first
from doxel.spans import Floats, Ints

__all__ = ["Ranked", "rank"]

_WORTH_READING = 0.5  # the smallest share of the best score in a document


@dataclass(frozen=True)
class Ranked:
    """The elements of a ranking in order, and the scores by which they are ordered."""

    rows: Ints
    rsv: Floats


def rank(index: SearchIndex, scores: Floats, options: Options) -> Ranked:
    """Rank the scored elements of a topic for the task."""
    if options.task == "thorough":
        rows = best_first(scores)[: options.limit]
    elif options.task == "focused":
        rows = CHOICES[options.overlap](index, scores, options.limit)
    elif options.task == "relevant-in-context":
        return _in_context(index, scores, options)
    else:
        rows = _best_of_documents(index, scores)[: options.limit]
    return Ranked(rows, scores[rows])


def _best_of_documents(index: SearchIndex, scores: Floats) -> Ints:
    """Return the best element of each document with a score, the best document first."""
    rows = best_first(scores)
    _, first = np.unique(index.forest.document[rows], return_index=True)
    return rows[np.sort(first)]


def _in_context(index: SearchIndex, scores: Floats, options: Options) -> Ranked:
    best = _best_of_documents(index, scores)
    document = index.forest.document
    place = np.full(len(index.numbers), len(best), dtype=np.int64)
    place[document[best]] = np.arange(len(best))
    best_score = np.append(scores[best], 0.0)
    rows = CHOICES[options.overlap](index, scores, len(scores))
    rows = rows[scores[rows] >= _WORTH_READING * best_score[place[document[rows]]]]
    rows = rows[np.lexsort((rows, place[document[rows]]))][: options.limit]
    return Ranked(rows, best_score[place[document[rows]]])
