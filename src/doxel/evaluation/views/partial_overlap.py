"""The value of a partly seen element, computed from the current values of its children (TOIS 2006).

For each such result the elements below it are laid out as a separate tree, with the characters of each
that were seen before the result; values are then added up level by level, for all results at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from doxel.evaluation.ranked_run import LocatedRun
from doxel.spans import Booleans, Coverage, Floats, Ints, concatenate_ranges

__all__ = ["compute_values_from_children"]

_NODES_AT_ONCE = 2_000_000


def compute_values_from_children(
    located: LocatedRun, results: Ints, gain: Floats, excluded: Booleans, *, alpha: float, by_share: bool
) -> Floats:
    """Return the gain of each partly seen element.

    ``by_share``: the element's own text is worth its unseen highlighted characters (spec); otherwise q for
    each unseen character.
    """
    seen_text = _SeenBefore(located)
    values = np.empty(len(results))
    for block in _divide_results(located, results):
        nodes = _Nodes.below(located, results[block], seen_text, excluded)
        values[block] = _add_up_values(nodes, gain, alpha, by_share=by_share)
    return values


def _divide_results(located: LocatedRun, results: Ints) -> Iterator[Ints]:
    """Divide results into blocks whose elements fit into memory."""
    rows = located.row[results]
    counts = located.base.forest.subtree_end[rows] - rows
    block = np.cumsum(counts) // _NODES_AT_ONCE
    for number in np.unique(block).tolist():
        yield np.flatnonzero(block == number)


class _SeenBefore:
    """The text of a document in earlier results, and the highlighted part of it."""

    def __init__(self, located: LocatedRun) -> None:
        ranked = located.ranked
        self._ranked = ranked
        novelty = ranked.seen
        self._all = (novelty.owner, novelty.start, novelty.end)
        self._relevant = _find_highlighted(located, *self._all)

    def coverage(self, results: Ints, *, relevant: bool) -> Coverage:
        """Return the text seen before each result, grouped by its index in ``results``."""
        owner, start, end = self._relevant if relevant else self._all
        ranked = self._ranked
        stride = int(ranked.end.max(initial=0)) + 1
        group = ranked.group[owner] * stride
        begin = np.searchsorted(
            group + end, ranked.group[results] * stride + ranked.start[results], side="right"
        )
        stop = np.searchsorted(group + start, ranked.group[results] * stride + ranked.end[results])
        count = np.maximum(stop - begin, 0)
        piece = concatenate_ranges(begin, count)
        number = np.repeat(np.arange(len(results)), count)
        earlier = owner[piece] < results[number]
        piece, number = piece[earlier], number[earlier]
        return Coverage(number, start[piece], end[piece])


def _find_highlighted(located: LocatedRun, owner: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the highlighted parts of pieces of text."""
    text = located.ranked.assessed.relevant_text
    pair = located.ranked.document_pair[owner]
    stride = int(max(end.max(initial=0), text.end.max(initial=0))) + 1
    begin = np.searchsorted(text.group * stride + text.end, pair * stride + start, side="right")
    stop = np.searchsorted(text.group * stride + text.start, pair * stride + end)
    count = np.where(pair >= 0, np.maximum(stop - begin, 0), 0)
    span = concatenate_ranges(begin, count)
    piece = np.repeat(np.arange(len(owner)), count)
    return (
        owner[piece],
        np.maximum(start[piece], text.start[span]),
        np.minimum(end[piece], text.end[span]),
    )


@dataclass(frozen=True)
class _Nodes:
    """The elements below several results, tree by tree; hidden nodes count as text of an ancestor."""

    row: Ints
    root: Ints  # the index of each tree's root
    parent: Ints  # the index of each node's parent, -1 for a root
    depth: Ints
    size: Ints
    unseen: Ints
    unseen_relevant: Ints
    hidden: Booleans

    @classmethod
    def below(cls, located: LocatedRun, results: Ints, seen_text: _SeenBefore, excluded: Booleans) -> _Nodes:
        base = located.base
        rows = located.row[results]
        count = base.forest.subtree_end[rows] - rows
        row, tree = concatenate_ranges(rows, count), np.repeat(np.arange(len(results)), count)
        root = np.cumsum(count) - count
        shift = root[tree] - rows[tree]
        start, end = base.forest.start[row], base.forest.end[row]
        size = base.size[row]
        covered = seen_text.coverage(results, relevant=False).covered(tree, start, end)
        highlighted = seen_text.coverage(results, relevant=True).covered(tree, start, end)
        barriers = _count_barriers(excluded, base.tree.parent, base.tree.levels)
        is_root = np.zeros(len(row), dtype=bool)
        is_root[root] = True
        return cls(
            row=row,
            root=root,
            parent=np.where(is_root, -1, base.tree.parent[row] + shift),
            depth=base.tree.depth[row],
            size=size,
            unseen=size - covered,
            unseen_relevant=base.rsize[row] - highlighted,
            hidden=barriers[row] > barriers[rows][tree],
        )


def _count_barriers(excluded: Booleans, parent: Ints, levels: list[Ints]) -> Ints:
    """Return the number of excluded elements on each element's path, including itself."""
    count = excluded.astype(np.int64)
    if excluded.any():
        for rows in levels[1:]:
            count[rows] += count[parent[rows]]
    return count


def _add_up_values(nodes: _Nodes, gain: Floats, alpha: float, *, by_share: bool) -> Floats:
    """Add up values from the leaves to the roots; return the roots' values divided by their size."""
    q = gain[nodes.row]
    whole = q * nodes.size
    value = np.where(nodes.unseen == 0, (1 - alpha) * whole, whole)
    own = nodes.unseen_relevant if by_share else nodes.unseen
    visible = np.flatnonzero(~nodes.hidden & (nodes.parent >= 0))
    own = own.copy()
    np.subtract.at(own, nodes.parent[visible], (nodes.unseen_relevant if by_share else nodes.unseen)[visible])
    own_value = own if by_share else q * own
    is_partly = (nodes.unseen > 0) & (nodes.unseen < nodes.size) & ~nodes.hidden
    from_children = np.zeros(len(q))
    levels = nodes.depth[visible]
    for depth in np.unique(nodes.depth)[::-1]:
        rows = np.flatnonzero(is_partly & (nodes.depth == depth))
        value[rows] = alpha * (from_children[rows] + own_value[rows]) + (1 - alpha) * whole[rows]
        children = visible[levels == depth]
        np.add.at(from_children, nodes.parent[children], value[children])
    return value[nodes.root] / nodes.size[nodes.root]
