"""Build the views of gains: quantised relevance, overlap and ideal rankings.

Without elements, gains come from bare spans: chunks against gold spans.  The ideal units are then the gold
spans, merged if they overlap; each is worth 1.  A chunk gains the share of its characters that is relevant
and new, limited by the remaining capacity of the gold spans it overlaps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import MeasureError
from doxel.evaluation.ranked_run import LocatedRun, RankedRun
from doxel.evaluation.views.result_gains import (
    bound_gains,
    compute_gains,
    find_rooms,
    measure_room,
    normalise_gains,
)
from doxel.measures.gain_views import (
    ArticleGains,
    BrowseGains,
    ConceptSpace,
    GainVectors,
    RankedRelevance,
    TiedLevels,
)
from doxel.measures.rank_arithmetic import Matrix, divide, mark_gains
from doxel.spans import Floats, Ints, sum_by_group
from doxel.tables import Column, Table

__all__ = [
    "IDEAL_RANKS",
    "build_article_gains",
    "build_browse_gains",
    "build_concept_space",
    "build_gain_vectors",
    "build_ranked_relevance",
    "build_tied_levels",
    "fill_matrix",
    "list_elements",
    "list_ideal_articles",
    "list_ideal_elements",
]


def build_gain_vectors(
    ranked: RankedRun,
    *,
    task: str,
    quant: str,
    alpha: float,
    overlap: str,
    partial: str,
    cap: str,
    exclude_tags: str | None,
    **rules: str,
) -> GainVectors:
    """Build the gain vectors of XCG."""
    bases = ranked.bases
    if not bases.has_elements:
        return build_bare_gains(ranked)
    q = bases.gains(quant, exclude_tags)
    located = LocatedRun(ranked, bases.elements)
    focused = task != "thorough"
    weight = 0.0 if focused and overlap == "off" else alpha
    if weight > 0:
        bases.require_sizes("overlap between elements (alpha > 0)")
    raw_gains = gains = compute_gains(
        located, q, bases.quantisation(quant), bases.excluded(exclude_tags), alpha=weight, partial=partial
    )
    find_room: Callable[[], Floats] | None = None
    if focused:
        is_ideal = bases.ideal(quant, exclude_tags, **rules)
        ideal = bases.vectors(("ideal", quant, exclude_tags, *sorted(rules.items())), q, is_ideal)
        if cap == "on" or (cap == "auto" and weight > 0):
            gains = normalise_gains(located, raw_gains, q, is_ideal)
            find_room = functools.partial(find_rooms, located, raw_gains, q, is_ideal)
    else:
        ideal = bases.vectors(("full", quant, exclude_tags), q)
    matrix = ranked.matrix(gains)
    divisor = (ideal > 0).sum(axis=1).astype(float)
    if focused:  # [choice]: if more ranks gain than there are ideal elements, they count too
        divisor = np.maximum(divisor, mark_gains(matrix).sum(axis=1))

    def compute_details() -> dict[str, Matrix]:
        details = {
            "q": located.relevance(q, bases.quantisation(quant)),
            "overlap": located.overlap if ranked.has_sizes else None,
            "xG": raw_gains if find_room else None,
            "room": find_room() if find_room else None,
        }
        return {name: ranked.matrix(values) for name, values in details.items() if values is not None}

    return GainVectors(gains=matrix, ideal=ideal, divisor=divisor, details=compute_details)


def build_ranked_relevance(
    ranked: RankedRun, *, quant: str, base: str, exclude_tags: str | None, **rules: str
) -> RankedRelevance:
    """Build the view of relevance as a probability, by rank."""
    bases = ranked.bases
    q, total = bases.relevance(quant, exclude_tags, **rules if base == "ideal" else {})
    located = LocatedRun(ranked, bases.elements)
    if base == "ideal":
        relevance = np.where(ranked.is_repeat, 0.0, located.of_elements(q))
    else:
        relevance = located.relevance(q, bases.quantisation(quant))
    return RankedRelevance(relevance=ranked.matrix(relevance), total=total)


def build_tied_levels(ranked: RankedRun, *, ties: str, **parameters: Any) -> TiedLevels:
    """Build the view of precall: relevance as a probability, by level of tied results."""
    by_rank = build_ranked_relevance(ranked, **parameters)
    shape = by_rank.relevance.shape
    columns = np.broadcast_to(np.arange(shape[1]), shape)
    first, last = columns.copy(), columns.copy()
    first[ranked.is_filled], last[ranked.is_filled] = ranked.levels(ties)
    distinct = ranked.is_element & ~ranked.is_repeat
    return TiedLevels(
        relevance=by_rank.relevance,
        first=first,
        last=last,
        length=ranked.length.astype(float),
        distinct=sum_by_group(ranked.topic, distinct, ranked.bases.topics),
        total=by_rank.total,
    )


def build_concept_space(ranked: RankedRun, *, grades: str, exclude_tags: str | None) -> ConceptSpace:
    """Build the view of inex_eval_ng."""
    bases = ranked.bases
    if bases.scale not in {"2003", "2005"}:
        raise MeasureError(
            f"inex_eval_ng needs grades of exhaustivity and specificity (2003 to 2005); "
            f"these assessments are on the scale of {bases.scale}"
        )
    bases.require_sizes("inex_eval_ng")
    is_included = ~bases.excluded(exclude_tags)
    graded = bases.elements.grades
    exhaustivity, specificity = (
        np.where(is_included, values, 0.0)
        for values in (graded.normalised_exhaustivity, graded.normalised_specificity)
    )
    if grades == "strict":
        exhaustivity, specificity = (exhaustivity == 1) * 1.0, (specificity == 1) * 1.0
    located = LocatedRun(ranked, bases.elements)
    new = np.where(ranked.is_repeat, 0.0, 1.0)
    share = located.of_elements(specificity)
    if bases.scale == "2005":
        passage_share = (located.share == 1) * 1.0 if grades == "strict" else located.share
        share = np.where(located.is_passage, passage_share, share)
    return ConceptSpace(
        specificity=ranked.matrix(share * new),
        exhaustivity=ranked.matrix(located.of_elements(exhaustivity) * new),
        size=ranked.matrix(ranked.size),
        seen=ranked.matrix(located.overlap),
        total=bases.total(exhaustivity),
    )


def build_article_gains(ranked: RankedRun, *, quant: str, exclude_tags: str | None) -> ArticleGains:
    """Build the view of fetching: articles by first occurrence, each with the gain of its root."""
    bases = ranked.bases
    base, q = bases.elements, bases.gains(quant, exclude_tags)
    first_row = ranked.first_of_article[ranked.first_of_article >= 0]
    document = base.documents(ranked.article_pair[ranked.group[first_row]])
    root = np.where(document >= 0, base.forest.first[document], -1)
    gains = np.append(q, 0.0)[root]
    topic, position = ranked.topic[first_row], ranked.article_position[first_row]
    matrix = fill_matrix(topic, position, gains, bases.topics)
    is_root = base.tree.parent < 0
    ideal = bases.vectors(("roots", quant, exclude_tags), q, is_root)
    return ArticleGains(gains=matrix, ideal=ideal, divisor=(ideal > 0).sum(axis=1).astype(float))


def build_browse_gains(ranked: RankedRun, *, quant: str, exclude_tags: str | None) -> BrowseGains:
    """Build the view of browsing: the results in each relevant article, as a separate ranking."""
    bases = ranked.bases
    base, q = bases.elements, bases.gains(quant, exclude_tags)
    located = LocatedRun(ranked, base)
    relevance = located.relevance(q, bases.quantisation(quant))
    relevant_documents = np.flatnonzero(sum_by_group(base.forest.document, q > 0, len(base.pair)) > 0)
    number = np.full(len(base.pair) + 1, -1, dtype=np.int64)
    number[relevant_documents] = np.arange(len(relevant_documents))
    article = number[base.documents(ranked.document_pair)]  # results without gain keep their rank
    results = np.flatnonzero(article >= 0)
    results = results[np.argsort(article[results], kind="stable")]
    owner = article[results]
    gains = _pad_lists(owner, relevance[results], len(relevant_documents))
    rank = _pad_lists(owner, ranked.position[results] + 1, len(relevant_documents)).astype(np.int64)
    elements = np.flatnonzero((q > 0) & (number[:-1][base.forest.document] >= 0))
    order = np.lexsort((-q[elements], base.forest.document[elements]))
    elements = elements[order]
    within = number[base.forest.document[elements]]
    ideal = _pad_lists(within, q[elements], len(relevant_documents))
    vectors = GainVectors(gains=gains, ideal=ideal, divisor=(ideal > 0).sum(axis=1).astype(float))
    return BrowseGains(articles=vectors, topic=base.topic[relevant_documents], topics=bases.topics, rank=rank)


IDEAL_RANKS = Table(
    "ideal ranking",
    (
        Column("doc", pl.String, "the document", required=True),
        Column("path", pl.String, "the element's path"),
        Column("start", pl.Int64, "offset of the first character"),
        Column("end", pl.Int64, "offset after the last character"),
        Column("gain", pl.Float64, "the gain", required=True),
    ),
)


def list_ideal_elements(
    ranked: RankedRun,
    topic: int,
    *,
    task: str,
    quant: str,
    exclude_tags: str | None,
    construction: str,
    tie: str,
    paths: str,
) -> pl.DataFrame:
    """Return the ideal ranking of a topic: elements by gain, or gold spans if there are no elements."""
    bases, assessed = ranked.bases, ranked.assessed
    if not bases.has_elements:
        is_chosen = assessed.topic[assessed.passages[0]] == topic
        pair, start, end = (values[is_chosen] for values in assessed.passages)
        doc = assessed.pairs["doc"].gather(pair)
        return IDEAL_RANKS.fit(
            pl.DataFrame({"doc": doc, "start": start, "end": end, "gain": np.ones(len(pair))})
        )
    q = bases.gains(quant, exclude_tags)
    is_ideal = q > 0
    if task != "thorough":
        is_ideal = bases.ideal(quant, exclude_tags, construction=construction, tie=tie, paths=paths)
    return list_elements(ranked, np.flatnonzero(is_ideal & (bases.elements.element_topic == topic)), q)


def list_ideal_articles(
    ranked: RankedRun, topic: int, *, quant: str, exclude_tags: str | None
) -> pl.DataFrame:
    """Return the ideal ranking of articles of a topic, by the gain of their roots."""
    bases = ranked.bases
    is_root = (bases.elements.tree.parent < 0) & (bases.elements.element_topic == topic)
    return list_elements(ranked, np.flatnonzero(is_root), bases.gains(quant, exclude_tags))


def list_elements(ranked: RankedRun, rows: Ints, q: Floats) -> pl.DataFrame:
    """Return the elements that gain something, the highest gain first; ``q`` covers all elements."""
    base = ranked.bases.elements
    rows = rows[q[rows] > 0]
    rows = rows[np.argsort(-q[rows], kind="stable")]
    return IDEAL_RANKS.fit(
        pl.DataFrame(
            {
                "doc": ranked.assessed.pairs["doc"].gather(base.pair[base.forest.document[rows]]),
                "path": ranked.bases.paths.gather(rows),
                "start": base.forest.start[rows],
                "end": base.forest.end[rows],
                "gain": q[rows],
            }
        )
    )


def _pad_lists(owner: Ints, values: np.ndarray, owners: int) -> Floats:
    """Return values, sorted by owner, as one padded row per owner."""
    return fill_matrix(owner, np.arange(len(owner)) - np.searchsorted(owner, owner), values, owners)


def fill_matrix(row: Ints, column: Ints, values: np.ndarray, rows: int) -> Floats:
    """Return a matrix with values at the given rows and columns, 0 elsewhere."""
    padded = np.zeros((rows, int(column.max(initial=-1)) + 1))
    padded[row, column] = values
    return padded


def build_bare_gains(ranked: RankedRun) -> GainVectors:
    """Build the gain vectors of a list of chunks; every task is treated as Focused."""
    assessed = ranked.assessed
    pair, start, end = assessed.passages
    gains = divide(ranked.new_relevant.astype(float), ranked.size.astype(float))
    stride = int(max(end.max(initial=0), ranked.end.max(initial=0))) + 1
    line = ranked.pair * stride
    begin = np.searchsorted(pair * stride + end, line + ranked.start, side="right")
    stop = np.searchsorted(pair * stride + start, line + ranked.end)
    bounds = (gains, ranked.group, np.ones(len(pair)), begin, stop)
    matrix = ranked.matrix(bound_gains(*bounds))
    units = sum_by_group(assessed.topic[pair], np.ones(len(pair)), len(assessed.topics))
    ideal = (np.arange(int(units.max(initial=0))) < units[:, None]).astype(float)
    return GainVectors(
        gains=matrix,
        ideal=ideal,
        divisor=np.maximum(units, mark_gains(matrix).sum(axis=1)),
        details=lambda: {"xG": ranked.matrix(gains), "room": ranked.matrix(measure_room(*bounds))},
    )
