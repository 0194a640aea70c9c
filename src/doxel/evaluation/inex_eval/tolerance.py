"""T2I, tolerance to irrelevance: how much of what is read is relevant, until too much is not.

The reader of an article reads its retrieved passages in document order, then what lies between them in
document order, until a number of irrelevant characters have been read or the document ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxel.evaluation.inex_eval.articles import Articles
from doxel.evaluation.inex_eval.base import Base
from doxel.evaluation.inex_eval.figures import divide
from doxel.evaluation.inex_eval.highlights import Highlights
from doxel.evaluation.inex_eval.novelty import Fragments

__all__ = ["tolerance_score"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def tolerance_score(articles: Articles, base: Base, *, tolerance: int) -> Floats:
    """Return R / (R + I): the relevant share of what is read of each article."""
    parts = _reading_order(articles, base)
    pair = articles.pair[parts.result]
    marks = base.merged
    relevant = marks.size(pair, parts.start, parts.end)
    irrelevant = parts.end - parts.start - relevant
    before = np.cumsum(irrelevant) - irrelevant
    opens = np.searchsorted(parts.result, parts.result)
    left = np.maximum(tolerance - (before - before[opens]), 0)
    whole = irrelevant < left
    stop = np.where(whole, parts.end, _stop(marks, pair, parts, left))
    read = parts._replace(end=stop)
    found = marks.size(pair, parts.start, stop)
    count = len(articles.pair)
    return divide(read.total(found, count), read.sizes(count))


def _reading_order(articles: Articles, base: Base) -> Fragments:
    """Return the stretches of the relevant articles as they are read; ``result`` is the article, sorted."""
    text = Fragments(*(column[articles.relevant[articles.text.result]] for column in articles.text))
    text = Fragments(*(column[np.lexsort((text.start, text.result))] for column in text))
    gaps = _gaps(text, np.flatnonzero(articles.relevant), base.docsize[articles.pair[articles.relevant]])
    both = Fragments(*(np.concatenate(columns) for columns in zip(text, gaps, strict=True)))
    # the sort is stable: of an article, the retrieved text stays before the gaps
    order = np.argsort(both.result, kind="stable")
    return Fragments(*(column[order] for column in both))


def _gaps(text: Fragments, articles: Ints, docsize: Ints) -> Fragments:
    """Return what lies before, between and after the retrieved text of each article, up to its end."""
    article = np.concatenate((text.result, articles))
    start = np.concatenate((text.start, docsize))
    order = np.lexsort((start, article))
    # results of an article do not overlap: each gap begins where the result before it ends
    raise NotImplementedError
