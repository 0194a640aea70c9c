"""Overlap of a run: ``overlap@k``.

The share of the first k results of a topic (of all results if there are fewer) that have text in common
with another of these results.  It does not measure quality: INEX reported it beside the scores, because
in 2004 it was 70 to 80 % for the best runs (source 004).

When it misleads: it does not show how much text is shared; one section and its hundred paragraphs
give 1, as do a hundred copies of one paragraph.

Neighbours: ``doxel check`` prints the same share for a whole run and lists the results that overlap.
"""

from __future__ import annotations

import numpy as np

from doxel.measures.declaration import Properties, Quantity, Scores, declare
from doxel.measures.measure_parameters import CUTOFF
from doxel.measures.rank_arithmetic import divide
from doxel.measures.text_views import OverlapRanks

__all__ = ["MEASURES", "overlap"]


def overlap(view: OverlapRanks, *, cutoff: int) -> Scores:
    """Share of the first results that overlap another of the first results.

    >>> overlap(OverlapRanks(np.array([[3.0, np.inf, 3.0]]), np.array([3.0])), cutoff=3).round(3).tolist()
    [0.667]
    """
    overlapping = (view.overlaps_from[:, :cutoff] <= cutoff).sum(axis=1).astype(float)
    return divide(overlapping, np.minimum(view.length, cutoff))


MEASURES = (
    declare(
        "overlap",
        overlap,
        view=OverlapRanks,
        at=CUTOFF,
        summary="share of the first k results that overlap another of these results",
        reference="Lalmas and Tombros: INEX 2002-2006, source 004",
        years="2004-2006",
        properties=Properties(faithful="y", overlap="n/a", thorough="y", focused="y"),
        breaks=dict.fromkeys(("touching", "repeat"), "it measures overlap, not quality"),
        terms=Quantity(
            "overlapping",
            "1 for each of the first results that overlaps another of them",
            lambda view, cutoff: (view.overlaps_from[:, :cutoff] <= cutoff).astype(np.float64),
        ),
        divisor=Quantity(
            "results", "the first results", lambda view, cutoff: np.minimum(view.length, cutoff)
        ),
    ),
)
