"""The figures of inex_eval for every assessed topic, and the rows that the tool prints.

The Focused and Thorough tasks have precision and recall in characters, result by result; the in-context tasks
have generalised precision and recall, article by article.

The score T2I, tolerance to irrelevance, is the relevant share of the text that is read until too much of it
is irrelevant.  The reader reads the retrieved passages of an article in document order, then the gaps between
them in document order, until the tolerated number of irrelevant characters is reached or the document ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from doxel.checks.score_warnings import ScoreWarning
from doxel.evaluation.compat.inex_eval.inex_eval_data import (
    Fragments,
    ToolAssessments,
    ToolHighlights,
    ToolResults,
    is_relevant,
)
from doxel.spans import Booleans, Floats, Ints

__all__ = [
    "Figures",
    "ToolOutcome",
    "ToolRow",
    "compute_article_figures",
    "compute_character_figures",
    "compute_entry_point_score",
    "compute_f_score",
    "compute_tolerance_score",
]


@dataclass(frozen=True)
class Figures:
    """Counts and figures, one value per assessed topic, in the order in which the tool prints them.

    ``average`` is printed last for a topic, and over all topics before or after the figures; ``curve`` has
    one column per recall point.  ``all_relevant``: the overall counts of relevant articles and characters
    cover every assessed topic, even those left out of the averages.
    """

    counts: Mapping[str, Ints]
    figures: Mapping[str, Floats]
    average: tuple[str, Floats]
    average_first: bool
    curve: Floats
    all_relevant: bool

    def topic_rows(self, topics: tuple[str, ...], is_counted: Booleans) -> Iterator[ToolRow]:
        """Yield the rows of the topics marked in ``is_counted``."""
        columns: list[tuple[str, Ints | Floats]] = [*self.counts.items(), *self.figures.items(), self.average]
        for number in np.flatnonzero(is_counted):
            for name, values in columns:
                yield ToolRow(topics[number], name, values[number].item())

    def overall_rows(self, is_counted: Booleans) -> Iterator[ToolRow]:
        """Yield the rows over all topics: sums of counts, and means over the marked topics."""
        topics = int(is_counted.sum())
        yield ToolRow("all", "num_q", topics)
        for name, counts in self.counts.items():
            yield ToolRow("all", name, int(counts[... if self.all_relevant else is_counted].sum()))
        for name, values in self._order_figures():
            with np.errstate(invalid="ignore"):
                yield ToolRow("all", name, float(sum_in_order(values[is_counted]) / np.float64(topics)))

    def _order_figures(self) -> Iterable[tuple[str, Floats]]:
        figures, average = list(self.figures.items()), [self.average]
        points = self.curve.shape[1] - 1
        curve = [(f"ircl_prn.{point / points:.2f}", self.curve[:, point]) for point in range(points + 1)]
        return [*average, *figures, *curve] if self.average_first else [*figures, *average, *curve]


def count_retrieved(results: ToolResults, base: ToolAssessments, rsize: Ints, size: Ints) -> dict[str, Ints]:
    """Return the tool's counts: articles retrieved, relevant and both; characters likewise."""
    first = np.unique(results.article, return_index=True)[1]
    topic, is_found = results.topic[first], is_relevant(base, results.pair[first])
    return {
        "num_ret": _sum_per_topic(base, topic, np.ones(len(topic), dtype=np.int64)),
        "num_rel": base.num_rel,
        "num_rel_ret": _sum_per_topic(base, topic, is_found.astype(np.int64)),
        "ret_size": _sum_per_topic(base, results.topic, size),
        "rel_size": base.rel_size,
        "rel_ret_size": _sum_per_topic(base, results.topic, rsize),
    }


def _sum_per_topic(base: ToolAssessments, topic: Ints, values: Ints) -> Ints:
    sums = np.zeros(len(base.topics), dtype=np.int64)
    np.add.at(sums, topic, values)
    return sums


def sum_in_order(values: Floats) -> Floats:
    """Return the sum along the first axis, added in order: ``sum`` would regroup the values."""
    from_nothing = np.concatenate((np.zeros((1, *values.shape[1:])), values))
    sums: Floats = np.asarray(np.add.accumulate(from_nothing)[-1])
    return sums


def divide_like_tool(above: Ints | Floats, below: Ints | Floats) -> Floats:
    """Divide; return 0 where the divisor is 0."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    return np.divide(above, below, out=out, where=below != 0)


def interpolate_precision(topics: int, points: int, topic: Ints, recall: Floats, precision: Floats) -> Floats:
    """Return the interpolated precision of each topic at ``points`` recall points, 0 to 1.

    Recall is rounded down to a point in raw doubles; recall above 1 is left out.
    """
    place = np.floor((points - 1) * recall)
    is_valid = (place >= 0) & (place < points)  # False for NaN, which means nothing is relevant
    best = np.zeros((topics, points))
    np.maximum.at(best, (topic[is_valid], place[is_valid].astype(np.int64)), precision[is_valid])
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]


class ToolRow(NamedTuple):
    """One figure; counts are integers, all other figures are doubles."""

    topic: str
    measure: str
    value: int | float


@dataclass(frozen=True)
class ToolOutcome:
    """The figures of one run, in the tool's order, under doxel's names.

    Attributes
    ----------
    run
        The run's id.
    rejected
        The reason for rejecting the run, with the line; None if accepted.  A rejected run has no rows.
    per_topic, overall
        The rows of single topics, and the rows over all topics (topic ``all``).
    warnings
        The results that were not scored, with the reason.
    """

    run: str
    rejected: str | None = None
    per_topic: tuple[ToolRow, ...] = ()
    overall: tuple[ToolRow, ...] = ()
    warnings: tuple[ScoreWarning, ...] = ()

    @property
    def rows(self) -> tuple[ToolRow, ...]:
        """All rows: single topics first, then the rows over all topics."""
        return self.per_topic + self.overall

    def scores(self) -> pl.DataFrame:
        """Return the rows as a frame: topic, measure, score."""
        schema = {"topic": pl.String, "measure": pl.String, "score": pl.Float64}
        columns = zip(*((row.topic, row.measure, float(row.value)) for row in self.rows), strict=True)
        return pl.DataFrame(dict(zip(schema, columns, strict=False)) or None, schema=schema)


_RECALL_POINTS = 101
_RECALL_CUTOFFS = (0, 1, 5, 10)  # in hundredths of recall


def compute_character_figures(results: ToolResults, base: ToolAssessments, *, thorough: bool) -> Figures:
    """Return the figures of the Focused or the Thorough task."""
    rsize, size = _count_new(results, base) if thorough else (results.rsize(base), results.size)
    counts = count_retrieved(results, base, rsize, size)
    curve = _compute_curve(results, base, rsize, size)
    figures = {
        **_compute_precision_and_recall("art", counts["num_rel_ret"], counts["num_ret"], counts["num_rel"]),
        **_compute_precision_and_recall(
            "char", counts["rel_ret_size"], counts["ret_size"], counts["rel_size"]
        ),
        **{f"iP@{point / (_RECALL_POINTS - 1):g}": curve[:, point] for point in _RECALL_CUTOFFS},
    }
    average = ("MAiP", sum_in_order(curve.T) / _RECALL_POINTS)
    return Figures(counts, figures, average, average_first=False, curve=curve, all_relevant=False)


def _count_new(results: ToolResults, base: ToolAssessments) -> tuple[Ints, Ints]:
    """Return the relevant and the total number of new characters of each result.

    In articles without relevant text the tool does not look for new text: there a repeat counts in full, and
    an unresolved result has a size.
    """
    new, pair = results.new, results.pair[results.new.result]
    relevant_sizes = new.total(base.highlights.size(pair, new.start, new.end), len(results))
    relevant = is_relevant(base, results.pair)
    size = np.where(relevant, new.sizes(len(results)), results.size)
    return np.where(relevant, relevant_sizes, 0), size


def _compute_curve(results: ToolResults, base: ToolAssessments, rsize: Ints, size: Ints) -> Floats:
    order = np.argsort(results.topic, kind="stable")
    topic = results.topic[order]
    relevant, retrieved = _sum_running(topic, rsize[order]), _sum_running(topic, size[order])
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = relevant / base.rel_size[topic]
    return interpolate_precision(
        len(base.topics), _RECALL_POINTS, topic, recall, divide_like_tool(relevant, retrieved)
    )


def _sum_running(topic: Ints, values: Ints) -> Ints:
    """Return running sums that restart with each topic; topics are sorted."""
    sums = np.cumsum(values)
    first = np.searchsorted(topic, topic)
    return sums - (sums - values)[first]


def _compute_precision_and_recall(
    name: str, both: Ints, retrieved: Ints, relevant: Ints
) -> dict[str, Floats]:
    precision, recall = divide_like_tool(both, retrieved), divide_like_tool(both, relevant)
    f1 = divide_like_tool(2 * precision * recall, precision + recall)
    return {f"{name}_prec": precision, f"{name}_rec": recall, f"{name}_f1": f1}


_ARTICLE_POINTS = 11
_RANK_CUTOFFS = (1, 2, 3, 5, 10, 25, 50)


@dataclass(frozen=True)
class ToolArticles:
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


def _collect_articles(results: ToolResults, base: ToolAssessments) -> ToolArticles:
    number, first = np.unique(results.article, return_index=True)
    order = np.argsort(results.topic[first], kind="stable")
    first = first[order]
    place = np.empty(len(number), dtype=np.int64)
    place[order] = np.arange(len(number))
    article = place[results.article]
    pair = results.pair[first]
    fragments = Fragments(article, results.start, results.end)
    return ToolArticles(
        topic=results.topic[first],
        pair=pair,
        relevant=is_relevant(base, pair),
        size=fragments.total(results.size, len(number)),
        rsize=fragments.total(results.rsize(base), len(number)),
        start=results.start[first],
        text=fragments.take(np.flatnonzero(results.resolved)),
    )


def compute_article_figures(
    results: ToolResults,
    base: ToolAssessments,
    score: Callable[[ToolArticles, ToolAssessments], Floats],
    *,
    entry_points: bool = False,
) -> Figures:
    """Return the figures of an in-context task; ``score`` returns the score of each article."""
    articles = _collect_articles(results, base)
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
        average = sum_in_order((precision * relevant).T) / base.num_rel
    inside = rank <= retrieved[:, None]
    topic = np.nonzero(inside)[0]
    # an entry point has no size
    nothing = np.zeros(len(results), dtype=np.int64)
    sizes = (nothing, nothing) if entry_points else (results.rsize(base), results.size)
    return Figures(
        count_retrieved(results, base, *sizes),
        {
            f"{name}@{cutoff}": _take_at_rank(cutoff, values, retrieved)
            for cutoff in _RANK_CUTOFFS
            for name, values in (("gP", precision), ("gR", recall))
        },
        ("MAgP", average),
        average_first=True,
        curve=interpolate_precision(topics, _ARTICLE_POINTS, topic, recall[inside], precision[inside]),
        all_relevant=True,
    )


def _take_at_rank(cutoff: int, values: Floats, retrieved: Ints) -> Floats:
    """Return the values at a rank; after the end of a list its last value, 0 for an empty list."""
    if not values.shape[1]:
        return np.zeros(len(values))
    last = np.minimum(cutoff, retrieved) - 1
    return np.where(retrieved > 0, values[np.arange(len(values)), last], 0.0)


def compute_f_score(articles: ToolArticles, base: ToolAssessments, *, beta: float) -> Floats:
    """Return the F measure of each article's characters; ``beta`` is the weight of recall."""
    precision = divide_like_tool(articles.rsize, articles.size)
    recall = divide_like_tool(articles.rsize, np.append(base.rsize, 0)[articles.pair])
    square = beta * beta
    return divide_like_tool((1 + square) * precision * recall, square * precision + recall)


def compute_entry_point_score(articles: ToolArticles, base: ToolAssessments, *, n: int) -> Floats:
    """Return how near each article's result starts to its best entry point: 1 at it, 0 at distance ``n``."""
    bep = np.append(base.bep, -1)[articles.pair]
    distance = np.abs(bep - articles.start)
    near = articles.relevant & (bep >= 0) & (distance <= n)
    return np.where(near, (n - distance) / n, 0.0)


def compute_tolerance_score(articles: ToolArticles, base: ToolAssessments, *, tolerance: int) -> Floats:
    """Return R / (R + I): relevant over all characters read of each article, I at most ``tolerance``."""
    parts, marks = _order_reading(articles, base), base.merged
    pair = articles.pair[parts.result]
    irrelevant = parts.end - parts.start - marks.size(pair, parts.start, parts.end)
    before = np.cumsum(irrelevant) - irrelevant
    first = np.searchsorted(parts.result, parts.result)
    left = np.maximum(tolerance - (before - before[first]), 0)
    read = parts._replace(end=_find_stops(marks, pair, parts, irrelevant, left))
    count = len(articles.pair)
    relevant = read.total(marks.size(pair, read.start, read.end), count)
    return divide_like_tool(relevant, read.sizes(count))


def _order_reading(articles: ToolArticles, base: ToolAssessments) -> Fragments:
    """Return the spans of the relevant articles in reading order, article by article."""
    text = articles.text.take(np.flatnonzero(articles.relevant[articles.text.result]))
    text = text.take(np.lexsort((text.start, text.result)))
    gaps = _find_gaps(text, base.docsize[articles.pair[text.result]])
    both = Fragments(*(np.concatenate(columns) for columns in zip(text, gaps, strict=True)))
    # the sort is stable: retrieved text stays before the gaps of its article
    return both.take(np.argsort(both.result, kind="stable"))


def _find_gaps(text: Fragments, docsize: Ints) -> Fragments:
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


def _find_stops(marks: ToolHighlights, pair: Ints, parts: Fragments, irrelevant: Ints, left: Ints) -> Ints:
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
