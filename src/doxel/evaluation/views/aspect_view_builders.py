"""Build the views of aspects: when each is shown, what results gain, and how much of their text is shown.

The ideal list of gold spans depends on the assessments only, so it is computed once for all runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs, TopicAspects
from doxel.evaluation.ranked_run import RankedRun
from doxel.evaluation.views.span_view_builders import accumulate_shown, find_shown_ranks, pad_topic_lists
from doxel.measures.aspect_views import AspectGains, AspectText, ShownAspects
from doxel.measures.rank_arithmetic import TOLERANCE, Matrix
from doxel.measures.text_views import SHARE_SHOWN
from doxel.spans import Booleans, Floats, Ints, concatenate_ranges, sum_by_group
from doxel.tables import Column, Table

__all__ = [
    "SHOWN_ASPECTS",
    "build_aspect_gains",
    "build_aspect_text",
    "build_shown_aspects",
    "find_aspect_ranks",
    "find_touched_spans",
    "list_ideal_gains",
    "list_shown_aspects",
]


def build_shown_aspects(ranked: RankedRun, *, min: float) -> ShownAspects:  # noqa: A002 -- the parameter's public name
    """Build the view of aspects, with the rank at which each is shown."""
    aspects, topics = ranked.assessed.aspects, len(ranked.assessed.topics)
    rank = find_aspect_ranks(ranked, min)
    result, span, _ = find_touched_spans(ranked, aspects.spans)
    # a result is redundant if the last of the aspects that it touches was shown before it
    last = np.zeros(int(ranked.length.sum()))
    np.maximum.at(last, result, rank[aspects.aspect[span]])
    position = _first_of_results(ranked, ranked.position + 1)
    topic = _first_of_results(ranked, ranked.topic)
    is_redundant = np.zeros((topics, int(ranked.length.max(initial=0))))
    is_redundant[topic, position - 1] = (last > 0) & (last < position)
    return ShownAspects(
        reached=pad_topic_lists(aspects.topic, np.where(np.isinf(rank), 0.0, rank), topics),
        weight=pad_topic_lists(aspects.topic, aspects.weight, topics),
        vital=pad_topic_lists(aspects.topic, aspects.vital.astype(float), topics),
        size=ranked.matrix(ranked.size),
        new_size=ranked.matrix(ranked.seen.new_size),
        is_redundant=is_redundant,
    )


def find_aspect_ranks(ranked: RankedRun, share: float) -> Floats:
    """Return the rank by which ``share`` of a span of each aspect is shown, infinite for never."""
    aspects = ranked.assessed.aspects
    rank = np.full(len(aspects.topic), np.inf)
    np.minimum.at(rank, aspects.aspect, find_shown_ranks(ranked, aspects.spans, share))
    return rank


SHOWN_ASPECTS = Table(
    "aspects shown",
    (
        Column("run", pl.String, "the run's id", required=True),
        Column("topic", pl.String, "the topic's id", required=True),
        Column("aspect", pl.String, "the name of the aspect; null for a gold span without aspect"),
        Column("place", pl.String, "its first gold span: document, start and end", required=True),
        Column("weight", pl.Float64, "its weight", required=True),
        Column("vital", pl.Boolean, "whether an answer must have it", required=True),
        Column("rank", pl.Int64, "the rank by which half of one of its spans is shown; null if it is missed"),
    ),
)


def list_shown_aspects(run: str, ranked: RankedRun) -> pl.DataFrame:
    """Return for each aspect of each topic the rank by which a run shows it."""
    assessed, aspects = ranked.assessed, ranked.assessed.aspects
    rank = find_aspect_ranks(ranked, SHARE_SHOWN.default)
    pair, start, end = aspects.spans
    first = np.full(len(aspects.topic), len(pair), dtype=np.int64)
    np.minimum.at(first, aspects.aspect, np.arange(len(pair)))
    places = pl.DataFrame(
        {"doc": assessed.pairs["doc"].gather(pair[first]), "start": start[first], "end": end[first]}
    )
    return SHOWN_ASPECTS.fit(
        pl.DataFrame(
            {
                "run": pl.repeat(run, len(rank), eager=True),
                "topic": pl.Series(assessed.topics, dtype=pl.String).gather(aspects.topic),
                "aspect": aspects.name,
                "place": places.select(pl.format("{} {} to {}", "doc", "start", "end")).to_series(),
                "weight": aspects.weight,
                "vital": aspects.vital,
                "rank": pl.Series(rank).replace(np.inf, None),
            }
        )
    )


def _first_of_results(ranked: RankedRun, values: Ints) -> Ints:
    """Return the value of each result's first row, in the order of results."""
    is_first: Booleans = np.append(True, np.diff(ranked.number) != 0)[: len(ranked)]
    of_results: Ints = values[is_first]
    return of_results


def find_touched_spans(ranked: RankedRun, spans: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """Return each result that shares text with a span: its number, the span, and the shared characters.

    Results and spans may overlap each other.  The rows are ordered by result and span.
    """
    rows = np.flatnonzero((ranked.pair >= 0) & (ranked.end > ranked.start))
    row, span, shared = _join_spans((ranked.pair[rows], ranked.start[rows], ranked.end[rows]), spans)
    key = ranked.number[rows[row]] * (len(spans[0]) + 1) + span
    distinct, inverse = np.unique(key, return_inverse=True)  # the pieces of a result are added up
    characters = sum_by_group(inverse, shared, len(distinct)).astype(np.int64)
    return distinct // (len(spans[0]) + 1), distinct % (len(spans[0]) + 1), characters


def _join_spans(spans: tuple[Ints, Ints, Ints], others: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of spans of the same group that share text, and the characters that they share.

    >>> spans, others = (
    ...     (np.array([0]), np.array([2]), np.array([9])),
    ...     (np.array([0, 0]), np.array([0, 5]), np.array([3, 7])),
    ... )
    >>> [column.tolist() for column in _join_spans(spans, others)]
    [[0, 0], [0, 1], [1, 2]]
    """
    group, start, end = spans
    other_group, other_start, other_end = others
    stride = int(max(end.max(initial=0), other_end.max(initial=0))) + 1
    order = np.lexsort((other_start, other_group))
    line = (other_group * stride + other_start)[order]
    reach = np.maximum.accumulate((other_group * stride + other_end)[order])  # no earlier span ends later
    begin = np.searchsorted(reach, group * stride + start, side="right")
    count = np.maximum(np.searchsorted(line, group * stride + end) - begin, 0)
    span, other = np.repeat(np.arange(len(group)), count), order[concatenate_ranges(begin, count)]
    shared = np.minimum(end[span], other_end[other]) - np.maximum(start[span], other_start[other])
    meets = shared > 0
    return span[meets], other[meets], shared[meets]


def _is_enough(shared: Ints, length: Ints, share: float) -> Booleans:
    return shared >= share * length - TOLERANCE * length


def build_aspect_gains(ranked: RankedRun, *, alpha: float, min: float) -> AspectGains:  # noqa: A002 -- the parameter's public name
    """Build the view of gains: of the results, and of the gold spans in an ideal order."""
    aspects = ranked.assessed.aspects
    ideal = ranked.bases.once(
        ("ideal aspects", alpha, min), lambda: list_ideal_gains(ranked.assessed, alpha=alpha, share=min)
    )
    result, aspect = _find_counted(ranked, aspects, min)
    order = np.lexsort((result, aspect))
    result, aspect = result[order], aspect[order]
    earlier = np.arange(len(aspect)) - np.searchsorted(aspect, aspect)
    topic = _first_of_results(ranked, ranked.topic)
    position = _first_of_results(ranked, ranked.position)
    gains = np.zeros((len(ranked.assessed.topics), int(ranked.length.max(initial=0))))
    np.add.at(gains, (topic[result], position[result]), aspects.weight[aspect] * (1.0 - alpha) ** earlier)
    return AspectGains(gains=gains, ideal=ideal)


def _find_counted(ranked: RankedRun, aspects: TopicAspects, share: float) -> tuple[Ints, Ints]:
    """Return the results that count for aspects, each pair once.

    A result counts if it shows enough of a span by itself, or if it is the first by which enough is shown.
    The same result again does not count.
    """
    _, start, end = aspects.spans
    result, span, shared = find_touched_spans(ranked, aspects.spans)
    by_itself = _is_enough(shared, (end - start)[span], share)
    rank = find_aspect_ranks(ranked, share)
    shown_aspects = np.flatnonzero(np.isfinite(rank))
    begins = np.concatenate([[0], np.cumsum(ranked.length)])
    first = begins[aspects.topic[shown_aspects]] + rank[shown_aspects].astype(np.int64) - 1
    result = np.concatenate([result[by_itself], first])
    aspect = np.concatenate([aspects.aspect[span[by_itself]], shown_aspects])
    is_new = np.zeros(int(ranked.length.sum()), dtype=bool)
    is_new[ranked.number[~ranked.is_repeat]] = True
    key = np.unique(result[is_new[result]] * (len(rank) + 1) + aspect[is_new[result]])
    return key // (len(rank) + 1), key % (len(rank) + 1)


def build_aspect_text(ranked: RankedRun) -> AspectText:
    """Build the view of the text of aspects: what each result adds to the best shown span."""
    aspects, topics = ranked.assessed.aspects, len(ranked.assessed.topics)
    _, start, end = aspects.spans
    length = end - start
    shortest = np.full(len(aspects.topic), np.iinfo(np.int64).max)
    np.minimum.at(shortest, aspects.aspect, length)
    span, owner, characters = accumulate_shown(ranked, aspects.spans)
    aspect = aspects.aspect[span]
    # by aspect and rank, the best share so far, in characters of the shortest span
    events = pl.DataFrame(
        {"aspect": aspect, "owner": owner, "found": characters * shortest[aspect] / length[span]}
    ).sort("aspect", "owner", maintain_order=True)
    best = events.select(pl.col("found").cum_max().over("aspect")).to_series()
    added = events.with_columns(found=best).select(
        pl.col("found") - pl.col("found").shift(1, fill_value=0.0).over("aspect")
    )
    owner, aspect = events["owner"].to_numpy(), events["aspect"].to_numpy()
    gained = np.zeros((topics, int(ranked.length.max(initial=0))))
    weighted = aspects.weight[aspect] * added.to_series().to_numpy()
    np.add.at(gained, (ranked.topic[owner], ranked.position[owner]), weighted)
    total = np.zeros(topics)
    np.add.at(total, aspects.topic, aspects.weight * shortest)
    return AspectText(gained=gained, total=total)


def list_ideal_gains(assessed: JudgedPairs, *, alpha: float, share: float) -> Matrix:
    """Return the gains of the distinct gold spans of each topic, each time taking the one that gains most.

    Of equal gains the shorter span comes first, then document id, then start.
    """
    aspects = assessed.aspects
    pair, start, end = aspects.spans
    topic = assessed.topic[pair]
    by_id = assessed.pairs["doc"].rank("dense").to_numpy()[pair]
    lists = [np.zeros(0)] * len(assessed.topics)
    order = np.argsort(topic, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(topic[order])) + 1) if len(order) else ():
        spans = pair[rows], start[rows], end[rows]
        _, first = np.unique(np.stack(spans), axis=1, return_index=True)
        ties = np.lexsort((spans[1][first], by_id[rows][first], (spans[2] - spans[1])[first]))
        candidates = _SpanChoice.of(spans, aspects.aspect[rows], first[ties], aspects.weight, share)
        lists[topic[rows[0]]] = candidates.choose(alpha)
    gains = np.concatenate(lists)
    owner = np.repeat(np.arange(len(lists)), [len(values) for values in lists])
    return pad_topic_lists(owner, gains, len(lists))


@dataclass(frozen=True)
class _SpanChoice:
    """The distinct gold spans of a topic as candidates, and the gold spans with which they share text.

    Text is cut at all borders into atoms; ``size`` has their sizes.  Candidates and spans are ranges of
    atoms: ``first`` and ``last`` have the shared atoms of each pair of candidate and span, ``span_first`` and
    ``span_last`` those of its span.  Pairs are ordered by candidate and aspect; ``begins`` are the first
    pairs of each candidate and aspect.
    """

    size: Ints
    choice_first: Ints
    choice_last: Ints
    candidate: Ints
    aspect: Ints
    weight: Floats  # of the aspects
    first: Ints
    last: Ints
    span_first: Ints
    span_last: Ints
    length: Ints
    begins: Ints
    share: float

    @classmethod
    def of(
        cls, spans: tuple[Ints, Ints, Ints], aspect: Ints, candidates: Ints, weight: Floats, share: float
    ) -> _SpanChoice:
        """Prepare the candidates, given as rows of the spans in the order in which ties are broken."""
        pair, start, end = spans
        stride = int(end.max()) + 1
        borders = np.unique(np.concatenate([pair * stride + start, pair * stride + end]))
        first, last = (np.searchsorted(borders, pair * stride + edge) for edge in (start, end))
        candidate_spans = (pair[candidates], start[candidates], end[candidates])
        candidate, span, _ = _join_spans(candidate_spans, spans)
        order = np.lexsort((aspect[span], candidate))
        candidate, span = candidate[order], span[order]
        is_new = np.append(True, (np.diff(candidate) != 0) | (np.diff(aspect[span]) != 0))
        choice_first, choice_last = first[candidates], last[candidates]
        distinct, number = np.unique(aspect[span], return_inverse=True)
        return cls(
            size=np.diff(borders),
            choice_first=choice_first,
            choice_last=choice_last,
            candidate=candidate,
            aspect=number,
            weight=weight[distinct],
            first=np.maximum(choice_first[candidate], first[span]),
            last=np.minimum(choice_last[candidate], last[span]),
            span_first=first[span],
            span_last=last[span],
            length=(end - start)[span],
            begins=np.flatnonzero(is_new),
            share=share,
        )

    def choose(self, alpha: float) -> Floats:
        """Return the gains of the candidates, chosen one by one while there is any gain."""
        unseen = self.size.copy()
        counts = np.zeros(len(self.weight), dtype=np.int64)
        is_left = np.ones(len(self.choice_first), dtype=bool)
        before = np.concatenate([[0], np.cumsum(self.size)])
        by_itself = _is_enough(before[self.last] - before[self.first], self.length, self.share)
        owner, aspect = self.candidate[self.begins], self.aspect[self.begins]
        gains: list[float] = []
        while is_left.any():
            left = np.concatenate([[0], np.cumsum(unseen)])
            new = left[self.last] - left[self.first]
            covered = self.length - (left[self.span_last] - left[self.span_first]) + new
            completes = _is_enough(covered, self.length, self.share) & (counts[self.aspect] == 0)
            counted = np.logical_or.reduceat(by_itself | completes, self.begins)
            value = np.where(counted, self.weight[aspect] * (1.0 - alpha) ** counts[aspect], 0.0)
            gain = np.where(is_left, sum_by_group(owner, value, len(is_left)), -1.0)
            choice = int(np.argmax(gain >= gain.max() - TOLERANCE * self.weight.sum()))
            if gain[choice] <= 0:
                break
            gains.append(float(gain[choice]))
            counts[aspect[counted & (owner == choice)]] += 1
            unseen[self.choice_first[choice] : self.choice_last[choice]] = 0
            is_left[choice] = False
        return np.array(gains)
