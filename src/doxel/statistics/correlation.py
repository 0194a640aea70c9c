"""Rank correlation: how far two rankings of the same systems agree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["kendall_tau", "rank_biased_overlap", "tau_ap"]

Floats = npt.NDArray[np.float64]


def kendall_tau(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return Kendall's tau-b of two lists of scores; NaN where one of them is constant.

    >>> kendall_tau([1, 2, 3], [1, 3, 2]) == 1 / 3
    True
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    rows, columns = np.triu_indices(len(a), 1)
    first, second = np.sign(a[rows] - a[columns]), np.sign(b[rows] - b[columns])
    pairs = np.sqrt((first != 0).sum() * (second != 0).sum())
    return float((first * second).sum() / pairs) if pairs else float("nan")


def tau_ap(one: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Return tau_AP: Kendall's tau with disagreement at the top counting more (Yilmaz et al. 2008).

    It is not symmetric: the second list is taken as the truth.  Systems with equal scores in the first
    list keep the order in which they are given.

    >>> tau_ap([3, 2, 1], [3, 2, 1])
    1.0
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if len(a) < 2:
        return float("nan")
    order = np.argsort(-a, kind="stable")
    b = b[order]
    right = [(b[:i] > b[i]).sum() + 0.5 * (b[:i] == b[i]).sum() for i in range(1, len(b))]
    share = np.array(right) / np.arange(1, len(b))
    return float(2.0 * share.mean() - 1.0)


def rank_biased_overlap(one: list[str], other: list[str], p: float = 0.9) -> float:
    """Return RBO of two rankings, extrapolated to their whole length (Webber, Moffat and Zobel 2010).

    >>> rank_biased_overlap(["a", "b"], ["a", "b"])
    1.0
    """
    depth = max(len(one), len(other))
    if depth == 0:
        return 1.0
    seen_one: set[str] = set()
    seen_other: set[str] = set()
    total = 0.0
    agreement = 0.0
    for d in range(1, depth + 1):
        seen_one.update(one[d - 1 : d])
        seen_other.update(other[d - 1 : d])
        agreement = len(seen_one & seen_other) / d
        total += agreement * p ** (d - 1)
    return (1 - p) * total + agreement * p**depth
