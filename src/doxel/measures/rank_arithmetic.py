"""Arithmetic over ranked lists, shared by several families.

Each row of an array is a list, padded with zeros.  Values are added up with ``cumsum`` in rank order:
``sum`` regroups its terms, so padding would change the last bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doxel.measures.declaration import Scores
from doxel.spans import Ints

__all__ = [
    "RECALL_POINTS",
    "TOLERANCE",
    "Matrix",
    "accumulate_best",
    "add_at_columns",
    "at_rank",
    "average_points",
    "build_recall_points",
    "compute_f_beta",
    "divide",
    "find_best_column",
    "find_first_rank",
    "find_first_reaching",
    "find_point",
    "mark_first",
    "mark_gains",
    "sum_to_rank",
    "take_best_from",
]

TOLERANCE = 1e-12

Matrix = npt.NDArray[np.float64]


def build_recall_points(count: int) -> Scores:
    """Return ``count`` equidistant points of recall, of which the last is 1.

    >>> build_recall_points(4).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    return np.arange(1, count + 1) / count


RECALL_POINTS = build_recall_points(100)
"""The points of recall at which curves are drawn and over which their means are taken."""


def find_point(points: Scores, recall: float) -> int | None:
    """Return the index of a recall value among the points, or None if it is not one of them.

    >>> find_point(RECALL_POINTS, 0.5), find_point(RECALL_POINTS, 0.505)
    (49, None)
    """
    place = int(np.searchsorted(points, recall))
    return place if place < len(points) and points[place] == recall else None


def average_points(curve: Matrix) -> Scores:
    """Return the mean of each row.

    >>> average_points(np.array([[1.0, 0.5]])).tolist()
    [0.75]
    """
    means: Scores = curve.cumsum(axis=1)[:, -1] / curve.shape[1]
    return means


def divide(numerator: Scores, denominator: Scores, *, otherwise: float = 0.0) -> Scores:
    """Divide two arrays; where the denominator is 0, return ``otherwise``.

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    quotient = np.full(shape, otherwise)
    np.divide(numerator, denominator, out=quotient, where=np.asarray(denominator) != 0)
    return quotient


def at_rank(cumulated: Matrix, rank: int | None) -> Scores:
    """Return the cumulated value at a rank; past the end, or if it is None, the last value.

    >>> at_rank(np.array([[1.0, 3.0]]), 5).tolist()
    [3.0]
    """
    width = cumulated.shape[1]
    if width == 0:
        return np.zeros(len(cumulated))
    return cumulated[:, -1 if rank is None else min(rank, width) - 1]


def sum_to_rank(values: Matrix, rank: int | None) -> Scores:
    """Return the sum of the values up to a rank, added in the order of ranks; if it is None, of all values.

    >>> sum_to_rank(np.array([[1.0, 2.0, 4.0]]), 2).tolist()
    [3.0]
    """
    return at_rank(values[:, :rank].cumsum(axis=1), rank)


def add_at_columns(values: Matrix, columns: Ints, width: int) -> Matrix:
    """Return a matrix in which each value is added at its column; values at column ``width`` are dropped.

    >>> add_at_columns(np.array([[0.5, 0.25, 1.0]]), np.array([[0, 0, 2]]), 2).tolist()
    [[0.75, 0.0]]
    """
    summed = np.zeros((len(values), width + 1))
    np.add.at(summed, (np.arange(len(values))[:, None], np.minimum(columns, width)), values)
    return summed[:, :width]


def find_best_column(values: Matrix, first: Ints) -> Ints:
    """Return the column of the greatest value of each row from a column on; the width past the end.

    >>> find_best_column(np.array([[0.2, 0.5, 0.1]]), np.array([[0, 2, 3]])).tolist()
    [[1, 2, 3]]
    """
    best = accumulate_best(values)
    width = values.shape[1]
    is_best = np.append(values >= best[:, :-1], np.ones((len(values), 1), dtype=bool), axis=1)
    columns = np.where(is_best, np.arange(width + 1), width)
    nearest = np.minimum.accumulate(columns[:, ::-1], axis=1)[:, ::-1]
    return np.take_along_axis(nearest, first, axis=1)


def find_first_reaching(cumulated: Matrix, wanted: Matrix, total: Scores) -> Ints:
    """Return, for each row and each wanted value, the first column that reaches the value.

    Rows must not decrease.  The result is the number of columns if the value is never reached.  A value
    counts as reached if it is missed by less than the tolerance, relative to the row's total.

    >>> find_first_reaching(
    ...     np.array([[1.0, 1.0, 3.0]]), np.array([[1.0, 2.0, 4.0]]), np.array([4.0])
    ... ).tolist()
    [[0, 2, 3]]
    """
    columns = np.empty(wanted.shape, dtype=np.int64)
    for row, values in enumerate(wanted - TOLERANCE * total[:, None]):
        columns[row] = np.searchsorted(cumulated[row], values)
    return columns


def take_best_from(values: Matrix, first: Ints) -> Matrix:
    """Return the greatest value of each row from a column on, 0 past the end.

    >>> take_best_from(np.array([[0.2, 0.5, 0.1]]), np.array([[0, 2, 3]])).tolist()
    [[0.5, 0.1, 0.0]]
    """
    return np.take_along_axis(accumulate_best(values), first, axis=1)


def accumulate_best(values: Matrix) -> Matrix:
    """Return the greatest value of each row from each column on, and a last column of 0 past the end.

    >>> accumulate_best(np.array([[0.2, 0.5, 0.1]])).tolist()
    [[0.5, 0.5, 0.1, 0.0]]
    """
    best = np.zeros((values.shape[0], values.shape[1] + 1))
    np.maximum.accumulate(values[:, ::-1], axis=1, out=best[:, -2::-1])
    return best


def mark_first(is_hit: npt.NDArray[np.bool_]) -> Matrix:
    """Return 1 at the first hit of each row, else 0.

    >>> mark_first(np.array([[False, True, True], [False, False, False]])).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return np.where(is_hit & (is_hit.cumsum(axis=1) == 1), 1.0, 0.0)


def find_first_rank(is_hit: npt.NDArray[np.bool_]) -> Scores:
    """Return the rank of the first hit of each row, 1 if there is none.

    >>> find_first_rank(np.array([[False, True, True], [False, False, False]])).tolist()
    [2.0, 1.0]
    """
    return np.asarray(1.0 + (mark_first(is_hit) * np.arange(is_hit.shape[1])).sum(axis=1), dtype=np.float64)


def mark_gains(gains: Matrix) -> npt.NDArray[np.bool_]:
    """Mark the ranks with a gain; a gain as small as a rounding error does not count.

    >>> mark_gains(np.array([[1.0, 0.0, 1e-17, 0.25]])).tolist()
    [[True, False, False, True]]
    """
    return np.asarray(gains > TOLERANCE * gains.max(axis=-1, keepdims=True, initial=0.0), dtype=bool)


def compute_f_beta(precision: Scores, recall: Scores, beta: float = 1.0) -> Scores:
    """Return F-beta of precision and recall, or 0 if both are 0.

    >>> compute_f_beta(np.array([0.5, 0.0]), np.array([1.0, 0.0])).round(4).tolist()
    [0.6667, 0.0]
    """
    return divide((1 + beta**2) * precision * recall, beta**2 * precision + recall)
