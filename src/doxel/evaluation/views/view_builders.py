"""Build the views of a run that measures are computed from, one function per view.

``build_view`` is the only entry point.  The keyword parameters of a builder are the key under which its
view is shared between measures.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from doxel.evaluation.ranked_run import RankedRun
from doxel.evaluation.views.aspect_view_builders import (
    build_aspect_gains,
    build_aspect_text,
    build_shown_aspects,
)
from doxel.evaluation.views.gain_view_builders import (
    build_article_gains,
    build_browse_gains,
    build_concept_space,
    build_gain_vectors,
    build_ranked_relevance,
    build_tied_levels,
    fill_matrix,
    list_ideal_articles,
    list_ideal_elements,
)
from doxel.evaluation.views.judged_view_builders import (
    build_judged_reading,
    build_judged_results,
    build_judged_text,
)
from doxel.evaluation.views.span_view_builders import (
    build_adjacent_chunks,
    build_document_ranking,
    build_gold_spans,
    build_greedy_chunks,
    build_judged_documents,
    build_marked_text,
    build_read_tokens,
    build_reading_order,
    build_touching_chunks,
    list_adjacent_chunks,
    list_greedy_chunks,
    list_ideal_documents,
    list_touching_chunks,
)
from doxel.evaluation.views.text_view_builders import (
    build_read_text,
    build_topic_arrays,
    build_valued_text,
    score_articles,
)
from doxel.evaluation.views.user_view_builders import (
    build_encounters,
    build_entry_distances,
    build_isolation,
    build_readings,
    list_targets,
)
from doxel.measures.aspect_views import AspectGains, AspectText, ShownAspects
from doxel.measures.chunks.classic_library import JudgedDocuments
from doxel.measures.declaration import View
from doxel.measures.gain_views import (
    ArticleGains,
    BrowseGains,
    ConceptSpace,
    GainVectors,
    RankedRelevance,
    TiedLevels,
)
from doxel.measures.inex.structural_relevance import Isolation
from doxel.measures.judged_views import JudgedReading, JudgedResults, JudgedText
from doxel.measures.text_views import (
    AdjacentChunks,
    Articles,
    DocumentRanking,
    GoldSpans,
    GreedyChunks,
    MarkedText,
    OverlapRanks,
    ReadingOrder,
    ReadText,
    ReadTokens,
    RetrievedArticles,
    TouchingChunks,
    ValuedText,
)
from doxel.measures.topic_arrays import TopicArrays
from doxel.measures.user_views import Encounters, EntryDistances, Readings
from doxel.spans import Booleans, Ints, sum_by_group

__all__ = ["BUILDERS", "IDEALS", "build_view", "list_chunks", "list_ideal", "select_view_parameters"]


def build_result_overlap(ranked: RankedRun) -> OverlapRanks:
    """Build the view of the overlap between results."""
    _ = ranked.size  # raises an error if the positions of results are unknown
    novelty, length = ranked.seen, ranked.length.astype(float)
    if novelty.is_all_new:
        never = np.broadcast_to(np.inf, ranked.is_filled.shape)
        return OverlapRanks(overlaps_from=never, length=length)
    partner = np.full(len(ranked), len(ranked), dtype=np.int64)  # the first later result that shares text
    shared = np.flatnonzero(novelty.next_owner >= 0)
    np.minimum.at(partner, novelty.owner[shared], novelty.next_owner[shared])
    later = np.append(ranked.position + 1.0, np.inf)[partner]
    from_rank = np.where(novelty.new_size < ranked.size, ranked.position + 1.0, later)
    matrix = ranked.matrix(from_rank)
    matrix[matrix == 0] = np.inf  # padding overlaps nothing
    return OverlapRanks(overlaps_from=matrix, length=length)


def build_articles(ranked: RankedRun, *, score: str, beta: float, n: float, T: float) -> Articles:  # noqa: N803
    """Build the view of articles, ordered by first occurrence."""
    assessed = ranked.assessed
    judged = assessed.entry_point >= 0 if score == "bep" else assessed.relevant_size > 0
    group, first_row, relevant = _list_articles(ranked, judged)
    topic, position = ranked.topic[first_row], ranked.article_position[first_row]
    rows = np.flatnonzero(relevant)
    scores = np.zeros(len(group))
    scores[rows] = score_articles(ranked, group[rows], first_row[rows], score, beta=beta, n=n, tolerance=T)
    topics = len(assessed.topics)
    total = assessed.entry_points if score == "bep" else assessed.relevant_documents
    return Articles(
        score=fill_matrix(topic, position, scores, topics),
        relevant=fill_matrix(topic, position, relevant, topics),
        length=sum_by_group(topic, np.ones(len(topic)), topics),
        total=total.astype(float),
    )


def build_retrieved_articles(ranked: RankedRun) -> RetrievedArticles:
    """Build the view of the number of retrieved articles."""
    assessed = ranked.assessed
    group, first_row, relevant = _list_articles(ranked, assessed.relevant_size > 0)
    topic = ranked.topic[first_row]
    return RetrievedArticles(
        relevant=fill_matrix(topic, ranked.group_position[group], relevant, len(assessed.topics)),
        retrieved=sum_by_group(topic, np.ones(len(topic)), len(assessed.topics)),
        total=assessed.relevant_documents.astype(float),
    )


def _list_articles(ranked: RankedRun, judged: Booleans) -> tuple[Ints, Ints, Booleans]:
    """Return the articles of a run: group, first result, and whether they are relevant."""
    group = np.flatnonzero(ranked.first_of_article >= 0)
    first_row = ranked.first_of_article[group]
    pair = ranked.article_pair[group]
    return group, first_row, (pair >= 0) & np.append(judged, False)[pair]


BUILDERS: dict[type[View], Callable[..., View]] = {
    ReadText: build_read_text,
    ValuedText: build_valued_text,
    OverlapRanks: build_result_overlap,
    Articles: build_articles,
    RetrievedArticles: build_retrieved_articles,
    GainVectors: build_gain_vectors,
    RankedRelevance: build_ranked_relevance,
    TiedLevels: build_tied_levels,
    ConceptSpace: build_concept_space,
    ArticleGains: build_article_gains,
    BrowseGains: build_browse_gains,
    Encounters: build_encounters,
    EntryDistances: build_entry_distances,
    Readings: build_readings,
    Isolation: build_isolation,
    GoldSpans: build_gold_spans,
    ReadingOrder: build_reading_order,
    ReadTokens: build_read_tokens,
    MarkedText: build_marked_text,
    TouchingChunks: build_touching_chunks,
    AdjacentChunks: build_adjacent_chunks,
    GreedyChunks: build_greedy_chunks,
    DocumentRanking: build_document_ranking,
    JudgedText: build_judged_text,
    JudgedResults: build_judged_results,
    JudgedReading: build_judged_reading,
    ShownAspects: build_shown_aspects,
    AspectGains: build_aspect_gains,
    AspectText: build_aspect_text,
    JudgedDocuments: build_judged_documents,
    TopicArrays: build_topic_arrays,
}


# Views that add up characters or tokens; other views value each result by its largest piece.
_ADDITIVE = frozenset(
    {
        ReadText,
        ValuedText,
        GoldSpans,
        ReadingOrder,
        ReadTokens,
        MarkedText,
        ShownAspects,
        AspectGains,
        AspectText,
        JudgedText,
        JudgedReading,
    }
)
IDEALS: dict[type[View], Callable[..., pl.DataFrame]] = {
    GainVectors: list_ideal_elements,
    ArticleGains: list_ideal_articles,
    Encounters: list_targets,
    DocumentRanking: list_ideal_documents,
    JudgedDocuments: list_ideal_documents,
}
"""The ideal rankings of the views that have one: doc, path, start, end, gain of a topic by rank."""

_CHUNKS: dict[type[View], Callable[..., RankedRun]] = {
    TouchingChunks: list_touching_chunks,
    AdjacentChunks: list_adjacent_chunks,
    GreedyChunks: list_greedy_chunks,
}


def list_ideal(
    view: type[View], ranked: RankedRun, topic: int, parameters: Mapping[str, Any]
) -> pl.DataFrame | None:
    """Return the ideal ranking of a topic for a view, or None if the view has none."""
    if view not in IDEALS:
        return None
    return IDEALS[view](ranked, topic, **_select_parameters(IDEALS[view], view, parameters))


def list_chunks(view: type[View], ranked: RankedRun, parameters: Mapping[str, Any]) -> RankedRun:
    """Return the chunks of a view in their order, laid out like a run."""
    return _CHUNKS[view](ranked, **select_view_parameters(view, parameters))


def select_view_parameters(view: type[View], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a measure that its view depends on."""
    return _select_parameters(BUILDERS[view], view, parameters)


def _select_parameters(
    function: Callable[..., Any], view: type[View], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters that a function of a view accepts."""
    accepted = _list_accepted(function)
    passes_on = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted.values())
    # already applied to the run
    cuts = {"unjudged", "limit", "chars", "article_chars", "budget", "unit", "fit", "charge"}
    names = (
        {parameter.name for parameter in view.parameters if parameter.name not in cuts}
        if passes_on
        else set(accepted)
    )
    return {name: value for name, value in parameters.items() if name in names}


@cache
def _list_accepted(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def build_view(view: type[View], ranked: RankedRun, parameters: Mapping[str, Any]) -> View:
    """Build a view of a ranked run."""
    if ranked.has_pieces and view not in _ADDITIVE:
        ranked = ranked.largest_pieces
    return BUILDERS[view](ranked, **select_view_parameters(view, parameters))
