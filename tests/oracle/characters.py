"""Section 8 of measures.md, first part: interpolated precision over characters, and articles as sets.

``char_prec``, ``char_rec`` and ``char_f1`` are those of section 12 and live in ``spans.py``.

Readings
--------
- Reading: Trel is the size of the union of the highlights: a case declares no sizes.
- Reading: Every task but thorough refuses overlapping results here too.
- Reading: ``art_prec``, ``art_rec`` and ``art_f1`` are named under "Characters", so their ``limit`` counts
  results. An unresolved result still names its document, which counts as retrieved.
- Reading: A run that a measure must refuse is refused even where its topic is undefined.
- Reading: A list without results has precision 0 at every point.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Unpack, cast

from .rules import (
    BudgetOptions,
    CutOptions,
    Numeric,
    Score,
    harmonic,
    nothing_after,
    ordered,
    ratio,
    recall_of,
    refuse_overlap,
    remember,
    task_of,
)

if TYPE_CHECKING:
    from .case_model import Case


@remember
def precision_recall(
    case: Case, task: str | None = None, **options: Unpack[BudgetOptions]
) -> list[tuple[Fraction, Fraction]]:
    """(P[r], R[r]) at every rank."""
    results = ordered(case, **options)
    thorough = task_of(case, task) == "thorough"
    if not thorough:  # checked before the budget (section 13)
        cuts = {name: value for name, value in options.items() if name in CutOptions.__annotations__}
        refuse_overlap(ordered(case, **cast("CutOptions", cuts)))
    total = case.relevant_size()
    seen: dict[str, set[int]] = {}
    relevant = read = 0
    curve = []
    for result in results:
        shown = seen.setdefault(result.doc, set())
        # Thorough (2009): only the characters not yet retrieved, in rsize and in size
        counted = result.positions - shown if thorough else result.positions
        shown |= result.positions
        relevant += len(counted & case.relevant(result.doc))
        read += len(counted)
        curve.append((ratio(relevant, read), ratio(relevant, total)))
    return curve


def interpolated(curve: list[tuple[Fraction, Fraction]], point: Fraction) -> Fraction:
    """The best precision at any recall >= point, 0 where that recall is never reached."""
    return max((precision for precision, recall in curve if recall >= point), default=Fraction(0))


def ip(
    case: Case, *, at: Numeric | None = None, task: str | None = None, **options: Unpack[BudgetOptions]
) -> Score:
    """``iP@x``: max P[r] with R[r] >= x."""
    point = recall_of(at, zero=True)
    curve = precision_recall(case, task, **options)
    return interpolated(curve, point) if case.relevant_size() else None


def maip(case: Case, *, at: None = None, task: str | None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``MAiP``: the mean of iP at the 101 points .00 ... 1.00."""
    nothing_after(at)
    curve = precision_recall(case, task, **options)
    if not case.relevant_size():
        return None
    return sum((interpolated(curve, Fraction(k, 100)) for k in range(101)), Fraction(0)) / 101


def _articles(case: Case, options: BudgetOptions) -> tuple[Fraction, Fraction] | None:
    """Precision and recall of the documents as a set."""
    relevant = set(case.relevant_documents())
    if not relevant:
        return None
    returned = {result.doc for result in ordered(case, **options)}
    return ratio(len(relevant & returned), len(returned)), ratio(len(relevant & returned), len(relevant))


def art_prec(case: Case, *, at: None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``art_prec``: relevant articles among the retrieved ones."""
    nothing_after(at)
    scores = _articles(case, options)
    return None if scores is None else scores[0]


def art_rec(case: Case, *, at: None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``art_rec``: retrieved articles among the relevant ones."""
    nothing_after(at)
    scores = _articles(case, options)
    return None if scores is None else scores[1]


def art_f1(case: Case, *, at: None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``art_f1``: their harmonic mean."""
    nothing_after(at)
    scores = _articles(case, options)
    return None if scores is None else harmonic(*scores)
