"""Runs and assessments small enough to work out studies by hand."""

from __future__ import annotations

__all__ = ["GOLD", "RUNS", "TOPICS", "run"]

# one document of 100 characters; in each topic [0, 10) is relevant
TOPICS = [str(number) for number in range(1, 7)]
GOLD = [(topic, "a", 0, 10) for topic in TOPICS]


def run(*ends: int) -> list[tuple[str, str, int, int]]:
    """One result per topic: the first characters up to an end."""
    return [(topic, "a", 0, end) for topic, end in zip(TOPICS, ends, strict=True)]


# char_rec@1 = min(end, 10)/10, char_prec@1 = min(end, 10)/end
RUNS = {"half": run(*[5] * 6), "whole": run(*[10] * 6), "twice": run(*[20] * 6)}
