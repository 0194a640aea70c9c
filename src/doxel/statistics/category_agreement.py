"""Agreement between two assessors who judged the same things, from a table of counts.

All figures derive from the confusion table: the categories of one assessor by those of the other.  It may
count documents, elements or characters.  Most characters are marked by nobody, so kappa over characters
means little where hardly anything is relevant; the Jaccard overlap of the marked text means more.

References: Cohen, Educational and Psychological Measurement 20(1), 1960 (kappa); Cohen, Psychological
Bulletin 70(4), 1968 (weights); Dice, Ecology 26(3), 1945 (agreement on one category).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError
from doxel.spans import Floats

__all__ = [
    "build_confusion_table",
    "compute_category_agreement",
    "compute_cohen_kappa",
    "compute_jaccard",
    "compute_observed_agreement",
]

Counts = npt.NDArray[np.int64]
Weights = Literal["none", "linear", "quadratic"]


def build_confusion_table(choices: npt.ArrayLike, other: npt.ArrayLike, categories: int) -> Counts:
    """Count how often the first assessor chose the category of the row and the second that of the column.

    >>> build_confusion_table([0, 1, 1, 2], [0, 1, 2, 2], 3).tolist()
    [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    """
    a, b = np.asarray(choices, dtype=np.int64), np.asarray(other, dtype=np.int64)
    if a.shape != b.shape:
        raise InputError("two lists of categories", wanted="the same length", found=f"{a.size} and {b.size}")
    table: Counts = np.bincount(a * categories + b, minlength=categories**2).reshape(categories, categories)
    return table


def compute_observed_agreement(table: npt.ArrayLike) -> float:
    """Return the share of cases in which both chose the same category; NaN if there are no cases.

    >>> compute_observed_agreement([[40, 9], [6, 45]])
    0.85
    """
    counts = np.asarray(table, dtype=np.float64)
    return float(np.trace(counts) / counts.sum()) if counts.sum() else float("nan")


def compute_cohen_kappa(table: npt.ArrayLike, weights: Weights = "none") -> float:
    """Return Cohen's kappa: agreement beyond chance, from -1 to 1.

    With weights, the categories are steps of a scale, and neighbouring categories agree in part.  NaN if
    both assessors used a single, identical category: chance alone would then give full agreement.

    >>> round(compute_cohen_kappa([[20, 5], [10, 15]]), 10)
    0.4
    """
    counts = np.asarray(table, dtype=np.float64)
    total, steps = counts.sum(), np.arange(len(counts))
    distance = np.abs(steps[:, None] - steps[None, :]).astype(np.float64)
    cost = {"none": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weights]
    if not total:
        return float("nan")
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    expected = float((cost * chance).sum())
    return 1.0 - float((cost * counts).sum()) / expected if expected else float("nan")


def compute_category_agreement(table: npt.ArrayLike) -> Floats:
    """Return, for each category, the probability that one assessor chose it given that the other did.

    NaN if nobody chose the category.  With two categories, the value of the second is the F measure of
    either assessor against the other.

    >>> compute_category_agreement([[40, 9], [6, 45]]).round(4).tolist()
    [0.8421, 0.8571]
    """
    counts = np.asarray(table, dtype=np.float64)
    choices = counts.sum(axis=0) + counts.sum(axis=1)
    shares: Floats = np.full(len(counts), np.nan)
    np.divide(2.0 * np.diag(counts), choices, out=shares, where=choices > 0)
    return shares


def compute_jaccard(table: npt.ArrayLike) -> float:
    """Return the Jaccard overlap: the share marked by both of everything marked by either.

    The table has two rows and two columns: not marked, marked.  NaN if nothing was marked.

    >>> compute_jaccard([[90, 2], [3, 5]])
    0.5
    """
    counts = np.asarray(table, dtype=np.float64)
    marked = counts.sum() - counts[0, 0]
    return float(counts[1, 1] / marked) if marked else float("nan")
