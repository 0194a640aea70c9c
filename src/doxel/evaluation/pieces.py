"""New text, piece by piece: which result shows it first, and where it meets other spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.spans import Ints, runs_of

__all__ = ["Meetings", "Pieces", "new_pieces"]


class Meetings(NamedTuple):
    """Where spans and pieces share text: the number of the span, that of the piece, start and end."""

    span: Ints
    piece: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True)
class Pieces:
    """Stretches of text that no earlier result of the topic has shown; none overlap in a document.

    ``owner`` is the result that shows a piece, ``pair`` its judged pair, -1 for a document that was not
    judged.  Pieces stand by pair and start.
    """

    owner: Ints
    pair: Ints
    start: Ints
    end: Ints

    def meet(self, pair: Ints, start: Ints, end: Ints) -> Meetings:
        """Return where some spans of judged pairs meet pieces; spans may overlap each other.

        Spans that only touch a piece do not meet it.
        """
        stride = int(max(self.end.max(initial=0), end.max(initial=0))) + 1
        begin = np.searchsorted(self.pair * stride + self.end, pair * stride + start, side="right")
        stop = np.searchsorted(self.pair * stride + self.start, pair * stride + end)
        count = np.maximum(stop - begin, 0)
        span, piece = np.repeat(np.arange(len(pair)), count), runs_of(begin, count)
        return Meetings(
            span, piece, np.maximum(start[span], self.start[piece]), np.minimum(end[span], self.end[piece])
        )


def new_pieces(ranked: Ranked) -> Pieces:
    """Return the new text of a ranked list."""
    seen = ranked.seen
    whole = np.flatnonzero(~seen.contested & (ranked.end > ranked.start))
    owner = np.concatenate([seen.owner, whole])
    start = np.concatenate([seen.start, ranked.start[whole]])
    end = np.concatenate([seen.end, ranked.end[whole]])
    pair = ranked.pair[owner]
    order = np.lexsort((start, pair))
    return Pieces(owner[order], pair[order], start[order], end[order])
