"""Count the tokens of documents between two offsets; a token belongs to the offset of its first character."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.own_functions import ask, load_function, name_of
from doxel.spans import Booleans, Ints
from doxel.wording import quote_value

__all__ = ["WORDS", "TokenIndex", "Tokeniser", "is_solid", "named_tokeniser", "word_starts"]

WORDS = "words"

# the ideographic space U+3000 is the last white space of Unicode
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)


def word_starts(text: str) -> Ints:
    """Return the offsets at which words, separated by white space, start.

    >>> word_starts(" one  two").tolist()
    [1, 6]
    """
    solid = is_solid(text)
    return np.flatnonzero(solid & ~np.concatenate([[False], solid])[:-1])


def is_solid(text: str) -> Booleans:
    """Mark the characters of a text that are not white space.

    >>> is_solid("a b").tolist()
    [True, False, True]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    return ~np.isin(codes, _SPACES)


@dataclass(frozen=True)
class Tokeniser:
    """A named function from a text to the spans of its tokens; ``written`` is its address in a file."""

    name: str
    function: Callable[[str], Any]
    written: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # functions loaded from a file cannot be pickled, so their address is
        return (named_tokeniser, (self.written or self.function,))

    def starts(self, text: str) -> Ints:
        """Return the offsets at which the tokens of a text start."""
        spans = ask(self.function, f"tokeniser {self.name!r}", text)
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


def named_tokeniser(source: str | Callable[[str], Any]) -> Tokeniser:
    """Return a tokeniser from a function or from ``FILE.py:NAME``."""
    if isinstance(source, str):
        name, function, written = load_function(source, "a tokeniser", "a function NAME(text)")
        return Tokeniser(name, function, written)
    return Tokeniser(name_of(source, "a tokeniser"), source)


class TokenIndex:
    """The start offsets of tokens in the documents of a collection; each text is read once."""

    def __init__(self, collection: Collection, tokeniser: Tokeniser | None) -> None:
        self._collection, self._tokeniser = collection, tokeniser
        self._known: dict[str, Ints] = {}

    def of(self, *documents: pl.Series) -> tuple[Any, ...]:
        """Return the numbers of the documents, series by series, and a function that counts tokens."""
        every = pl.concat(documents)
        distinct = every.unique(maintain_order=True)
        self._read(distinct)
        starts = [self._known[doc] for doc in distinct]
        stride = 2 + max((int(places[-1]) for places in starts if len(places)), default=0)
        line = _concatenated([number * stride + places for number, places in enumerate(starts)])

        def count(document: Ints, start: Ints, end: Ints) -> Ints:
            base = document * stride
            last = np.searchsorted(line, base + np.minimum(end, stride - 1))
            return last - np.searchsorted(line, base + np.minimum(start, stride - 1))

        numbers = every.to_frame("doc").join(
            distinct.to_frame("doc").with_row_index("number"), on="doc", how="left", maintain_order="left"
        )["number"]
        codes: Ints = numbers.to_numpy().astype(np.int64)
        borders = np.cumsum([len(series) for series in documents])[:-1]
        return (*np.split(codes, borders), count)

    def _read(self, documents: pl.Series) -> None:
        new = documents.filter(~documents.is_in(list(self._known)))
        for doc, number in zip(new, self._collection.numbers(new).tolist(), strict=True):
            self._known[doc] = self._starts(number) if number >= 0 else np.zeros(0, dtype=np.int64)

    def _starts(self, number: int) -> Ints:
        text = self._collection.text(number)
        return word_starts(text) if self._tokeniser is None else self._tokeniser.starts(text)


def _concatenated(arrays: Sequence[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)
