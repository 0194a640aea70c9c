"""Section 7 of measures.md: HiXEval, and the overlap of a run.

Readings
--------
- Reading: "Inside" is by span: an earlier result whose every character is in e_i.  An element that is
  partly seen cannot have its own span among the earlier results, so this never confuses a parent with its
  only child.
- Reading: HiXEval has no ``exclude_tags``.  The Thorough total goes over every element of the collection; a
  document without a tree adds nothing to it.
- Reading: "No highlights" is about the topic: one of 2003-04 without a highlight is scored from its grades.
  There are no highlighted characters to deduct then, so a result that an earlier passage crosses keeps its
  rsize, less what is credited inside it only where every earlier result is inside.
- Reading: ``overlap@k`` needs no assessments and is never undefined; an empty list has overlap 0.  It looks
  at shared characters, so an empty element overlaps nothing there.  Without @ it covers the whole list.
- Reading: Without @ the other measures raise: they are measures at a rank.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Unpack

from .quantisation import quantiser
from .recall_bases import full_base, ideal_base
from .rules import (
    LIMIT,
    ONE,
    ZERO,
    ListOptions,
    Numeric,
    Score,
    Seen,
    choose,
    fraction,
    harmonic,
    ordered,
    rank_of,
    ratio,
    share_text,
    task_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case_model import Case, Result
    from .trees import Element


def from_grades(case: Case) -> bool:
    """Return whether rsize comes from grades: there are no highlights."""
    return case.scale in {"2002", "2003"} and not any(case.highlights.values())


def rsize_of(case: Case, doc: str, element: Element | None) -> Fraction:
    """spe(e) * size(e), with spe = grade/3; 0 for a passage."""
    grade = None if element is None else (case.grades or {}).get((doc, element.path))
    if element is None or not isinstance(grade, tuple):
        return ZERO
    return Fraction(int(grade[1]), 3) * element.size


def rvals(case: Case, results: Sequence[Result], alpha: Fraction) -> list[Fraction]:
    """rval(i): the relevant text each result is credited with (000 section 3.6, as pinned)."""
    seen = Seen(case)
    values: list[Fraction] = []
    for i, result in enumerate(results):
        inside = _credited_inside(results[:i], values, result)
        graded = rsize_of(case, result.doc, case.element(result)) if from_grades(case) else None
        values.append(_rval(seen, result, inside, alpha, graded))
        seen.add(result)
    return values


def _credited_inside(
    earlier: Sequence[Result], values: Sequence[Fraction], result: Result
) -> Fraction | None:
    """Sum of rval over the earlier results inside this one; None when one of them sticks out of it."""
    touching = [j for j, each in enumerate(earlier) if share_text(each, result)]
    if all(earlier[j].positions <= result.positions for j in touching):
        return sum((values[j] for j in touching), ZERO)
    return None


def _rval(
    seen: Seen, result: Result, inside: Fraction | None, alpha: Fraction, graded: Fraction | None
) -> Fraction:
    """rval of one result, given the value credited inside it before."""
    case = seen.case
    rsize = Fraction(case.rsize(result)) if graded is None else graded
    overlap = seen.overlap(result)
    if seen.again(result):
        return ZERO
    if overlap == 0:
        return rsize
    if overlap == 1:
        return (1 - alpha) * rsize
    if inside is not None:
        return max(ZERO, rsize - alpha * inside)
    already_seen = result.positions & seen.of(result.doc) & case.relevant(result.doc)
    return rsize - alpha * len(already_seen)


def trel(case: Case, task: str, options: BaseOptions) -> Fraction | int:
    """Return all relevant text: of the documents, or in Thorough summed over every element."""
    if from_grades(case):
        choose("scale of HiXEval from grades", case.scale, "2003")
        q = quantiser(case, options.get("quant"))
        construction, tie = options.get("construction", "path"), options.get("tie", "ancestor")
        ideal = ideal_base(q, construction, tie, options.get("paths", "leaf"))
        base = full_base(q) if task == "thorough" else ideal
        return sum((rsize_of(case, target.doc, target.element) for target in base), ZERO)
    if task != "thorough":
        return case.relevant_size()
    return sum(len(each.positions & case.relevant(name)) for name, each in case.elements())


class BaseOptions(ListOptions, total=False):
    """Parameters of the measures that have a recall base where there are only grades."""

    quant: str | None
    construction: str
    tie: str
    paths: str


def _scores(
    case: Case, at: Numeric | None, task: str | None, alpha: Numeric | None, options: BaseOptions
) -> tuple[Fraction, Fraction] | None:
    """Return P(k) and R(k), or None if there is nothing to find."""
    rank = rank_of(at)
    task = task_of(case, task)
    weight = fraction(alpha) if alpha is not None else ZERO if task == "thorough" else ONE
    total = trel(case, task, options)
    if total == 0:
        return None
    results = ordered(case, order=options.get("order", "rank"), limit=options.get("limit", LIMIT))[:rank]
    value = sum(rvals(case, results, weight), ZERO)
    return ratio(value, sum(each.size for each in results)), ratio(value, total)


def hixeval_p(
    case: Case,
    *,
    at: Numeric | None = None,
    task: str | None = None,
    alpha: Numeric | None = None,
    **options: Unpack[BaseOptions],
) -> Score:
    """``HiXEval_P@k``: sum of rval over sum of sizes."""
    scores = _scores(case, at, task, alpha, options)
    return None if scores is None else scores[0]


def hixeval_r(
    case: Case,
    *,
    at: Numeric | None = None,
    task: str | None = None,
    alpha: Numeric | None = None,
    **options: Unpack[BaseOptions],
) -> Score:
    """``HiXEval_R@k``: sum of rval over Trel."""
    scores = _scores(case, at, task, alpha, options)
    return None if scores is None else scores[1]


def hixeval_f(
    case: Case,
    *,
    at: Numeric | None = None,
    task: str | None = None,
    alpha: Numeric | None = None,
    **options: Unpack[BaseOptions],
) -> Score:
    """``HiXEval_F@k``: their harmonic mean."""
    scores = _scores(case, at, task, alpha, options)
    return None if scores is None else harmonic(*scores)


def overlap(case: Case, *, at: Numeric | None = None, **options: Unpack[ListOptions]) -> Score:
    """``overlap@k``: share of the first k results, or of all when fewer, that overlap another of them."""
    results = ordered(case, **options)
    results = results if at is None else results[: rank_of(at)]
    touching = [
        i
        for i, result in enumerate(results)
        if any(share_text(result, other) for j, other in enumerate(results) if i != j)
    ]
    return ratio(len(touching), len(results))
