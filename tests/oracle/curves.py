"""Section 5 of measures.md, second half: scores computed from the gains of a run and of the ideal list.

``nxCG``, ``MAnxCG``, ``gr``, ``ep``, ``MAep``, ``iMAep`` over two plain vectors; where the gains come from is
settled in ``gains.py`` (elements) and ``bare_spans.py`` (chunks without elements).

Reading: ``run_curve="points"`` interpolates ep linearly in gr between the ranks with gain.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from .rules import ZERO, choose, recall_points

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Gains:
    """xG of the run, xI of the ideal list (sorted, all > 0), and whether MAep divides as in Focused."""

    run: Sequence[Fraction]
    ideal: Sequence[Fraction]
    focused: bool

    @cached_property
    def xcg(self) -> list[Fraction]:
        """The run's cumulated gain at every rank."""
        return list(accumulate(self.run))

    @cached_property
    def xci(self) -> list[Fraction]:
        """The ideal cumulated gain at every rank."""
        return list(accumulate(self.ideal))


def at_rank(cumulated: Sequence[Fraction], rank: int) -> Fraction:
    """xCG or xCI at a rank: 0 at rank 0, constant past the end."""
    return cumulated[min(rank, len(cumulated)) - 1] if rank > 0 and cumulated else ZERO


def first_reaching(cumulated: Sequence[Fraction], goal: Fraction) -> int | None:
    """The first rank at which the cumulated gain reaches the goal."""
    return next((rank for rank, value in enumerate(cumulated, start=1) if value >= goal), None)


def linear_rank(cumulated: Sequence[Fraction], goal: Fraction) -> Fraction | None:
    """The rank, interpolated, at which a goal > 0 is reached: (m-1) + (g - xC[m-1])/(xC[m] - xC[m-1])."""
    rank = first_reaching(cumulated, goal)
    if rank is None:
        return None
    before, after = at_rank(cumulated, rank - 1), at_rank(cumulated, rank)
    return rank - 1 + (goal - before) / (after - before)


def ideal_rank(vectors: Gains, goal: Fraction, ideal_curve: str) -> Fraction:
    """i_ideal(g); n past the ideal's end."""
    choose("ideal_curve", ideal_curve, "linear", "step")
    if ideal_curve == "linear":
        rank = linear_rank(vectors.xci, goal)
    else:
        step = first_reaching(vectors.xci, goal)
        rank = None if step is None else Fraction(step)
    return Fraction(len(vectors.ideal)) if rank is None else rank


def nxcg(vectors: Gains, rank: int) -> Fraction:
    """nxCG[i] = xCG[i]/xCI[i] (004 Eq. 12)."""
    return at_rank(vectors.xcg, rank) / at_rank(vectors.xci, rank)


def manxcg(vectors: Gains, rank: int) -> Fraction:
    """Mean of nxCG[1..i] (004 Eq. 14)."""
    return sum((nxcg(vectors, i) for i in range(1, rank + 1)), ZERO) / rank


def gain_recall(vectors: Gains, rank: int) -> Fraction:
    """gr[i] = xCG[i]/xCI[n] (004 Eq. 11)."""
    return at_rank(vectors.xcg, rank) / vectors.xci[-1]


def effort_precision(vectors: Gains, rank: int, ideal_curve: str) -> Fraction:
    """ep[i] = i_ideal/i (004 Eq. 10), 0 while nothing is gained."""
    gained = at_rank(vectors.xcg, rank)
    return ZERO if gained == 0 else ideal_rank(vectors, gained, ideal_curve) / rank


def ranks_with_gain(vectors: Gains) -> list[int]:
    """The ranks at which something was gained, after normalisation."""
    return [rank for rank, gain in enumerate(vectors.run, start=1) if gain > 0]


def maep(vectors: Gains, ideal_curve: str = "linear") -> Fraction:
    """The sum of ep at the ranks with gain over n, in Focused over max(n, ranks with gain)."""
    ranks = ranks_with_gain(vectors)
    total = sum((effort_precision(vectors, rank, ideal_curve) for rank in ranks), ZERO)
    n = len(vectors.ideal)
    return total / (max(n, len(ranks)) if vectors.focused else n)


def ep_at(
    vectors: Gains, point: Fraction, ideal_curve: str = "linear", run_curve: str = "linear"
) -> Fraction:
    """ep at a gain-recall point in (0, 1]; 0 past the run's last gr."""
    choose("run_curve", run_curve, "linear", "step", "points")
    if ideal_curve == "step" and run_curve == "linear":
        raise ValueError('at recall points ideal_curve="step" needs run_curve "step" or "points"')
    goal = point * vectors.xci[-1]
    first = first_reaching(vectors.xcg, goal)
    if first is None:
        return ZERO
    if run_curve == "points":
        return _between_points(vectors, goal, ideal_curve)
    linear = linear_rank(vectors.xcg, goal)
    run_rank = linear if run_curve == "linear" and linear is not None else Fraction(first)
    return ideal_rank(vectors, goal, ideal_curve) / run_rank


def _between_points(vectors: Gains, goal: Fraction, ideal_curve: str) -> Fraction:
    """Interpolate ep between the ranks with gain; constant before the first."""
    points = [
        (at_rank(vectors.xcg, rank), effort_precision(vectors, rank, ideal_curve))
        for rank in ranks_with_gain(vectors)
    ]
    if goal <= points[0][0]:
        return points[0][1]
    for (low, before), (high, after) in itertools.pairwise(points):
        if low <= goal <= high:
            return before + (after - before) * (goal - low) / (high - low)
    return ZERO


def imaep(vectors: Gains, ideal_curve: str = "linear", run_curve: str = "linear") -> Fraction:
    """Mean of ep at the gain-recall points .01 ... 1."""
    points = recall_points()
    return sum((ep_at(vectors, point, ideal_curve, run_curve) for point in points), ZERO) / len(points)
