"""The in-context tasks: generalised precision and recall, article by article."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from doxel.evaluation.inex_eval.base import Base
from doxel.evaluation.inex_eval.figures import Figures, counts_of, divide, interpolate, total
from doxel.evaluation.inex_eval.novelty import Fragments
from doxel.evaluation.inex_eval.results import Results, is_relevant
from doxel.spans import Booleans, Floats, Ints

__all__ = ["Articles", "article_figures", "entry_point_score", "f_score"]


_POINTS = 11
_CUTOFFS = (1, 2, 3, 5, 10, 25, 50)


@dataclass(frozen=True)
class Articles:
    """The articles of a run, ordered by topic and by first retrieved result.

    ``text`` is their retrieved text; its ``result`` is the number of an article.
    """

    topic: Ints
    pair: Ints
    relevant: Booleans
    size: Ints
    rsize: Ints
    start: Ints
    text: Fragments


def _articles_of(results: Results, base: Base) -> Articles:
    number, first = np.unique(results.article, return_index=True)
    order = np.argsort(results.topic[first], kind="stable")
    first = first[order]
    place = np.empty(len(number), dtype=np.int64)
    place[order] = np.arange(len(number))
    article = place[results.article]
    pair = results.pair[first]
    fragments = Fragments(article, results.start, results.end)
    return Articles(
        topic=results.topic[first],
        pair=pair,
        relevant=is_relevant(base, pair),
        size=fragments.total(results.size, len(number)),
        rsize=fragments.total(results.rsize(base), len(number)),
        start=results.start[first],
        text=fragments.take(np.flatnonzero(results.resolved)),
    )


def article_figures(
    results: Results, base: Base, score: Callable[[Articles, Base], Floats], *, entry_points: bool = False
) -> Figures:
    """Return the figures of an in-context task; ``score`` returns the score of each article."""
    articles = _articles_of(results, base)
    topics = len(base.topics)
    retrieved = np.bincount(articles.topic, minlength=topics)
    place = np.arange(len(articles.topic)) - np.searchsorted(articles.topic, articles.topic)
    rank = np.arange(1, int(retrieved.max(initial=0)) + 1)
    scores, relevant = np.zeros((topics, len(rank))), np.zeros((topics, len(rank)))
    scores[articles.topic, place] = score(articles, base)
    relevant[articles.topic, place] = articles.relevant
    precision = np.cumsum(scores, axis=1) / rank
    with np.errstate(invalid="ignore"):  # recall is 0/0 for a topic with nothing to find: NaN, as in Java
        recall = np.cumsum(relevant, axis=1) / base.num_rel[:, None]
        average = total((precision * relevant).T) / base.num_rel
    inside = rank <= retrieved[:, None]
    topic = np.nonzero(inside)[0]
    # an entry point has no size
    nothing = np.zeros(len(results), dtype=np.int64)
    sizes = (nothing, nothing) if entry_points else (results.rsize(base), results.size)
    return Figures(
        counts_of(results, base, *sizes),
        {
            f"{name}@{cutoff}": _at(cutoff, values, retrieved)
            for cutoff in _CUTOFFS
            for name, values in (("gP", precision), ("gR", recall))
        },
        ("MAgP", average),
        average_first=True,
        curve=interpolate(topics, _POINTS, topic, recall[inside], precision[inside]),
        all_relevant=True,
    )


def _at(cutoff: int, values: Floats, retrieved: Ints) -> Floats:
    """Return the values at a rank; after the end of a list its last value, 0 for an empty list."""
    if not values.shape[1]:
        return np.zeros(len(values))
    last = np.minimum(cutoff, retrieved) - 1
    return np.where(retrieved > 0, values[np.arange(len(values)), last], 0.0)


def f_score(articles: Articles, base: Base, *, beta: float) -> Floats:
    """Return the F measure of each article's characters; ``beta`` is the weight of recall."""
    precision = divide(articles.rsize, articles.size)
    recall = divide(articles.rsize, np.append(base.rsize, 0)[articles.pair])
    square = beta * beta
    return divide((1 + square) * precision * recall, square * precision + recall)


def entry_point_score(articles: Articles, base: Base, *, n: int) -> Floats:
    """Return how near each article's result starts to its best entry point: 1 at it, 0 at distance ``n``."""
    bep = np.append(base.bep, -1)[articles.pair]
    distance = np.abs(bep - articles.start)
    near = articles.relevant & (bep >= 0) & (distance <= n)
    return np.where(near, (n - distance) / n, 0.0)
