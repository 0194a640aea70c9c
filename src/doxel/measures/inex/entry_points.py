r"""Distance to best entry points, 2006: ``BEPD``.

A result is a point at which to start reading a document.  It scores by its distance from the best entry
point of the document, the start that an assessor chose:

.. math:: BEPD = \frac{1}{|BEPs|} \sum_x s(x, b), \quad s(x, b) = \frac{A L}{A L + d(x, b)}

d is the distance in characters between the start of a result and the best entry point of its document,
and L is the mean length of a document.  A result in a document without a best entry point adds nothing.

Rewards: entry points near the best ones.  With a large A (10, 100) the right document is enough; a small
A (0.01, 0.1) requires the right place.

When it misleads: it is a measure of a set.  The order of the results does not matter, and a longer list
can only gain.

Neighbours: EPRUM(model="bep_distance") uses the same distances along the ranking;
MAgP(score="bep") replaced both from 2007 on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doxel.errors import MeasureError
from doxel.measures.declaration import ONE_PER_DOCUMENT, Properties, Quantity, Scores, declare
from doxel.measures.rank_arithmetic import at_rank, divide
from doxel.measures.user_views import EntryDistances

__all__ = ["MEASURES", "bepd"]


def bepd(view: EntryDistances) -> Scores:
    """Sum of nearness over the run, per best entry point (001, section 7.2)."""
    return divide(at_rank(view.nearness.cumsum(axis=1), None), view.total)


def _check_a(parameters: Mapping[str, Any]) -> None:
    if parameters["A"] is None:
        raise MeasureError(
            "BEPD needs A, such as BEPD(A=0.1): the larger, the farther a user finds an entry point"
        )


MEASURES = (
    declare(
        "BEPD",
        bepd,
        view=EntryDistances,
        summary="nearness of entry points to the best ones",
        reference="Lalmas et al.: INEX 2006 Evaluation Measures, section 7",
        requires=lambda parameters: (ONE_PER_DOCUMENT,),  # noqa: ARG005
        check=_check_a,
        years="2006",
        breaks={"junk": "an entry point anywhere in a relevant document is near the best one to some degree"},
        properties=Properties(
            faithful="y",
            recall="y",
            near_misses="y",
            ideality="y",
            graded="n",
            user_model="n",
            thorough="n",
            focused="n",
            relevant_in_context="n",
            best_in_context="y",
        ),
        terms=Quantity("s(x,b)", "nearness of each entry point", lambda view: view.nearness),
        divisor=Quantity("|BEPs|", "the best entry points", lambda view: view.total),
    ),
)
