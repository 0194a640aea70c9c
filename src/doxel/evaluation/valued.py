"""The value of results to a reader who has seen the earlier ones, as HiXEval counts it (000, 3.6)."""

from __future__ import annotations

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.spans import Booleans, Floats, Ints

__all__ = ["values"]


def values(ranked: Ranked, alpha: float) -> Floats:
    """Return rval of each result: its relevant characters, less what was seen before.

    A repeated element is worth nothing whatever alpha.  For alpha 0 nothing is taken off, for alpha 1
    what is left is exactly what is new; in between the values of earlier results matter.
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
    value = ranked.relevant - alpha * seen_relevant.astype(float)  # right unless all overlap is inside
    fully = (new_size == 0) & (size > 0)
    value[fully] = (1 - alpha) * ranked.relevant[fully]
    partly = (new_size > 0) & (new_size < size)
    for rows in _shared_documents(ranked):
        _take_off_inner(ranked, rows, partly, alpha, value)
    return value


def _shared_documents(ranked: Ranked) -> list[Ints]:
    """Return the rows of each document in which results share text, in rank order."""
    rows = np.flatnonzero(ranked.seen.contested)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(ranked.group[rows])) + 1) if len(rows) else []


def _take_off_inner(ranked: Ranked, rows: Ints, partly: Booleans, alpha: float, value: Floats) -> None:
    """Take off the values of earlier results inside, where no other earlier result shares text.

    Values depend on the values before them, so this goes through one document's results in order.
    """
    start, end, repeat = ranked.start[rows], ranked.end[rows], ranked.is_repeat[rows]
    worth = np.zeros(len(rows))
    for number, row in enumerate(rows):
        if partly[row]:
            before = slice(0, number)
            meets = (start[before] < end[number]) & (end[before] > start[number])
            inside = (start[before] >= start[number]) & (end[before] <= end[number])
            if not (meets & ~inside).any():
                taken = float(worth[before][inside].cumsum()[-1]) if inside.any() else 0.0
                value[row] = max(0.0, ranked.relevant[row] - alpha * taken)
        worth[number] = 0.0 if repeat[number] else value[row]
