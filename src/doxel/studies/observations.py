"""The four observations that source 003 makes on stereotypical systems, as statements that can be checked.

Each compares two systems by their mean scores.  The paper blames generalised precision and recall for
one outcome and wants another, which its own measure shows.  "Much higher" and "close" are taken as more
and less than a third apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

__all__ = ["OBSERVATIONS", "Observation", "check", "observe"]

_CLOSE = 4 / 3
_SYSTEMS = {"perfect", "document", "parent", "ancestors", "biggest-child"}
# what the paper found, by the name of the measure
_EXPECTED = {"GR": "wanted", "inex_eval": "blamed"}

_CHECKED = {"observation": pl.Int64, "measure": pl.String, "ratio": pl.Float64, "outcome": pl.String}
_SINGLE = {"topic": pl.String, **_CHECKED}
_OVER = {**_CHECKED, "expected": pl.String, "holds": pl.Boolean, "topics": pl.Int64, "of": pl.Int64}

Means = Mapping[str, float]


@dataclass(frozen=True)
class Observation:
    """One statement: two systems, what the paper blames and what it wants of their ratio."""

    number: int
    blames: str
    wants: str
    one: str
    other: str
    blamed: Callable[[float], bool]
    wanted: Callable[[float], bool]

    def ratio(self, means: Means) -> float:
        """Return how much the first system has of the second; NaN where both have nothing."""
        one, other = means[self.one], means[self.other]
        if other > 0:
            return one / other
        return float("inf") if one > 0 else float("nan")


def _close(ratio: float) -> bool:
    return 1 / _CLOSE <= ratio <= _CLOSE


OBSERVATIONS = (
    Observation(
        1,
        "perfect is not the best system",
        "perfect is the best system",
        "the best other",
        "perfect",
        blamed=lambda ratio: ratio >= 1,
        wanted=lambda ratio: ratio < 1,
    ),
    Observation(
        2,
        "ancestors is better than perfect",
        "ancestors is far below perfect",
        "ancestors",
        "perfect",
        blamed=lambda ratio: ratio > 1,
        wanted=lambda ratio: ratio < 1 / _CLOSE,
    ),
    Observation(
        3,
        "parent is much higher than biggest-child",
        "parent and biggest-child are close",
        "parent",
        "biggest-child",
        blamed=lambda ratio: ratio > _CLOSE,
        wanted=_close,
    ),
    Observation(
        4,
        "document is close to biggest-child",
        "document is well below biggest-child",
        "document",
        "biggest-child",
        blamed=_close,
        wanted=lambda ratio: ratio < 1 / _CLOSE,
    ),
)


def check(means: Means) -> list[tuple[Observation, float, str]]:
    """Return for each observation the ratio of its systems, and whether that is blamed, wanted or neither.

    >>> means = {"perfect": 0.3, "ancestors": 0.4, "parent": 0.2, "biggest-child": 0.1, "document": 0.1}
    >>> [(one.number, round(ratio, 2), outcome) for one, ratio, outcome in check(means)]
    [(1, 1.33, 'blamed'), (2, 1.33, 'blamed'), (3, 2.0, 'blamed'), (4, 1.0, 'blamed')]
    """
    others = {name: mean for name, mean in means.items() if name != "perfect"}
    known = {**means, "the best other": max(others.values())}
    found = []
    for one in OBSERVATIONS:
        ratio = one.ratio(known)
        outcome = "undefined"
        if not np.isnan(ratio):
            outcome = "blamed" if one.blamed(ratio) else "wanted" if one.wanted(ratio) else "neither"
        found.append((one, ratio, outcome))
    return found


def observe(scores: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Check the observations over topics, and topic by topic; ``scores`` are by measure, topic, system.

    A measure under which a system has no score is passed over.
    """
    over: list[dict[str, Any]] = []
    single: list[dict[str, Any]] = []
    defined = scores.filter(pl.col("score").is_finite())
    for (measure,), part in defined.group_by("measure", maintain_order=True):
        expected = next((what for name, what in _EXPECTED.items() if _is(str(measure), name)), None)
        if not set(part["system"]) >= _SYSTEMS:
            continue
        mine = [
            {"topic": topic[0], **row}
            for topic, one in part.group_by("topic", maintain_order=True)
            for row in _checked(one, str(measure))
        ]
        single += mine
        for row in _checked(part, str(measure)):
            same = [one for one in mine if one["observation"] == row["observation"]]
            wanted = expected or row["outcome"]
            over.append(
                {
                    **row,
                    "expected": expected,
                    "holds": None if expected is None else row["outcome"] == expected,
                    "topics": sum(one["outcome"] == wanted for one in same),
                    "of": len(same),
                }
            )
    return pl.DataFrame(over, schema=_OVER), pl.DataFrame(single, schema=_SINGLE)


def _is(measure: str, name: str) -> bool:
    return measure == name or measure.startswith((f"{name}(", f"{name}@"))


def _checked(part: pl.DataFrame, measure: str) -> list[dict[str, Any]]:
    means = dict(part.group_by("system").agg(pl.col("score").mean()).iter_rows())
    return [
        {"observation": one.number, "measure": measure, "ratio": ratio, "outcome": outcome}
        for one, ratio, outcome in check(means)
    ]
