"""Search many texts at once: unchanged, folded, and by short sequences.

The texts are joined, so that one search covers all of them.  The folded form and the table of sequences
are built on first use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doxel.alignment.folding import FoldedText, encode_text, fold, fold_inside, is_mark, replace_markup
from doxel.errors import InputError
from doxel.spans import Ints

__all__ = [
    "BREAK",
    "DOTS",
    "EAST_ASIAN_GRAM",
    "GRAM",
    "SHORT_GRAM",
    "Place",
    "TextIndex",
    "find_places",
    "hash_grams",
    "remove_token_marks",
]

# The marks after which a line or sentence begins.
BREAK = re.compile("[\n.!?:;\u2026\u3002\uff01\uff1f\uff1a\uff1b\uff61\u061f\u061b\u06d4\u0964\u00b7]")
DOTS = re.compile(r"\.{3,}|…")
_CUT_MARKUP = re.compile("[<>&;()]")
_SEPARATOR = "\0"
GRAM = 10  # characters of a sequence
SHORT_GRAM = 5  # for texts that share no longer sequence with the documents
EAST_ASIAN_GRAM = 3  # for such texts in ideographs or kana
_MULTIPLIER = np.uint32(0x9E3779B1)
_LARGEST_INDEX = 2**32 - 1
_LARGE = 1 << 18  # characters from which sequences are faster than a scan
_MARKDOWN = "*_#>|~`"
_LONGEST_GAP = 16  # characters of white space between outer marks
_LOW_BITS = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)

Keys = npt.NDArray[np.uint64]

# Variants of the same punctuation mark; accents and widths are folded elsewhere.
_VARIANTS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032`\u00b4", "'"),
        **dict.fromkeys('"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e', "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        "\u2026": "...",
    }
)


class Place(NamedTuple):
    """A span of one of the texts."""

    document: int
    start: int
    end: int


class TextIndex:
    """An index of texts, each identified by its position in the list.

    >>> index = TextIndex(["To be, or not to be", "BE"])
    >>> index.find_exact("be")
    [Place(document=0, start=3, end=5), Place(document=0, start=17, end=19)]
    >>> index.find_folded("“Be”!", fold("“Be”!"))[-1]
    Place(document=1, start=0, end=2)
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._joined = _SEPARATOR.join(texts)
        self._begin = _find_begins([len(text) for text in texts])
        self._tables: dict[int, Keys] = {}

    def text(self, document: int) -> str:
        """Return one of the texts."""
        return self._joined[int(self._begin[document]) : int(self._begin[document + 1]) - 1]

    def passage(self, document: int, start: int, end: int) -> str:
        """Return the characters of one of the texts between two offsets."""
        begin, close = int(self._begin[document]), int(self._begin[document + 1]) - 1
        return self._joined[begin + max(start, 0) : min(begin + end, close)]

    def find_exact(self, text: str) -> list[Place]:
        """Return all exact places of a text, in order."""
        places = [self._locate(at, at + len(text)) for at in _find_all(self._joined, text)]
        if _SEPARATOR in text:  # may match across two texts
            places = [place for place in places if text in self.text(place.document)]
        return places

    def _locate(self, start: int, end: int) -> Place:
        document = int(np.searchsorted(self._begin, start, side="right")) - 1
        begin = int(self._begin[document])
        return Place(document, start - begin, end - begin)

    @cached_property
    def folded(self) -> FoldedText:
        """All texts, folded and joined; offsets are those in the text itself."""
        folded_texts = [fold(self.text(document)) for document in range(len(self._begin) - 1)]
        self._folded_begin = _find_begins([len(folded.text) for folded in folded_texts])
        size = int(self._folded_begin[-1])
        if size > _LARGEST_INDEX:
            raise InputError(
                "the documents are too large to search all of them for a text",
                wanted=f"at most {_LARGEST_INDEX:,} letters and digits, or a document for each text",
                found=f"{size:,}",
            )
        start, width = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.uint8)
        for folded, begin in zip(folded_texts, self._folded_begin.tolist(), strict=False):
            start[begin : begin + len(folded.text)] = folded.start
            width[begin : begin + len(folded.text)] = folded.width
        return FoldedText(_SEPARATOR.join(folded.text for folded in folded_texts), start, width)

    def find_folded(self, text: str, folded: FoldedText) -> list[Place]:
        """Return all places of a folded text, in order, with the outer punctuation of the text itself.

        A text without letters and digits is compared without white space.
        """
        length = len(folded.text)
        if not length:
            return self._find_symbols("".join(text.split()))
        return [
            self.widen(at, at + length, text, folded, 0, length) for at in self._find_folded_text(folded.text)
        ]

    def _find_symbols(self, symbols: str) -> list[Place]:
        pattern = r"\s*".join(map(re.escape, symbols))
        matches = re.finditer(f"(?=({pattern}))", self._joined) if symbols else ()
        return [self._locate(*match.span(1)) for match in matches]

    def find(self, text: str, folded: FoldedText) -> tuple[list[Place], str]:
        """Return all places of a text and how they were found: exact, or else folded.

        In a large index, exact places are searched among the folded ones, which takes a tenth of the time; a
        text inside mark-up is then missed, and ``find_exact`` may be tried when nothing else succeeds.
        """
        if not self._is_large or len(folded.text) < GRAM:
            exact = self.find_exact(text)
            return (exact, "exact") if exact else (self.find_folded(text, folded), "folded")
        lead = int(folded.start[0])
        matches = self._find_folded_text(folded.text)
        exact = []
        for match in matches:
            document = self.document_of(match)
            start = int(self.folded.start[match]) - lead
            if start >= 0 and self._joined.startswith(text, int(self._begin[document]) + start):
                exact.append(Place(document, start, start + len(text)))
        if exact:
            return exact, "exact"
        length = len(folded.text)
        return [self.widen(match, match + length, text, folded, 0, length) for match in matches], "folded"

    @property
    def _is_large(self) -> bool:
        return len(self._joined) > _LARGE

    def _find_folded_text(self, text: str) -> list[int]:
        """Return the index of each occurrence of a folded text."""
        if not self._is_large or len(text) < GRAM:
            return list(_find_all(self.folded.text, text))
        # every occurrence contains each sequence of the text: the rarest of three leaves few to compare
        offsets = (0, (len(text) - GRAM) // 2, len(text) - GRAM)
        probes = hash_grams("".join(text[offset : offset + GRAM] for offset in offsets))[::GRAM]
        keys = probes.astype(np.uint64) << _SHIFT
        table = self._keys(GRAM)
        first = np.searchsorted(table, keys)
        last = np.searchsorted(table, keys | _LOW_BITS, side="right")
        rarest = int(np.argmin(last - first))
        indexes = (table[first[rarest] : last[rarest]] & _LOW_BITS).astype(np.int64) - offsets[rarest]
        return [at for at in indexes.tolist() if at >= 0 and self.folded.text.startswith(text, at)]

    def find_copies(self, start: int, end: int) -> list[int]:
        """Return the index of each occurrence of a part of the folded documents, which is one of them."""
        return self._find_folded_text(self.folded.text[start:end])

    def widen(self, start: int, end: int, text: str, folded: FoldedText, first: int, last: int) -> Place:
        """Return the place of a folded span, widened over the outer punctuation that the text also has.

        The folded characters ``first`` to ``last`` of the text correspond to the span.  White space is added
        only between marks, never at an end.
        """
        document = self.document_of(start)
        begin, close = int(self._begin[document]), int(self._begin[document + 1]) - 1
        source_start = begin + int(self.folded.start[start])
        source_end = begin + self.folded.end(end - 1)
        before = text[folded.end(first - 1) if first else 0 : int(folded.start[first])]
        after = text[folded.end(last - 1) : int(folded.start[last]) if last < len(folded.text) else None]
        # marks that touch other parts of the text belong to these parts
        if first and before and not before[0].isspace():
            before = before[len(before.split(maxsplit=1)[0]) :] or before
        if last < len(folded.text) and after and not after[-1].isspace():
            after = after[: len(after) - len(after.rsplit(maxsplit=1)[-1])] or after
        if len(text.split()) == 1 and len(self._joined[source_start:source_end].split()) > 1:
            before, after = (
                f" {' '.join(marks)} " for marks in (before, after)
            )  # all white space was removed
        while source_end < close and is_mark(self._joined[source_end]):
            source_end += 1
        size = _LONGEST_GAP + 2 * len(before)
        outside = self._joined[max(begin, source_start - size) : source_start]
        source_start -= _count_shared(before, outside, step=-1)
        outside = self._joined[source_end : min(close, source_end + _LONGEST_GAP + 2 * len(after))]
        source_end += _count_shared(after, outside, step=1)
        return Place(document, source_start - begin, source_end - begin)

    def is_border(self, index: int) -> bool:
        """Return whether a line or sentence of a text begins at a folded character or ends before it."""
        document = self.document_of(max(index - 1, 0))
        begin, end = self.folded_range(document)
        if index in {begin, end, end + 1}:  # the letter after the end of a text is the first of the next
            return True
        gap = self.passage(document, self.folded.end(index - 1), int(self.folded.start[index]))
        return BREAK.search(gap) is not None

    def document_of(self, index: int) -> int:
        """Return the text that a folded character belongs to."""
        return int(np.searchsorted(self._folded_borders, index, side="right")) - 1

    def folded_range(self, document: int) -> tuple[int, int]:
        """Return the first folded character of a text and the index after its last."""
        return int(self._folded_borders[document]), int(self._folded_borders[document + 1]) - 1

    def find_folded_index(self, document: int, offset: int) -> int:
        """Return the index of the first folded character at or after an offset of a text."""
        begin, end = self.folded_range(document)
        return begin + int(np.searchsorted(self.folded.start[begin:end], offset))

    @property
    def _folded_borders(self) -> Ints:
        self.folded  # noqa: B018 -- computes the borders
        return self._folded_begin

    def _keys(self, size: int) -> Keys:
        """Return the hash of each sequence of this size, above its index, sorted."""
        if size not in self._tables:
            self._tables[size] = self._sort_grams(size)
        return self._tables[size]

    def _sort_grams(self, size: int) -> Keys:
        hashes = hash_grams(self.folded.text, size)
        keys = hashes.astype(np.uint64)
        del hashes
        keys <<= _SHIFT
        keys |= np.arange(len(keys), dtype=np.uint32)
        keys.sort()
        return keys

    def find_grams(self, hashes: npt.NDArray[np.uint32], most: int, size: int = GRAM) -> tuple[Ints, Ints]:
        """Return pairs of a hash's row and the index of a folded sequence with this hash.

        Hashes with more than ``most`` sequences are left out, unless there are no others.
        """
        keys = self._keys(size)
        if not len(keys):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        order = np.argsort(hashes)  # neighbouring searches share memory
        target_keys = hashes[order].astype(np.uint64) << _SHIFT
        first = np.searchsorted(keys, target_keys)
        is_present = keys[np.minimum(first, len(keys) - 1)] >> _SHIFT == target_keys >> _SHIFT
        rows, target_keys, first = order[is_present], target_keys[is_present], first[is_present]
        count = np.searchsorted(keys, target_keys | _LOW_BITS, side="right") - first
        if (count <= most).any():
            rare = count <= most
            rows, first, count = rows[rare], first[rare], count[rare]
        count = np.minimum(count, most)
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        positions = keys[np.repeat(first, count) + step] & _LOW_BITS
        return np.repeat(rows, count), positions.astype(np.int64)


def find_places(index: TextIndex, text: str, folded: FoldedText) -> tuple[list[Place], str]:
    """Return all places of a text that is not damaged, and how they were found: exact or folded."""
    places, how = index.find(text, folded)
    if not places and _CUT_MARKUP.search(text):  # a text that cuts a tag in two is folded otherwise
        places, how = index.find_exact(text), "exact"
        from html import unescape  # loads the names of all characters

        decoded = unescape(text)
        if not places and decoded != text:  # the tags of the document may be escaped, also twice
            places, how = find_places(index, decoded, fold(decoded))[0], "folded"
        inside = None if places else fold_inside(text)
        if inside is not None and inside.text:
            letters, how = _fold_all(text), "folded"
            places = [
                place
                for place in index.find_folded(text, inside)
                if _fold_all(index.passage(*place)) == letters
            ]
    return places, how


def _fold_all(text: str) -> str:
    """Return all letters and digits of a text, folded, also those of tags and addresses."""
    return fold(_CUT_MARKUP.sub(" ", text)).text


def hash_grams(text: str, size: int = GRAM) -> npt.NDArray[np.uint32]:
    """Return a hash of the sequence of ``size`` characters at each index of a text."""
    codes = encode_text(text)
    count = max(len(codes) - size + 1, 0)
    hashes = np.zeros(count, dtype=np.uint32)
    for place in range(size):
        hashes *= _MULTIPLIER
        hashes += codes[place : place + count]
    hashes ^= hashes >> np.uint32(15)
    hashes *= _MULTIPLIER
    return hashes


def _find_begins(lengths: Sequence[int]) -> Ints:
    """Return the start of each text when joined by a separator, and the start of a further one."""
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64) + 1)])


def _find_all(joined: str, text: str) -> Iterator[int]:
    at = joined.find(text)
    while at >= 0:
        yield at
        at = joined.find(text, at + 1)


def _count_shared(marks: str, outside: str, *, step: int) -> int:
    """Return how many characters beside a span are marks that the text has there as well.

    ``step`` is -1 for the characters before the span and 1 for those after it.  White space counts only
    between marks.
    """
    reduced = _reduce_marks(outside)[::step]
    marks = remove_token_marks("".join(mark for mark in marks if unicodedata.category(mark) != "Cf"))
    visible = replace_markup(marks)
    unused = iter("".join(visible.split()).translate(_VARIANTS)[::step])
    shared = 0
    while shared < len(reduced) and not reduced[shared].isalnum() and reduced[shared] in unused:
        shared += 1
    tagged, is_complete = _follow_marks(_reduce_marks(marks)[::step], reduced)
    if is_complete:  # tags included, which have letters
        return tagged
    # the document may have a full stop, which the dots are not
    tagged, is_complete = _follow_marks(_reduce_marks(DOTS.sub("", marks))[::step], reduced)
    visible = DOTS.sub("", visible)
    shared = max(shared, _follow_marks(_reduce_marks(visible)[::step], reduced)[0])
    return max(shared, tagged) if is_complete else shared


def remove_token_marks(text: str) -> str:
    """Return a text without the marks of tokenizers: of white space, and of broken characters."""
    return text.replace("\u2581", " ").replace("\ufffd", "")


def _follow_marks(marks: str, reduced: str) -> tuple[int, bool]:
    """Return how many characters agree with marks up to the last of them, and whether all marks were found.

    Where the marks have white space, there may be any number of blanks; those of Markdown may be missing.
    """
    at = shared = 0
    for mark in marks:
        while at < len(reduced) and unicodedata.category(reduced[at]) == "Cf":  # has no width
            at += 1
        if mark.isspace():
            at = len(reduced) - len(reduced[at:].lstrip())
        elif reduced[at : at + 1].casefold() == mark.casefold():
            at += 1
            shared = at
        elif mark not in _MARKDOWN:
            return shared, False
    return shared, True


def _reduce_marks(text: str) -> str:
    """Return a text of the same length, with one character for all variants of a mark."""
    return "".join(character.translate(_VARIANTS)[0] for character in text)
