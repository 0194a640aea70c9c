"""New text in pieces: the result that shows each piece first, and its intersection with other spans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from doxel.evaluation.ranked import Ranked
from doxel.spans import Ints, concatenate_ranges

__all__ = ["Meetings", "Pieces", "new_pieces"]


class Meetings(NamedTuple):
    """The text that spans and pieces share: number of the span, number of the piece, start and end."""

    span: Ints
    piece: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True)
class Pieces:
    """Pieces of text that no earlier result of the topic contains; they do not overlap in a document.

    ``owner`` is the result that shows a piece, ``pair`` its judged pair, -1 if the document was not judged.
    Pieces are sorted by pair and start.
    """

    owner: Ints
    pair: Ints
    start: Ints
    end: Ints

    def meet(self, pair: Ints, start: Ints, end: Ints) -> Meetings:
        """Return the intersections of pieces with spans of judged pairs; the spans may overlap each other.

        A span that only touches a piece does not intersect it.
        """
        stride = int(max(self.end.max(initial=0), end.max(initial=0))) + 1
        begin = np.searchsorted(self.pair * stride + self.end, pair * stride + start, side="right")
        stop = np.searchsorted(self.pair * stride + self.start, pair * stride + end)
        count = np.maximum(stop - begin, 0)
        span, piece = np.repeat(np.arange(len(pair)), count), concatenate_ranges(begin, count)
        return Meetings(
            span, piece, np.maximum(start[span], self.start[piece]), np.minimum(end[span], self.end[piece])
        )


def new_pieces(ranked: Ranked) -> Pieces:
    """Return the new text of a ranked run."""
    seen = ranked.seen
    whole = np.flatnonzero(~seen.contested & (ranked.end > ranked.start))
    owner = np.concatenate([seen.owner, whole])
    start = np.concatenate([seen.start, ranked.start[whole]])
    end = np.concatenate([seen.end, ranked.end[whole]])
    pair = ranked.pair[owner]
    order = np.lexsort((start, pair))
    return Pieces(owner[order], pair[order], start[order], end[order])
