"""Section 13 of measures.md: unjudged text.

Readings
--------
- Reading: A result is in a judged document if the assessments name its document, found in the collection or
  not.
- Reading: ``unjudged="remove"`` acts on the ordered list, and the columns that decided the order still do:
  where ranks did not count, they do not count afterwards.
- Reading: Of a document measure, the list is the documents by first appearance; an unjudged one has grade 0.
  A topic is defined if any document has a grade above 0, whatever ``rel`` is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import log2
from typing import Any, Unpack

from .case_model import Case, Result, Span
from .rules import (
    ZERO,
    BudgetOptions,
    Numeric,
    Score,
    all_ordered,
    articles,
    is_constant,
    nothing_after,
    ordered,
    ordered_articles,
    rank_of,
    ratio,
    sort,
)
from .spans import Places, gold, head, places


def judged_documents(case: Case) -> set[str]:
    """The documents that any line of the assessments names."""
    return set(case.judged) | set(case.highlights) | set(case.beps)


def remove(case: Case, order: str = "rank") -> Case:
    """The case without results in unjudged documents; its results are in the order of the ranking."""
    results = sort(case.results, order)
    ranked = all(each.rank is not None for each in results) and not is_constant(results)
    names = judged_documents(case)
    remaining = [each if ranked else replace(each, rank=None) for each in results if each.doc in names]
    return replace(case, results=remaining)


def judged_chars(case: Case, *, at: Numeric | None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``judged_chars[@k]``: characters of C_k in judged documents / size(C_k)."""
    text: Places = set().union(*(places(each) for each in head(case, at, options)))
    judged = {place for place in text if place[0] in judged_documents(case)}
    return Fraction(len(judged), len(text)) if text else None


def judged_results(case: Case, *, at: Numeric | None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``judged_results[@k]``: results in judged documents / results there are."""
    results = head(case, at, options)
    judged = sum(each.doc in judged_documents(case) for each in results)
    return Fraction(judged, len(results)) if results else None


def bpref_chars(case: Case, *, at: None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``bpref_chars``: character by character, skipping those seen before and unjudged documents."""
    nothing_after(at)
    wanted = gold(case)
    if not wanted:
        return None
    size, nonrelevant, total = len(wanted), 0, ZERO
    read: Places = set()
    for result in all_ordered(case, **options):
        if result.doc not in judged_documents(case):
            continue
        for place in sorted(places(result) - read):
            read.add(place)
            if place in wanted:
                total += 1 - Fraction(min(nonrelevant, size), size)
            else:
                nonrelevant += 1
    return total / size


_ORDERED: dict[str, Callable[..., list[Result]]] = {
    **dict.fromkeys(("iP", "MAiP", "nxCG", "MAnxCG", "gr", "xCG", "ep", "MAep", "iMAep"), ordered),
    **dict.fromkeys(("gP", "MAgP"), ordered_articles),
}
_OF_RECALL = ("iP", "ep")  # their @ is a recall point, not a rank


def read_results(name: str, case: Case, at: Numeric | None, options: BudgetOptions) -> list[Result]:
    """The results that a measure reads: after order, limit and budgets, up to @k."""
    results = _ORDERED.get(name, all_ordered)(case, **options)
    if at is None or name in _OF_RECALL:
        return results
    if name == "gP":
        names = [doc for doc, _ in articles(results)][: rank_of(at)]
        return [each for each in results if each.doc in names]
    return results[: rank_of(at)]


def stretches(positions: set[int]) -> list[Span]:
    """The maximal stretches of characters, adjacent ones joined."""
    starts = sorted(place for place in positions if place - 1 not in positions)
    ends = sorted(place + 1 for place in positions if place + 1 not in positions)
    return list(zip(starts, ends, strict=True))


def hopeful(name: str, case: Case, at: Numeric | None, options: BudgetOptions) -> Case:
    """The case with the unjudged text that a measure reads as further highlights."""
    unjudged: dict[str, set[int]] = {}
    for result in read_results(name, case, at, options):
        if result.doc not in judged_documents(case) and result.positions:
            unjudged.setdefault(result.doc, set()).update(result.positions)
    more = {doc: stretches(positions) for doc, positions in unjudged.items()}
    return replace(case, highlights={**case.highlights, **more})


def optimistic(
    measure: Callable[..., Score], name: str, case: Case, *, at: Numeric | None = None, **parameters: object
) -> Score:
    """The score of a measure if the unjudged text that it reads were relevant; undefined stays undefined."""
    options: Any = {key: parameters[key] for key in BudgetOptions.__annotations__ if key in parameters}
    if measure(case, at=at, **parameters) is None:
        return None
    return measure(hopeful(name, case, at, options), at=at, **parameters)


# ---- whole documents


def document_score(  # noqa: PLR0911 -- one formula per measure
    name: str,
    ranking: Sequence[str],
    grades: dict[str, int],
    *,
    at: int | None = None,
    rel: int = 1,
    optimistic: bool = False,
) -> Score:
    """A classic measure of documents in their order; ``grades`` are of judged ones.

    A topic counts if it has something to find, as the measure needs it (section 0): a document of grade rel.
    """
    if not any(grade >= rel for grade in grades.values()):
        return None
    listed = list(ranking[:at])
    if optimistic:
        lowest = 1 if name == "nDCG" else rel
        grades = {**{doc: lowest for doc in listed if doc not in grades}, **grades}
    relevant = [grades.get(doc, 0) >= rel for doc in listed]
    total = sum(grade >= rel for grade in grades.values())
    ranks = [rank for rank, hit in enumerate(relevant, 1) if hit]
    if name == "P":
        return Fraction(len(ranks), at or 1)
    if name == "R":
        return ratio(len(ranks), total)
    if name == "RBP":
        return Fraction(1, 5) * sum((Fraction(4, 5) ** (rank - 1) for rank in ranks), ZERO)
    if name == "RR":
        return Fraction(1, ranks[0]) if ranks else ZERO
    if name == "AP":
        precisions = [Fraction(sum(relevant[:rank]), rank) for rank, hit in enumerate(relevant, 1) if hit]
        return ratio(sum(precisions, ZERO), total)
    ideal = sorted(grades.values(), reverse=True)[:at]
    gains = [grades.get(doc, 0) for doc in listed]
    return float(_discounted(gains) / _discounted(ideal))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


__all__ = [
    "bpref_chars",
    "document_score",
    "hopeful",
    "judged_chars",
    "judged_documents",
    "judged_results",
    "optimistic",
    "remove",
]
