"""From scores to the results of a task.

thorough
    All elements, the best first.
focused
    The same without overlap.
relevant-in-context
    Documents by their best element; of each, without overlap and in reading order, the elements that
    score at least half as much as that.
best-in-context
    Documents by their best element, each entered where that begins.
documents
    Whole documents: by what the whole of each scores, or, where the query has structure, by their best
    element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxel.search.index import SearchIndex
from doxel.search.options import Options
from doxel.search.overlap import CHOICES, best_first
from doxel.spans import Floats, Ints

__all__ = ["Ranked", "rank"]

_WORTH_READING = 0.5  # of the best score in a document


@dataclass(frozen=True)
class Ranked:
    """Elements in the order in which they are returned, and the scores by which they are."""

    rows: Ints
    rsv: Floats


def rank(index: SearchIndex, scores: Floats, options: Options) -> Ranked:
    """Return the results of a topic."""
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
    """Return the best element of each document that has any, the best document first."""
    rows = best_first(scores)
    _, first = np.unique(index.forest.document[rows], return_index=True)
    return rows[np.sort(first)]


def _in_context(index: SearchIndex, scores: Floats, options: Options) -> Ranked:
    best = _best_of_documents(index, scores)
    document = index.forest.document
    place = np.full(len(index.numbers), len(best), dtype=np.int64)
    place[document[best]] = np.arange(len(best))
    of_best = np.append(scores[best], 0.0)
    chosen = CHOICES[options.overlap](index, scores, len(scores))
    chosen = chosen[scores[chosen] >= _WORTH_READING * of_best[place[document[chosen]]]]
    chosen = chosen[np.lexsort((chosen, place[document[chosen]]))][: options.limit]
    return Ranked(chosen, of_best[place[document[chosen]]])
