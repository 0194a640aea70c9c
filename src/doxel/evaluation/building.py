"""Builds views of a run: one function a view, each with the view parameters it depends on.

``build`` is the only door; a builder's keyword parameters are the key under which its view is shared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from doxel.evaluation.articles import article_scores
from doxel.evaluation.ranked import Ranked
from doxel.evaluation.valued import element_total, values
from doxel.measures.declare import View
from doxel.measures.views import Articles, ReadText, ResultOverlap, ValuedText

__all__ = ["BUILDERS", "build", "depends_on"]


def read_text(ranked: Ranked, *, limit: int | None, chars: int | None, article_chars: int | None) -> ReadText:
    """Build the view of characters read rank by rank."""
    listed = _shortened(ranked.limited(limit), chars, article_chars)
    return ReadText(
        size=listed.matrix(listed.size),
        relevant=listed.matrix(listed.relevant),
        new_size=listed.matrix(listed.seen.new_size),
        new_relevant=listed.matrix(listed.new_relevant),
        total=listed.assessed.total.astype(float),
    )


def valued_text(ranked: Ranked, *, task: str, alpha: float, limit: int | None) -> ValuedText:
    """Build the view of HiXEval."""
    listed = ranked.limited(limit)
    total = element_total(listed.assessed) if task == "thorough" else listed.assessed.total
    return ValuedText(
        value=listed.matrix(values(listed, alpha)),
        size=listed.matrix(listed.size),
        total=total.astype(float),
    )


def result_overlap(ranked: Ranked, *, limit: int | None) -> ResultOverlap:
    """Build the view of overlap between results."""
    listed = ranked.limited(limit)
    seen = listed.seen
    partner = np.full(len(listed), len(listed), dtype=np.int64)  # the first later result that shares text
    shared = np.flatnonzero(seen.next_owner >= 0)
    np.minimum.at(partner, seen.owner[shared], seen.next_owner[shared])
    has_partner = partner < len(listed)
    later = np.where(has_partner, listed.position[np.minimum(partner, len(listed) - 1)] + 1.0, np.inf)
    from_rank = np.where(seen.new_size < listed.size, listed.position + 1.0, later)
    matrix = listed.matrix(from_rank)
    matrix[matrix == 0] = np.inf  # padding overlaps nothing
    return ResultOverlap(overlaps_from=matrix, length=listed.length.astype(float))


def articles(
    ranked: Ranked,
    *,
    score: str,
    beta: float,
    n: float,
    T: float,  # noqa: N803 -- the papers' name
    limit: int | None,
    article_chars: int | None,
) -> Articles:
    """Build the view of articles in order of first appearance."""
    listed = _shortened(ranked, None, article_chars)
    group, first_row = np.unique(listed.group, return_index=True)
    order = np.argsort(first_row, kind="stable")
    group, first_row = group[order], first_row[order]
    topic, pair = listed.topic[first_row], listed.pair[first_row]
    position = np.arange(len(group)) - np.searchsorted(topic, topic)
    kept = np.flatnonzero(position < limit) if limit is not None else np.arange(len(group))
    assessed = listed.assessed
    judged = assessed.entry_point >= 0 if score == "bep" else assessed.relevant_size > 0
    relevant = np.where(pair >= 0, judged[pair], False) if len(judged) else np.zeros(len(pair), dtype=bool)
    scores = np.zeros(len(group))
    wanted = np.flatnonzero(relevant)
    scores[wanted] = article_scores(listed, group[wanted], first_row[wanted], score, beta=beta, n=n, tolerance=T)
    shape = (len(assessed.topics), int(position[kept].max(initial=-1)) + 1)
    score_matrix, relevant_matrix = np.zeros(shape), np.zeros(shape)
    score_matrix[topic[kept], position[kept]] = scores[kept]
    relevant_matrix[topic[kept], position[kept]] = relevant[kept]
    total = assessed.entry_points if score == "bep" else assessed.relevant_documents
    return Articles(
        score=score_matrix,
        relevant=relevant_matrix,
        length=np.bincount(topic[kept], minlength=len(assessed.topics)).astype(float),
        total=total.astype(float),
    )


def _shortened(ranked: Ranked, chars: int | None, article_chars: int | None) -> Ranked:
    if article_chars is not None:
        ranked = ranked.cut(article_chars, within=ranked.group)
    if chars is not None:
        ranked = ranked.cut(chars, within=ranked.topic)
    return ranked


BUILDERS: dict[type[View], Callable[..., View]] = {
    ReadText: read_text,
    ValuedText: valued_text,
    ResultOverlap: result_overlap,
    Articles: articles,
}


def depends_on(view: type[View], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a measure's parameters that decide what its view holds."""
    wanted = inspect.signature(BUILDERS[view]).parameters
    return {name: value for name, value in parameters.items() if name in wanted}


def build(view: type[View], ranked: Ranked, parameters: Mapping[str, Any]) -> View:
    """Build a view of a ranked run."""
    return BUILDERS[view](ranked, **depends_on(view, parameters))
