r"""Reading cost until enough relevant text was found: ``read``.

A reader goes through the results in rank order, skips text that an earlier result has shown, and stops, even
within a result, as soon as the share recall of all relevant text has been read.  With G the relevant text and
C the text read so far:

.. math:: read = \text{characters of new text until } |G \cap C| \ge recall \cdot |G|

With unit="words" or "tokens" it counts the words or tokens that begin in this text: the cost of a context
that reaches the recall.  It is infinite if the list ends before that.  Such topics are left out of the mean
and counted.

Rewards: relevant text early in the list and early in its results.  Lower is better; the smallest possible
value is the amount of relevant text that has to be read.

When it misleads: the mean is over the topics that reach the recall, so a run that fails on hard topics
looks cheap; compare the numbers of infinite topics too.  Long relevant passages make a topic expensive for
every run.

Neighbours: iP is the precision at a recall level; T2I stops after irrelevant text instead.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declaration import READING, UNDIVIDED, Properties, Quantity, Scores, declare
from doxel.measures.measure_parameters import Number, Parameter
from doxel.measures.rank_arithmetic import TOLERANCE, Matrix, find_first_reaching
from doxel.measures.text_views import ReadingOrder

__all__ = ["MEASURES", "read"]


def read(view: ReadingOrder, *, recall: float) -> Scores:
    """Characters or other units of new text until a share of the relevant text was read; infinite if never.

    >>> size, relevant = np.array([[100.0, 50.0]]), np.array([[50.0, 50.0]])
    >>> stretches = ReadingOrder(relevant, size.cumsum(axis=1), np.array([100.0]), size, relevant)
    >>> read(stretches, recall=0.9).tolist()
    [140.0]
    """
    goal = np.ceil(recall * view.total - TOLERANCE * view.total)  # in whole characters
    no_text = np.zeros((len(goal), 1))
    relevant = np.concatenate([no_text, view.relevant.cumsum(axis=1)], axis=1)
    until = np.concatenate([no_text, view.until], axis=1)
    column = find_first_reaching(relevant, goal[:, None], view.total)
    last = np.minimum(column, relevant.shape[1] - 1)
    beyond = np.take_along_axis(relevant, last, axis=1) - goal[:, None]  # unread rest of the last stretch
    characters = np.take_along_axis(until, last, axis=1) - (beyond if view.in_characters else 0)
    return np.where(column < relevant.shape[1], characters, np.inf)[:, 0]


def _list_read(view: ReadingOrder, recall: float) -> Matrix:
    """Return the new characters read at each rank; infinite after the last text if there is never enough."""
    score = read(view, recall=recall)
    before = np.concatenate([np.zeros((len(score), 1)), view.new_size.cumsum(axis=1)], axis=1)
    size = np.append(view.new_size, np.zeros((len(score), 1)), axis=1)
    characters: Matrix = np.minimum(np.maximum(score[:, None] - before, 0.0), size)
    after = (before >= before[:, -1:]).argmax(axis=1)
    characters[np.isinf(score), after[np.isinf(score)]] = np.inf
    return characters


MEASURES = (
    declare(
        "read",
        read,
        view=ReadingOrder,
        own=(Parameter("recall", Number(0, 1), "the share of the relevant text to read", 0.9),),
        summary="characters, words or tokens of new text to read until enough relevant text was found",
        reference="after Cooper's expected search length (1968), in characters",
        bounds=(0.0, float("inf")),
        lower_is_better=True,
        breaks={"perfect": "relevant text has to be read, too"},
        residual=READING,
        terms=Quantity("read", "new text read in each result until enough was found", _list_read),
        divisor=UNDIVIDED,
        made_of=(
            "The last result is read only as far as needed; if the list ends too early, the rest is infinite."
        ),
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
