"""Short ways to write views and the fractions that are expected of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

F = Fraction


def rows(*lists: Sequence[Any]) -> np.ndarray:
    """One list a topic, as an array of floats; shorter ones are padded with zeros."""
    width = max((len(one) for one in lists), default=0)
    return np.array([[*map(float, one), *[0.0] * (width - len(one))] for one in lists]).reshape(
        len(lists), width
    )


def each(*values: Any) -> np.ndarray:
    """One value a topic."""
    return np.array([float(value) for value in values])


def exactly(values: Any) -> Any:
    """Compare with fractions, to the last digits of a double."""
    if isinstance(values, Sequence):
        return pytest.approx([float(value) for value in values], rel=1e-14, abs=1e-15)
    return pytest.approx(float(values), rel=1e-14, abs=1e-15)
