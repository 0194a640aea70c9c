"""Effect sizes: how large a difference is, whatever its p."""

from __future__ import annotations

import numpy as np

from doxel.spans import Floats

__all__ = ["cliffs_delta", "paired_d", "wins_ties_losses"]


def paired_d(one: Floats, other: Floats) -> float:
    """Return the mean difference in standard deviations of the differences (Cohen's d, paired).

    It is infinite where the difference is the same in all topics, and undefined (NaN) for one topic, which
    does not vary.

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
    """Return how much more often a score of one exceeds a score of the other than the reverse.

    >>> cliffs_delta(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.75
    """
    return float(np.sign(one[:, None] - other[None, :]).mean())


def wins_ties_losses(one: Floats, other: Floats) -> tuple[int, int, int]:
    """Return in how many topics the first run is better, equal, and worse.

    >>> wins_ties_losses(np.array([1.0, 2.0]), np.array([0.5, 2.0]))
    (1, 1, 0)
    """
    differences = one - other
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())
