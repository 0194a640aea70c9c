"""Gains from bare spans: chunks against gold spans, if there are no elements.

The ideal units are the gold spans, merged if they overlap; each is worth 1.  A chunk gains the share of
its characters that is relevant and new, limited by the remaining capacity of the gold spans it overlaps.
"""

from __future__ import annotations

import numpy as np

from doxel.evaluation.bounding import bounded
from doxel.evaluation.ranked import Ranked
from doxel.measures.gain_views import GainVectors
from doxel.measures.rank_arithmetic import divide, mark_gains
from doxel.spans import sum_by_group

__all__ = ["bare_gains"]


def bare_gains(ranked: Ranked) -> GainVectors:
    """Build the gain vectors of a list of chunks; every task is treated as Focused."""
    assessed = ranked.assessed
    pair, start, end = assessed.passages
    gains = divide(ranked.new_relevant.astype(float), ranked.size.astype(float))
    stride = int(max(end.max(initial=0), ranked.end.max(initial=0))) + 1
    line = ranked.pair * stride
    begin = np.searchsorted(pair * stride + end, line + ranked.start, side="right")
    stop = np.searchsorted(pair * stride + start, line + ranked.end)
    matrix = ranked.matrix(bounded(gains, ranked.group, np.ones(len(pair)), begin, stop))
    units = sum_by_group(assessed.topic[pair], np.ones(len(pair)), len(assessed.topics))
    ideal = (np.arange(int(units.max(initial=0))) < units[:, None]).astype(float)
    return GainVectors(gains=matrix, ideal=ideal, divisor=np.maximum(units, mark_gains(matrix).sum(axis=1)))
