"""Section 9 of measures.md: structural relevance, SRP and SRPL.

Readings
--------
- Reading: The summary covers every element of the collection, excluded tags and all; "containing" is the
  tree's.
- Reading: Two results overlap when they share a character; an empty element also overlaps its ancestors
  (section 0), so they count in its m, and it never counts in theirs.
- Reading: m and the sums of ``isolation="ratio"`` go over distinct results other than e itself: a later
  repeat of e does not disturb it.
- Reading: A passage's group is that of the smallest element containing it, the deepest among equals; in no
  element it has pi = 0.
- Reading: SRPL takes the parameters of section 3 (step, ties, method, collection_size).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack

from .precall import read_off
from .quantisation import Quantiser, quantiser
from .recall_bases import full_base
from .rules import (
    ZERO,
    ListOptions,
    Numeric,
    Score,
    choose,
    nothing_after,
    ordered,
    rank_of,
    ratio,
    recall_points,
    remember,
    repeated,
    share_text,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .case_model import Case, Result
    from .trees import Element


class SummaryOptions(ListOptions, total=False):
    """Parameters of both measures."""

    quant: str | None
    exclude_tags: str | Collection[str] | None
    summary: str
    isolation: str


def group_of(element: Element, summary: str) -> str:
    """The element's group in the summary."""
    return element.labels if summary == "path" else element.tag


def weights(case: Case, summary: str = "path") -> dict[tuple[str, str], int]:
    """W_ij: ordered pairs (a in group i, b in group j) with a = b or one containing the other."""
    counts: dict[tuple[str, str], int] = {}
    for _, element in case.elements():
        own = group_of(element, summary)
        counts[own, own] = counts.get((own, own), 0) + 1
        for above in element.ancestors():
            other = group_of(above, summary)
            for pair in ((own, other), (other, own)):
                counts[pair] = counts.get(pair, 0) + 1
    return counts


@remember
def steady_state(case: Case, summary: str = "path") -> dict[str, Fraction]:
    """pi_i: row total over grand total."""
    counts = weights(case, summary)
    rows: dict[str, int] = {}
    for (row, _), count in counts.items():
        rows[row] = rows.get(row, 0) + count
    return {row: Fraction(count, sum(rows.values())) for row, count in rows.items()}


@dataclass(frozen=True)
class Isolation:
    """p(e; R[u])."""

    case: Case
    pi: dict[str, Fraction]
    summary: str
    kind: str

    def pi_of(self, result: Result) -> Fraction:
        """pi of the result's group."""
        element = self.case.element(result)
        if element is None:
            document = self.case.document(result.doc)
            around = [
                each
                for each in (document.elements() if document is not None and result.positions else [])
                if result.positions <= each.positions
            ]
            if not around:
                return ZERO
            element = min(around, key=lambda each: (each.size, -each.depth))
        return self.pi[group_of(element, self.summary)]

    def touches(self, result: Result, other: Result) -> bool:
        """Whether ``other`` overlaps the result."""
        element, other_element = self.case.element(result), self.case.element(other)
        if element is not None and other_element is not None and element.size == 0:
            return element is not other_element and element.is_within(other_element)
        return share_text(result, other)

    def of(self, result: Result, others: Sequence[Result]) -> Fraction:
        """The isolation of a result among others."""
        distinct = {
            each.key: each for each in others if each.key != result.key and self.touches(result, each)
        }
        own = self.pi_of(result)
        if self.kind == "power":
            return (1 - own) ** len(distinct)
        return ratio(own, own + sum((self.pi_of(each) for each in distinct.values()), ZERO))


def isolated(
    q: Quantiser,
    results: Sequence[Result],
    *,
    summary: str = "path",
    isolation: str = "power",
    among: str = "earlier",
) -> list[Fraction]:
    """rel(e) * p(e; R[u]) for every result of R[u]."""
    choose("summary", summary, "path", "tag")
    choose("isolation", isolation, "power", "ratio")
    choose("among", among, "earlier", "all")
    model = Isolation(q.case, steady_state(q.case, summary), summary, isolation)
    values = []
    for i, (result, again) in enumerate(zip(results, repeated(q.case, results), strict=True)):
        others = results[:i] if among == "earlier" else results
        values.append(ZERO if again else q.result(result) * model.of(result, others))
    return values


def srp(
    case: Case,
    *,
    at: Numeric | None = None,
    among: str = "earlier",
    **options: Unpack[SummaryOptions],
) -> Score:
    """``SRP@k``: SR over the first k results, over k."""
    value = sr(case, at=at, among=among, **options)
    return None if value is None else value / rank_of(at)


def sr(
    case: Case,
    *,
    at: Numeric | None = None,
    quant: str | None = None,
    exclude_tags: str | Collection[str] | None = None,
    summary: str = "path",
    isolation: str = "power",
    among: str = "earlier",
    **options: Unpack[ListOptions],
) -> Score:
    """``SR@k``: the expected number of relevant results of the first k, each counted by its isolation."""
    rank = rank_of(at)
    q = quantiser(case, quant, exclude_tags, scaled=True)
    results = ordered(case, **options)[:rank]
    values = isolated(q, results, summary=summary, isolation=isolation, among=among)
    return sum(values, ZERO) if full_base(q) else None


def srpl(
    case: Case,
    *,
    at: None = None,
    quant: str | None = None,
    exclude_tags: str | Collection[str] | None = None,
    summary: str = "path",
    isolation: str = "power",
    among: str = "earlier",
    step: Numeric = Fraction(1, 100),
    method: str = "precall",
    collection_size: int | None = None,
    ties: str = "rsv",
    **options: Unpack[ListOptions],
) -> Score:
    """``SRPL``: precall with rel(e)*p in place of q."""
    nothing_after(at)
    q = quantiser(case, quant, exclude_tags, scaled=True)
    n = sum((target.q for target in full_base(q)), ZERO)
    if n == 0:
        return None
    results = ordered(case, **options)
    values = isolated(q, results, summary=summary, isolation=isolation, among=among)
    points = recall_points(step)
    precisions = read_off(
        case, results, values, n, points,
        order=options.get("order", "rank"), method=method, collection_size=collection_size, ties=ties,
    )  # fmt: skip
    return sum(precisions, ZERO) / len(points)
