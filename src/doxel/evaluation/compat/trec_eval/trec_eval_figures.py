r"""The figures of trec_eval for the topics of one run.

pytrec_eval computes the figures that it has.  The others are computed here: those with gains or weights that
the user chooses, those that trec_eval 10 added, and interpolated precision, for which version 10 rounds the
number of relevant documents at a point of recall to the nearest.  With :math:`g_i` the gain of the document
at rank i and p the persistence of the user,

.. math:: rbp = (1 - p) \sum_i g_i p^{i-1}

where gains above 1 are divided by the highest.  rbp_resid is the share of the unjudged documents, and of all
documents after the last, in the same sum; it is 0 if every document is judged.  unj is the share of the first
k documents that are unjudged.

The library must not get a topic without results, or without a judged document, because it would end the
process.  It gets ranks instead of scores, so that the order is the one computed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxel.errors import MissingExtraError
from doxel.evaluation.compat.trec_eval.trec_eval_measures import TrecFigure
from doxel.spans import Floats, Ints

__all__ = ["RankedTopic", "compute_topic_figures", "summarise_figures"]

_NOT_POOLED, _NOT_JUDGED = -1, -2  # no line in the assessments; a line with a negative grade
_LOWEST = 0.00001  # the lowest score in a geometric mean
_SENTINEL = "\x01"  # a document that no file can name


@dataclass(frozen=True)
class RankedTopic:
    """The documents of one topic in the order of the tool, and the grades of its judged documents."""

    topic: str
    documents: Sequence[str]
    grades: Mapping[str, int]
    min_grade: int = 1

    @cached_property
    def levels(self) -> Ints:
        """The grade of each document in the ranking; below 0 if it was not judged."""
        grades = (self.grades.get(document, _NOT_POOLED) for document in self.documents)
        line_grades = np.fromiter(grades, dtype=np.int64, count=len(self.documents))
        has_line = np.fromiter(
            (doc in self.grades for doc in self.documents), dtype=bool, count=len(line_grades)
        )
        return np.where(has_line & (line_grades < 0), _NOT_JUDGED, line_grades)

    @cached_property
    def is_relevant(self) -> Ints:
        """1 for each relevant document in the ranking, else 0."""
        return (self.levels >= self.min_grade).astype(np.int64)

    @cached_property
    def level_counts(self) -> Ints:
        """The number of judged documents of each grade, from 0."""
        grades = np.fromiter((grade for grade in self.grades.values() if grade >= 0), dtype=np.int64)
        return np.bincount(grades)

    @cached_property
    def relevant(self) -> int:
        """The number of relevant documents of the topic."""
        return int(self.level_counts[self.min_grade :].sum())

    @property
    def found(self) -> int:
        """The number of relevant documents in the ranking."""
        return int(self.is_relevant.sum())

    def gains(self, figure: TrecFigure) -> tuple[Floats, Floats]:
        """Return the gain of each document in the ranking, and the gains of the ideal ranking."""
        of_level = np.arange(len(self.level_counts), dtype=np.float64)
        for level, gain in figure.gains:
            if level < len(of_level):
                of_level[level] = gain
        judged = self.levels >= 0
        received = np.zeros(len(self.levels))
        received[judged] = of_level[self.levels[judged]]
        ideal = np.repeat(of_level, self.level_counts)
        return received, -np.sort(-ideal[ideal > 0])


def compute_topic_figures(
    topics: Sequence[RankedTopic], figures: Sequence[TrecFigure]
) -> dict[str, dict[str, float]]:
    """Return the value of each figure for each topic: by topic, then by the figure's name."""
    of_library = [figure for figure in figures if _is_in_library(figure)]
    library = _compute_with_library([topic for topic in topics if len(topic.documents)], of_library)
    return {
        topic.topic: {
            figure.name: float(
                library[topic.topic][figure.name]
                if figure in of_library and topic.topic in library
                else _compute_here(topic, figure)
            )
            for figure in figures
            if figure.measure != "runid"
        }
        for topic in topics
    }


def summarise_figures(
    by_topic: Mapping[str, Mapping[str, float]], figures: Sequence[TrecFigure]
) -> dict[str, float]:
    """Return the figures over all topics: sums of counts, and arithmetic or geometric means."""
    overall: dict[str, float] = {}
    for figure in figures:
        if figure.measure == "runid":
            continue
        values = [scores[figure.name] for scores in by_topic.values()]
        total = sum(values)  # added in the order of the topics, as the tool does
        mean = total / len(values) if values else math.nan
        overall[figure.name] = total if figure.is_count else math.exp(mean) if figure.is_geometric else mean
    return overall


def _is_in_library(figure: TrecFigure) -> bool:
    """Whether pytrec_eval computes a figure, with parameters that it reads correctly."""
    return figure.measure not in _OWN_MEASURES and not figure.gains


def _compute_with_library(
    topics: Sequence[RankedTopic], figures: Sequence[TrecFigure]
) -> dict[str, dict[str, float]]:
    if not topics or not figures:
        return {}
    try:
        from pytrec_eval import RelevanceEvaluator
    except ImportError:
        raise MissingExtraError("the figures of trec_eval", "classic") from None
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in topics:
        grades = {doc: max(grade, -1) for doc, grade in topic.grades.items()}
        if not len(topic.level_counts):
            grades[_SENTINEL] = 0
        qrels[topic.topic] = grades
        last = len(topic.documents)
        run[topic.topic] = {doc: float(last - place) for place, doc in enumerate(topic.documents)}
    evaluator = RelevanceEvaluator(qrels, _format_requests(figures), relevance_level=topics[0].min_grade)
    scores: dict[str, dict[str, float]] = evaluator.evaluate(run)
    return scores


def _format_requests(figures: Sequence[TrecFigure]) -> set[str]:
    """Return the figures in the notation of the library: one request per measure, with all its values."""
    values: dict[str, list[str]] = {}
    for figure in figures:
        numbers = values.setdefault(figure.measure, [])
        if figure.name != figure.measure:
            numbers += [f"{value:.18f}".rstrip("0").rstrip(".") for value in figure.values]
    return {f"{name}.{','.join(numbers)}" if numbers else name for name, numbers in values.items()}


def _compute_here(topic: RankedTopic, figure: TrecFigure) -> float:
    """Return a figure that the library lacks, or any figure of a topic without results."""
    if figure.measure in _OWN_MEASURES:
        return _OWN_MEASURES[figure.measure](topic, figure)
    if figure.measure in _WITH_GAINS and len(topic.documents):
        return _WITH_GAINS[figure.measure](topic, figure)
    if figure.measure == "num_rel":
        return topic.relevant
    if figure.measure == "num_q":
        return 1
    return math.log(_LOWEST) if figure.is_geometric else 0.0


def _add(values: Floats) -> float:
    """Return a sum in order: NumPy's own sum regroups its terms."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _discount(gains: Floats) -> Floats:
    logarithms = np.fromiter((math.log2(rank + 2) for rank in range(len(gains))), dtype=np.float64)
    discounted: Floats = gains / logarithms
    return discounted


def _compute_dcg(topic: RankedTopic, figure: TrecFigure) -> float:
    return _add(_discount(topic.gains(figure)[0]))


def _compute_ideal_dcg(topic: RankedTopic, figure: TrecFigure) -> float:
    return _add(_discount(topic.gains(figure)[1]))


def _divide(above: float, below: float) -> float:
    return above / below if below > 0 else 0.0


def _compute_ndcg(topic: RankedTopic, figure: TrecFigure) -> float:
    return _divide(_compute_dcg(topic, figure), _compute_ideal_dcg(topic, figure))


def _compute_ndcg_rel(topic: RankedTopic, figure: TrecFigure) -> float:
    """Mean of nDCG at the ranks of documents with a gain; those not retrieved count at the end."""
    received, ideal = topic.gains(figure)
    if not len(ideal):
        return 0.0
    dcg, best = np.cumsum(_discount(received)), np.cumsum(_discount(ideal))
    ranks = np.flatnonzero(received > 0)
    total = _add(dcg[ranks] / best[np.minimum(ranks, len(best) - 1)])
    total += (len(ideal) - len(ranks)) * float(dcg[-1]) / float(best[-1])
    return total / len(ideal) if total > 0 else 0.0


def _compute_rndcg(topic: RankedTopic, figure: TrecFigure) -> float:
    """Mean of nDCG at the ranks where the gain of the ideal ranking changes, and at the end of the run."""
    received, ideal = topic.gains(figure)
    if not len(ideal) or not topic.relevant:
        return 0.0
    dcg, best = np.cumsum(_discount(received)), np.cumsum(_discount(ideal))
    ends = np.flatnonzero(np.diff(ideal, append=0) != 0)
    points = dcg[np.minimum(ends, len(dcg) - 1)] / best[ends]
    if len(received) > len(ideal) + 1:
        points = np.append(points, dcg[-1] / best[-1])
    return _add(points) / len(points)


def _compute_g(topic: RankedTopic, figure: TrecFigure) -> float:
    """Gains, each discounted by how far the gain so far is behind that of the ideal ranking."""
    received, ideal = topic.gains(figure)
    costs = np.ones(len(received))
    shared = min(len(ideal), len(costs))
    costs[:shared] = np.maximum(ideal[:shared], 1.0)
    behind = 2 + np.cumsum(costs) - np.cumsum(received)
    terms = [gain / math.log2(lag) for gain, lag in zip(received, behind, strict=True) if gain != 0]
    return _divide(sum(terms), _add(ideal))


def _compute_utility(topic: RankedTopic, figure: TrecFigure) -> float:
    """Weighted sum of the relevant and other documents retrieved, and the relevant ones missed."""
    hit, other, missed, _ = figure.values
    retrieved = len(topic.documents)
    return hit * topic.found + other * (retrieved - topic.found) + missed * (topic.relevant - topic.found)


def _compute_set_f(topic: RankedTopic, figure: TrecFigure) -> float:
    if not len(topic.documents) or not topic.relevant or not topic.found:
        return 0.0
    precision, recall = topic.found / len(topic.documents), topic.found / topic.relevant
    beta = figure.values[0]
    return (beta + 1) * precision * recall / (beta * precision + recall)


def _compute_interpolated_precision(topic: RankedTopic, figure: TrecFigure) -> float:
    """Mean of the interpolated precision at points of recall; one point for iprec_at_recall."""
    ranks = np.flatnonzero(topic.is_relevant) + 1
    if not len(ranks):
        return 0.0
    precision = np.arange(1, len(ranks) + 1) / ranks
    best = np.maximum.accumulate(precision[::-1])[::-1]
    needed = [_round_half_up(point * topic.relevant) for point in figure.values]
    return sum(float(best[max(count - 1, 0)]) for count in needed if count <= len(best)) / len(needed)


def _round_half_up(value: float) -> int:
    """Return the nearest whole number, as version 10 of the tool does; earlier ones added 0.9 and cut off."""
    return int(value) + (value - int(value) >= 0.5)


def _compute_yaap(topic: RankedTopic, _: TrecFigure) -> float:
    """Yet another average precision (Robertson, ECIR 2012)."""
    ranks = np.flatnonzero(topic.is_relevant) + 1
    total = _add(np.arange(1, len(ranks) + 1) / ranks)
    return math.log((1 + total) / (1 + topic.relevant - total))


def _list_weights(topic: RankedTopic, figure: TrecFigure) -> tuple[float, Floats]:
    """Return p, and its powers from 0 to the number of documents, multiplied one by one as the tool does."""
    persistence = figure.values[0] if figure.values else 0.9
    factors = np.full(len(topic.documents) + 1, persistence)
    factors[0] = 1.0
    return persistence, np.cumprod(factors)


def _compute_rbp(topic: RankedTopic, figure: TrecFigure) -> float:
    persistence, weights = _list_weights(topic, figure)
    received, _ = topic.gains(figure)
    level_gains = {level: float(level) for level in range(len(topic.level_counts))} | dict(figure.gains)
    low, high = min(level_gains.values(), default=0.0), max(level_gains.values(), default=0.0)
    if low < 0 or high > 1:
        low = min(low, 0.0)
        received = np.where(topic.levels >= 0, (received - low) / (high - low), received)
    return (1 - persistence) * _add(received * weights[:-1])


def _compute_rbp_residual(topic: RankedTopic, figure: TrecFigure) -> float:
    persistence, weights = _list_weights(topic, figure)
    is_unjudged = topic.levels < 0
    if not is_unjudged.any():
        return 0.0
    return float(weights[-1]) + (1 - persistence) * _add(weights[:-1][is_unjudged])


def _compute_unjudged(topic: RankedTopic, figure: TrecFigure) -> float:
    cutoff = int(figure.values[0])
    return int((topic.levels[:cutoff] < 0).sum()) / cutoff


_WITH_GAINS: dict[str, Callable[[RankedTopic, TrecFigure], float]] = {
    "G": _compute_g,
    "ndcg": _compute_ndcg,
    "ndcg_rel": _compute_ndcg_rel,
    "Rndcg": _compute_rndcg,
}
_OWN_MEASURES: dict[str, Callable[[RankedTopic, TrecFigure], float]] = {
    "iprec_at_recall": _compute_interpolated_precision,
    "11pt_avg": _compute_interpolated_precision,
    "utility": _compute_utility,
    "set_F": _compute_set_f,
    "dcg": _compute_dcg,
    "ideal_dcg": _compute_ideal_dcg,
    "yaap": _compute_yaap,
    "rbp": _compute_rbp,
    "rbp_resid": _compute_rbp_residual,
    "unj": _compute_unjudged,
}
