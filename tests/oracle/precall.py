"""Section 3 of measures.md: inex_eval, that is precall on quantised relevance, and qP, qR.

gen2005 and genlifted are scaled to [0, 1] here.

Readings
--------
- Reading: With ``base="ideal"`` passages have q = 0: they are no elements of the base.
- Reading: ``collection_size`` counts elements, so only the distinct elements of the run are taken off it, not
  passages or unresolved results.  A C that is too small leaves a last level without non-relevant members.
- Reading: ``method="rank"`` has no levels and so no use for ``collection_size``.
- Reading: The default of ``method`` has no name in measures.md and is called "precall" here.
- Reading: qP and qR take ``base`` too, and without it go with the full base.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, Unpack

from .quantisation import Quantiser, quantiser
from .recall_bases import Target, full_base, ideal_base
from .rules import (
    ZERO,
    ListOptions,
    Numeric,
    Score,
    choose,
    in_levels,
    levels,
    nothing_after,
    ordered,
    rank_of,
    ratio,
    recall_of,
    recall_points,
    repeated,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .case_model import Case, Result

Level: TypeAlias = tuple[Fraction, Fraction]
"""The sums of q and of 1-q in one tied level."""


class BaseOptions(ListOptions, total=False):
    """What is relevant."""

    quant: str | None
    base: str
    construction: str
    tie: str
    paths: str
    exclude_tags: str | Collection[str] | None


def esl(j: Fraction | int, i: Fraction | int, r: Fraction | int, s: Fraction | int) -> Fraction:
    """Expected search length: j + s*i/(r+1)."""
    return Fraction(j) + Fraction(s) * i / (Fraction(r) + 1)


def precall(cut: Sequence[Level], n: Fraction, point: Fraction) -> Fraction:
    """P(x) = NR/(NR+esl) over tied levels; 0 when the run ends before NR."""
    wanted = point * n
    relevant = irrelevant = ZERO
    for r, i in cut:
        reached = relevant + r
        if reached >= wanted:
            return ratio(wanted, wanted + esl(irrelevant, i, r, wanted - relevant))
        relevant = reached
        irrelevant += i
    return ZERO


def tied(values: Sequence[Fraction], sizes: Sequence[int]) -> list[Level]:
    """The levels of a list of q, each as its two sums."""
    return [(sum(level, ZERO), len(level) - sum(level, ZERO)) for level in in_levels(values, sizes)]


def last_level(cut: Sequence[Level], n: Fraction, rest: int) -> list[Level]:
    """The missing relevance and the ``rest`` of the collection as one more level, if anything is missing."""
    missing = n - sum((r for r, _ in cut), ZERO)
    return [(missing, max(ZERO, rest - missing))] if missing > 0 else []


def precision_at_recall(values: Sequence[Fraction], n: Fraction, point: Fraction) -> Fraction:
    """``method="rank"``: P(x) = NR/k_x (000 Eq. 1), ties in file order."""
    wanted = point * n
    for rank in range(1, len(values) + 1):
        if sum(values[:rank], ZERO) >= wanted:
            return wanted / rank
    return ZERO


def quantised(
    case: Case, results: Sequence[Result], q: Quantiser, base: Sequence[Target] | None
) -> list[Fraction]:
    """q of every result, 0 for repeats and, with a base, for everything outside it."""
    values = []
    for result, again in zip(results, repeated(case, results), strict=True):
        element = case.element(result)
        outside = base is not None and not any(target.element is element for target in base)
        values.append(ZERO if again or outside else q.result(result))
    return values


def view(
    case: Case,
    *,
    quant: str | None = None,
    base: str = "full",
    construction: str = "path",
    tie: str = "ancestor",
    paths: str = "leaf",
    exclude_tags: str | Collection[str] | None = None,
    **options: Unpack[ListOptions],
) -> tuple[list[Result], list[Fraction], Fraction]:
    """The ordered results, their q, and n."""
    choose("base", base, "full", "ideal")
    q = quantiser(case, quant, exclude_tags, scaled=True)
    targets = ideal_base(q, construction, tie, paths) if base == "ideal" else None
    n = sum((target.q for target in (full_base(q) if targets is None else targets)), ZERO)
    results = ordered(case, **options)
    return results, quantised(case, results, q, targets), n


def read_off(
    case: Case,
    results: Sequence[Result],
    values: Sequence[Fraction],
    n: Fraction,
    points: Sequence[Fraction],
    *,
    order: str = "rank",
    method: str = "precall",
    collection_size: int | None = None,
    ties: str = "rsv",
) -> list[Fraction]:
    """P(x) at each point, from the values of the results."""
    choose("method", method, "precall", "rank")
    if method == "rank":
        return [precision_at_recall(values, n, point) for point in points]
    cut = tied(values, levels(results, order=order, ties=ties))
    if collection_size is not None:
        distinct = {each.key for each in results if case.element(each) is not None}
        cut += last_level(cut, n, collection_size - len(distinct))
    return [precall(cut, n, point) for point in points]


def inex_eval(
    case: Case,
    *,
    at: None = None,
    step: Numeric = Fraction(1, 100),
    method: str = "precall",
    collection_size: int | None = None,
    ties: str = "rsv",
    **options: Unpack[BaseOptions],
) -> Score:
    """``inex_eval``: the mean of P(x) over the recall points."""
    nothing_after(at)
    results, values, n = view(case, **options)
    if n == 0:
        return None
    points = recall_points(step)
    precisions = read_off(
        case, results, values, n, points,
        order=options.get("order", "rank"), method=method, collection_size=collection_size, ties=ties,
    )  # fmt: skip
    return sum(precisions, ZERO) / len(points)


def inex_eval_p(
    case: Case,
    *,
    at: Numeric | None = None,
    method: str = "precall",
    collection_size: int | None = None,
    ties: str = "rsv",
    **options: Unpack[BaseOptions],
) -> Score:
    """``inex_eval_P@x``: P at one recall point in (0, 1]."""
    point = recall_of(at)
    results, values, n = view(case, **options)
    if n == 0:
        return None
    return read_off(
        case, results, values, n, [point],
        order=options.get("order", "rank"), method=method, collection_size=collection_size, ties=ties,
    )[0]  # fmt: skip


def qp(case: Case, *, at: Numeric | None = None, **options: Unpack[BaseOptions]) -> Score:
    """``qP@k``: sum of q over k (003 Eq. 2)."""
    rank = rank_of(at)
    _, values, n = view(case, **options)
    return None if n == 0 else sum(values[:rank], ZERO) / rank


def qr(case: Case, *, at: Numeric | None = None, **options: Unpack[BaseOptions]) -> Score:
    """``qR@k``: sum of q over n (003 Eq. 1)."""
    rank = rank_of(at)
    _, values, n = view(case, **options)
    return None if n == 0 else sum(values[:rank], ZERO) / n
