"""Data as JSON knows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Return data with None for what is no number, lists for tuples and arrays, and words for all else.

    >>> plain({"low": float("nan"), "pairs": (1, [2.5, float("inf")])})
    {'low': None, 'pairs': [1, [2.5, None]]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
