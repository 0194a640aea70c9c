r"""Interpolated precision over characters: ``iP`` and ``MAiP``.

After rank r a reader has read some characters, and some of these were highlighted:

.. math:: P[r] = \sum_{i \le r} rsize(e_i) / \sum_{i \le r} size(e_i), \quad
          R[r] = \sum_{i \le r} rsize(e_i) / Trel

``iP@x`` is the best precision at any rank where recall has reached x (0 if it never does), and
``MAiP`` the mean of iP over the 101 recall points 0, 0.01 ... 1.

Rewards: early results that are relevant from edge to edge.  iP@0.01 asks little more than a good
first result; MAiP asks for the whole of the relevant text.

When it misleads: a single long relevant document dominates both text to find and text read, because
every character weighs the same; and at x = 0 one relevant sentence at rank 1 scores 1.

Neighbours: HiXEval has the same precision and recall at a rank and adds an overlap weight; char_prec
and char_rec look at a whole list or its first k results.  iP refuses runs with overlapping results;
with task="thorough" each character counts once, the first time it is read.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declare import Properties, Scores, declare
from doxel.measures.parameters import Number, Parameter
from doxel.measures.ranks import Matrix, first_reaching, mean_over_points, place_among
from doxel.measures.requirements import reading_requirements
from doxel.measures.views import ReadText

__all__ = ["MEASURES", "interpolated_precision", "mean_interpolated_precision"]

_POINTS = np.arange(101) / 100  # from 0 on, unlike all others


def interpolated_precision(view: ReadText, *, recall: float) -> Scores:
    """Best precision at any rank with at least this recall.

    >>> one = np.array([[100.0]])
    >>> view = ReadText(one, one / 2, one, one / 2, np.array([50.0]))
    >>> interpolated_precision(view, recall=0.1).tolist()
    [0.5]
    """
    place = place_among(_POINTS, recall)
    if place is not None:
        return _standard_points(view)[:, place]
    return _curve(view, np.array([recall]))[:, 0]


def mean_interpolated_precision(view: ReadText) -> Scores:
    """Mean of the interpolated precision at 101 recall points."""
    return mean_over_points(_standard_points(view))


def _standard_points(view: ReadText) -> Matrix:
    """Return the 101 points: a curve asks for them one by one, and each alone costs as much as all."""
    return view.kept("iP", lambda: _curve(view, _POINTS))


def _curve(view: ReadText, points: Matrix) -> Matrix:
    first = first_reaching(view.found, points * view.total[:, None], view.total)
    return np.take_along_axis(view.best_precision, first, axis=1)


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
    interpolated_precision,
    view=ReadText,
    at=Parameter("recall", Number(0, 1), "the recall to be reached"),
    summary="best character precision once a recall level is reached",
    reference=_REFERENCE,
    requires=reading_requirements,
    years="2007-2010",
    properties=_PROPERTIES,
)
_MAIP = declare(
    "MAiP",
    mean_interpolated_precision,
    view=ReadText,
    aliases=("AiP",),
    summary="interpolated character precision, averaged over 101 recall points",
    reference=_REFERENCE,
    requires=reading_requirements,
    years="2007-2010",
    properties=_PROPERTIES,
)

MEASURES = (_IP, _MAIP)
