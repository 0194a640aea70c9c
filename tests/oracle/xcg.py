"""Section 5 of measures.md: the XCG measures, and fetch and browse of section 8.

Readings
--------
- Reading: ``limit`` counts articles in fetch_MAep, which is a measure over articles, and results in
  browse_MAep.
- Reading: An unresolved result still names its article in fetch_MAep.
- Reading: Both take ``ideal_curve`` and divide by n, as Thorough does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from . import curves
from .curves import Gains
from .gains import GainOptions, Weighing, gain_vectors, raw_gains
from .quantisation import quantiser
from .recall_bases import full_base
from .rules import (
    ZERO,
    ListOptions,
    Numeric,
    Score,
    articles,
    nothing_after,
    ordered,
    ordered_articles,
    rank_of,
    recall_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection
    from fractions import Fraction

    from .case_model import Case


def nxcg(case: Case, *, at: Numeric | None = None, **view: Unpack[GainOptions]) -> Score:
    """``nxCG@i``: the run's cumulated gain over the ideal one at the same rank."""
    rank = rank_of(at)
    vectors = gain_vectors(case, **view)
    return curves.nxcg(vectors, rank) if vectors.ideal else None


def xcg(case: Case, *, at: Numeric | None = None, **view: Unpack[GainOptions]) -> Score:
    """``xCG@i``: the run's cumulated gain."""
    rank = rank_of(at)
    vectors = gain_vectors(case, **view)
    return sum(vectors.run[:rank], ZERO) if vectors.ideal else None


def xci(case: Case, *, at: Numeric | None = None, **view: Unpack[GainOptions]) -> Score:
    """``xCI@i``: the ideal list's cumulated gain."""
    rank = rank_of(at)
    vectors = gain_vectors(case, **view)
    return sum(vectors.ideal[:rank], ZERO) if vectors.ideal else None


def manxcg(case: Case, *, at: Numeric | None = None, **view: Unpack[GainOptions]) -> Score:
    """``MAnxCG@i``: the mean of nxCG up to the rank."""
    rank = rank_of(at)
    vectors = gain_vectors(case, **view)
    return curves.manxcg(vectors, rank) if vectors.ideal else None


def gr(case: Case, *, at: Numeric | None = None, **view: Unpack[GainOptions]) -> Score:
    """``gr@i``: gain-recall."""
    rank = rank_of(at)
    vectors = gain_vectors(case, **view)
    return curves.gain_recall(vectors, rank) if vectors.ideal else None


def ep(
    case: Case,
    *,
    at: Numeric | None = None,
    ideal_curve: str = "linear",
    run_curve: str = "linear",
    **view: Unpack[GainOptions],
) -> Score:
    """``ep@x``: effort-precision at a gain-recall point in (0, 1]."""
    point = recall_of(at)
    vectors = gain_vectors(case, **view)
    return curves.ep_at(vectors, point, ideal_curve, run_curve) if vectors.ideal else None


def maep(case: Case, *, at: None = None, ideal_curve: str = "linear", **view: Unpack[GainOptions]) -> Score:
    """``MAep``: the mean of effort-precision over the ranks with gain."""
    nothing_after(at)
    vectors = gain_vectors(case, **view)
    return curves.maep(vectors, ideal_curve) if vectors.ideal else None


def imaep(
    case: Case,
    *,
    at: None = None,
    ideal_curve: str = "linear",
    run_curve: str = "linear",
    **view: Unpack[GainOptions],
) -> Score:
    """``iMAep``: the mean of ep over 100 gain-recall points."""
    nothing_after(at)
    vectors = gain_vectors(case, **view)
    return curves.imaep(vectors, ideal_curve, run_curve) if vectors.ideal else None


def fetch_maep(
    case: Case,
    *,
    at: None = None,
    quant: str | None = None,
    exclude_tags: str | Collection[str] | None = None,
    ideal_curve: str = "linear",
    **options: Unpack[ListOptions],
) -> Score:
    """``fetch_MAep``: MAep over articles in order of first appearance, with q of their roots."""
    nothing_after(at)
    q = quantiser(case, quant, exclude_tags)
    roots = {each.id: q.element(each.id, each.root) for each in case.documents if each.root is not None}
    ideal = sorted((value for value in roots.values() if value > 0), reverse=True)
    if not ideal:
        return None
    run = [roots.get(name, ZERO) for name, _ in articles(ordered_articles(case, **options))]
    return curves.maep(Gains(run, ideal, focused=False), ideal_curve)


def browse_maep(
    case: Case,
    *,
    at: None = None,
    quant: str | None = None,
    exclude_tags: str | Collection[str] | None = None,
    ideal_curve: str = "linear",
    **options: Unpack[ListOptions],
) -> Score:
    """``browse_MAep``: Thorough MAep inside each article with any q > 0, averaged over these."""
    nothing_after(at)
    q = quantiser(case, quant, exclude_tags)
    full = full_base(q)
    groups = dict(articles(ordered(case, **options)))
    scores: list[Fraction] = []
    for name in dict.fromkeys(target.doc for target in full):
        ideal = sorted((target.q for target in full if target.doc == name), reverse=True)
        run = raw_gains(Weighing(q, ZERO, "children"), groups.get(name, []))
        scores.append(curves.maep(Gains(run, ideal, focused=False), ideal_curve))
    return sum(scores, ZERO) / len(scores) if scores else None
