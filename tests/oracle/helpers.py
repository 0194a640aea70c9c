"""Short notation for scores in the tests of the oracle."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case_model import Case
    from .rules import Numeric, Score


def at(name: str, case: Case, points: Sequence[Numeric], **parameters: Any) -> list[Score]:
    """Score a case at several ranks or recall points."""
    return [MEASURES[name](case, at=point, **parameters) for point in points]


def score(name: str, case: Case, **parameters: Any) -> Fraction:
    """Score a case whose score must be defined and exact."""
    value = MEASURES[name](case, **parameters)
    if not isinstance(value, Fraction):
        raise TypeError(f"{name} gave {value!r}")
    return value


def mean_over(name: str, cases: Sequence[Case], **parameters: Any) -> Fraction:
    """Return the mean score over topics."""
    return sum((score(name, case, **parameters) for case in cases), Fraction(0)) / len(cases)
