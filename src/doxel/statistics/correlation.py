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
    """Return Kendall's tau-b of two lists of scores; NaN where one of them is constant or has a NaN.

    >>> kendall_tau([1, 2, 3], [1, 3, 2]) == 1 / 3
    True
    """
    return float(kendall_taus(np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)))


def tau_ap(one: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return tau_AP: Kendall's tau with disagreement at the top counting more (Yilmaz et al. 2008).

    It is not symmetric: the second list is taken as the truth.  Systems with equal scores in the first
    list keep the order in which they are given.  NaN where a list has one, or is shorter than 2.

    >>> tau_ap([3, 2, 1], [3, 2, 1])
    1.0
    """
    return float(tau_aps(np.asarray(one, dtype=np.float64), np.asarray(truth, dtype=np.float64)))


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float = 0.9) -> float:
    """Return RBO of two rankings, extrapolated (Webber, Moffat and Zobel 2010, Eq. 32).

    ``p`` is the persistence: the first ten ranks hold about 86 % of the weight at 0.9.  One ranking may
    be longer than the other; what is below its end is taken to agree as its last rank does.

    >>> rank_biased_overlap(["a", "b"], ["a", "b"])
    1.0
    """
    if not 0 < p < 1:
        raise InputError("the persistence of RBO", wanted="a number between 0 and 1", found=repr(p))
    for ranking in (one, other):
        if len(set(ranking)) < len(ranking):
            raise InputError("a ranking", wanted="each item once", found="one of them twice")
    short, long = sorted((one, other), key=len)
    if not short:
        return 1.0 if not long else 0.0
    depth = np.arange(1, len(long) + 1)
    common = _common(short, long)
    within, last = float(common[len(short) - 1]), float(common[-1])
    # below the end of the shorter list, its agreement so far stands for what it does not list
    guessed = np.where(depth > len(short), within * (depth - len(short)) / len(short), 0.0)
    sums = float((((common + guessed) / depth) * p ** (depth - 1.0)).sum())
    rest = (last - within) / len(long) + within / len(short)
    return (1 - p) * sums + rest * p ** len(long)


def _common(short: Sequence[str], long: Sequence[str]) -> Floats:
    """Return how many items two rankings share down to each rank of the longer one."""
    place = {item: rank for rank, item in enumerate(short)}
    counts = np.zeros(len(long))
    for rank, item in enumerate(long):
        if item in place:
            counts[max(rank, place[item])] += 1
    return counts.cumsum()
