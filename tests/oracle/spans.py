"""Section 12 of measures.md: spans, chunks and passages.

G is the union of the topic's gold spans, C_k the union of the first k results, per document and summed.  The
gains over bare spans are in ``bare_spans.py``.

Readings
--------
- Reading: ``span_rec``, ``hit`` and ``span_RR`` take the gold spans of the assessments: overlapping and equal
  spans are not merged.  An empty gold span does not count.
- Reading: The callable that makes tokens has no name in measures.md; here it is ``tokens``, from a text to
  spans.  The default splits the whole document's text at white space, whatever its text nodes.  A topic in
  whose gold no token begins is undefined for the token measures.
- Reading: Charged tokens: every result pays for the tokens that begin in it, each time.
- Reading: ``read`` counts whole characters, each result in document order, and is infinite for an empty
  list as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import TypeAlias, Unpack

from .case_model import Case, Result, Span
from .rules import (
    ZERO,
    BudgetOptions,
    CutOptions,
    Numeric,
    Score,
    all_ordered,
    choose,
    fraction,
    harmonic,
    nothing_after,
    rank_of,
    ratio,
)
from .trees import runs

Tokens: TypeAlias = Callable[[str], Sequence[Span]]
Places: TypeAlias = set[tuple[str, int]]
"""Characters, or tokens by their first character: (document, position)."""


def gold(case: Case) -> Places:
    """G, character by character."""
    return {(name, position) for name in case.highlights for position in case.relevant(name)}


def places(result: Result) -> Places:
    """The characters of one result."""
    return {(result.doc, position) for position in result.positions}


def token_starts(case: Case, tokens: Tokens) -> Places:
    """Where the tokens of the collection begin."""
    return {(each.id, start) for each in case.documents for start, _ in tokens(each.known_text())}


def compare(wanted: Places, pieces: Sequence[Places], repeats: str) -> dict[str, Fraction]:
    """Return precision, recall, intersection over union and F1 of the pieces against the wanted text."""
    choose("repeats", repeats, "once", "charged")
    union: Places = set().union(*pieces)
    both = len(wanted & union)
    # the text that is paid for: every character once, or as often as it would be in a context window
    paid = len(union) if repeats == "once" else sum(len(piece) for piece in pieces)
    precision = ratio(both, paid)
    recall = ratio(both, len(wanted))
    return {
        "prec": precision,
        "rec": recall,
        "iou": ratio(both, paid + len(wanted - union)),
        "f1": harmonic(precision, recall),
    }


def head(case: Case, at: Numeric | None, options: BudgetOptions) -> list[Result]:
    """The first k results, or the whole list without @."""
    results = all_ordered(case, **options)
    return results if at is None else results[: rank_of(at)]


def char_measure(kind: str) -> Callable[..., Score]:
    """``char_rec``, ``char_prec``, ``char_iou`` or ``char_f1``."""

    def measure(
        case: Case, *, at: Numeric | None = None, repeats: str = "once", **options: Unpack[BudgetOptions]
    ) -> Score:
        """Compare the characters of the first k results with the gold ones."""
        wanted = gold(case)
        if not wanted:
            return None
        return compare(wanted, [places(each) for each in head(case, at, options)], repeats)[kind]

    return measure


def token_measure(kind: str) -> Callable[..., Score]:
    """``token_rec``, ``token_prec``, ``token_iou`` or ``token_f1``."""

    def measure(
        case: Case,
        *,
        at: Numeric | None = None,
        repeats: str = "once",
        **options: Unpack[BudgetOptions],
    ) -> Score:
        """Compare tokens; a token belongs to the text that contains its first character."""
        starts = token_starts(case, options.setdefault("tokens", runs))
        wanted = gold(case) & starts
        if not wanted:
            return None
        pieces = [places(each) & starts for each in head(case, at, options)]
        return compare(wanted, pieces, repeats)[kind]

    return measure


def covered(case: Case, results: Sequence[Result], least: Fraction) -> list[bool]:
    """For each gold span: whether the results cover at least that share of it."""
    union: Places = set().union(*(places(each) for each in results))
    flags = []
    for name, spans in case.highlights.items():
        for start, end in spans:
            if end > start:
                covered_size = sum((name, position) in union for position in range(start, end))
                flags.append(Fraction(covered_size, end - start) >= least)
    return flags


def span_rec(
    case: Case,
    *,
    at: Numeric | None = None,
    min: Numeric = Fraction(1, 2),  # noqa: A002 - the parameter's name in measures.md
    **options: Unpack[BudgetOptions],
) -> Score:
    """``span_rec(min=.5)@k``: share of gold spans of which C_k covers at least min."""
    flags = covered(case, head(case, at, options), fraction(min))
    return ratio(sum(flags), len(flags)) if flags else None


def hit(
    case: Case,
    *,
    at: Numeric | None = None,
    min: Numeric = Fraction(1, 2),  # noqa: A002
    **options: Unpack[BudgetOptions],
) -> Score:
    """``hit(min=.5)@k``: 1 if one gold span is covered."""
    flags = covered(case, head(case, at, options), fraction(min))
    return Fraction(any(flags)) if flags else None


def span_rr(
    case: Case,
    *,
    at: None = None,
    min: Numeric = Fraction(1, 2),  # noqa: A002
    **options: Unpack[BudgetOptions],
) -> Score:
    """``span_RR(min=.5)``: 1/(first rank at which a gold span is covered), 0 when none ever is."""
    nothing_after(at)
    results = all_ordered(case, **options)
    if not gold(case):
        return None
    for rank in range(1, len(results) + 1):
        if any(covered(case, results[:rank], fraction(min))):
            return Fraction(1, rank)
    return ZERO


def read(
    case: Case,
    *,
    at: None = None,
    recall: Numeric = Fraction(9, 10),
    unit: str = "chars",
    tokens: Tokens = runs,
    **options: Unpack[CutOptions],
) -> Score:
    """``read(recall=.9)``: characters of new text read in rank order until char_rec reaches the level.

    Reading: with another unit, the words or tokens that begin in this text.
    """
    nothing_after(at)
    wanted = gold(case)
    if not wanted:
        return None
    enough = fraction(recall) * len(wanted)
    read_places: Places = set()
    relevant = 0
    if relevant >= enough:
        return ZERO
    for result in all_ordered(case, **options):
        for place in sorted(places(result) - read_places):
            read_places.add(place)
            relevant += place in wanted
            if relevant >= enough:
                if unit != "chars":
                    read_places &= token_starts(case, runs if unit == "words" else tokens)
                return Fraction(len(read_places))
    return inf
