"""The four observations of source 003 on stereotypical systems, as statements that can be checked.

Each compares two systems by their mean scores.  The paper blames generalised precision and recall for one
outcome and wants another, which its own measure shows.  "Much higher" and "close" are defined as more and
less than a third apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

__all__ = ["OBSERVATIONS", "Observation", "check_observation", "observe"]

_CLOSE = 4 / 3
_SYSTEMS = {"perfect", "document", "parent", "ancestors", "biggest-child"}
# the outcomes in the paper, by name of the measure
_EXPECTED = {"GR": "wanted", "inex_eval": "blamed"}

_CHECKED = {"observation": pl.Int64, "measure": pl.String, "ratio": pl.Float64, "outcome": pl.String}
_SINGLE = {"topic": pl.String, **_CHECKED}
_OVER = {**_CHECKED, "expected": pl.String, "holds": pl.Boolean, "topics": pl.Int64, "of": pl.Int64}

Means = Mapping[str, float]


@dataclass(frozen=True)
class Observation:
    """One statement about the ratio of two systems: the outcome that is blamed and the one that is wanted."""

    number: int
    blames: str
    wants: str
    one: str
    other: str
    blamed: Callable[[float], bool]
    wanted: Callable[[float], bool]

    def ratio(self, means: Means) -> float:
        """Return the ratio of the two systems' scores; NaN if both are 0."""
        first, second = means[self.one], means[self.other]
        if second > 0:
            return first / second
        return float("inf") if first > 0 else float("nan")


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


def check_observation(means: Means) -> list[tuple[Observation, float, str]]:
    """Return each observation with the ratio of its systems and the outcome: blamed, wanted or neither.

    >>> means = {"perfect": 0.3, "ancestors": 0.4, "parent": 0.2, "biggest-child": 0.1, "document": 0.1}
    >>> [
    ...     (observation.number, round(ratio, 2), outcome)
    ...     for observation, ratio, outcome in check_observation(means)
    ... ]
    [(1, 1.33, 'blamed'), (2, 1.33, 'blamed'), (3, 2.0, 'blamed'), (4, 1.0, 'blamed')]
    """
    others = {name: mean for name, mean in means.items() if name != "perfect"}
    all_means = {**means, "the best other": max(others.values())}
    outcomes = []
    for observation in OBSERVATIONS:
        ratio = observation.ratio(all_means)
        outcome = "undefined"
        if not np.isnan(ratio):
            outcome = (
                "blamed"
                if observation.blamed(ratio)
                else "wanted"
                if observation.wanted(ratio)
                else "neither"
            )
        outcomes.append((observation, ratio, outcome))
    return outcomes


def observe(scores: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Check the observations over topics, and topic by topic; ``scores`` are by measure, topic, system.

    Measures under which a system has no score are skipped.
    """
    over: list[dict[str, Any]] = []
    single: list[dict[str, Any]] = []
    defined = scores.filter(pl.col("score").is_finite())
    for (measure,), part in defined.group_by("measure", maintain_order=True):
        expected = next(
            (outcome for name, outcome in _EXPECTED.items() if _is_measure(str(measure), name)), None
        )
        if not set(part["system"]) >= _SYSTEMS:
            continue
        by_topic = [
            {"topic": topic[0], **row}
            for topic, topic_part in part.group_by("topic", maintain_order=True)
            for row in _check_part(topic_part, str(measure))
        ]
        single += by_topic
        for row in _check_part(part, str(measure)):
            same = [item for item in by_topic if item["observation"] == row["observation"]]
            wanted = expected or row["outcome"]
            over.append(
                {
                    **row,
                    "expected": expected,
                    "holds": None if expected is None else row["outcome"] == expected,
                    "topics": sum(item["outcome"] == wanted for item in same),
                    "of": len(same),
                }
            )
    return pl.DataFrame(over, schema=_OVER), pl.DataFrame(single, schema=_SINGLE)


def _is_measure(measure: str, name: str) -> bool:
    return measure == name or measure.startswith((f"{name}(", f"{name}@"))


def _check_part(part: pl.DataFrame, measure: str) -> list[dict[str, Any]]:
    means = dict(part.group_by("system").agg(pl.col("score").mean()).iter_rows())
    return [
        {"observation": observation.number, "measure": measure, "ratio": ratio, "outcome": outcome}
        for observation, ratio, outcome in check_observation(means)
    ]
