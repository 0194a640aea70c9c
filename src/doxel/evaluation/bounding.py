"""Normalise gains: no ideal element pays more than once for itself and its relatives.

Each result is limited by the remaining capacity (room) of the ideal elements on its path.  This depends on
earlier results of the document, so results are processed in turns: the first result of every document,
then the second, and so on.
"""

from __future__ import annotations

import numpy as np

from doxel.evaluation.located import Located
from doxel.spans import Booleans, Floats, Ints, concatenate_ranges, sum_by_group

__all__ = ["bounded", "normalised", "turns"]


def normalised(located: Located, gains: Floats, gain: Floats, is_ideal: Booleans) -> Floats:
    """Return gains limited by room; a result that is on no ideal path gains nothing."""
    ideal = np.flatnonzero(is_ideal)
    return bounded(gains, located.ranked.group, gain[ideal], *_on_path(located, ideal))


def bounded(gains: Floats, group: Ints, worth: Floats, begin: Ints, stop: Ints) -> Floats:
    """Return gains limited by the remaining room of units.

    ``worth`` is the capacity of each unit; a result draws on the units from ``begin`` to ``stop``, exclusive.
    Results of different groups draw on different units.
    """
    limited = np.zeros(len(gains))
    credited = np.zeros(len(worth))
    gaining = np.flatnonzero((gains > 0) & (stop > begin))
    for results in turns(group[gaining], gaining):
        count = stop[results] - begin[results]
        owner = np.repeat(np.arange(len(results)), count)
        place = concatenate_ranges(begin[results], count)
        room = np.maximum(worth[place] - credited[place], 0.0)
        # several ideal elements are charged in document order
        credited[place] += np.clip(gains[results][owner] - _filled_before(room, count), 0.0, room)
        limited[results] = np.minimum(gains[results], sum_by_group(owner, room, len(results)))
    return limited


def _filled_before(room: Floats, count: Ints) -> Floats:
    """Return the room before each of a result's ideal elements; ``count`` is their number per result.

    The sums are taken per result: in one long sum, results of other topics would change the last bits.
    """
    filled = np.zeros(len(room))
    longest = np.argsort(-count, kind="stable")
    begin, count = (np.cumsum(count) - count)[longest], count[longest]
    for step in range(1, int(count.max(initial=0))):
        rows = (
            begin[: np.searchsorted(-count, -step)] + step
        )  # of results with more than ``step`` ideal elements
        filled[rows] = filled[rows - 1] + room[rows - 1]
    return filled


def turns(group: Ints, results: Ints) -> list[Ints]:
    """Return the first result of each document, then the second of each, and so on."""
    order = np.argsort(group, kind="stable")
    begin = np.searchsorted(group[order], group[order])
    turn = np.arange(len(order)) - begin
    by_turn = np.argsort(turn, kind="stable")
    bounds = np.cumsum(np.bincount(turn)) if len(turn) else np.zeros(0, dtype=np.int64)
    return np.split(results[order[by_turn]], bounds[:-1]) if len(bounds) else []


def _on_path(located: Located, ideal: Ints) -> tuple[Ints, Ints]:
    """Return, as a range of ``ideal``, the ideal elements that share a path with each result.

    An element shares a path with the ideal element that contains it, or with all that it contains; a passage
    with every ideal element it overlaps.
    """
    forest, row = located.base.forest, located.row
    if not len(ideal):
        return np.zeros_like(row), np.zeros_like(row)
    above = np.searchsorted(ideal, row, side="right") - 1
    is_inside = (above >= 0) & (row < forest.subtree_end[ideal[np.maximum(above, 0)]])
    begin = np.where(is_inside, above, np.searchsorted(ideal, row))
    stop = np.where(is_inside, above + 1, np.searchsorted(ideal, np.append(forest.subtree_end, 0)[row]))
    begin[row < 0], stop[row < 0] = 0, 0
    passages = np.flatnonzero((located.document >= 0) & located.is_passage)
    if len(passages):
        begin[passages], stop[passages] = _touched(located, passages, ideal)
    return begin, stop


def _touched(located: Located, passages: Ints, ideal: Ints) -> tuple[Ints, Ints]:
    forest, ranked = located.base.forest, located.ranked
    stride = int(max(forest.end.max(initial=0), ranked.end.max(initial=0))) + 1
    base = forest.document[ideal] * stride
    line = located.document[passages] * stride
    begin = np.searchsorted(base + forest.end[ideal], line + ranked.start[passages], side="right")
    return begin, np.searchsorted(base + forest.start[ideal], line + ranked.end[passages])
