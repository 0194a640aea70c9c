"""The gain of each result, given the text seen before (Kazai and Lalmas 2006), and its normalisation.

Normalisation lets no ideal element pay more than once for itself and its relatives: each result is limited
by the remaining capacity (room) of the ideal elements on its path.  This depends on earlier results of the
document, so results are processed in turns: the first result of every document, then the second, and so
on.
"""

from __future__ import annotations

import numpy as np

from doxel.evaluation.ranked_run import LocatedRun
from doxel.evaluation.views.partial_overlap import compute_values_from_children
from doxel.quantisation import Quantisation
from doxel.spans import Booleans, Floats, Ints, concatenate_ranges, sum_by_group

__all__ = [
    "bound_gains",
    "compute_gains",
    "find_rooms",
    "group_by_turn",
    "measure_room",
    "normalise_gains",
]


def compute_gains(
    located: LocatedRun,
    gain: Floats,
    quantisation: Quantisation,
    excluded: Booleans,
    *,
    alpha: float,
    partial: str,
) -> Floats:
    """Return the gain of each result before normalisation.

    ``gain`` is q of the base's elements.  An unseen result gains q, a fully seen one (1 - alpha) q, a partly
    seen one a value in between; repeats and excluded elements gain nothing.
    """
    q = located.relevance(gain, quantisation)
    if alpha == 0:
        return q
    ranked, overlap = located.ranked, located.overlap
    gains = np.where(overlap >= 1, (1 - alpha) * q, q)
    is_partly_seen = (overlap > 0) & (overlap < 1) & (located.document >= 0) & ~ranked.is_repeat
    if quantisation.is_specificity:
        new_share = np.divide(ranked.new_relevant, ranked.size, out=np.zeros(len(q)), where=ranked.size > 0)
        passages = is_partly_seen & located.is_passage
        gains[passages] = (alpha * new_share + (1 - alpha) * q)[passages]
    elements = np.flatnonzero(is_partly_seen & (located.row >= 0) & ~np.append(excluded, False)[located.row])
    if partial == "retrieved":
        _fill_from_results(located, elements, q, alpha, gains)
    elif quantisation.is_specificity and alpha == 1:
        gains[elements] = new_share[elements]  # equals the sum over the children
    else:
        gains[elements] = compute_values_from_children(
            located, elements, gain, excluded, alpha=alpha, by_share=quantisation.is_specificity
        )
    return gains


def _fill_from_results(located: LocatedRun, elements: Ints, q: Floats, alpha: float, gains: Floats) -> None:
    """Apply the literal formula of 000: add the gains of all earlier results inside, weighted by size.

    A gain depends on earlier gains in the same document, so results are processed in turns: the first result
    of every document, then the second, and so on.
    """
    ranked = located.ranked
    order = np.argsort(ranked.group, kind="stable")
    begin = np.searchsorted(ranked.group[order], ranked.group)
    place = np.empty(len(ranked), dtype=np.int64)
    place[order] = np.arange(len(ranked))
    turn = place - begin
    outer = np.repeat(elements, turn[elements])
    inner = order[concatenate_ranges(begin[elements], turn[elements])]
    is_inner = _is_inside(located, inner, outer)
    outer, inner = outer[is_inner], inner[is_inner]
    by_turn = np.argsort(turn[outer], kind="stable")
    outer, inner = outer[by_turn], inner[by_turn]
    inside = np.zeros(len(ranked))
    for number in np.unique(turn[elements]):
        pairs = slice(*np.searchsorted(turn[outer], [number, number + 1]))
        np.add.at(inside, outer[pairs], gains[inner[pairs]] * ranked.size[inner[pairs]])
        now = elements[turn[elements] == number]
        gains[now] = alpha * inside[now] / ranked.size[now] + (1 - alpha) * q[now]


def _is_inside(located: LocatedRun, inner: Ints, outer: Ints) -> Booleans:
    """Mark pairs in which one result is inside the other: elements by the tree, passages by their span."""
    ranked, ends = located.ranked, located.base.forest.subtree_end
    row, around = located.row[inner], located.row[outer]
    by_tree = (row >= around) & (row < ends[around])
    by_span = (ranked.start[inner] >= ranked.start[outer]) & (ranked.end[inner] <= ranked.end[outer])
    return np.where(row >= 0, by_tree, by_span & ranked.found[inner])


def normalise_gains(located: LocatedRun, gains: Floats, gain: Floats, is_ideal: Booleans) -> Floats:
    """Return gains limited by room; a result that is on no ideal path gains nothing."""
    return bound_gains(*_find_bounds(located, gains, gain, is_ideal))


def find_rooms(located: LocatedRun, gains: Floats, gain: Floats, is_ideal: Booleans) -> Floats:
    """Return the room that limits the gain of each result; 0 for a result that is on no ideal path."""
    return measure_room(*_find_bounds(located, gains, gain, is_ideal))


def _find_bounds(
    located: LocatedRun, gains: Floats, gain: Floats, is_ideal: Booleans
) -> tuple[Floats, Ints, Floats, Ints, Ints]:
    ideal = np.flatnonzero(is_ideal)
    return gains, located.ranked.group, gain[ideal], *_find_ideal_on_path(located, ideal)


def bound_gains(gains: Floats, group: Ints, worth: Floats, begin: Ints, stop: Ints) -> Floats:
    """Return gains limited by the remaining room of units.

    ``worth`` is the capacity of each unit; a result draws on the units from ``begin`` to ``stop``, exclusive.
    Results of different groups draw on different units.
    """
    drawing_results = np.flatnonzero((gains > 0) & (stop > begin))
    return _draw_on_units(gains, group, worth, begin, stop, drawing_results)[0]


def measure_room(gains: Floats, group: Ints, worth: Floats, begin: Ints, stop: Ints) -> Floats:
    """Return the remaining room of the units that each result draws on, with or without gain."""
    return _draw_on_units(gains, group, worth, begin, stop, np.flatnonzero(stop > begin))[1]


def _draw_on_units(
    gains: Floats, group: Ints, worth: Floats, begin: Ints, stop: Ints, drawing: Ints
) -> tuple[Floats, Floats]:
    """Return the limited gains of the drawing results, and the room of each."""
    limited, room_left = np.zeros(len(gains)), np.zeros(len(gains))
    credited = np.zeros(len(worth))
    for results in group_by_turn(group[drawing], drawing):
        count = stop[results] - begin[results]
        owner = np.repeat(np.arange(len(results)), count)
        place = concatenate_ranges(begin[results], count)
        room = np.maximum(worth[place] - credited[place], 0.0)
        # several ideal elements are charged in document order
        credited[place] += np.clip(gains[results][owner] - _sum_room_before(room, count), 0.0, room)
        room_left[results] = sum_by_group(owner, room, len(results))
        limited[results] = np.minimum(gains[results], room_left[results])
    return limited, room_left


def _sum_room_before(room: Floats, count: Ints) -> Floats:
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


def group_by_turn(group: Ints, results: Ints) -> list[Ints]:
    """Return the first result of each document, then the second of each, and so on."""
    order = np.argsort(group, kind="stable")
    begin = np.searchsorted(group[order], group[order])
    turn = np.arange(len(order)) - begin
    by_turn = np.argsort(turn, kind="stable")
    bounds = np.cumsum(np.bincount(turn)) if len(turn) else np.zeros(0, dtype=np.int64)
    return np.split(results[order[by_turn]], bounds[:-1]) if len(bounds) else []


def _find_ideal_on_path(located: LocatedRun, ideal: Ints) -> tuple[Ints, Ints]:
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
        begin[passages], stop[passages] = _find_touched(located, passages, ideal)
    return begin, stop


def _find_touched(located: LocatedRun, passages: Ints, ideal: Ints) -> tuple[Ints, Ints]:
    forest, ranked = located.base.forest, located.ranked
    stride = int(max(forest.end.max(initial=0), ranked.end.max(initial=0))) + 1
    base = forest.document[ideal] * stride
    line = located.document[passages] * stride
    begin = np.searchsorted(base + forest.end[ideal], line + ranked.start[passages], side="right")
    return begin, np.searchsorted(base + forest.start[ideal], line + ranked.end[passages])
