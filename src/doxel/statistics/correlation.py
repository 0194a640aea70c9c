"""Rank correlation: how far two rankings of the same systems agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError
from doxel.spans import Floats
from doxel.statistics.taus import kendall_taus, tau_aps

__all__ = ["kendall_tau", "rank_biased_overlap", "tau_ap"]


def kendall_tau(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return Kendall's tau-b of two lists of scores; NaN if either is constant or contains a NaN.

    >>> kendall_tau([1, 2, 3], [1, 3, 2]) == 1 / 3
    True
    """
    return float(kendall_taus(np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)))


def tau_ap(one: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return tau_AP, a Kendall's tau that weights disagreement at the top more (Yilmaz et al. 2008).

    It is not symmetric: the second list is the truth.  Systems with equal scores in the first list keep
    their order.  NaN if a list contains a NaN or has fewer than 2 items.

    >>> tau_ap([3, 2, 1], [3, 2, 1])
    1.0
    """
    return float(tau_aps(np.asarray(one, dtype=np.float64), np.asarray(truth, dtype=np.float64)))


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float = 0.9) -> float:
    """Return the extrapolated rank-biased overlap of two rankings (Webber, Moffat and Zobel 2010, Eq. 32).

    ``p`` is the persistence: at 0.9 the first ten ranks carry about 86 % of the weight.  The rankings may
    differ in length; below the end of a ranking its agreement is assumed to continue as at its last rank.

    >>> rank_biased_overlap(["a", "b"], ["a", "b"])
    1.0
    """
    if not 0 < p < 1:
        raise InputError("the persistence of RBO", wanted="a number between 0 and 1", found=repr(p))
    for ranking in (one, other):
        if len(set(ranking)) < len(ranking):
            raise InputError("a ranking", wanted="each item once", found="an item that occurs twice")
    short, long = sorted((one, other), key=len)
    if not short:
        return 1.0 if not long else 0.0
    depth = np.arange(1, len(long) + 1)
    common = _common(short, long)
    within, last = float(common[len(short) - 1]), float(common[-1])
    # below the end of the shorter list, extrapolate the agreement that it has reached
    extrapolated = np.where(depth > len(short), within * (depth - len(short)) / len(short), 0.0)
    sums = float((((common + extrapolated) / depth) * p ** (depth - 1.0)).sum())
    rest = (last - within) / len(long) + within / len(short)
    return (1 - p) * sums + rest * p ** len(long)


def _common(short: Sequence[str], long: Sequence[str]) -> Floats:
    """Count the items that two rankings share down to each rank of the longer one."""
    rank_in_short = {item: rank for rank, item in enumerate(short)}
    counts = np.zeros(len(long))
    for rank, item in enumerate(long):
        if item in rank_in_short:
            counts[max(rank, rank_in_short[item])] += 1
    return counts.cumsum()
