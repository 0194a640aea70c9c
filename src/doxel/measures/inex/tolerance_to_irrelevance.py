"""Tolerance to irrelevance, 2004: ``T2I``, ``T2I_AP``.

A reader starts at the start of a result and reads on in the document.  Reaching a relevant (highlighted)
passage that was not seen before is a success; passages seen before cost nothing; after T irrelevant
characters the reader gives up and goes to the next result:

.. math:: T2I@k = successes / k

``T2I_AP`` is precall over successes; the number of relevant items is that of the highlighted passages.

Rewards: entry points from which a reader soon finds something new.

When it misleads: it was proposed but never official, and doxel had to choose its details.  Only the
start of a result matters, not its content.

Neighbours: MAgP(score="t2i") of 2010 shares the name and the idea, but scores whole articles.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declaration import DIVIDED_BY_CUTOFF, Properties, Quantity, Scores, declare
from doxel.measures.gain_views import TiedLevels
from doxel.measures.inex.precall import (
    RECALL_POINT_COUNT,
    RECALL_POINT_NOTE,
    compute_precision_at,
    spread_points,
)
from doxel.measures.measure_parameters import CUTOFF
from doxel.measures.rank_arithmetic import RECALL_POINTS, Matrix, at_rank, average_points
from doxel.measures.user_views import Readings

__all__ = ["MEASURES", "t2i", "t2i_ap"]


def t2i(view: Readings, *, cutoff: int) -> Scores:
    """Successes per result consulted."""
    return at_rank(view.success.cumsum(axis=1), cutoff) / cutoff


def t2i_ap(view: Readings) -> Scores:
    """Mean precall precision over successes."""
    return average_points(compute_precision_at(_count_successes(view), RECALL_POINTS, "precall", None))


def _count_successes(view: Readings) -> TiedLevels:
    """Return the successes as relevance by levels of tied results."""
    return TiedLevels(
        view.success, view.first, view.last, view.length, np.zeros_like(view.length), view.passages
    )


def _spread_all_points(view: Readings) -> Matrix:
    return spread_points(_count_successes(view), RECALL_POINTS, "precall", None)


_PROPERTIES = Properties(
    faithful="?",
    recall="y",
    precision="y",
    near_misses="y",
    overlap="=",
    ideality="y",
    graded="n",
    user_model="y",
    thorough="?",
    focused="y",
    relevant_in_context="i",
    best_in_context="i",
)
_BREAKS = {"touching": "a reader tolerates text that is not relevant before a passage"}
_REFERENCE = "de Vries, Kazai and Lalmas: Tolerance to Irrelevance (RIAO 2004)"

MEASURES = (
    declare(
        "T2I",
        t2i,
        view=Readings,
        at=CUTOFF,
        summary="share of the first k results from which a reader soon finds a new passage",
        reference=_REFERENCE,
        properties=_PROPERTIES,
        breaks=_BREAKS,
        terms=Quantity(
            "success", "1 for each success up to the cutoff", lambda view, cutoff: view.success[:, :cutoff]
        ),
        divisor=DIVIDED_BY_CUTOFF,
    ),
    declare(
        "T2I_AP",
        t2i_ap,
        view=Readings,
        summary="precision over the successes of T2I, averaged over recall",
        reference=_REFERENCE,
        properties=_PROPERTIES,
        breaks=_BREAKS,
        terms=Quantity(
            "P(x)", "P, added up over the recall points that this rank reaches", _spread_all_points
        ),
        divisor=RECALL_POINT_COUNT,
        made_of=RECALL_POINT_NOTE,
    ),
)
