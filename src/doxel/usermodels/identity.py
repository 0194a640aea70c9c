"""The classical user, who sees the results in the list and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from doxel.spans import Floats
from doxel.usermodels.model import Places, UserModel

__all__ = ["IDENTITY"]


def _probability(results: Places, targets: Places, parameters: Mapping[str, Any]) -> Floats:
    del parameters
    return np.where((results.row >= 0) & (results.row == targets.row), 1.0, 0.0)


IDENTITY = UserModel(
    "identity",
    "a result leads to itself and to nothing else",
    _probability,
    ideal="units",
    only_same=True,
)
