"""The value of results to a reader who has seen the earlier results, as in HiXEval (000, 3.6)."""

from __future__ import annotations

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.spans import Booleans, Floats, Ints

__all__ = ["values"]


def values(ranked: Ranked, alpha: float) -> Floats:
    """Return rval of each result: its relevant characters, less those seen before.

    A repeated element is worth 0 for any alpha.  With alpha 0 nothing is deducted; with alpha 1 the value is
    the new relevant text; in between it depends on the values of earlier results.
    """
    relevant = ranked.relevant.astype(float)
    if alpha == 0:
        value = relevant
    elif alpha == 1:
        value = ranked.new_relevant.astype(float)
    else:
        value = _weighted(ranked, alpha)
    return np.where(ranked.is_repeat, 0.0, value)


def _weighted(ranked: Ranked, alpha: float) -> Floats:
    new_size, size = ranked.seen.new_size, ranked.size
    seen_relevant = ranked.relevant - ranked.new_relevant
    value = ranked.relevant - alpha * seen_relevant.astype(
        float
    )  # final, unless all overlapping results are inside
    fully = (new_size == 0) & (size > 0)
    value[fully] = (1 - alpha) * ranked.relevant[fully]
    partly = (new_size > 0) & (new_size < size)
    for rows in _shared_documents(ranked):
        _take_off_inner(ranked, rows, partly, alpha, value)
    return value


def _shared_documents(ranked: Ranked) -> list[Ints]:
    """Return the rows of each document whose results share text, in rank order."""
    rows = np.flatnonzero(ranked.seen.contested)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(ranked.group[rows])) + 1) if len(rows) else []


def _take_off_inner(ranked: Ranked, rows: Ints, partly: Booleans, alpha: float, value: Floats) -> None:
    """Deduct the values of earlier results inside a result, if no other earlier result shares its text.

    Values depend on earlier values, so the results of a document are processed in order.
    """
    start, end, repeat = ranked.start[rows], ranked.end[rows], ranked.is_repeat[rows]
    worth = np.zeros(len(rows))
    for number, row in enumerate(rows):
        if partly[row]:
            before = slice(0, number)
            meets = (start[before] < end[number]) & (end[before] > start[number])
            inside = (start[before] >= start[number]) & (end[before] <= end[number])
            if not (meets & ~inside).any():
                deduction = float(worth[before][inside].cumsum()[-1]) if inside.any() else 0.0
                value[row] = max(0.0, ranked.relevant[row] - alpha * deduction)
        worth[number] = 0.0 if repeat[number] else value[row]
