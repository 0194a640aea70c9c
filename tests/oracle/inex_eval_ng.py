"""Section 4 of measures.md: inex_eval_ng.

Readings
--------
- Reading: It needs exhaustivity and specificity, so only the scales of 2003-04 and 2005 fit.
- Reading: A passage has exhaustivity 0; its specificity is its highlighted share in 2005 (1 iff all of it,
  with strict grades) and 0 on the graded scale of 2003-04.
- Reading: An element without a grade has exhaustivity 0; its specificity is 0 in 2003-04 and the
  highlighted share in 2005.
- Reading: A repeat has neither, and its size counts in (s).  An excluded element has neither, too, and is
  not in the sum below R; the size of an excluded result still counts.
- Reading: A topic without any exhaustivity is undefined for all three names.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Unpack

from .characters import interpolated
from .quantisation import excluded_tags, normalised
from .rules import (
    ZERO,
    ListOptions,
    Numeric,
    Score,
    Seen,
    choose,
    nothing_after,
    ordered,
    rank_of,
    ratio,
    recall_points,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .case_model import Case, Result
    from .trees import Element


class NgOptions(ListOptions, total=False):
    """Parameters of the three measures."""

    variant: str
    grades: str
    exclude_tags: str | Collection[str] | None


@dataclass(frozen=True)
class Entry:
    """What the formulas need of one result; ``overlap`` is 0 throughout for variant (s)."""

    spe: Fraction
    exh: Fraction
    size: int
    overlap: Fraction


def precision(entries: Sequence[Entry]) -> Fraction:
    """P(k) over the first k entries (000 Eq. 2)."""
    good = sum((each.spe * each.size * (1 - each.overlap) for each in entries), ZERO)
    return ratio(good, sum((each.size * (1 - each.overlap) for each in entries), ZERO))


def recall(entries: Sequence[Entry], total: Fraction) -> Fraction:
    """R(k) over the first k entries (000 Eq. 2)."""
    return ratio(sum((each.exh * (1 - each.overlap) for each in entries), ZERO), total)


@dataclass(frozen=True)
class Judge:
    """Exhaustivity and specificity of elements and results."""

    case: Case
    strict: bool
    excluded: frozenset[str]

    def _graded(self, exh: Fraction, spe: Fraction) -> tuple[Fraction, Fraction]:
        """The two as they are, or with strict grades 1 iff highest."""
        return (Fraction(exh == 1), Fraction(spe == 1)) if self.strict else (exh, spe)

    def element(self, doc: str, element: Element) -> tuple[Fraction, Fraction]:
        """(exh, spe) of an element."""
        if element.tag in self.excluded:
            return ZERO, ZERO
        spec = ratio(len(element.positions & self.case.relevant(doc)), element.size)
        grade = (self.case.grades or {}).get((doc, element.path))
        if grade is None:
            return self._graded(ZERO, spec if self.case.scale == "2005" else ZERO)
        return self._graded(*normalised(self.case.scale, grade, spec))

    def result(self, result: Result) -> tuple[Fraction, Fraction]:
        """(exh, spe) of a result, were it not a repeat."""
        element = self.case.element(result)
        if element is not None:
            return self.element(result.doc, element)
        share = ratio(self.case.rsize(result), result.size)
        return self._graded(ZERO, share if self.case.scale == "2005" else ZERO)


def entries_of(
    case: Case,
    *,
    variant: str = "o",
    grades: str = "normalised",
    exclude_tags: str | Collection[str] | None = None,
    **options: Unpack[ListOptions],
) -> tuple[list[Entry], Fraction]:
    """The run as entries, and the exhaustivity of the whole collection."""
    choose("variant", variant, "o", "s")
    choose("grades", grades, "normalised", "strict")
    choose("scale", case.scale, "2003", "2005")
    judge = Judge(case, grades == "strict", excluded_tags(exclude_tags))
    seen = Seen(case)
    entries = []
    for result in ordered(case, **options):
        exh, spe = (ZERO, ZERO) if seen.again(result) else judge.result(result)
        overlap = seen.overlap(result) if variant == "o" else ZERO
        entries.append(Entry(spe, exh, result.size, overlap))
        seen.add(result)
    return entries, sum((judge.element(doc, each)[0] for doc, each in case.elements()), ZERO)


def inex_eval_ng(case: Case, *, at: None = None, **options: Unpack[NgOptions]) -> Score:
    """``inex_eval_ng``: the mean over 100 recall points of the best precision at any recall >= x."""
    nothing_after(at)
    entries, total = entries_of(case, **options)
    if total == 0:
        return None
    ranks = range(1, len(entries) + 1)
    curve = [(precision(entries[:rank]), recall(entries[:rank], total)) for rank in ranks]
    points = recall_points()
    return sum((interpolated(curve, point) for point in points), ZERO) / len(points)


def inex_eval_ng_p(case: Case, *, at: Numeric | None = None, **options: Unpack[NgOptions]) -> Score:
    """``inex_eval_ng_P@k``."""
    rank = rank_of(at)
    entries, total = entries_of(case, **options)
    return precision(entries[:rank]) if total else None


def inex_eval_ng_r(case: Case, *, at: Numeric | None = None, **options: Unpack[NgOptions]) -> Score:
    """``inex_eval_ng_R@k``."""
    rank = rank_of(at)
    entries, total = entries_of(case, **options)
    return recall(entries[:rank], total) if total else None
