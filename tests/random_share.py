"""The share of the cases that ``make test`` takes; ``make test-integrations`` takes all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["LONG_LINE", "count_cases", "take_some"]

SHARE = float(os.environ.get("RANDOM_SHARE", "0.1"))

# bytes of a line that must be refused soon and not be repeated: more than the longest line that is read
LONG_LINE = max(round(100_000_000 * SHARE), 12_000_000)


def count_cases(number: int) -> int:
    """Return how many of a number of random cases to take, 3 at least."""
    return min(max(round(number * SHARE), 3), number)


def take_some(cases: Iterable[Any], number: int) -> list[Any]:
    """Return all cases of a test; only ``number`` of them, evenly spread, are for ``make test``."""
    cases = list(cases)
    step = len(cases) / number
    positions = {int(step * turn) for turn in range(number)}
    return [
        case if position in positions else pytest.param(*_values(case), marks=pytest.mark.integration)
        for position, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
