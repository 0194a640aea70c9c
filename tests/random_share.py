"""The share of the random cases that a run of the tests takes: all of them in ``make test-integrations``."""

from __future__ import annotations

import os

__all__ = ["count_cases"]

SHARE = float(os.environ.get("RANDOM_SHARE", "0.1"))


def count_cases(number: int) -> int:
    """Return how many of a number of random cases to take, 6 at least."""
    return min(max(round(number * SHARE), 6), number)
