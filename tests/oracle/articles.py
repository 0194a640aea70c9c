"""Section 8 of measures.md, second part: measures over articles (Relevant and Best in Context).

Articles come in order of first appearance, each with one score S: F_beta of its characters (``score="f"``),
the distance to its best entry point (``"bep"``), or reading with a tolerance to irrelevance (``"t2i"``,
2010).

Readings
--------
- Reading: An unresolved result still names its document: the article takes its place in the list and counts
  in gR when it is relevant, but S is 0 when nothing of it was resolved (under ``"t2i"`` too; an article
  with empty results only is read from its beginning there).
- Reading: ``score="bep"`` refuses a second result of a document; the other scores refuse interleaved
  articles and overlapping results.
- Reading: gR takes ``score`` too, because Numrel counts articles with a BEP in Best in Context.
- Reading: The size of the document for ``"t2i"`` is that of the case.  A relevant character that follows
  the T-th irrelevant one is not read.
- Reading: ``igP@x`` takes any x in [0, 1].
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Unpack

from .characters import interpolated
from .rules import (
    ZERO,
    CutOptions,
    Numeric,
    Refused,
    Score,
    articles,
    choose,
    fraction,
    nothing_after,
    ordered_articles,
    rank_of,
    ratio,
    recall_of,
    refuse_overlap,
    remember,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case_model import Case, Result


class ArticleOptions(CutOptions, total=False):
    """How an article is scored, beside the cuts of section 0."""

    score: str
    beta: Numeric
    n: int
    T: int


def f_score(case: Case, name: str, results: Sequence[Result], beta: Fraction) -> Fraction:
    """F_beta of the article's character precision and recall."""
    relevant = sum(case.rsize(each) for each in results)
    precision = ratio(relevant, sum(each.size for each in results))
    recall = ratio(relevant, len(case.relevant(name)))
    square = beta * beta
    return ratio((1 + square) * precision * recall, square * precision + recall)


def bep_score(case: Case, name: str, results: Sequence[Result], n: int) -> Fraction:
    """max(0, n - d)/n for the one result of the article."""
    start = results[0].start
    if start is None or name not in case.beps:
        return ZERO
    return max(ZERO, Fraction(n - abs(start - case.beps[name]), n))


def t2i_score(case: Case, name: str, results: Sequence[Result], tolerance: int) -> Fraction:
    """R/(R+I) after reading the retrieved passages, then the gaps, until T irrelevant characters."""
    document = case.document(name)
    relevant = case.relevant(name)
    retrieved = {position for each in results for position in each.positions}
    gaps = set(range(0 if document is None else document.size)) - retrieved
    good = bad = 0
    for position in sorted(retrieved) + sorted(gaps):
        if bad >= tolerance:
            break
        if position in relevant:
            good += 1
        else:
            bad += 1
    return ratio(good, good + bad)


def _check(results: Sequence[Result], score: str) -> None:
    """Refuse what the task does not allow."""
    names = [result.doc for result in results]
    if score == "bep":
        if len(set(names)) < len(names):
            raise Refused("a document has a second entry point")
        return
    groups = [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
    if len(set(groups)) < len(groups):
        raise Refused("articles are interleaved")
    refuse_overlap(results)


@remember
def scored(
    case: Case,
    *,
    score: str = "f",
    beta: Numeric = 1,
    n: int = 500,
    T: int = 300,  # noqa: N803 - the parameter's name in measures.md
    **options: Unpack[CutOptions],
) -> tuple[list[Fraction], list[bool], int]:
    """S of every article in the list, whether it is relevant, and Numrel."""
    choose("score", score, "f", "bep", "t2i")
    results = ordered_articles(case, **options)
    _check(results, score)
    relevant = set(case.beps) if score == "bep" else set(case.relevant_documents())
    scores = []
    for name, group in articles(results):
        if not any(each.resolved for each in group):
            scores.append(ZERO)
        elif score == "f":
            scores.append(f_score(case, name, group, fraction(beta)))
        elif score == "bep":
            scores.append(bep_score(case, name, group, n))
        else:
            scores.append(t2i_score(case, name, group, T))
    return scores, [name in relevant for name, _ in articles(results)], len(relevant)


def precisions(scores: Sequence[Fraction]) -> list[Fraction]:
    """gP[r] at every rank."""
    return [sum(scores[:rank], ZERO) / rank for rank in range(1, len(scores) + 1)]


def gp(
    case: Case, *, at: Numeric | None = None, pad: bool = True, **options: Unpack[ArticleOptions]
) -> Score:
    """``gP@k``: the sum of S over k; past the end divided by k, or with pad=False the last value again."""
    rank = rank_of(at)
    scores, _, numrel = scored(case, **options)
    if numrel == 0:
        return None
    if not pad:
        rank = min(rank, len(scores))
    return ratio(sum(scores[:rank], ZERO), rank)


def gr_articles(case: Case, *, at: Numeric | None = None, **options: Unpack[ArticleOptions]) -> Score:
    """``gR@k``: relevant articles so far over Numrel."""
    rank = rank_of(at)
    _, relevant, numrel = scored(case, **options)
    return None if numrel == 0 else ratio(sum(relevant[:rank]), numrel)


def igp(case: Case, *, at: Numeric | None = None, **options: Unpack[ArticleOptions]) -> Score:
    """``igP@x``: max gP[r] with gR[r] >= x."""
    point = recall_of(at, zero=True)
    scores, relevant, numrel = scored(case, **options)
    if numrel == 0:
        return None
    recalls = [Fraction(sum(relevant[:rank]), numrel) for rank in range(1, len(scores) + 1)]
    return interpolated(list(zip(precisions(scores), recalls, strict=True)), point)


def magp(case: Case, *, at: None = None, **options: Unpack[ArticleOptions]) -> Score:
    """``MAgP``: the sum of gP at the ranks of relevant articles, over Numrel."""
    nothing_after(at)
    scores, relevant, numrel = scored(case, **options)
    if numrel == 0:
        return None
    at_relevant = [value for value, hit in zip(precisions(scores), relevant, strict=True) if hit]
    return sum(at_relevant, ZERO) / numrel
