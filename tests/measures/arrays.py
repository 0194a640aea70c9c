"""Short notation for views and the fractions expected of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

F = Fraction


def rows(*lists: Sequence[Any]) -> np.ndarray:
    """Return one list per topic as an array of floats; shorter lists are padded with zeros."""
    width = max((len(row) for row in lists), default=0)
    return np.array([[*map(float, row), *[0.0] * (width - len(row))] for row in lists]).reshape(
        len(lists), width
    )


def each(*values: Any) -> np.ndarray:
    """Return one value per topic."""
    return np.array([float(value) for value in values])


def exactly(values: Any) -> Any:
    """Compare with fractions, to the last digits of a double."""
    if isinstance(values, Sequence):
        return pytest.approx([float(value) for value in values], rel=1e-14, abs=1e-15)
    return pytest.approx(float(values), rel=1e-14, abs=1e-15)


def overlapping_chunks(view: Callable[..., Any]) -> Any:
    """Return a view of text.  (exact) G = [100,200), list [50,150) [100,200) [300,400)."""
    return view(
        size=rows([100, 100, 100]),
        relevant=rows([50, 100, 0]),
        new_size=rows([100, 50, 100]),
        new_relevant=rows([50, 50, 0]),
        total=each(100),
    )
