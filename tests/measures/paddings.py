"""Views with more padding, which must not change any score."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from doxel.measures.declaration import View

COLUMNS = 3


def padded(view: View) -> View:
    """Return the view with more columns at the end of every array of topics by ranks."""
    changes = {
        field.name: _padded(field.name, getattr(view, field.name)) for field in dataclasses.fields(view)
    }
    return dataclasses.replace(view, **changes)


def _padded(name: str, value: Any) -> Any:
    if isinstance(value, View):
        return padded(value)
    if not isinstance(value, np.ndarray) or value.ndim != 2:
        return value
    rows, width = value.shape
    if name in {"first", "last"}:  # of tied levels: each column of padding is a separate level
        more = np.broadcast_to(np.arange(width, width + COLUMNS), (rows, COLUMNS))
    elif name == "overlaps_from":  # padding never overlaps a result
        more = np.full((rows, COLUMNS), np.inf)
    else:
        more = np.zeros((rows, COLUMNS))
    return np.concatenate([value, more.astype(value.dtype)], axis=1)
