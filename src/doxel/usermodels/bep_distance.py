"""Best in Context 2006: the nearer a result starts to the best entry point, the likelier a user finds it.

s(x, b) = A L / (A L + d), with d the distance between the two starts in characters and L the mean length
of a document (001, section 7.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from doxel.spans import Floats
from doxel.usermodels.model import Places, UserModel

__all__ = ["BEP_DISTANCE", "nearness"]


def nearness(distance: Floats, scale: float) -> Floats:
    """Return s(x, b) for each distance; ``scale`` is A times L.

    >>> nearness(np.array([0.0, 300.0]), 100.0).tolist()
    [1.0, 0.25]
    """
    return np.divide(scale, scale + distance, out=np.ones_like(distance), where=distance != 0)


def _probability(results: Places, targets: Places, parameters: Mapping[str, Any]) -> Floats:
    distance = np.abs(results.start - targets.start).astype(np.float64)
    return nearness(distance, parameters["A"] * parameters["L"])


BEP_DISTANCE = UserModel(
    "bep_distance",
    "a result leads to the best entry point of its document, more likely the nearer it starts",
    _probability,
    targets="entry points",
    ideal="units",
)
