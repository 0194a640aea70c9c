r"""Interpolated precision over characters: ``iP`` and ``MAiP``.

Precision and recall of characters.  Result e_i has size(e_i) characters, of which assessors highlighted
rsize(e_i) as relevant; Trel characters are highlighted in all documents.  After rank r:

.. math:: P[r] = \sum_{i \le r} rsize(e_i) / \sum_{i \le r} size(e_i), \quad
          R[r] = \sum_{i \le r} rsize(e_i) / Trel

``iP@x`` is the best precision at any rank where recall has reached x (0 if it never does), and
``MAiP`` the mean of iP over the 101 recall points 0, 0.01 ... 1.

Rewards: early results that are relevant from start to end.  iP@0.01 requires little more than a good
first result; MAiP requires all of the relevant text.

When it misleads: every character has the same weight, so a single long relevant document dominates both
the text to find and the text read.  At x = 0, one relevant sentence at rank 1 scores 1.

Neighbours: HiXEval has the same precision and recall at a rank and adds an overlap weight; char_prec
and char_rec score the whole list or its first k results.  iP rejects runs with overlapping results;
with task="thorough" each character counts once, the first time it is read.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declaration import (
    BOUND,
    READING,
    Properties,
    Quantity,
    Scores,
    declare,
    get_reading_requirements,
)
from doxel.measures.measure_parameters import Number, Parameter
from doxel.measures.rank_arithmetic import (
    Matrix,
    add_at_columns,
    average_points,
    divide,
    find_best_column,
    find_first_reaching,
    find_point,
)
from doxel.measures.text_views import ReadText
from doxel.spans import Ints

__all__ = ["MEASURES", "ip", "maip"]

_POINTS = np.arange(101) / 100  # iP starts at recall 0, unlike all other curves


def ip(view: ReadText, *, recall: float) -> Scores:
    """Best precision at any rank with at least this recall.

    >>> size = np.array([[100.0]])
    >>> view = ReadText(size, size / 2, size, size / 2, np.array([50.0]))
    >>> ip(view, recall=0.1).tolist()
    [0.5]
    """
    column = find_point(_POINTS, recall)
    if column is not None:
        return _compute_standard_points(view)[:, column]
    return _compute_curve(view, np.array([recall]))[:, 0]


def maip(view: ReadText) -> Scores:
    """Mean of the interpolated precision at 101 recall points."""
    return average_points(_compute_standard_points(view))


def _compute_standard_points(view: ReadText) -> Matrix:
    """Return iP at the 101 points, computed once: a single point costs as much as all of them."""
    return view.compute_once("iP", lambda: _compute_curve(view, _POINTS))


def _compute_curve(view: ReadText, points: Matrix) -> Matrix:
    first = find_first_reaching(view.found, points * view.total[:, None], view.total)
    return np.take_along_axis(view.best_precision, first, axis=1)


def _find_best_ranks(view: ReadText, points: Matrix) -> Ints:
    """Return the column of the best precision for each recall point; the width if it is never reached."""
    first = find_first_reaching(view.found, points * view.total[:, None], view.total)
    return find_best_column(divide(view.found, view.read), first)


def _list_found(view: ReadText, recall: float) -> Matrix:
    best = _find_best_ranks(view, np.array([recall]))
    is_read = (np.arange(view.size.shape[1]) <= best) & (best < view.size.shape[1])
    return np.where(is_read, view.new_relevant, 0.0)


def _count_read(view: ReadText, recall: float) -> Scores:
    best = _find_best_ranks(view, np.array([recall]))
    return np.take_along_axis(np.append(view.read, np.zeros((len(best), 1)), axis=1), best, axis=1)[:, 0]


def _spread_points(view: ReadText) -> Matrix:
    return add_at_columns(_compute_standard_points(view), _find_best_ranks(view, _POINTS), view.size.shape[1])


_PROPERTIES = Properties(
    faithful="y",
    recall="y",
    precision="y",
    near_misses="y",
    ideality="y",
    graded="y",
    thorough="y",
    focused="y",
    relevant_in_context="i",
    best_in_context="n",
)
_REFERENCE = "Kamps, Pehcevski, Kazai, Lalmas and Robertson: INEX 2007 Evaluation Measures (2008)"

_IP = declare(
    "iP",
    ip,
    view=ReadText,
    at=Parameter("recall", Number(0, 1), "the recall to reach"),
    summary="best character precision once a recall level is reached",
    reference=_REFERENCE,
    requires=get_reading_requirements,
    years="2007-2010",
    properties=_PROPERTIES,
    residual=lambda parameters: BOUND if parameters["recall"] == 0 else READING,
    terms=Quantity("new relevant", "new relevant text up to the rank of the best precision", _list_found),
    divisor=Quantity("read", "the text read up to that rank", _count_read),
    made_of=(
        "It is interpolated: the best P[r] at any rank where R[r] has reached the recall; only the results "
        "up to that rank count."
    ),
)
_MAIP = declare(
    "MAiP",
    maip,
    view=ReadText,
    aliases=("AiP",),
    summary="interpolated character precision, averaged over 101 recall points",
    reference=_REFERENCE,
    requires=get_reading_requirements,
    years="2007-2010",
    properties=_PROPERTIES,
    residual=READING,
    terms=Quantity(
        "iP(x)", "iP, added up over the recall points that take it from this rank", _spread_points
    ),
    divisor=Quantity("101", "the recall points", lambda view: np.full(len(view.total), float(len(_POINTS)))),
    made_of=(
        "It is a mean of interpolated values: each of 101 recall points takes the best P[r] at any rank "
        "where R[r] has reached it, and counts at that rank."
    ),
)

MEASURES = (_IP, _MAIP)
