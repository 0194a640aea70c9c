"""Section 6 of measures.md: GR, EPRUM and PRUM over any user model.

Readings
--------
- Reading: EPRUM_Pk: the expected number (or, with ``binary=False``, weight) found, looked up linearly on
  the cumulated expectation of the ideal list under the same model; past its end it is the length of that
  list.
- Reading: A model without an ideal list has m_r = r, and its expected number is a rank of a list of one
  sure target per rank, the best first.
- Reading: "Surely" is P = 1, with a tolerance of 1e-12 for models in floats.
- Reading: The user of PRUM consults no rank of an empty run: 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Unpack

from .rules import (
    ONE,
    ZERO,
    ListOptions,
    Numeric,
    Score,
    choose,
    nothing_after,
    ordered_articles,
    rank_of,
    recall_of,
    remember,
)
from .user_models import ModelOptions, Number, Setting, nearness, one_per_document, setting, unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case_model import Case

Distribution = dict[Fraction, Number]


def expected_found(rows: Sequence[Sequence[Number]], weights: Sequence[Fraction]) -> Number:
    """The weight that these rows are expected to find."""
    total: Number = ZERO
    for x, weight in enumerate(weights):
        total += weight * seen_by(rows, x)
    return total


def seen_by(rows: Sequence[Sequence[Number]], x: int) -> Number:
    """p_x(k) = 1 - prod over the rows of (1 - P(j~>x))."""
    missed: Number = ONE
    for row in rows:
        missed *= 1 - row[x]
    return 1 - missed


def generalised_recall(run: Setting, rank: int) -> Number:
    """GR@k with weak ordering: a level of m members with t places left is consulted with chance t/m each."""
    rows: list[list[Number]] = []
    start = 0
    for size in run.sizes:
        share = Fraction(min(size, max(0, rank - start)), size)
        rows += [[share * chance for chance in row] for row in run.rows[start : start + size]]
        start += size
    return expected_found(rows, run.weights) / sum(run.weights, ZERO)


def distribution(chances: Sequence[Number], weights: Sequence[Fraction]) -> Distribution:
    """Return the distribution of the weight seen (Poisson-binomial if all weights are 1)."""
    spread: Distribution = {ZERO: ONE}
    for chance, weight in zip(chances, weights, strict=True):
        wider: Distribution = {}
        for seen, probability in spread.items():
            for value, factor in ((seen + weight, chance), (seen, 1 - chance)):
                if factor:
                    wider[value] = wider.get(value, ZERO) + probability * factor
        spread = wider
    return spread


def reached(
    rows: Sequence[Sequence[Number]], weights: Sequence[Fraction], goals: Sequence[Fraction]
) -> list[Number]:
    """P(weight seen by these rows >= goal) for every goal."""
    spread = distribution([seen_by(rows, x) for x in range(len(weights))], weights)
    return [sum((chance for seen, chance in spread.items() if seen >= goal), ZERO) for goal in goals]


@remember
def eprum_points(run: Setting, *, binary: bool, expectation: str = "ratio") -> list[Number] | None:
    """Precision(r/N) for r = 1..N: m_r times the sum over k of (1/k)[P(F_k>=r) - P(F_{k-1}>=r)].

    With ``expectation="lengths"``, m_r over the sum over k of k [P(F_k>=r) - P(F_{k-1}>=r)].
    """
    choose("expectation", expectation, "ratio", "lengths")
    count = len(run.weights)
    weights = [ONE] * count if binary else sorted(run.weights, reverse=True)
    goals = [sum(weights[:r], ZERO) for r in range(1, count + 1)]
    efforts = ideal_efforts(run) if binary else list(range(1, count + 1))
    if efforts is None:
        return None
    values = [ONE] * count if binary else run.weights
    before: list[Number] = [ZERO] * count
    totals: list[Number] = [ZERO] * count
    for k in range(1, len(run.rows) + 1):
        now = reached(run.rows[:k], values, goals)
        weight = Fraction(1, k) if expectation == "ratio" else k
        totals = [total + (new - old) * weight for total, new, old in zip(totals, now, before, strict=True)]
        before = now
    if expectation == "ratio":
        return [effort * total for effort, total in zip(efforts, totals, strict=True)]
    surely = [chance >= 1 - Fraction(1, 10**12) for chance in before]
    return [
        effort / length if sure else ZERO
        for effort, length, sure in zip(efforts, totals, surely, strict=True)
    ]


@remember
def ideal_efforts(run: Setting) -> list[int] | None:
    """m_r: the first rank at which the ideal list surely reaches r targets; None when it never does."""
    count = len(run.weights)
    if run.ideal is None:
        return list(range(1, count + 1))
    goals = [Fraction(r) for r in range(1, count + 1)]
    efforts: list[int | None] = [None] * count
    for i in range(1, len(run.ideal) + 1):
        for r, chance in enumerate(reached(run.ideal[:i], [ONE] * count, goals)):
            if efforts[r] is None and chance >= 1 - Fraction(1, 10**12):
                efforts[r] = i
    reached_efforts = [effort for effort in efforts if effort is not None]
    return reached_efforts if len(reached_efforts) == count else None


@remember
def prum_points(run: Setting, *, unreached: str = "zero") -> list[Number]:
    """E[consulted ranks that discover something]/E[consulted ranks] for r = 1..N, stopping at r found.

    With ``unreached="zero"`` only the discoveries of users who reach r in the end count.
    """
    choose("unreached", unreached, "zero", "ignored")
    count = len(run.weights)
    consulted: list[Number] = [ZERO] * count
    discovering: list[Number] = [ZERO] * count
    for k in range(len(run.rows)):
        for (before, at_end, something_new), chance in histories(run, k).items():
            for r in range(1, count + 1):
                if before < r:
                    consulted[r - 1] += chance
                    if something_new and (unreached == "ignored" or at_end >= r):
                        discovering[r - 1] += chance
    return [new / ranks if ranks else ZERO for new, ranks in zip(discovering, consulted, strict=True)]


def histories(run: Setting, k: int) -> dict[tuple[int, int, bool], Number]:
    """P(targets seen before row k, targets seen in the end, something new at row k)."""
    spread: dict[tuple[int, int, bool], Number] = {(0, 0, False): ONE}
    for x in range(len(run.weights)):
        before, after, end = (seen_by(run.rows[:stop], x) for stop in (k, k + 1, len(run.rows)))
        steps = (
            ((1, 1, False), before),
            ((0, 1, True), after - before),
            ((0, 1, False), end - after),
            ((0, 0, False), 1 - end),
        )
        wider: dict[tuple[int, int, bool], Number] = {}
        for (seen, total, new), probability in spread.items():
            for (more_seen, more_total, is_new), factor in steps:
                if factor:
                    key = (seen + more_seen, total + more_total, new or is_new)
                    wider[key] = wider.get(key, ZERO) + probability * factor
        spread = wider
    return spread


def ideal_list_rank(run: Setting, goal: Number, *, binary: bool) -> Number | None:
    """The rank of the ideal list, interpolated linearly, at which it is expected to have found ``goal``."""
    rows = unit_rows(run.weights) if run.ideal is None else run.ideal
    weights = [ONE] * len(run.weights) if binary else run.weights
    if goal == 0:
        return ZERO
    before: Number = ZERO
    for i in range(1, len(rows) + 1):
        now = expected_found(rows[:i], weights)
        if now >= goal:
            return i - 1 + (goal - before) / (now - before)
        before = now
    return Fraction(len(rows))


def gr_users(case: Case, *, at: Numeric | None = None, **options: Unpack[ModelOptions]) -> Score:
    """``GR@k``: the share of the targets' weight a user is expected to see."""
    rank = rank_of(at, lowest=0)
    run = setting(case, **options)
    return generalised_recall(run, rank) if run.weights else None


def eprum(
    case: Case,
    *,
    at: None = None,
    binary: bool = True,
    expectation: str = "ratio",
    **options: Unpack[ModelOptions],
) -> Score:
    """``EPRUM``: the mean precision over r = 1..N."""
    nothing_after(at)
    run = setting(case, **options)
    points = eprum_points(run, binary=binary, expectation=expectation)
    return sum(points, ZERO) / len(points) if points else None


def eprum_p(
    case: Case,
    *,
    at: Numeric | None = None,
    binary: bool = True,
    expectation: str = "ratio",
    **options: Unpack[ModelOptions],
) -> Score:
    """``EPRUM_P@l``: precision at recall l, r = ceil(l*N)."""
    point = recall_of(at)
    run = setting(case, **options)
    points = eprum_points(run, binary=binary, expectation=expectation)
    return points[ceil(point * len(points)) - 1] if points else None


def eprum_pk(
    case: Case, *, at: Numeric | None = None, binary: bool = True, **options: Unpack[ModelOptions]
) -> Score:
    """``EPRUM_Pk@k``: ranks that the ideal list needs for what is expected by rank k, divided by k."""
    rank = rank_of(at)
    run = setting(case, **options)
    if not run.weights:
        return None
    weights = [ONE] * len(run.weights) if binary else run.weights
    ideal_rank = ideal_list_rank(run, expected_found(run.rows[:rank], weights), binary=binary)
    return None if ideal_rank is None else ideal_rank / rank


def prum(case: Case, *, at: None = None, unreached: str = "zero", **options: Unpack[ModelOptions]) -> Score:
    """``PRUM``: the mean over r = 1..N."""
    nothing_after(at)
    run = setting(case, **options)
    points = prum_points(run, unreached=unreached)
    return sum(points, ZERO) / len(points) if points else None


def prum_p(
    case: Case, *, at: Numeric | None = None, unreached: str = "zero", **options: Unpack[ModelOptions]
) -> Score:
    """``PRUM_P@l``: at recall l, r = ceil(l*N)."""
    point = recall_of(at)
    run = setting(case, **options)
    points = prum_points(run, unreached=unreached)
    return points[ceil(point * len(points)) - 1] if points else None


def bepd(
    case: Case,
    *,
    at: None = None,
    A: Numeric | None = None,  # noqa: N803 - the parameters' names in measures.md
    L: Numeric | None = None,  # noqa: N803
    **options: Unpack[ListOptions],
) -> Score:
    """``BEPD(A)``: the sum of s over the run, over the number of BEPs."""
    nothing_after(at)
    results = ordered_articles(case, **options)
    one_per_document(results)
    near = nearness(case, A, L)
    if not case.beps:
        return None
    values = [near(result, result.doc) for result in results if result.doc in case.beps]
    return sum(values, ZERO) / len(case.beps)
