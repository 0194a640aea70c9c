"""T2I, tolerance to irrelevance: the relevant share of the text read until too much of it is irrelevant.

The reader reads the retrieved passages of an article in document order, then the gaps between them in
document order, until the tolerated number of irrelevant characters is reached or the document ends.
"""

from __future__ import annotations

import numpy as np

from doxel.evaluation.inex_eval.articles import Articles
from doxel.evaluation.inex_eval.base import Base
from doxel.evaluation.inex_eval.figures import divide
from doxel.evaluation.inex_eval.highlights import Highlights
from doxel.evaluation.inex_eval.novelty import Fragments
from doxel.spans import Floats, Ints

__all__ = ["tolerance_score"]


def tolerance_score(articles: Articles, base: Base, *, tolerance: int) -> Floats:
    """Return R / (R + I): relevant over all characters read of each article, I at most ``tolerance``."""
    parts, marks = _reading_order(articles, base), base.merged
    pair = articles.pair[parts.result]
    irrelevant = parts.end - parts.start - marks.size(pair, parts.start, parts.end)
    before = np.cumsum(irrelevant) - irrelevant
    first = np.searchsorted(parts.result, parts.result)
    left = np.maximum(tolerance - (before - before[first]), 0)
    read = parts._replace(end=_stops(marks, pair, parts, irrelevant, left))
    count = len(articles.pair)
    relevant = read.total(marks.size(pair, read.start, read.end), count)
    return divide(relevant, read.sizes(count))


def _reading_order(articles: Articles, base: Base) -> Fragments:
    """Return the spans of the relevant articles in reading order, article by article."""
    text = articles.text.take(np.flatnonzero(articles.relevant[articles.text.result]))
    text = text.take(np.lexsort((text.start, text.result)))
    gaps = _gaps(text, base.docsize[articles.pair[text.result]])
    both = Fragments(*(np.concatenate(columns) for columns in zip(text, gaps, strict=True)))
    # the sort is stable: retrieved text stays before the gaps of its article
    return both.take(np.argsort(both.result, kind="stable"))


def _gaps(text: Fragments, docsize: Ints) -> Fragments:
    """Return the gaps before, between and after the sorted spans of each article, up to its end."""
    first = np.diff(text.result, prepend=-1) != 0
    last = np.diff(text.result, append=-1) != 0
    # an empty result may be inside another: take the furthest end so far
    article = text.result * (int(text.end.max(initial=0)) + 1)
    reach = np.maximum.accumulate(article + text.end) - article
    gaps = Fragments(
        np.concatenate((text.result, text.result[last])),
        np.concatenate((np.where(first, 0, np.roll(reach, 1)), reach[last])),
        np.concatenate((np.minimum(text.start, docsize), docsize[last])),
    )
    return gaps.take(np.flatnonzero(gaps.start < gaps.end))


def _stops(marks: Highlights, pair: Ints, parts: Fragments, irrelevant: Ints, left: Ints) -> Ints:
    """Return the end of reading in each part: its end, or the position at which the tolerance is used up."""
    stops = parts.end.copy()
    cut = np.flatnonzero(irrelevant >= left)
    pair, start, left = pair[cut], parts.start[cut], left[cut]
    low, high = start, parts.end[cut]
    while (low < high).any():  # binary search in all parts at once
        middle = (low + high) // 2
        enough = middle - start - marks.size(pair, start, middle) >= left
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    stops[cut] = low
    return stops
