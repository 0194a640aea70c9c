"""Find the places of texts that were cut from one document, in its order, as text splitters return them.

A text that occurs several times has several possible places.  A splitter goes through a document from front
to back, so the places of all texts are selected together, by dynamic programming:

1. a text does not start before the text before it, and is not contained in it;
2. the sum of the squares of the overlaps is the smallest: overlaps are small and equal, and little is left
   out between two texts;
3. of equal selections the first in the document is taken.

Each text is searched for near the text before it, and elsewhere only if it is not there.  The result depends
on the document and the texts only.  Texts that the document contains neither exactly nor folded are searched
for afterwards, near the text before them (see ``fuzzy_matching``).

A splitter that changes some texts may change all of them.  Even a text that the document contains exactly may
then have been cut from another place, where it matches only folded: exact and folded places are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from doxel.alignment.aligner import UNPLACED, AlignedSpan, find_nearest_pieces
from doxel.alignment.folding import fold
from doxel.alignment.text_index import TextIndex, find_places
from doxel.spans import Ints

__all__ = ["place_in_order"]

_MOST = 300  # places of one text that are compared; only a long text of one repeated unit has more
# Costs of a step from one text to the next, larger than any sum of squares of overlaps.
_BACKWARDS = 1e14
_CONTAINED = 1e12
_NEARBY = 1_000  # characters after the text before, besides three times the length of the text
_LONGEST_HULL = 1.5  # of the pieces of a text, as a multiple of its length

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _TextPlaces:
    """The places of one text: two parallel arrays in order, and how they were found."""

    start: Ints
    end: Ints
    how: str

    def select(self, rows: Ints) -> _TextPlaces:
        return _TextPlaces(self.start[rows], self.end[rows], self.how)


_BEGINNING = _TextPlaces(np.array([-1]), np.array([0]), "")


def place_in_order(document: str, texts: Sequence[str]) -> list[AlignedSpan]:
    """Return the span of each text in a document from which the texts were cut one after the other.

    For a text that is not found, ``how`` is ``unplaced`` and there are no offsets.

    >>> [(span.start, span.end) for span in place_in_order("to be or to be", ["to be", "or", "to be"])]
    [(0, 5), (6, 8), (9, 14)]
    """
    tiles = _tile(document, texts)
    if tiles is not None:
        return tiles
    index = TextIndex([document])
    spans = _PlaceSelection(document, index, texts).select()
    text_spans = [span for span, text in zip(spans, texts, strict=True) if text.strip()]
    if any(span is None or span.how != "exact" for span in text_spans):
        spans = _PlaceSelection(document, index, texts, are_changed=True).select()
    start, end = 0, 0
    for row, text in enumerate(texts):
        span = spans[row]
        if span is None:
            span = spans[row] = _find_damaged_text(index, text, start, end)
        start, end = (span.start, span.end) if span.document >= 0 else (start, end)
    return [span for span in spans if span is not None]


def _tile(document: str, texts: Sequence[str]) -> list[AlignedSpan] | None:
    """Return the spans of texts that follow each other with nothing but white space between them.

    No other selection omits or repeats less, so no search is needed; None if a text is elsewhere.
    """
    spans = []
    offset = 0
    for text in texts:
        start = offset
        while not document.startswith(text, start):
            if start >= len(document) or not document[start].isspace():
                return None
            start += 1
        offset = start + len(text)
        if offset == start:
            return None
        spans.append(AlignedSpan(0, start, offset, "exact", 1.0, 1.0, 1))
    return spans if not document[offset:].strip() else None


class _PlaceSelection:
    """Selects the places of texts that occur in a document, exactly or folded.

    ``_segment`` has the texts whose place is not decided yet: their rows, their candidates, and for each
    candidate the best one of the text before.  A text with one candidate decides all of them.

    With ``are_changed``, the exact and the folded places of a text are equal candidates.
    """

    def __init__(
        self, document: str, index: TextIndex, texts: Sequence[str], *, are_changed: bool = False
    ) -> None:
        self._document, self._index, self._texts = document, index, texts
        self._are_changed = are_changed
        self._folded: dict[str, _TextPlaces] = {}
        self._spans: list[AlignedSpan | None] = [None] * len(texts)
        self._segment: list[tuple[int, _TextPlaces, Ints]] = []
        self._state, self._cost = _BEGINNING, np.zeros(1)

    def select(self) -> list[AlignedSpan | None]:
        """Return the span of each text, None for a text that was not found."""
        sizes = np.array([len(text) for text in self._texts], dtype=np.int64)
        before, total = np.cumsum(sizes) - sizes, int(sizes.sum())
        border, border_offset = 0, 0  # the text after the last decided one, and the offset after that
        skipped = 0
        for row, text in enumerate(self._texts):
            share = (before[row] - before[border]) / max(total - before[border], 1)
            expected_start = border_offset + share * (len(self._document) - border_offset)
            candidates = self._list_candidates(text, int(expected_start), skipped)
            if not len(candidates.start):
                skipped += len(text)
                continue
            skipped = 0
            self._step(row, candidates)
            if len(candidates.start) == 1:
                self._decide()
                border, border_offset = row + 1, int(candidates.end[0])
        ending = _TextPlaces(np.array([len(self._document)]), np.array([len(self._document) + 1]), "")
        self._step(len(self._texts), ending)
        self._decide()
        return self._spans

    def _step(self, row: int, candidates: _TextPlaces) -> None:
        cost = self._cost[:, None] + _compute_costs(self._state, candidates)
        origin = np.argmin(cost, axis=0)  # of equal ones the first
        self._segment.append((row, candidates, origin))
        self._state, self._cost = candidates, cost[origin, np.arange(cost.shape[1])]

    def _decide(self) -> None:
        """Follow the best candidates back from the last text, which has one."""
        choice = 0
        for row, candidates, origin in reversed(self._segment):
            if row < len(self._texts):
                start, end = int(candidates.start[choice]), int(candidates.end[choice])
                self._spans[row] = AlignedSpan(0, start, end, candidates.how, 1.0, 1.0, len(candidates.start))
            choice = int(origin[choice])
        self._segment, self._cost = [], np.zeros(1)

    def _list_candidates(self, text: str, expected_start: int, skipped: int) -> _TextPlaces:
        """Return the places of a text near the text before it, or, if there are none, anywhere."""
        low = max(int(self._state.start.min()), 0)
        high = int(self._state.end.max()) + _NEARBY + skipped + 3 * len(text)
        candidates = self._find_folded(text) if self._are_changed else self._find_exact(text, low, high)
        if not len(candidates.start):
            candidates = self._find_exact(text, 0, len(self._document))
        if not len(candidates.start):
            candidates = self._find_folded(text)
        for inside in ((candidates.start >= low) & (candidates.start <= high), candidates.start >= low):
            if inside.any():
                candidates = candidates.select(np.flatnonzero(inside))
                break
        if len(candidates.start) > _MOST:
            first = int(np.searchsorted(candidates.start, expected_start)) - _MOST // 2
            first = min(max(first, 0), len(candidates.start) - _MOST)
            candidates = candidates.select(np.arange(first, first + _MOST))
        return candidates

    def _find_exact(self, text: str, low: int, high: int) -> _TextPlaces:
        starts = []
        offset = self._document.find(text, low, high) if text else -1
        while offset >= 0:
            starts.append(offset)
            offset = self._document.find(text, offset + 1, high)
        start = np.array(starts, dtype=np.int64)
        return _TextPlaces(start, start + len(text), "exact")

    def _find_folded(self, text: str) -> _TextPlaces:
        if text not in self._folded:
            places, how = find_places(self._index, text, fold(text)) if text else ([], UNPLACED)
            if how == "exact" and self._are_changed:
                starts = np.array([place.start for place in places], dtype=np.int64)
                folded_places = self._index.find_folded(text, fold(text))
                other_places = [
                    place for place in folded_places if not _is_inside(place.start, starts, len(text))
                ]
                places, how = sorted([*places, *other_places]), "folded" if other_places else how
            start = np.array([place.start for place in places], dtype=np.int64)
            end = np.array([place.end for place in places], dtype=np.int64)
            self._folded[text] = _TextPlaces(start, end, how)
        return self._folded[text]


def _is_inside(offset: int, starts: Ints, length: int) -> bool:
    """Return whether an offset is inside one of the spans of a length, given by their starts in order."""
    last = int(np.searchsorted(starts, offset, side="right")) - 1
    return last >= 0 and offset < int(starts[last]) + length


def _compute_costs(before: _TextPlaces, after: _TextPlaces) -> Floats:
    """Return the cost of each step from a place of one text (rows) to a place of the next (columns)."""
    start, end = before.start[:, None], before.end[:, None]
    cost = np.maximum(end - after.start[None, :], 0).astype(np.float64) ** 2
    cost += _CONTAINED * (after.end[None, :] <= end)
    cost += _BACKWARDS * (after.start[None, :] < start)
    return np.asarray(cost, dtype=np.float64)


def _find_damaged_text(index: TextIndex, text: str, start: int, end: int) -> AlignedSpan:
    """Return the place of a text that the document contains only with differences.

    The passage after the start of the text before it is searched first, then the whole document.
    """
    begin = max(start, end - len(text))
    nearby = TextIndex([index.passage(0, begin, end + _NEARBY + 3 * len(text))])
    span = _join_pieces(find_nearest_pieces(nearby, text, end - begin), len(text))
    if span is not None:
        return span._replace(start=span.start + begin, end=span.end + begin)
    span = _join_pieces(find_nearest_pieces(index, text, end), len(text))
    return AlignedSpan(-1, -1, -1, UNPLACED, 0.0, 0.0, 0) if span is None else span


def _join_pieces(pieces: Sequence[AlignedSpan], length: int) -> AlignedSpan | None:
    """Return one span for the pieces of a text: all of them if they are near each other, or the longest."""
    if not pieces:
        return None
    longest = max(pieces, key=lambda piece: piece.end - piece.start)
    start, end = min(piece.start for piece in pieces), max(piece.end for piece in pieces)
    if end - start > _LONGEST_HULL * length:
        return longest
    return longest._replace(
        start=start,
        end=end,
        identity=min(piece.identity for piece in pieces),
        coverage=min(sum(piece.coverage for piece in pieces), 1.0),
    )
