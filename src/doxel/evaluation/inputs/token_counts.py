"""Count the tokens and words of documents between two offsets.

A token belongs to the offset of its first character.  For user models, words are runs of non-space
characters, split at the borders of text nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.files.function_files import call_function, get_function_name, load_function
from doxel.recallbases import ElementBase
from doxel.spans import Booleans, Ints
from doxel.wording import quote_value

__all__ = [
    "WORDS",
    "TokenCounter",
    "TokenIndex",
    "Tokeniser",
    "WordCounts",
    "find_word_starts",
    "load_tokeniser",
]

WORDS = "words"


@cache
def _list_spaces() -> npt.NDArray[np.uint32]:
    """Return the codes of white space; the ideographic space U+3000 is the last of Unicode."""
    return np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)


def find_word_starts(text: str) -> Ints:
    """Return the offsets at which words, separated by white space, start.

    >>> find_word_starts(" one  two").tolist()
    [1, 6]
    """
    solid = _is_solid(text)
    return np.flatnonzero(solid & ~np.concatenate([[False], solid])[:-1])


def _is_solid(text: str) -> Booleans:
    """Mark the characters of a text that are not white space.

    >>> _is_solid("a b").tolist()
    [True, False, True]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return ~np.isin(codes, _list_spaces())


@dataclass(frozen=True)
class Tokeniser:
    """A named function from a text to the spans of its tokens; ``written`` is its address in a file."""

    name: str
    function: Callable[[str], Any]
    written: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # functions loaded from a file cannot be pickled, so their address is
        return (load_tokeniser, (self.written or self.function,))

    def starts(self, text: str) -> Ints:
        """Return the offsets at which the tokens of a text start."""
        spans = call_function(self.function, f"tokeniser {self.name!r}", text)
        try:
            starts = np.asarray([span[0] for span in spans], dtype=np.int64)
        except (TypeError, ValueError, IndexError, OverflowError):
            wanted, found = "spans (start, end)", quote_value(spans)
            raise InputError(f"tokeniser {self.name!r}", wanted=wanted, found=found) from None
        if len(starts) and (starts.min() < 0 or starts.max() >= len(text)):
            raise InputError(
                f"tokeniser {self.name!r}",
                wanted=f"spans inside a text of {len(text):,} characters",
                found=f"starts from {starts.min():,} to {starts.max():,}",
            )
        return np.sort(starts)


def load_tokeniser(source: str | Callable[[str], Any]) -> Tokeniser:
    """Return a tokeniser from a function or from ``FILE.py:NAME``."""
    if isinstance(source, str):
        name, function, address = load_function(source, "a tokeniser", "a function NAME(text)")
        return Tokeniser(name, function, address)
    return Tokeniser(get_function_name(source, "a tokeniser"), source)


@dataclass(frozen=True)
class TokenCounter:
    """Counts and finds tokens in numbered documents, whose texts follow each other on a line.

    ``line`` has the starts of all tokens, ``stride`` is the distance between two documents on it.

    >>> counter = TokenCounter(np.array([0, 4, 12]), 10)
    >>> counter(np.array([0, 1]), np.array([1, 0]), np.array([9, 9])).tolist()
    [1, 1]
    >>> counter.find(np.array([0]), np.array([0]), np.array([1])).tolist()
    [4]
    """

    line: Ints
    stride: int

    def __call__(self, document: Ints, start: Ints, end: Ints) -> Ints:
        """Return the number of tokens that start in each span."""
        return self._place(document, end) - self._place(document, start)

    def find(self, document: Ints, start: Ints, number: Ints) -> Ints:
        """Return where the token with a number, from 0, starts; counted from a position of a document."""
        places: Ints = self.line[self._place(document, start) + number] - document * self.stride
        return places

    def _place(self, document: Ints, position: Ints) -> Ints:
        return np.searchsorted(self.line, document * self.stride + np.minimum(position, self.stride - 1))


class TokenIndex:
    """The start offsets of tokens in the documents of a collection; each text is read once."""

    def __init__(self, collection: Collection, tokeniser: Tokeniser | None) -> None:
        self._collection, self._tokeniser = collection, tokeniser
        self._known: dict[str, Ints] = {}

    def of(self, *documents: pl.Series) -> tuple[Any, ...]:
        """Return the numbers of the documents, series by series, and a counter of their tokens."""
        names = pl.concat(documents)
        distinct = names.unique(maintain_order=True)
        self._read(distinct)
        starts = [self._known[doc] for doc in distinct]
        stride = 2 + max((int(places[-1]) for places in starts if len(places)), default=0)
        line = _concatenate([number * stride + places for number, places in enumerate(starts)])
        numbers = names.to_frame("doc").join(
            distinct.to_frame("doc").with_row_index("number"), on="doc", how="left", maintain_order="left"
        )["number"]
        codes: Ints = numbers.to_numpy().astype(np.int64)
        borders = np.cumsum([len(series) for series in documents])[:-1]
        return (*np.split(codes, borders), TokenCounter(line, stride))

    def _read(self, documents: pl.Series) -> None:
        unread = documents.filter(~documents.is_in(list(self._known)))
        for doc, number in zip(unread, self._collection.numbers(unread).tolist(), strict=True):
            self._known[doc] = self._starts(number) if number >= 0 else np.zeros(0, dtype=np.int64)

    def _starts(self, number: int) -> Ints:
        text = self._collection.text(number)
        return find_word_starts(text) if self._tokeniser is None else self._tokeniser.starts(text)


def _concatenate(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)


class WordCounts:
    """Counts the words before any position in the documents of an element base."""

    def __init__(self, base: ElementBase, collection: Collection, numbers: Ints) -> None:
        starts = [
            _find_node_word_starts(collection, int(number), base, document)
            for document, number in enumerate(numbers)
        ]
        self._stride = 2 + int(base.forest.end.max(initial=0))
        line = [document * self._stride + places for document, places in enumerate(starts)]
        self._line = np.concatenate(line) if line else np.zeros(0, dtype=np.int64)

    def before(self, document: Ints, position: Ints) -> Ints:
        """Count the words, over all documents in order, that start before a position of a document."""
        return np.searchsorted(self._line, document * self._stride + position)


def _find_node_word_starts(collection: Collection, number: int, base: ElementBase, document: int) -> Ints:
    solid = _is_solid(collection.text(number))
    begins = np.zeros(len(solid) + 1, dtype=bool)
    rows = slice(base.forest.first[document], base.forest.first[document + 1])
    begins[base.forest.start[rows]] = begins[base.forest.end[rows]] = True
    begins[collection.breaks(number)["position"].to_numpy()] = True
    after_space = np.concatenate([[True], ~solid])[:-1]
    return np.flatnonzero(solid & (after_space | begins[:-1]))
