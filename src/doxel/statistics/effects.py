"""Effect sizes: how large a difference is, independent of its p."""

from __future__ import annotations

import numpy as np

from doxel.spans import Floats

__all__ = ["cliffs_delta", "paired_d", "wins_ties_losses"]


def paired_d(one: Floats, other: Floats) -> float:
    """Return Cohen's d of paired scores: the mean difference over the standard deviation of differences.

    It is infinite if all topics show the same difference, and NaN for a single topic, which has no
    variance.

    >>> paired_d(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0]))
    1.0
    """
    differences = one - other
    if len(differences) < 2:
        return float("nan")
    spread = differences.std(ddof=1)
    if spread == 0:
        return 0.0 if not differences.any() else float(np.copysign(np.inf, differences.mean()))
    return float(differences.mean() / spread)


def cliffs_delta(one: Floats, other: Floats) -> float:
    """Return Cliff's delta: P(a score of ``one`` > a score of ``other``) - P(the reverse).

    >>> cliffs_delta(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.75
    """
    return float(np.sign(one[:, None] - other[None, :]).mean())


def wins_ties_losses(one: Floats, other: Floats) -> tuple[int, int, int]:
    """Count the topics in which the first run is better, equal and worse.

    >>> wins_ties_losses(np.array([1.0, 2.0]), np.array([0.5, 2.0]))
    (1, 1, 0)
    """
    differences = one - other
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())
