"""Corrections of p values for multiple comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError
from doxel.spans import Floats

__all__ = ["CORRECTIONS", "correct"]


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * len(p), 1.0)


def _holm(p: Floats) -> Floats:
    """Step down: multiply the smallest p by the number of tests, the next by one less; never decreasing."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _benjamini_hochberg(p: Floats) -> Floats:
    """Step up: control the false discovery rate instead of the chance of any false discovery."""
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return adjusted


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "benjamini-hochberg": _benjamini_hochberg,
    "none": lambda p: p,
}


def correct(p: npt.ArrayLike, correction: str) -> Floats:
    """Return the adjusted p values, in the order of ``p``.

    >>> correct([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if correction not in CORRECTIONS:
        raise InputError("a correction", wanted=f"one of {', '.join(CORRECTIONS)}", found=repr(correction))
    values = np.asarray(p, dtype=np.float64)
    return CORRECTIONS[correction](values) if len(values) else values
