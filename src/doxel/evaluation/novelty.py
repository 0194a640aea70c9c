"""Find the text of each result that no earlier result contains.

Results that share text are cut at all their borders into pieces; each piece belongs to the first result
that covers it.  Most documents have no shared text and skip this step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxel.spans import Booleans, Ints, concatenate_ranges, sort_with_rows

__all__ = ["Novelty", "SharedText", "find_new_text", "find_shared_text"]

_PAIRS_AT_ONCE = 5_000_000


@dataclass(frozen=True)
class Novelty:
    """The new characters of each result and, for results that share text, the pieces and their owners.

    ``contested`` marks the results of documents in which any two results share text; only these results have
    pieces (``owner``, ``start``, ``end``).  ``next_owner`` is the second result that covers a piece, -1 if
    there is none.
    """

    new_size: Ints
    contested: Booleans
    owner: Ints
    next_owner: Ints
    start: Ints
    end: Ints

    @property
    def is_all_new(self) -> bool:
        """Whether no two results share text."""
        return not self.contested.any()


def find_new_text(group: Ints, start: Ints, end: Ints, contested: Booleans) -> Novelty:
    """Find the new text of each result; results of a group are in reading order.

    ``contested`` marks the results of groups in which any two results share text.

    >>> find_new_text(
    ...     np.array([0, 0, 1]), np.array([0, 5, 0]), np.array([10, 15, 10]), np.array([True, True, False])
    ... ).new_size.tolist()
    [10, 5, 10]
    """
    rows = np.flatnonzero(contested & (end > start))
    stride = int(end.max(initial=0)) + 1
    line_start, line_end = group[rows] * stride + start[rows], group[rows] * stride + end[rows]
    borders = np.sort(np.concatenate([line_start, line_end]))
    borders = borders[np.append(True, borders[1:] != borders[:-1])[: len(borders)]]
    first, last = np.searchsorted(borders, line_start), np.searchsorted(borders, line_end)
    owner, next_owner = _find_owners(rows, first, last, len(borders))
    covered = np.flatnonzero(owner >= 0)
    new_size = end - start
    new_size[contested] = 0
    piece_size = borders[np.minimum(covered + 1, len(borders) - 1)] - borders[covered]
    np.add.at(new_size, owner[covered], piece_size)
    base = group[owner[covered]] * stride
    return Novelty(
        new_size=new_size,
        contested=contested,
        owner=owner[covered],
        next_owner=next_owner[covered],
        start=borders[covered] - base,
        end=borders[covered] + piece_size - base,
    )


@dataclass(frozen=True)
class SharedText:
    """The results that may share text with others of their group, and how much text each group has.

    ``contested`` is that of :class:`Novelty`.  ``distinct_size`` is the number of characters of each result
    that no result with an earlier start contains: added up over a group, the size of its text.
    """

    contested: Booleans
    distinct_size: Ints


def find_shared_text(group: Ints, start: Ints, end: Ints) -> SharedText:
    """Find the groups in which two results share a character.

    >>> shared = find_shared_text(np.array([0, 0, 1]), np.array([5, 0, 0]), np.array([15, 10, 10]))
    >>> shared.contested.tolist(), shared.distinct_size.tolist()
    ([True, True, False], [5, 10, 10])
    """
    distinct_size = end - start
    has_others = np.bincount(group) > 1
    rows = np.flatnonzero(has_others[group] & (end > start))
    base = group[rows] * (int(end.max(initial=0)) + 1)
    line_start, order = sort_with_rows(base + start[rows])
    base += end[rows]
    reached = np.maximum.accumulate(base[order])
    shares = np.flatnonzero(line_start[1:] < reached[:-1]) + 1
    if not len(shares):
        return SharedText(np.zeros(len(group), dtype=bool), distinct_size)
    sharing = rows[order[shares]]
    distinct_size[sharing] = reached[shares] - reached[shares - 1]
    marked = np.zeros(len(has_others), dtype=bool)
    marked[group[sharing]] = True
    return SharedText(marked[group], distinct_size)


def _find_owners(rows: Ints, first: Ints, last: Ints, pieces: int) -> tuple[Ints, Ints]:
    """Return the first and the second result that cover each piece, -1 for none.

    Results are painted from last to first, so that the first result ends on top; the result it paints over
    is the second owner.
    """
    owner = np.full(pieces, -1, dtype=np.int64)
    next_owner = np.full(pieces, -1, dtype=np.int64)
    counts = (last - first)[::-1]
    blocks = np.cumsum(counts) // _PAIRS_AT_ONCE
    for block in np.unique(blocks).tolist():
        members = np.flatnonzero(blocks == block)
        backwards = len(rows) - 1 - members
        piece = concatenate_ranges(first[backwards], counts[members])
        result = np.repeat(rows[backwards], counts[members])
        _paint(owner, next_owner, piece, result)
    return owner, next_owner


def _paint(owner: Ints, next_owner: Ints, piece: Ints, result: Ints) -> None:
    """Paint pieces with results, which are given from last to first."""
    order = np.argsort(piece, kind="stable")
    piece, result = piece[order], result[order]  # by piece, then from last to first result
    top = np.append(piece[1:] != piece[:-1], True)  # the earliest result of each piece
    has_below = np.append(False, piece[1:] == piece[:-1])
    below = np.where(has_below, np.roll(result, 1), owner[piece])
    next_owner[piece[top]] = below[top]
    owner[piece[top]] = result[top]
