"""Build the views of entry points, of reading on, and of structural relevance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from doxel.documents.element_forest import find_smallest_elements
from doxel.evaluation.bounding import turns
from doxel.evaluation.gain_building import tied_levels
from doxel.evaluation.located import Located
from doxel.evaluation.ranked import Ranked
from doxel.measures.inex.structural_relevance import Isolation
from doxel.measures.user_views import EntryDistances, Readings
from doxel.spans import Floats, Ints, concatenate_ranges, sum_by_group
from doxel.usermodels.browsing_models import compute_nearness

__all__ = ["entry_distances", "isolation", "readings"]


_PAIRS_AT_ONCE = 5_000_000


def entry_distances(ranked: Ranked, *, A: float, L: float | None) -> EntryDistances:  # noqa: N803
    """Build the view of distances to best entry points."""
    assessed = ranked.assessed
    best = np.append(assessed.entry_point, -1)[ranked.pair]
    distance = np.abs(ranked.start - best).astype(np.float64)
    near = np.where(
        ranked.found & (best >= 0), compute_nearness(distance, A * ranked.bases.mean_length(L)), 0.0
    )
    return EntryDistances(nearness=ranked.matrix(near), total=assessed.entry_points.astype(float))


def readings(ranked: Ranked, *, T: float, ties: str) -> Readings:  # noqa: N803
    """Build the view of reading on from each result."""
    success = ranked.matrix(_successes(ranked, T))
    columns = np.broadcast_to(np.arange(success.shape[1]), success.shape)
    first, last = columns.copy(), columns.copy()
    first[ranked.topic, ranked.position], last[ranked.topic, ranked.position] = ranked.levels(ties)
    pair = ranked.assessed.passages[0]
    passages = sum_by_group(ranked.assessed.topic[pair], np.ones(len(pair)), len(ranked.assessed.topics))
    return Readings(success, first, last, ranked.length.astype(float), passages)


def _successes(ranked: Ranked, tolerance: float) -> Floats:
    """Mark the results from which a reader reaches an unseen highlighted passage within the tolerance."""
    pair, start, end = ranked.assessed.passages
    results = np.flatnonzero(ranked.found & (ranked.pair >= 0) & ~ranked.is_repeat)
    stride = 1 + int(max(end.max(initial=0), ranked.start.max(initial=0)))
    own, place = ranked.pair[results], ranked.start[results]
    first = np.searchsorted(pair * stride + end, own * stride + place, side="right")
    # the irrelevant characters before a passage increase from passage to passage
    idle = start - ranked.assessed.relevant_text.covered(pair, np.zeros_like(start), start)
    patience = place - ranked.assessed.relevant_text.covered(own, np.zeros_like(place), place) + tolerance
    stop = np.searchsorted(pair * stride + idle, own * stride + np.minimum(np.ceil(patience), stride - 1))
    success = np.zeros(len(ranked))
    seen = np.zeros(len(pair), dtype=bool)
    for turn in turns(ranked.group[results], np.arange(len(results))):
        count = np.maximum(stop[turn] - first[turn], 0)
        passage = concatenate_ranges(first[turn], count)
        reading = np.repeat(turn, count)
        new = np.flatnonzero(~seen[passage])
        reader, at = np.unique(reading[new], return_index=True)
        seen[passage[new[at]]] = True
        success[results[reader]] = 1.0
    return success


def isolation(ranked: Ranked, *, summary: str, ties: str, **parameters: Any) -> Isolation:
    """Build the view of structural relevance."""
    defaults = {"base": "full", "construction": "path", "tie": "ancestor"}
    levels = tied_levels(ranked, ties=ties, **defaults, **parameters)
    located = Located(ranked, ranked.bases.elements)
    result, other = _overlapping(located)
    steady = np.append(ranked.bases.steady(summary), 0.0)[_holders(located)]
    return Isolation(
        levels=levels,
        steady=ranked.matrix(steady),
        topic=ranked.topic[result],
        result=ranked.position[result],
        other=ranked.position[other],
    )


def _holders(located: Located) -> Ints:
    """Return the label of each result's element, or of the smallest element around a passage; -1 if none."""
    forest, ranked = located.base.forest, located.ranked
    row = located.row.copy()
    passages = np.flatnonzero(located.is_passage & (located.document >= 0) & (ranked.end > ranked.start))
    start, end = ranked.start[passages], ranked.end[passages]
    holder = find_smallest_elements(forest, located.document[passages], start, end)
    reaches_out = end > np.append(forest.end, 0)[holder]  # extends beyond the root
    row[passages] = np.where(reaches_out, -1, holder)
    return np.append(forest.label, -1)[row]


def _overlapping(located: Located) -> tuple[Ints, Ints]:
    """Return pairs of different results that overlap, the second at its first rank."""
    ranked, ends = located.ranked, located.base.forest.subtree_end
    pieces: list[tuple[Ints, Ints]] = []
    for result, other in _pairs_of_documents(located):
        shares = (ranked.start[result] < ranked.end[other]) & (ranked.start[other] < ranked.end[result])
        row, around = located.row[result], located.row[other]
        is_empty = (ranked.size[result] == 0) & (row >= 0)
        inside = is_empty & (around >= 0) & (around < row) & (row < ends[around])
        different = (ranked.same_as[result] != ranked.same_as[other]) & ~ranked.is_repeat[other]
        is_pair = different & np.where(is_empty, inside, shares & (ranked.size[result] > 0))
        pieces.append((result[is_pair], other[is_pair]))
    if not pieces:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([result for result, _ in pieces]), np.concatenate([other for _, other in pieces])


def _pairs_of_documents(located: Located) -> Iterator[tuple[Ints, Ints]]:
    """Yield all ordered pairs of results in the same document of the base, in blocks."""
    ranked = located.ranked
    rows = np.flatnonzero(located.document >= 0)
    rows = rows[np.argsort(ranked.group[rows], kind="stable")]
    group = ranked.group[rows]
    begin = np.searchsorted(group, group)
    count = np.searchsorted(group, group, side="right") - begin
    several = count > 1
    block = np.cumsum(np.where(several, count, 0)) // _PAIRS_AT_ONCE
    for number in np.unique(block[several]).tolist():
        members = np.flatnonzero(several & (block == number))
        yield (
            np.repeat(rows[members], count[members]),
            rows[concatenate_ranges(begin[members], count[members])],
        )
