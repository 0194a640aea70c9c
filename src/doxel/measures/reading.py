r"""What it costs to read until enough was found: ``read``.

A reader goes through the results in rank order, skips what an earlier result has shown, and stops within
a result as soon as the relevant text read so far is a share recall of all there is:

.. math:: read = \text{characters of new text until } |G \cap C| \ge recall \cdot |G|

It is infinite where the list ends before that.  Such topics are left out of the mean and counted.

Rewards: relevant text early in the list and early in its results.  Smaller is better; the least possible
is the relevant text itself.

When it misleads: the mean is over the topics that get there, so that a run which gives up on hard topics
looks cheap: look at how many topics are infinite.  Long relevant passages make a topic expensive for
everyone.

Neighbours: char_prec at a recall level, iP, is the same question as a share; T2I stops after irrelevant
text instead.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declare import Properties, Scores, declare
from doxel.measures.parameters import Number, Parameter
from doxel.measures.ranks import TOLERANCE, first_reaching
from doxel.measures.span_views import ReadingOrder

__all__ = ["MEASURES", "read"]


def read(view: ReadingOrder, *, recall: float) -> Scores:
    """Characters of new text until a share of the relevant text was read; infinite where that never is.

    >>> stretches = ReadingOrder(np.array([[50.0, 50.0]]), np.array([[100.0, 150.0]]), np.array([100.0]))
    >>> read(stretches, recall=0.9).tolist()
    [140.0]
    """
    enough = np.ceil(recall * view.total - TOLERANCE * view.total)  # characters are read whole
    nothing = np.zeros((len(enough), 1))
    found = np.concatenate([nothing, view.relevant.cumsum(axis=1)], axis=1)
    until = np.concatenate([nothing, view.until], axis=1)
    place = first_reaching(found, enough[:, None], view.total)
    last = np.minimum(place, found.shape[1] - 1)
    beyond = np.take_along_axis(found, last, axis=1) - enough[:, None]  # of the last stretch, not needed
    characters = np.take_along_axis(until, last, axis=1) - beyond
    return np.where(place < found.shape[1], characters, np.inf)[:, 0]


MEASURES = (
    declare(
        "read",
        read,
        view=ReadingOrder,
        own=(Parameter("recall", Number(0, 1), "the share of the relevant text to be read", 0.9),),
        summary="characters of new text to read until enough of the relevant text was found",
        reference="after Cooper's expected search length (1968), in characters",
        bounds=(0.0, float("inf")),
        lower_is_better=True,
        properties=Properties(
            faithful="y",
            recall="y",
            precision="y",
            near_misses="y",
            user_model="y",
            thorough="y",
            focused="y",
        ),
    ),
)
