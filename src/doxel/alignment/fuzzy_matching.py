"""Find damaged texts and texts joined from pieces, in folded form.

Short sequences of a text that also occur in the documents vote for diagonals: the difference of both
indexes, which is about the same for all sequences of one copy.  The best diagonals are extended from
their longest common run to both sides, until edits cost more than the matches gain; a foreign beginning
or end falls off.  What is left of the text is searched again.

A short text with many errors may share no such sequence with its source, or only one that is frequent
elsewhere.  If nothing was found, or only a part of a short text, it is searched again by shorter sequences,
and the better result counts.  Foreign texts share these by chance: a piece must score higher than they do.
An ideograph says more than a letter: in Chinese and Japanese these sequences are shorter still.

Of several places that are about equally good in folded form, the one that reads most like the text counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
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
_LEAST_SENTENCE = 20  # characters of a whole line or sentence among others
_SHORT_TEXT = 100  # characters of a text that is searched again if only a part was found
_WHOLE = 0.9  # of a text: more than a part
_CHANCE_SCORE = 0.6  # by which the score of foreign texts grows if the text or the documents double
_MOST_COPIES = 64  # more frequent sequences say little about the place
_SEEDS = 256  # sequences of a text that are looked up
_LIKELY = 0.8  # of the most votes: enough for a place near the declared offset
_CHANCE_EDITS = 2  # by which a place elsewhere may be better than the one near the declared offset
_EDIT_COST = 1.5
_DROP = 25.0  # extension stops when the score is this far below its best
_LONGEST_WORD = 16  # characters before the end of a text that were left out or replaced
_LEAST_END, _LONGEST_END = 4, 40  # characters of such an end
_END_LOSS = 5.0  # of the score that a damaged end of a damaged text may cost
_FIRST_EAST_ASIAN = 0x2E80  # of the code points from CJK radicals on
_BLOCK = 512  # characters that are aligned at once
_TRUSTED = 384  # of them, as the end of a block is aligned without knowing what follows


class _SeedKind(NamedTuple):
    """The characters of a sequence, the width of a cell of diagonals (in bits), and the cells compared.

    ``letters`` is the number of letters that a character is worth.
    """

    size: int
    cell_bits: int
    candidates: int
    letters: float = 1.0


_LONG_SEEDS, _SHORT_SEEDS = _SeedKind(GRAM, 6, 3), _SeedKind(SHORT_GRAM, 4, 8)
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
        """The matches less the cost of the edits."""
        return self.matched - (1 + _EDIT_COST) * self.edits


class _Query(NamedTuple):
    """A folded text, and what decides between its places (see ``find_pieces``)."""

    text: str
    near: int
    borders: Collection[int]
    rate: Callable[[Piece], float]


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
    sentences begin and end: a short piece from border to border counts if it has no edits.

    >>> index = TextIndex(["It was the best of times, it was the worst of times."])
    >>> [piece.start for piece in find_pieces("chapteroneitwasthebezzofxtimes", index)]
    [0]
    """
    query = _Query(text, near, borders, rate)
    pieces = _find_by_seeds(query, index, _LONG_SEEDS)
    matched = sum(piece.matched for piece in pieces)
    if pieces and (len(text) > _SHORT_TEXT or matched >= _WHOLE * len(text)):
        return pieces
    others = _find_by_seeds(query, index, _EAST_ASIAN_SEEDS if _is_east_asian(text) else _SHORT_SEEDS)
    return max(pieces, others, key=lambda pieces: sum(piece.score for piece in pieces))


def _is_east_asian(text: str) -> bool:
    """Return whether most characters of a folded text are ideographs or kana; Hangul is folded to letters."""
    return int(np.count_nonzero(encode_text(text) >= _FIRST_EAST_ASIAN)) > len(text) // 2


def _find_by_seeds(query: _Query, index: TextIndex, kind: _SeedKind) -> list[Piece]:
    """Return the pieces of a folded text, searched by one kind of sequences."""
    text, near = query.text, query.near
    least = min(LEAST_MATCHED, LEAST_SHARE * len(text))
    hashes = hash_grams(text, kind.size)
    stride = max(1, len(hashes) // _SEEDS)
    rows, indexes = index.find_grams(hashes[::stride], _MOST_COPIES, kind.size)
    seeds = _Seeds(rows * stride, indexes, stride, kind)
    pieces: list[Piece] = []
    remaining = [(0, len(text))]
    while remaining:
        first, last = remaining.pop()
        if last - first < max(min(least, _LEAST_SENTENCE), kind.size):
            continue
        piece = _find_best(query, index, seeds.within(first, last), first, last)
        if (
            piece is not None
            and piece.identity >= LEAST_IDENTITY
            and (
                kind is _LONG_SEEDS or kind.letters * piece.score >= _compute_least_score(piece, text, index)
            )
            and (
                piece.matched >= least
                or (near >= 0 and abs(piece.start - near) < GRAM)
                or (piece.matched >= _LEAST_SENTENCE and _is_sentence(piece, query.borders))
            )
        ):
            pieces.append(piece)
            remaining += [(first, piece.first), (piece.last, last)]
    return sorted(pieces, key=lambda piece: piece.first)


def _compute_least_score(piece: Piece, text: str, index: TextIndex) -> float:
    """Return the score that a piece found by short sequences needs: more than foreign texts get by chance."""
    # a whole text may be at any place of the documents; a part of a text also begins anywhere in the text
    chances = len(index.folded.text) * (1 if piece.matched == len(text) else len(text))
    return max(GRAM, _CHANCE_SCORE * math.log2(chances + 1))


def _is_sentence(piece: Piece, borders: Collection[int]) -> bool:
    """Return whether a piece has no edits and reaches from border to border, but for equal letters."""
    return not piece.edits and all(
        any(index + shift in borders for shift in range(-_CHANCE_EDITS, _CHANCE_EDITS + 1))
        for index in (piece.first, piece.last)
    )


@dataclass(frozen=True)
class _Seeds:
    """Sequences that a text and the documents share: an index in the text, an index in the documents."""

    row: Ints
    index: Ints
    stride: int
    kind: _SeedKind

    def within(self, first: int, last: int) -> _Seeds:
        """Return the seeds inside a part of the text."""
        if first == 0 and not len(self.row):
            return self
        inside = (self.row >= first) & (self.row + self.kind.size <= last)
        return _Seeds(self.row[inside], self.index[inside], self.stride, self.kind)

    def candidates(self, near: int) -> list[tuple[int, int, int]]:
        """Return the longest run on each of the best diagonals: index in the text, in the documents, size."""
        diagonal, bits = self.index - self.row, self.kind.cell_bits
        cells, number, votes = np.unique(diagonal >> bits, return_inverse=True, return_counts=True)
        if not len(cells):
            return []
        joined = votes.copy()  # a copy may lie across the border of two cells
        is_neighbour = np.diff(cells) == 1
        joined[:-1] += votes[1:] * is_neighbour
        distance = np.abs((cells << bits) - near) if near >= 0 else np.zeros(len(cells), dtype=np.int64)
        order = np.lexsort((cells, distance, -joined))
        most = joined[order[0]]
        if near >= 0:  # first the nearest of those with many votes, whose number also depends on chance
            likely = order[joined[order] >= _LIKELY * most]
            nearest = likely[np.argmin(distance[likely])]
            order = np.concatenate([[nearest], order[order != nearest]])
        enough = self.kind.candidates
        runs: list[tuple[int, int, int]] = []
        used: set[int] = set()
        for cell in order[: 3 * enough].tolist():
            if len(runs) == enough:
                break
            key = int(cells[cell])
            if joined[cell] * enough < most:
                break  # most of its votes are chance
            if used & {key - 1, key, key + 1}:
                continue
            used.add(key)
            members = number == cell
            if cell < len(is_neighbour) and is_neighbour[cell]:
                members |= number == cell + 1
            runs.append(self._find_longest_run(np.flatnonzero(members), diagonal))
        return runs

    def _find_longest_run(self, members: Ints, diagonal: Ints) -> tuple[int, int, int]:
        order = members[np.lexsort((self.row[members], diagonal[members]))]
        row, on = self.row[order], diagonal[order]
        is_sparse = self.stride > self.kind.size  # nothing is known of the text between two seeds
        breaks = np.flatnonzero((np.diff(on) != 0) | ((np.diff(row) > self.stride) & (not is_sparse))) + 1
        begins = np.concatenate([[0], breaks])
        ends = np.append(breaks, len(order))
        longest = int(np.argmax(ends - begins))
        first, last = int(row[begins[longest]]), int(row[begins[longest] if is_sparse else ends[longest] - 1])
        return first, first + int(on[begins[longest]]), last - first + self.kind.size


def _find_best(query: _Query, index: TextIndex, seeds: _Seeds, first: int, last: int) -> Piece | None:
    """Return the best piece of a part of the text."""
    text, near = query.text, query.near
    pieces: list[Piece] = []
    for row, start, size in seeds.candidates(near):
        if text[row : row + size] != index.folded.text[start : start + size]:
            continue  # equal hashes of different sequences
        piece = _extend(text, index, (first, last), (row, start, size))
        if not any(_overlap(piece, other) for other in pieces):
            pieces.append(piece)
    if not pieces:
        return None
    best = max(piece.score for piece in pieces)
    worst = best - _CHANCE_EDITS * (1 + _EDIT_COST if near >= 0 else 1)
    copies: list[Piece] = []
    for piece in pieces:
        if piece.score >= worst and not any(_overlap(piece, copy) for copy in copies):
            size = piece.end - piece.start
            starts = index.find_copies(piece.start, piece.end)
            copies += [replace(piece, start=start, end=start + size) for start in starts]
    if near >= 0:
        chosen = min(copies, key=lambda piece: abs(piece.start - near))
        return replace(chosen, places=len(copies))
    if len(copies) > 1:
        ratings = [query.rate(copy) for copy in copies]
        highest = max(ratings)
        copies = [copy for copy, rating in zip(copies, ratings, strict=True) if rating == highest]
    return replace(min(copies, key=lambda piece: piece.start), places=len(copies))


def compare_readings(text: str, source: str) -> float:
    """Return the score of two passages as they are, with case and punctuation; all white space is alike.

    >>> compare_readings("The lid.", "The lid."), compare_readings("The lid.", "the lid")
    (8.0, 3.0)
    """
    text, source = " ".join(text.split()), " ".join(source.split())
    return len(text) - (1 + _EDIT_COST) * Levenshtein.distance(text, source)


def _overlap(piece: Piece, other: Piece) -> bool:
    return piece.start < other.end and other.start < piece.end


def _extend(text: str, index: TextIndex, part: tuple[int, int], run: tuple[int, int, int]) -> Piece:
    """Extend a common run to both sides, within a part of the text and within one document."""
    row, start, size = run
    begin, end = index.folded_range(index.document_of(start))
    target = index.folded.text
    after, before = (2 * size + _LONGEST_WORD for size in (part[1] - row, row - part[0]))
    right, right_target, right_edits = _follow(
        text[row + size : part[1]], target[start + size : min(end, start + size + after)]
    )
    left, left_target, left_edits = _follow(
        text[part[0] : row][::-1], target[max(begin, start - before) : start][::-1]
    )
    return Piece(
        row - left,
        row + size + right,
        start - left_target,
        start + size + right_target,
        left_edits + right_edits,
    )


def _follow(text: str, target: str) -> tuple[int, int, int]:
    """Return how far two texts agree from their beginning: characters of each, and edits between them."""
    reached = _Reached(0, 0, 0, 0.0)
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
    return _reach_end(text, target, *_extend_equal(text, target, best.at, best.at_target, best.edits))


class _Reached(NamedTuple):
    """How far two texts have been followed, the edits so far, and the score."""

    at: int
    at_target: int
    edits: int
    score: float


def _follow_block(block: str, target: str, limit: int, start: _Reached) -> tuple[_Reached, _Reached]:
    """Follow two blocks up to a limit, or until they differ too much; return the state there and the best."""
    at, at_target, edits, score = start
    best = start
    for step in Levenshtein.opcodes(block, target):
        if step.tag == "equal":
            size = min(step.src_end, limit) - step.src_start
            at, at_target = start.at + step.src_start + size, start.at_target + step.dest_start + size
            score += size
            if score > best.score:
                best = _Reached(at, at_target, edits, score)
        else:
            changes = max(step.src_end - step.src_start, step.dest_end - step.dest_start)
            at, at_target = start.at + step.src_end, start.at_target + step.dest_end
            edits, score = edits + changes, score - _EDIT_COST * changes
        if score < best.score - _DROP or at - start.at >= limit:
            break
    return _Reached(at, at_target, edits, score), best


def _extend_equal(text: str, target: str, at: int, at_target: int, edits: int) -> tuple[int, int, int]:
    """Add equal characters that the alignment paired with later ones."""
    while at < len(text) and at_target < len(target) and text[at] == target[at_target]:
        at, at_target = at + 1, at_target + 1
    return at, at_target, edits


def _reach_end(text: str, target: str, at: int, at_target: int, edits: int) -> tuple[int, int, int]:
    """Add the end of a text, if only a word before it was left out or replaced, or if it is damaged, too."""
    rest = text[at : at + _LONGEST_END + 1]
    if not 0 < len(rest) <= _LONGEST_END:
        return at, at_target, edits
    for size in range(len(rest), max(_LEAST_END, len(rest) // 2) - 1, -1):
        start = target.find(rest[-size:], at_target, at_target + _LONGEST_WORD + len(rest))
        if start >= 0:
            skipped = max(len(rest) - size, start - at_target)
            return len(text), start + size, edits + skipped
    if len(rest) <= _LONGEST_WORD:
        ends = [target[at_target : at_target + size] for size in range(len(rest) + _CHANCE_EDITS + 1)]
        changes, _, size = min(
            (Levenshtein.distance(rest, end), (end[-1:] != rest[-1], abs(len(end) - len(rest))), len(end))
            for end in ends
        )
        if len(rest) - (1 + _EDIT_COST) * changes >= -_END_LOSS and (edits or _is_similar(rest, changes)):
            return len(text), at_target + size, edits + changes
    return at, at_target, edits


def _is_similar(end: str, changes: int) -> bool:
    """Return whether an end is damaged; it may be foreign, such as a number in front, if nothing else is."""
    equal = len(end) - changes
    return equal > changes or (equal > 0 and ord(end[-1]) >= _FIRST_EAST_ASIAN)  # rarely equal by chance
