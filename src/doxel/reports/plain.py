"""Values that JSON can represent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Return data for JSON: None for NaN and infinity, lists for tuples and arrays, strings for all else.

    >>> plain({"low": float("nan"), "pairs": (1, [2.5, float("inf")])})
    {'low': None, 'pairs': [1, [2.5, None]]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
