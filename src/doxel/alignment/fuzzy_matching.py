"""Find damaged texts and texts joined from pieces, in folded form.

Short sequences of a text that also occur in the documents vote for diagonals: the difference of both
indexes, which is about the same for all sequences of one copy.  The best diagonals are extended from
their longest common run to both sides, until edits cost more than the matches gain; a foreign beginning
or end falls off.  The rest of the text is searched for in the same way.

A short text with many errors may share no such sequence with its source, or only one that is frequent
elsewhere.  If nothing was found, or only a part of a short text, it is searched for again by shorter
sequences, and the better result counts.  An ideograph carries more information than a letter: in Chinese and
Japanese these sequences are shorter still.

Foreign texts share short sequences by chance: a piece must score higher than they do.  Borders are the
places where lines and sentences begin and end.  Foreign texts rarely share a whole sentence: a piece from
border to border, in the text and in the document, may be short.

Of several places that are about equally good in folded form, the one that reads most like the text counts.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from doxel.alignment.folding import encode_text
from doxel.alignment.text_index import EAST_ASIAN_GRAM, GRAM, SHORT_GRAM, TextIndex, hash_grams
from doxel.spans import Ints

__all__ = ["Piece", "compare_readings", "find_pieces"]

LEAST_IDENTITY = 0.70
LEAST_MATCHED = 40  # characters of a piece; for short texts, and at the declared offset, fewer are enough
LEAST_SHARE = 0.60
_MOST_BORDERS, _ALL_BORDERS = 3, 4  # of a sentence: two in the text, two in the document
_LEAST_LINE = 6.0  # score of a text that is a line or sentence of a document
_SENTENCE = 32  # characters from one border to the next, for estimates of chance
_SHORT_TEXT = 100  # characters of a text that is searched again if only a part was found
_WHOLE = 0.9  # of a text: more than a part
_CHANCE_SCORE = 0.6  # by which the score of foreign texts grows if the text or the documents double
_MOST_COPIES = 64  # more frequent sequences reveal little about the place
_SEEDS = 256  # sequences of a text that are looked up
_LIKELY = 0.8  # of the most votes: enough for a place near the declared offset
_CHANCE_EDITS = 2  # by which a place elsewhere may be better than the one near the declared offset
_EDIT_COST = 1.5
_DROP = 25.0  # extension stops when the score is this far below its best
_LONGEST_WORD = 16  # characters before the end of a text that were left out or replaced
_LEAST_END, _LONGEST_END = 2, 40  # characters of such an end
_LONGEST_CHANCE = 2  # characters of an end that may be equal by chance, unless it is at a border
_CHANCE_END = 6  # characters beyond a border of text and document that may be equal by chance
_LONGEST_GAP = 40  # characters between two runs of a piece that were left out, put in or replaced
_GAP_EDITS = 6  # the most that adjacent omitted characters count for
_END_LOSS = 5.0  # of the score that a damaged end of a damaged text may cost
_FIRST_EAST_ASIAN = 0x2E80  # of the code points from CJK radicals on
_BLOCK = 512  # characters that are aligned at once
_TRUSTED = 384  # of them, because the end of a block is aligned without the text after it


class _SeedKind(NamedTuple):
    """The characters of a sequence, the width of a cell of diagonals (in bits), and the cells compared.

    ``letters`` is the number of letters that a character is worth.
    """

    size: int
    cell_bits: int
    candidates: int
    letters: float = 1.0


_LONG_SEEDS, _SHORT_SEEDS = _SeedKind(GRAM, 6, 3), _SeedKind(SHORT_GRAM, 4, 32)
_EAST_ASIAN_SEEDS = _SeedKind(EAST_ASIAN_GRAM, 4, 8, letters=1.5)


@dataclass(frozen=True)
class Piece:
    """A part of a folded text, ``first`` to ``last``, and its place in the folded documents.

    ``places`` is the number of places of the documents that were compared and are as good as this one.
    """

    first: int
    last: int
    start: int
    end: int
    edits: int
    places: int = 1

    @property
    def matched(self) -> int:
        """The number of characters of the text."""
        return self.last - self.first

    @property
    def identity(self) -> float:
        """One minus the number of edits per character."""
        return 1 - self.edits / self.matched

    @property
    def score(self) -> float:
        """The equal characters less the cost of the edits."""
        # characters of the document that the text leaves out are edits, but no character of the text differs
        left_out = min(max(self.end - self.start - self.matched, 0), self.edits)
        return self.matched + left_out - (1 + _EDIT_COST) * self.edits


class _Query(NamedTuple):
    """A folded text, and the preferences among its places (see ``find_pieces``)."""

    text: str
    near: int
    borders: list[int]
    rate: Callable[[Piece], float]

    def find_border_before(self, index: int) -> int:
        """Return the nearest border at or before an index."""
        return self.borders[bisect_right(self.borders, index) - 1]

    def find_border_after(self, index: int) -> int:
        """Return the nearest border at or after an index."""
        return self.borders[bisect_left(self.borders, index)]


def find_pieces(
    text: str,
    index: TextIndex,
    near: int = -1,
    borders: Collection[int] = frozenset(),
    rate: Callable[[Piece], float] = lambda piece: piece.score,
) -> list[Piece]:
    """Return the pieces of a folded text that occur in the documents, in the order of the text.

    Of about equally good places the nearest to ``near`` is taken, an index in the folded documents, or else
    that with the highest ``rate``, or the first.  ``borders`` are the indexes in the text where lines and
    sentences begin and end: a short piece counts if it is a line or sentence of text and document.

    >>> index = TextIndex(["It was the best of times, it was the worst of times."])
    >>> [piece.start for piece in find_pieces("chapteroneitwasthebezzofxtimes", index)]
    [0]
    """
    query = _Query(text, near, sorted({0, len(text), *borders}), rate)
    pieces = _find_by_seeds(query, index, _LONG_SEEDS)
    covered = sum(piece.matched for piece in pieces)
    if pieces and (len(text) > _SHORT_TEXT or covered >= _WHOLE * len(text)):
        return pieces
    fallback = _find_by_seeds(query, index, _EAST_ASIAN_SEEDS if _is_east_asian(text) else _SHORT_SEEDS)
    return max(pieces, fallback, key=lambda pieces: sum(_weigh(piece, text) for piece in pieces))


def _is_east_asian(text: str) -> bool:
    """Return whether most characters of a folded text are ideographs or kana; Hangul is folded to letters."""
    return int(np.count_nonzero(encode_text(text) >= _FIRST_EAST_ASIAN)) > len(text) // 2


def _find_by_seeds(query: _Query, index: TextIndex, kind: _SeedKind) -> list[Piece]:
    """Return the pieces of a folded text, searched by one kind of sequences."""
    text = query.text
    hashes = hash_grams(text, kind.size)
    stride = max(1, len(hashes) // _SEEDS)
    rows, indexes = index.find_grams(hashes[::stride], _MOST_COPIES, kind.size)
    seeds = _Seeds(rows * stride, indexes, stride, kind)
    pieces: list[Piece] = []
    remaining = [(0, len(text))]
    while remaining:
        first, last = remaining.pop()
        if last - first < kind.size:
            continue
        candidates = _list_candidates(query, index, seeds.select_within(first, last), first, last)
        accepted = [piece for piece in candidates if _is_accepted(piece, query, index, kind)]
        if accepted:
            piece = _choose_best(query, index, accepted)
            pieces.append(piece)
            query = query._replace(borders=sorted({*query.borders, piece.first, piece.last}))
            remaining += [(first, piece.first), (piece.last, last)]
    return sorted(pieces, key=lambda piece: piece.first)


def _is_accepted(piece: Piece, query: _Query, index: TextIndex, kind: _SeedKind) -> bool:
    """Return whether a piece is similar and long enough, or a sentence, and better than chance."""
    text = query.text
    if piece.identity < LEAST_IDENTITY:
        return False
    is_near = query.near >= 0 and abs(piece.start - query.near) < GRAM
    if kind is _LONG_SEEDS and (is_near or piece.matched >= LEAST_MATCHED):
        return True
    borders = _count_borders(piece, query, index)
    is_quoted = piece.first in query.borders and piece.last in query.borders and not piece.edits
    is_long = is_near or piece.matched >= min(LEAST_MATCHED, LEAST_SHARE * len(text))
    if not (is_long or is_quoted or borders >= _MOST_BORDERS):
        return False
    letters = _EAST_ASIAN_SEEDS.letters if _is_east_asian(text[piece.first : piece.last]) else 1.0
    is_line = borders == _ALL_BORDERS
    return letters * piece.score >= _compute_least_score(piece, text, index, is_line=is_line)


def _count_borders(piece: Piece, query: _Query, index: TextIndex) -> int:
    """Return how many ends of a piece, in the text and in the document, are ends of a line or sentence."""
    in_text = (piece.first in query.borders) + (piece.last in query.borders)
    return in_text + index.is_border(piece.start) + index.is_border(piece.end)


def _compute_least_score(piece: Piece, text: str, index: TextIndex, *, is_line: bool) -> float:
    """Return the score that a piece needs: more than foreign texts get by chance."""
    is_whole = piece.matched == len(text)
    if is_line:  # one of the lines and sentences of the text
        return _LEAST_LINE + (0 if is_whole else _CHANCE_SCORE * math.log2(1 + len(text) / _SENTENCE))
    # a whole text may be at any place of the documents; a part of a text also begins anywhere in the text
    begins = 1 if is_whole else len(text)
    return max(GRAM, _CHANCE_SCORE * math.log2(begins * len(index.folded.text)))


def _weigh(piece: Piece, text: str) -> float:
    """Return the score of a piece, less the advantage of a part, which may begin anywhere in the text."""
    return piece.score - (_CHANCE_SCORE * math.log2(len(text)) if piece.matched < len(text) else 0.0)


@dataclass(frozen=True)
class _Seeds:
    """Sequences that a text and the documents share: an index in the text, an index in the documents."""

    row: Ints
    index: Ints
    stride: int
    kind: _SeedKind

    def select_within(self, first: int, last: int) -> _Seeds:
        """Return the seeds inside a part of the text."""
        if first == 0 and not len(self.row):
            return self
        inside = (self.row >= first) & (self.row + self.kind.size <= last)
        return _Seeds(self.row[inside], self.index[inside], self.stride, self.kind)

    def list_candidates(self, near: int) -> list[tuple[int, int, int]]:
        """Return the longest run on each of the best diagonals: index in the text, in the documents, size."""
        diagonal, bits = self.index - self.row, self.kind.cell_bits
        cells, number, votes = np.unique(diagonal >> bits, return_inverse=True, return_counts=True)
        if not len(cells):
            return []
        pair_votes = votes.copy()  # a copy may lie across the border of two cells
        is_neighbour = np.diff(cells) == 1
        pair_votes[:-1] += votes[1:] * is_neighbour
        distance = np.abs((cells << bits) - near) if near >= 0 else np.zeros(len(cells), dtype=np.int64)
        order = np.lexsort((cells, distance, -pair_votes))
        most_votes = pair_votes[order[0]]
        if near >= 0:  # first the nearest of those with many votes, whose number also depends on chance
            likely = order[pair_votes[order] >= _LIKELY * most_votes]
            nearest = likely[np.argmin(distance[likely])]
            order = np.concatenate([[nearest], order[order != nearest]])
        enough = self.kind.candidates
        runs: list[tuple[int, int, int]] = []
        used_cells: set[int] = set()
        for cell in order[: 3 * enough].tolist():
            if len(runs) == enough:
                break
            key = int(cells[cell])
            if pair_votes[cell] * enough < most_votes:
                break  # most of its votes are chance
            if used_cells & {key - 1, key, key + 1}:
                continue
            used_cells.add(key)
            members = number == cell
            if cell < len(is_neighbour) and is_neighbour[cell]:
                members |= number == cell + 1
            runs.append(self._find_longest_run(np.flatnonzero(members), diagonal))
        return runs

    def _find_longest_run(self, members: Ints, diagonal: Ints) -> tuple[int, int, int]:
        order = members[np.lexsort((self.row[members], diagonal[members]))]
        row, on = self.row[order], diagonal[order]
        is_sparse = self.stride > self.kind.size  # the text between two seeds is not compared
        breaks = np.flatnonzero((np.diff(on) != 0) | ((np.diff(row) > self.stride) & (not is_sparse))) + 1
        begins = np.concatenate([[0], breaks])
        ends = np.append(breaks, len(order))
        longest = int(np.argmax(ends - begins))
        first, last = int(row[begins[longest]]), int(row[begins[longest] if is_sparse else ends[longest] - 1])
        return first, first + int(on[begins[longest]]), last - first + self.kind.size


def _list_candidates(query: _Query, index: TextIndex, seeds: _Seeds, first: int, last: int) -> list[Piece]:
    """Return the pieces of a part of the text on the best diagonals."""
    text = query.text
    pieces: list[Piece] = []
    for row, start, size in seeds.list_candidates(query.near):
        if text[row : row + size] != index.folded.text[start : start + size]:
            continue  # equal hashes of different sequences
        piece = _cut_chance_letters(_extend(query, index, (first, last), (row, start, size)), query, index)
        piece = _add_lost_letters(piece, query, index)
        if not any(_overlap(piece, other) for other in pieces):
            pieces.append(piece)
    return pieces


def _choose_best(query: _Query, index: TextIndex, pieces: Sequence[Piece]) -> Piece:
    """Return the best of some pieces, at the best of its places."""
    text, near = query.text, query.near
    weights = [_weigh(piece, text) for piece in pieces]
    worst = max(weights) - _CHANCE_EDITS * (1 + _EDIT_COST if near >= 0 else 1)
    copies: list[Piece] = []
    for piece, weight in zip(pieces, weights, strict=True):
        if weight >= worst and not any(_overlap(piece, copy) for copy in copies):
            size = piece.end - piece.start
            starts = index.find_copies(piece.start, piece.end)
            copies += [replace(piece, start=start, end=start + size) for start in starts]
    if near >= 0:
        nearest = min(copies, key=lambda piece: abs(piece.start - near))
        return replace(nearest, places=len(copies))
    if len(copies) > 1:
        ratings = [query.rate(copy) for copy in copies]
        highest = max(ratings)
        copies = [copy for copy, rating in zip(copies, ratings, strict=True) if rating == highest]
    return replace(min(copies, key=lambda piece: piece.start), places=len(copies))


def _cut_chance_letters(piece: Piece, query: _Query, index: TextIndex) -> Piece:
    """Return a piece without the letters beyond a border that text and document share by chance."""
    size = query.find_border_after(piece.first) - piece.first
    cut, target_cut = _find_cut(piece, size, lambda size: index.is_border(piece.start + size))
    piece = replace(piece, first=piece.first + cut, start=piece.start + target_cut)
    size = piece.last - query.find_border_before(piece.last)
    cut, target_cut = _find_cut(piece, size, lambda size: index.is_border(piece.end - size))
    return replace(piece, last=piece.last - cut, end=piece.end - target_cut)


def _find_cut(piece: Piece, size: int, is_border: Callable[[int], bool]) -> tuple[int, int]:
    """Return how many letters to cut from an end of a piece, in the text and in the document.

    One or two beyond a border of either are cut, and up to six beyond a border of both.  ``size`` is the
    number of letters beyond the border in the text; ``is_border`` recognises the borders of the document.
    """
    if not size or is_border(0):
        return 0, 0
    longest = min(_CHANCE_END, piece.matched // 3)
    for shift in range(1, min(_CHANCE_EDITS, longest) + 1):
        if size == shift or is_border(shift):
            return shift, shift
    if size <= longest:
        largest_slip = min(_CHANCE_EDITS, piece.edits)
        for slip in sorted(range(-largest_slip, largest_slip + 1), key=abs):
            if is_border(size + slip):
                return size, size + slip
    return 0, 0


def _add_lost_letters(piece: Piece, query: _Query, index: TextIndex) -> Piece:
    """Extend a piece by one or two letters to borders of the document, if it ends at borders of the text."""
    shifts = range(_CHANCE_EDITS + 1)
    before = after = 0
    if piece.first in query.borders:
        before = next((shift for shift in shifts if index.is_border(piece.start - shift)), 0)
    if piece.last in query.borders:
        after = next((shift for shift in shifts if index.is_border(piece.end + shift)), 0)
    return replace(
        piece, start=piece.start - before, end=piece.end + after, edits=piece.edits + before + after
    )


def compare_readings(text: str, source: str) -> float:
    """Return the score of two passages as they are, with case and punctuation; all white space is alike.

    >>> compare_readings("The lid.", "The lid."), compare_readings("The lid.", "the lid")
    (8.0, 3.0)
    """
    text, source = " ".join(text.split()), " ".join(source.split())
    return len(text) - (1 + _EDIT_COST) * Levenshtein.distance(text, source)


def _overlap(piece: Piece, other: Piece) -> bool:
    return piece.start < other.end and other.start < piece.end


def _extend(query: _Query, index: TextIndex, part: tuple[int, int], run: tuple[int, int, int]) -> Piece:
    """Extend a common run to both sides, within a part of the text and within one document."""
    text = query.text
    row, start, size = run
    begin, end = index.folded_range(index.document_of(start))
    target = index.folded.text
    after, before = (2 * size + _LONGEST_WORD for size in (part[1] - row, row - part[0]))
    sides = (
        (text[part[0] : row][::-1], target[max(begin, start - before) : start][::-1]),
        (text[row + size : part[1]], target[start + size : min(end, start + size + after)]),
    )
    followed = [_follow(*side) for side in sides]
    bridged = [_bridge_gaps(*side, state) for side, state in zip(sides, followed, strict=True)]
    are_borders = (lambda at: index.is_border(start - at), lambda at: index.is_border(start + size + at))
    inside = [border for border in query.borders if part[0] <= border <= part[1]]
    limits = [  # the borders of the text, where damaged lines and sentences end
        [*(row - border for border in reversed(inside) if border <= row), row - part[0]],
        [*(border - row - size for border in inside if border >= row + size), part[1] - row - size],
    ]
    if size + bridged[0][0] + bridged[1][0] < LEAST_MATCHED:  # only the first, as borders are its evidence
        limits = [
            [end for end in ends if end >= state[0]][:1] for ends, state in zip(limits, bridged, strict=True)
        ]
    reached = [
        _reach_ends(*side, state, ends, is_border)
        for side, ends, state, is_border in zip(sides, limits, bridged, are_borders, strict=True)
    ]
    for left, right in (reached, bridged, followed):  # the added parts may cost too much
        piece = Piece(
            row - left[0], row + size + right[0], start - left[1], start + size + right[1], left[2] + right[2]
        )
        if piece.identity >= LEAST_IDENTITY:
            break
    return piece


def _follow(text: str, target: str) -> tuple[int, int, int]:
    """Return how far two texts agree from their beginning: characters of each, and edits between them."""
    reached = _MatchState(0, 0, 0, 0.0)
    while True:
        block = text[reached.at : reached.at + _BLOCK]
        # blocks of equal length: any surplus would be spread over the block as deletions
        target_block = target[reached.at_target : reached.at_target + len(block)]
        is_last = reached.at + len(block) == len(text)
        current, best = _follow_block(block, target_block, len(block) if is_last else _TRUSTED, reached)
        is_lost = current.score < best.score - _DROP
        if (is_lost or is_last) and best == reached:
            break
        reached = best if is_lost or is_last else current
        if is_lost:
            break
    return _extend_equal(text, target, best.at, best.at_target, best.edits)


class _MatchState(NamedTuple):
    """How far two texts have been followed, the edits so far, and the score."""

    at: int
    at_target: int
    edits: int
    score: float


def _follow_block(block: str, target: str, limit: int, start: _MatchState) -> tuple[_MatchState, _MatchState]:
    """Follow two blocks up to a limit, or until they differ too much; return the state there and the best."""
    at, at_target, edits, score = start
    best = start
    for step in Levenshtein.opcodes(block, target):
        if step.tag == "equal":
            size = min(step.src_end, limit) - step.src_start
            at, at_target = start.at + step.src_start + size, start.at_target + step.dest_start + size
            score += size
            if score > best.score:
                best = _MatchState(at, at_target, edits, score)
        else:
            changes = max(step.src_end - step.src_start, step.dest_end - step.dest_start)
            if step.tag == "insert":  # left out
                changes = min(changes, _GAP_EDITS)
            at, at_target = start.at + step.src_end, start.at_target + step.dest_end
            edits, score = edits + changes, score - _EDIT_COST * changes
        if score < best.score - _DROP or at - start.at >= limit:
            break
    return _MatchState(at, at_target, edits, score), best


def _extend_equal(text: str, target: str, at: int, at_target: int, edits: int) -> tuple[int, int, int]:
    """Add equal characters that the alignment paired with later ones."""
    while at < len(text) and at_target < len(target) and text[at] == target[at_target]:
        at, at_target = at + 1, at_target + 1
    return at, at_target, edits


def _bridge_gaps(text: str, target: str, state: tuple[int, int, int]) -> tuple[int, int, int]:
    """Continue beyond words that only one of two texts has, if they agree again soon after."""
    while (beyond := _bridge_gap(text, target, state)) is not None:
        state = beyond
    return state


def _bridge_gap(text: str, target: str, state: tuple[int, int, int]) -> tuple[int, int, int] | None:
    """Continue beyond one gap, or return None.

    The texts agree again if they share a short sequence, and score enough from there on.
    """
    at, at_target, edits = state
    reach = _LONGEST_GAP + SHORT_GRAM
    passage, target_passage = text[at : at + reach], target[at_target : at_target + reach]
    places: dict[str, int] = {}
    for place in range(len(target_passage) - SHORT_GRAM + 1):
        places.setdefault(target_passage[place : place + SHORT_GRAM], place)
    for gap in range(len(passage) - SHORT_GRAM + 1):
        target_gap = places.get(passage[gap : gap + SHORT_GRAM])
        if target_gap is None:
            continue
        size, target_size, changes = _follow(text[at + gap :], target[at_target + target_gap :])
        minimum = _LEAST_LINE if at + gap + size == len(text) else GRAM
        minimum += _CHANCE_SCORE * math.log2((1 + gap) * (1 + target_gap))
        if max(size, target_size) - (1 + _EDIT_COST) * changes >= minimum:
            changes += Levenshtein.distance(passage[:gap], target_passage[:target_gap])
            changes -= max(target_gap - gap - _GAP_EDITS, 0)
            return at + gap + size, at_target + target_gap + target_size, edits + changes
    return None


def _reach_ends(
    text: str,
    target: str,
    state: tuple[int, int, int],
    limits: Sequence[int],
    is_border: Callable[[int], bool],
) -> tuple[int, int, int]:
    """Add ends of lines and sentences one by one, until one does not belong to the piece."""
    for limit in limits:
        if limit > state[0]:
            reached = _reach_end(text[:limit], target, state, is_border)
            if reached == state:
                break
            state = reached
    return state


def _reach_end(
    text: str, target: str, state: tuple[int, int, int], is_border: Callable[[int], bool]
) -> tuple[int, int, int]:
    """Add the end of a text if only a word before it was omitted or replaced, or if the end is damaged.

    ``is_border`` recognises the borders of the document: an end that reaches one needs less evidence.
    """
    at, at_target, edits = state
    tail = text[at : at + _LONGEST_END + 1]
    if not 0 < len(tail) <= _LONGEST_END:
        return state
    for size in range(len(tail), max(_LEAST_END, len(tail) // 2) - 1, -1):
        start = target.find(tail[-size:], at_target, at_target + _LONGEST_WORD + len(tail))
        if start >= 0 and (size > _LONGEST_CHANCE or is_border(start + size)):
            skipped = max(len(tail) - size, start - at_target)
            return len(text), start + size, edits + skipped
    if len(tail) <= _LONGEST_WORD:
        ends = [target[at_target : at_target + size] for size in range(len(tail) + _CHANCE_EDITS + 1)]
        distances = [Levenshtein.distance(tail, end) for end in ends]
        changes = min(distances)
        if len(tail) - (1 + _EDIT_COST) * changes < -_END_LOSS:
            return state
        nearest = [end for end, distance in zip(ends, distances, strict=True) if distance == changes]
        bounded = [end for end in nearest if is_border(at_target + len(end))]
        if edits or _is_similar(tail, changes) or (bounded and changes <= _CHANCE_EDITS):
            end = min(bounded or nearest, key=lambda end: (end[-1:] != tail[-1], abs(len(end) - len(tail))))
            return len(text), at_target + len(end), edits + changes
    return state


def _is_similar(end: str, changes: int) -> bool:
    """Return whether an end is similar enough to be damaged, not foreign like a number in front."""
    equal = len(end) - changes
    return equal > changes or (equal > 0 and ord(end[-1]) >= _FIRST_EAST_ASIAN)  # rarely equal by chance
