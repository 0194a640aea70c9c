"""Tolerance to irrelevance, 2004: ``T2I``, ``T2I_AP``.

A reader starts at the result and reads on in the document.  Reaching a highlighted passage that was not
seen before is a success; passages seen before cost nothing; after T irrelevant characters the reader
gives up and goes to the next result:

.. math:: T2I@k = successes / k

``T2I_AP`` is precall over successes; the number of relevant items is that of the highlighted passages.

Rewards: entry points from which a reader soon finds something new.

When it misleads: it was proposed but never official, and doxel had to choose its details.  Only the
start of a result matters, not its content.

Neighbours: MAgP(score="t2i") of 2010 shares the name and the idea, but scores whole articles.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declaration import CUTOFF, Properties, Scores, declare
from doxel.measures.gain_views import TiedLevels
from doxel.measures.inex.precall import compute_precision_at
from doxel.measures.rank_arithmetic import RECALL_POINTS, at_rank, average_points
from doxel.measures.user_views import Readings

__all__ = ["MEASURES", "t2i", "t2i_ap"]


def t2i(view: Readings, *, cutoff: int) -> Scores:
    """Successes per result consulted."""
    return at_rank(view.success.cumsum(axis=1), cutoff) / cutoff


def t2i_ap(view: Readings) -> Scores:
    """Mean precall precision over successes."""
    levels = TiedLevels(
        view.success, view.first, view.last, view.length, np.zeros_like(view.length), view.passages
    )
    return average_points(compute_precision_at(levels, RECALL_POINTS, "precall", None))


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
    ),
    declare(
        "T2I_AP",
        t2i_ap,
        view=Readings,
        summary="precision over the successes of T2I, averaged over recall",
        reference=_REFERENCE,
        properties=_PROPERTIES,
    ),
)
