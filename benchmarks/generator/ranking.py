"""Rankings of simulated systems: by relevance, by a preferred size, and by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxel.spans import Floats, Ints

__all__ = ["System", "rank", "systems"]


@dataclass(frozen=True)
class System:
    """A system: ``quality`` weighs relevance against chance, ``grain`` is its preferred size of elements."""

    id: str
    quality: float
    grain: int
    stream: int


def systems(count: int) -> list[System]:
    """Return systems of decreasing quality and different grain.

    >>> [(system.id, system.quality) for system in systems(2)]
    [('run-00', 2.0), ('run-01', 0.4)]
    """
    qualities = np.linspace(2.0, 0.4, count) if count > 1 else np.array([1.0])
    grains = (900, 1_500, 2_500, 4_000, 600)
    return [
        System(f"run-{number:02d}", round(quality, 3), grains[number % len(grains)], number)
        for number, quality in enumerate(qualities.tolist())
    ]


def rank(relevance: Floats, system: System, results: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Return the candidates that a system ranks highest, best first, and their scores.

    ``relevance`` is each candidate's relevant share.
    """
    score = system.quality * relevance + rng.standard_normal(len(relevance))
    count = min(results, len(score))
    best = np.argpartition(-score, count - 1)[:count] if count else np.zeros(0, dtype=np.int64)
    best = best[np.argsort(-score[best], kind="stable")]
    return best, np.round(score[best], 6)
