"""The gain of each result, given the text seen before (Kazai and Lalmas 2006)."""

from __future__ import annotations

import numpy as np

from doxel.evaluation.located import Located
from doxel.evaluation.partly import values_from_children
from doxel.quantisation import Quantisation
from doxel.spans import Booleans, Floats, Ints, concatenate_ranges

__all__ = ["raw_gains"]


def raw_gains(
    located: Located,
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
        _from_results(located, elements, q, alpha, gains)
    elif quantisation.is_specificity and alpha == 1:
        gains[elements] = new_share[elements]  # equals the sum over the children
    else:
        gains[elements] = values_from_children(
            located, elements, gain, excluded, alpha=alpha, by_share=quantisation.is_specificity
        )
    return gains


def _from_results(located: Located, elements: Ints, q: Floats, alpha: float, gains: Floats) -> None:
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


def _is_inside(located: Located, inner: Ints, outer: Ints) -> Booleans:
    """Mark pairs in which one result is inside the other: elements by the tree, passages by their span."""
    ranked, ends = located.ranked, located.base.forest.subtree_end
    row, around = located.row[inner], located.row[outer]
    by_tree = (row >= around) & (row < ends[around])
    by_span = (ranked.start[inner] >= ranked.start[outer]) & (ranked.end[inner] <= ranked.end[outer])
    return np.where(row >= 0, by_tree, by_span & ranked.found[inner])
