"""Section 6 of measures.md: T2I of 2004, tolerance to irrelevance.  The 2010 form is in ``articles.py``.

The reader starts at the result and reads on in the document; reaching an unseen highlighted passage is
success, and needs fewer than T irrelevant characters before it; seen passages cost nothing.

Readings
--------
- Reading: The highlighted passages are the highlights merged where they overlap; adjacent ones stay apart
  (section 12).
- Reading: A passage is seen once a success stood in it; a failed reading sees nothing.
- Reading: A repeat is never a success (section 0, relevance 0), nor is an unresolved result.
- Reading: A result in a document the collection does not have finds nothing.
- Reading: T2I_AP uses the tied levels of section 3; within a level the readings follow each other in file
  order.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Unpack

from .bare_spans import gold_units
from .precall import read_off
from .rules import (
    ZERO,
    ListOptions,
    Numeric,
    Score,
    nothing_after,
    ordered,
    rank_of,
    recall_points,
    repeated,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case_model import Case, Result


def successes(case: Case, results: Sequence[Result], tolerance: int) -> list[Fraction]:
    """1 for each result from which the reader finds an unseen passage in time, else 0."""
    units = gold_units(case)
    seen: set[int] = set()
    flags = []
    for result, again in zip(results, repeated(case, results), strict=True):
        passage = None if again else _reading(case, result, units, seen, tolerance)
        if passage is not None:
            seen.add(passage)
        flags.append(Fraction(passage is not None))
    return flags


def _reading(
    case: Case,
    result: Result,
    units: Sequence[tuple[str, frozenset[int]]],
    seen: set[int],
    tolerance: int,
) -> int | None:
    """The unseen passage that a reader who starts here finds, character by character."""
    document = case.document(result.doc)
    if document is None or result.start is None:
        return None
    irrelevant = 0
    for position in range(result.start, document.size):
        if irrelevant >= tolerance:
            return None
        here = [i for i, (name, unit) in enumerate(units) if name == result.doc and position in unit]
        if not here:
            irrelevant += 1
        elif here[0] not in seen:
            return here[0]
    return None


def t2i(
    case: Case,
    *,
    at: Numeric | None = None,
    T: int = 300,  # noqa: N803 - the parameter's name in measures.md
    **options: Unpack[ListOptions],
) -> Score:
    """``T2I(T=300)@k``: successes over k."""
    rank = rank_of(at)
    if not gold_units(case):
        return None
    return sum(successes(case, ordered(case, **options)[:rank], T), ZERO) / rank


def t2i_ap(
    case: Case,
    *,
    at: None = None,
    T: int = 300,  # noqa: N803
    ties: str = "rsv",
    **options: Unpack[ListOptions],
) -> Score:
    """``T2I_AP(T=300)``: precall over successes, n = highlighted passages."""
    nothing_after(at)
    n = len(gold_units(case))
    if n == 0:
        return None
    results = ordered(case, **options)
    points = recall_points()
    precisions = read_off(
        case, results, successes(case, results, T), Fraction(n), points,
        order=options.get("order", "rank"), ties=ties,
    )  # fmt: skip
    return sum(precisions, ZERO) / len(points)
