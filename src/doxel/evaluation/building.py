"""Build the views of a run that measures are computed from, one function per view.

``build`` is the only entry point.  The keyword parameters of a builder are the key under which its view is
shared between measures.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from doxel.evaluation.articles import article_scores
from doxel.evaluation.ceilings import adjacent_chunks, greedy_chunks, touching_chunks
from doxel.evaluation.encounters import encounters
from doxel.evaluation.gain_building import (
    article_gains,
    browse_gains,
    concept_space,
    gain_vectors,
    ranked_relevance,
    tied_levels,
)
from doxel.evaluation.ranked import Ranked
from doxel.evaluation.read_text import read_text
from doxel.evaluation.span_building import (
    document_ranking,
    gold_spans,
    marked_text,
    read_tokens,
    reading_order,
)
from doxel.evaluation.user_building import entry_distances, isolation, readings
from doxel.evaluation.valued import values
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
from doxel.measures.user_views import Encounters, EntryDistances, Readings
from doxel.spans import Booleans, Ints, sum_by_group

__all__ = ["BUILDERS", "build", "depends_on"]


def valued_text(ranked: Ranked, *, task: str, alpha: float) -> ValuedText:
    """Build the view of HiXEval."""
    total = ranked.bases.elements.relevant_total if task == "thorough" else ranked.assessed.total
    return ValuedText(
        value=ranked.matrix(values(ranked, alpha)),
        size=ranked.matrix(ranked.size),
        total=total.astype(float),
    )


def result_overlap(ranked: Ranked) -> OverlapRanks:
    """Build the view of the overlap between results."""
    seen = ranked.seen
    partner = np.full(len(ranked), len(ranked), dtype=np.int64)  # the first later result that shares text
    shared = np.flatnonzero(seen.next_owner >= 0)
    np.minimum.at(partner, seen.owner[shared], seen.next_owner[shared])
    later = np.append(ranked.position + 1.0, np.inf)[partner]
    from_rank = np.where(seen.new_size < ranked.size, ranked.position + 1.0, later)
    matrix = ranked.matrix(from_rank)
    matrix[matrix == 0] = np.inf  # padding overlaps nothing
    return OverlapRanks(overlaps_from=matrix, length=ranked.length.astype(float))


def articles(ranked: Ranked, *, score: str, beta: float, n: float, T: float) -> Articles:  # noqa: N803
    """Build the view of articles, ordered by first occurrence."""
    assessed = ranked.assessed
    judged = assessed.entry_point >= 0 if score == "bep" else assessed.relevant_size > 0
    group, first_row, relevant = _article_list(ranked, judged)
    topic, position = ranked.topic[first_row], ranked.article_position[first_row]
    rows = np.flatnonzero(relevant)
    scores = np.zeros(len(group))
    scores[rows] = article_scores(ranked, group[rows], first_row[rows], score, beta=beta, n=n, tolerance=T)
    score_matrix = np.zeros((len(assessed.topics), int(position.max(initial=-1)) + 1))
    relevant_matrix = score_matrix.copy()
    score_matrix[topic, position] = scores
    relevant_matrix[topic, position] = relevant
    total = assessed.entry_points if score == "bep" else assessed.relevant_documents
    return Articles(
        score=score_matrix,
        relevant=relevant_matrix,
        length=sum_by_group(topic, np.ones(len(topic)), len(assessed.topics)),
        total=total.astype(float),
    )


def retrieved_articles(ranked: Ranked) -> RetrievedArticles:
    """Build the view of the number of retrieved articles."""
    assessed = ranked.assessed
    _, first_row, relevant = _article_list(ranked, assessed.relevant_size > 0)
    topic = ranked.topic[first_row]
    return RetrievedArticles(
        retrieved=sum_by_group(topic, np.ones(len(topic)), len(assessed.topics)),
        found=sum_by_group(topic, relevant, len(assessed.topics)),
        total=assessed.relevant_documents.astype(float),
    )


def _article_list(ranked: Ranked, judged: Booleans) -> tuple[Ints, Ints, Booleans]:
    """Return the articles of a run: group, first result, and whether they are relevant."""
    group = np.flatnonzero(ranked.first_of_article >= 0)
    first_row = ranked.first_of_article[group]
    pair = ranked.article_pair[group]
    return group, first_row, (pair >= 0) & np.append(judged, False)[pair]


BUILDERS: dict[type[View], Callable[..., View]] = {
    ReadText: read_text,
    ValuedText: valued_text,
    OverlapRanks: result_overlap,
    Articles: articles,
    RetrievedArticles: retrieved_articles,
    GainVectors: gain_vectors,
    RankedRelevance: ranked_relevance,
    TiedLevels: tied_levels,
    ConceptSpace: concept_space,
    ArticleGains: article_gains,
    BrowseGains: browse_gains,
    Encounters: encounters,
    EntryDistances: entry_distances,
    Readings: readings,
    Isolation: isolation,
    GoldSpans: gold_spans,
    ReadingOrder: reading_order,
    ReadTokens: read_tokens,
    MarkedText: marked_text,
    TouchingChunks: touching_chunks,
    AdjacentChunks: adjacent_chunks,
    GreedyChunks: greedy_chunks,
    DocumentRanking: document_ranking,
}


def depends_on(view: type[View], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a measure that its view depends on."""
    accepted = inspect.signature(BUILDERS[view]).parameters
    passes_on = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted.values())
    cuts = {"limit", "chars", "article_chars"}  # already applied to the run
    names = (
        {parameter.name for parameter in view.parameters if parameter.name not in cuts}
        if passes_on
        else set(accepted)
    )
    return {name: value for name, value in parameters.items() if name in names}


def build(view: type[View], ranked: Ranked, parameters: Mapping[str, Any]) -> View:
    """Build a view of a ranked run."""
    return BUILDERS[view](ranked, **depends_on(view, parameters))
