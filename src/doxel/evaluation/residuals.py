"""Residuals: how far scores could rise if the text that nobody judged were relevant.

The assessments decide only about the documents that they name.  Retrieved text in other documents counts as
not relevant.  An optimistic run takes it as relevant instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.evaluation.ranked_run import RankedRun
from doxel.measures import Measure
from doxel.measures.gain_views import GainVectors
from doxel.measures.text_views import DocumentRanking
from doxel.spans import Booleans, Coverage, Floats, Ints, merge_spans, sum_by_group

__all__ = [
    "assume_relevant",
    "cut_to_rank",
    "find_lowest_grade",
    "find_residual_kind",
    "list_unjudged_documents",
]

# properties of a run that do not depend on the assessments
_SHARED = (
    "first",
    "position",
    "length",
    "has_pieces",
    "size",
    "seen",
    "shared_text",
    "is_repeat",
    "first_of_article",
    "group_position",
    "article_position",
    "size_by_rank",
)


def find_residual_kind(measure: Measure, parameters: Mapping[str, Any], *, has_elements: bool) -> str:
    """Return the kind of a measure's residual (see ``declaration``), or an empty string if it has none."""
    is_of_elements = measure.declaration.view is GainVectors and has_elements
    return "" if is_of_elements else measure.find_residual(parameters)


def find_lowest_grade(measure: Measure, parameters: Mapping[str, Any]) -> float:
    """Return the lowest grade of a relevant document by a measure."""
    return float(parameters.get("rel", 1)) if measure.declaration.view is DocumentRanking else 1.0


def cut_to_rank(ranked: RankedRun, measure: Measure) -> RankedRun:
    """Return the results that a measure reads: those up to its cutoff, in results or articles."""
    cutoff = measure.rank_cutoff
    if cutoff is None:
        return ranked
    by_article = measure.declaration.view.ranks == "articles"
    position = ranked.article_position if by_article else ranked.position
    return ranked.take(np.flatnonzero(position < cutoff))


def assume_relevant(ranked: RankedRun, is_assumed: Booleans, grade: float = 1.0) -> RankedRun:
    """Return a run as if the text of some results in unjudged documents were relevant.

    Their characters become highlights, adjacent ones joined; their documents get a grade.
    """
    rows = np.flatnonzero(is_assumed)
    groups, number = np.unique(ranked.group[rows], return_inverse=True)
    place, start, end = merge_spans(number, ranked.start[rows], ranked.end[rows])
    judged = len(ranked.assessed.topic)
    first = ranked.first_of_article[groups]
    assessed = _add_pairs(ranked, first, (place + judged, start, end), grade)
    new_pair = np.full(len(ranked.first_of_article), -1, dtype=np.int64)
    new_pair[groups] = judged + np.arange(len(groups))
    of_row = new_pair[ranked.group]
    can_gain = (of_row >= 0) & ranked.is_on_target
    hopeful = replace(
        ranked,
        assessed=assessed,
        pair=np.where(can_gain, of_row, ranked.pair),
        document_pair=np.where(of_row >= 0, of_row, ranked.document_pair),
    )
    vars(hopeful).update({name: vars(ranked)[name] for name in _SHARED if name in vars(ranked)})
    return hopeful


def list_unjudged_documents(
    read: RankedRun, grade: float, compute: Callable[[RankedRun], Floats]
) -> pl.DataFrame:
    """Return the unjudged documents of a run: topic, doc, rank, characters, fall.

    ``compute`` returns the scores of a run; ``fall`` is how far the optimistic score of the topic falls if
    nothing in the document is relevant, null for undefined topics.  The first unjudged document of all topics
    is left out at once, then the second, and so on.
    """
    is_assumed = ~read.is_judged & read.is_on_target
    groups = np.unique(read.group[is_assumed])
    first = read.first_of_article[groups]
    by_rank = np.argsort(first, kind="stable")  # rows are in the order of topics and ranks
    groups, first = groups[by_rank], first[by_rank]
    topic = read.topic[first]
    place = np.arange(len(topic)) - np.searchsorted(topic, topic)
    of_group = np.full(len(read.first_of_article), -1, dtype=np.int64)
    of_group[groups] = place
    fall = np.zeros(len(groups))
    is_defined = ~np.isnan(compute(read))
    highest = np.where(is_defined, compute(assume_relevant(read, is_assumed, grade)), np.nan)
    for turn in range(int(place.max(initial=-1)) + 1):
        rest = compute(assume_relevant(read, is_assumed & (of_group[read.group] != turn), grade))
        rows = np.flatnonzero(place == turn)
        fall[rows] = (highest - rest)[topic[rows]]
    counts = read.seen.new_size if read.has_sizes else np.zeros(len(read), dtype=np.int64)
    characters = sum_by_group(read.group, counts, len(of_group))[groups].astype(np.int64)
    return pl.DataFrame(
        {
            "topic": pl.Series(read.assessed.topics, dtype=pl.String).gather(topic),
            "doc": read.columns["doc"].gather(read.source[first]),
            "rank": read.position[first] + 1,
            "characters": characters,
            "fall": fall,
        }
    ).with_columns(pl.col("fall").fill_nan(None))


def _add_pairs(
    ranked: RankedRun, first: Ints, stretches: tuple[Ints, Ints, Ints], grade: float
) -> JudgedPairs:
    """Return the judged pairs with further ones, given by their first results, and the highlights in them."""
    assessed, more = ranked.assessed, len(first)
    pair, start, end = stretches
    judged = len(assessed.topic)
    docs = ranked.columns["doc"].gather(ranked.source[first])
    topics = pl.Series(assessed.topics, dtype=pl.String).gather(ranked.topic[first])
    numbers = pl.Series(np.arange(judged, judged + more)).cast(assessed.pairs.schema["pair"])
    pairs = pl.DataFrame({"pair": numbers, "topic": topics, "doc": docs}).select(assessed.pairs.columns)
    sizes = sum_by_group(pair - judged, end - start, more).astype(np.int64)
    unknown = np.full(more, -1, dtype=np.int64)
    text = assessed.relevant_text

    def append(values: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
        parts = zip(values, stretches, strict=True)
        groups, starts, ends = (np.concatenate([old, new]) for old, new in parts)
        return groups, starts, ends

    return replace(
        assessed,
        pairs=pl.concat([assessed.pairs, pairs]),
        topic=np.concatenate([assessed.topic, ranked.topic[first]]),
        relevant_size=np.concatenate([assessed.relevant_size, sizes]),
        document_size=np.concatenate([assessed.document_size, unknown]),
        entry_point=np.concatenate([assessed.entry_point, unknown]),
        relevant_text=Coverage(*append((text.group, text.start, text.end))),
        passages=append(assessed.passages),
        spans=append(assessed.spans),
        span_aspects=pl.concat([assessed.span_aspects, assessed.span_aspects.clear(len(pair))]),
        document_grade=np.concatenate([assessed.document_grade, np.full(more, grade)]),
        is_judged=np.concatenate([assessed.is_judged, np.ones(more, dtype=bool)]),
    )
