"""Section 14 of measures.md: aspects, gold with alternatives.

Readings
--------
- Reading: A case lists the aspects of its highlights beside them, ``None`` for a highlight without aspect,
  and the settings of aspects by name.  Highlights without such a list have no aspects.
- Reading: A highlight of grade 0 is no gold for these measures: it is an aspect of nothing, and touching it
  means nothing.
- Reading: "touches": shares a character.  "The same result again" is told apart as it was kept by the budget.
- Reading: ``aspect_AP`` and the others score a missing list like an empty one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, TypeAlias, Unpack

from .rules import (
    ONE,
    ZERO,
    BudgetOptions,
    Numeric,
    Score,
    all_ordered,
    choose,
    fraction,
    nothing_after,
    ratio,
)
from .spans import Places, head, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case_model import Case, Result

Gold: TypeAlias = tuple[str, int, int]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Aspect:
    """An aspect: its spans, of which one is enough, its weight, and whether it is vital."""

    spans: tuple[Gold, ...]
    weight: Fraction
    vital: bool


def aspects_of(case: Case) -> list[Aspect]:
    """The aspects of the topic that have text."""
    named: dict[str, list[Gold]] = {}
    alone: list[list[Gold]] = []
    for doc, spans in case.highlights.items():
        names = case.aspects.get(doc, [None] * len(spans))
        grades = case.highlight_grades.get(doc, [None] * len(spans))
        for (start, end), name, grade in zip(spans, names, grades, strict=True):
            if end <= start or grade == 0:
                continue
            place = (doc, start, end)
            if name is None:
                alone.append([place])
            else:
                named.setdefault(name, []).append(place)
    settings = case.aspect_settings
    return [
        *(
            Aspect(tuple(spans), fraction(settings.get(name, (1, True))[0]), settings.get(name, (1, True))[1])
            for name, spans in named.items()
        ),
        *(Aspect(tuple(spans), ONE, vital=True) for spans in alone),
    ]


def characters(span: Gold) -> Places:
    """The characters of a gold span."""
    return {(span[0], position) for position in range(span[1], span[2])}


def share(text: Places, span: Gold) -> Fraction:
    """The share of a gold span that a text covers."""
    return Fraction(len(characters(span) & text), span[2] - span[1])


def shows(text: Places, aspect: Aspect, least: Fraction) -> bool:
    """Whether a text covers at least that share of one of the spans."""
    return any(share(text, span) >= least for span in aspect.spans)


def union(texts: Sequence[Places]) -> Places:
    """All characters of some texts."""
    return set().union(*texts)


def rank_of_aspect(texts: Sequence[Places], aspect: Aspect, least: Fraction) -> int | None:
    """The first rank k at which the first k texts show the aspect."""
    return next((k for k in range(1, len(texts) + 1) if shows(union(texts[:k]), aspect, least)), None)


def aspect_rec(
    case: Case,
    *,
    at: Numeric | None = None,
    min: Numeric = HALF,  # noqa: A002 - the parameter's name in measures.md
    **options: Unpack[BudgetOptions],
) -> Score:
    """``aspect_rec``: sum of w over aspects shown / sum of w."""
    text = union([places(each) for each in head(case, at, options)])
    aspects = aspects_of(case)
    if not aspects:
        return None
    shown = [each for each in aspects if shows(text, each, fraction(min))]
    return sum((each.weight for each in shown), ZERO) / sum((each.weight for each in aspects), ZERO)


def all_aspects(
    case: Case,
    *,
    at: Numeric | None = None,
    min: Numeric = HALF,  # noqa: A002
    **options: Unpack[BudgetOptions],
) -> Score:
    """``all_aspects``: 1 if all vital ones are shown."""
    text = union([places(each) for each in head(case, at, options)])
    vital = [each for each in aspects_of(case) if each.vital]
    return Fraction(all(shows(text, each, fraction(min)) for each in vital)) if vital else None


def aspect_ap(
    case: Case,
    *,
    at: None = None,
    min: Numeric = HALF,  # noqa: A002
    **options: Unpack[BudgetOptions],
) -> Score:
    """``aspect_AP``: mean over the aspects of P at the result that first shows them."""
    nothing_after(at)
    aspects = aspects_of(case)
    if not aspects:
        return None
    texts = [places(each) for each in all_ordered(case, **options)]
    ranks = [rank_of_aspect(texts, each, fraction(min)) for each in aspects]
    precision: dict[int, Fraction] = {}
    so_far = useful = 0
    for i, text in enumerate(texts, start=1):
        touched = [
            rank
            for each, rank in zip(aspects, ranks, strict=True)
            for span in each.spans
            if characters(span) & text
        ]
        if touched and all(rank is not None and rank < i for rank in touched):
            continue
        so_far += 1
        useful += i in ranks
        precision[i] = Fraction(useful, so_far)
    total = sum((each.weight for each in aspects), ZERO)
    pairs = ((each, rank) for each, rank in zip(aspects, ranks, strict=True) if rank is not None)
    return sum((each.weight * precision[rank] for each, rank in pairs), ZERO) / total


def alpha_gains(
    texts: Sequence[Places],
    again: Sequence[bool],
    aspects: Sequence[Aspect],
    alpha: Fraction,
    least: Fraction,
) -> list[Fraction]:
    """The gain of each text of a list; those that come again gain nothing and do not count."""
    counts = [0] * len(aspects)
    gains = []
    for i, text in enumerate(texts):
        gain = ZERO
        for number, aspect in enumerate(aspects):
            is_first = shows(union(texts[: i + 1]), aspect, least) and not shows(
                union(texts[:i]), aspect, least
            )
            if not again[i] and (shows(text, aspect, least) or is_first):
                gain += aspect.weight * (1 - alpha) ** counts[number]
                counts[number] += 1
        gains.append(gain)
    return gains


def ideal_gains(aspects: Sequence[Aspect], alpha: Fraction, least: Fraction) -> list[Fraction]:
    """The gains of the distinct gold spans, each once, greedy by gain."""
    left = sorted(
        {span for aspect in aspects for span in aspect.spans},
        key=lambda span: (span[2] - span[1], span[0], span[1]),
    )
    chosen: list[Places] = []
    gains: list[Fraction] = []
    while left:
        options = [
            alpha_gains([*chosen, characters(span)], [False] * (len(chosen) + 1), aspects, alpha, least)[-1]
            for span in left
        ]
        best = options.index(max(options))
        gains.append(options[best])
        chosen.append(characters(left.pop(best)))
    return gains


def dcg(gains: Sequence[Fraction], at: Numeric | None) -> float:
    """Discounted cumulated gain."""
    return sum(
        float(gain) / log2(i + 1) for i, gain in enumerate(gains[: None if at is None else int(at)], start=1)
    )


def alpha_ndcg(
    case: Case,
    *,
    at: Numeric | None = None,
    alpha: Numeric = HALF,
    min: Numeric = HALF,  # noqa: A002
    **options: Unpack[BudgetOptions],
) -> Score:
    """``alpha_nDCG``: the discounted gains over those of the ideal list."""
    aspects = aspects_of(case)
    if not aspects:
        return None
    results = head(case, at, options)
    again = [each.key in {other.key for other in results[:i]} for i, each in enumerate(results)]
    rules = (aspects, fraction(alpha), fraction(min))
    gains = alpha_gains([places(each) for each in results], again, *rules)
    return dcg(gains, at) / dcg(ideal_gains(*rules), at)


def nugget_f(
    case: Case,
    *,
    at: Numeric | None = None,
    beta: Numeric = 3,
    allowance: Numeric = 100,
    min: Numeric = HALF,  # noqa: A002
    repeats: str = "once",
    **options: Unpack[BudgetOptions],
) -> Score:
    """``nugget_F``: vital aspects against the length of the text."""
    choose("repeats", repeats, "once", "charged")
    results: list[Result] = head(case, at, options)
    text = union([places(each) for each in results])
    aspects = aspects_of(case)
    vital = [each for each in aspects if each.vital]
    if not vital:
        return None
    shown = [each for each in aspects if shows(text, each, fraction(min))]
    recall = sum((each.weight for each in shown if each.vital), ZERO) / sum((x.weight for x in vital), ZERO)
    length = len(text) if repeats == "once" else sum(each.size for each in results)
    precision = ZERO if length == 0 else min_of(ONE, fraction(allowance) * len(shown) / length)
    square = fraction(beta) ** 2
    return ratio((square + 1) * precision * recall, square * precision + recall)


def min_of(first: Fraction, second: Fraction) -> Fraction:
    """The smaller of two numbers; the parameter ``min`` hides Python's function."""
    return min(second, first)


def aspect_char_rec(case: Case, *, at: Numeric | None = None, **options: Unpack[BudgetOptions]) -> Score:
    """``aspect_char_rec``: sum of w L c / sum of w L."""
    text = union([places(each) for each in head(case, at, options)])
    aspects = aspects_of(case)
    if not aspects:
        return None
    lengths = [min(span[2] - span[1] for span in each.spans) for each in aspects]
    best = [max(share(text, span) for span in each.spans) for each in aspects]
    weights = [each.weight * length for each, length in zip(aspects, lengths, strict=True)]
    return sum((weight * c for weight, c in zip(weights, best, strict=True)), ZERO) / sum(weights, ZERO)
