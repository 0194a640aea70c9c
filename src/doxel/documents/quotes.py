"""Find quotations in documents.

A quotation is first searched for exactly; then with all white space removed from it and the text, because
it may come from a page or a chunk in which lines and blocks were joined differently.  A text that is
found nowhere, or several times, is reported and never guessed; the text before and after the quotation,
if given, decides between several matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from doxel.spans import Ints

if TYPE_CHECKING:
    from doxel.documents.collection import Collection

__all__ = ["NOT_FOUND", "SEVERAL", "Found", "QuotableText", "find_anywhere", "find_quotes"]

NOT_FOUND = "text not found"
SEVERAL = "text found several times"

# All white space of Unicode, as in str.split; the ideographic space has the highest code point.
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)


class Found(NamedTuple):
    """Start and end of a quotation in a text, or -1 twice and the problem."""

    start: int
    end: int
    problem: str | None = None


class QuotableText:
    r"""A text to search for quotations.

    >>> text = QuotableText("To be, or not to be")
    >>> tuple(text.find("or not"))
    (7, 13, None)
    >>> tuple(text.find("ornot to\nbe"))
    (7, 19, None)
    >>> tuple(text.find("o be"))
    (-1, -1, 'text found several times')
    >>> tuple(text.find("o be", prefix="not t"))
    (15, 19, None)
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str, prefix: str = "", suffix: str = "") -> Found:
        """Return the span of a quotation, or the problem."""
        if not quote.strip():
            return Found(-1, -1, NOT_FOUND)
        span = self._find(quote)
        if span.problem == SEVERAL and (prefix or suffix):
            span = self._find(quote, prefix, suffix)
            if span.problem == NOT_FOUND:  # the context matches nowhere, so it decides nothing
                return Found(-1, -1, SEVERAL)
        return span

    def _find(self, quote: str, prefix: str = "", suffix: str = "") -> Found:
        exact = _occurrence(self.text, quote, prefix, suffix)
        if exact.problem != NOT_FOUND:
            return exact
        squeezed, offsets = self._squeezed
        span = _occurrence(squeezed, *(_without_spaces(part) for part in (quote, prefix, suffix)))
        if span.problem:
            return span
        return Found(int(offsets[span.start]), int(offsets[span.end - 1]) + 1)

    @cached_property
    def _squeezed(self) -> tuple[str, Ints]:
        """The text without white space, and the offset of each of its characters in the text."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return _without_spaces(self.text), np.flatnonzero(~np.isin(codes, _SPACES))


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _occurrence(text: str, quote: str, prefix: str, suffix: str) -> Found:
    passage = prefix + quote + suffix
    at = text.find(passage)
    if at < 0:
        return Found(-1, -1, NOT_FOUND)
    if text.find(passage, at + 1) >= 0:
        return Found(-1, -1, SEVERAL)
    start = at + len(prefix)
    return Found(start, start + len(quote))


def find_quotes(
    collection: Collection,
    numbers: Ints,
    quotes: pl.Series,
    *,
    prefixes: pl.Series | None = None,
    suffixes: pl.Series | None = None,
) -> tuple[Ints, Ints, pl.Series]:
    """Return start, end and problem of many quotations, each in the document with its number.

    Start and end are -1 if there is a problem (a string); documents are read one at a time.  A number of -1
    is an unknown document, in which nothing is found.
    """
    spans = [Found(-1, -1, NOT_FOUND)] * len(quotes)
    before, after = _strings(prefixes, len(quotes)), _strings(suffixes, len(quotes))
    passages = _strings(quotes, len(quotes))
    order = np.argsort(numbers, kind="stable")
    text: QuotableText | None = None
    number = -1
    for row in order[numbers[order] >= 0].tolist():
        if text is None or number != int(numbers[row]):
            number = int(numbers[row])
            text = QuotableText(collection.text(number))
        spans[row] = text.find(passages[row], before[row], after[row])
    start = np.array([span.start for span in spans], dtype=np.int64)
    end = np.array([span.end for span in spans], dtype=np.int64)
    return start, end, pl.Series("problem", [span.problem for span in spans], dtype=pl.String)


def find_anywhere(collection: Collection, quotes: Sequence[str]) -> list[tuple[int, Found]]:
    """Return the document of each quotation and its span there; -1 if it is in none or in several.

    All documents are searched, so this is for small collections.  White space is ignored only for quotations
    that no document contains exactly.
    """
    spans = _everywhere(collection, quotes, lambda text, quote: _occurrence(text.text, quote, "", ""))
    missing = [row for row, (_, span) in enumerate(spans) if span.problem == NOT_FOUND]
    inexact = _everywhere(collection, [quotes[row] for row in missing], QuotableText.find)
    for row, span in zip(missing, inexact, strict=True):
        spans[row] = span
    return spans


def _everywhere(
    collection: Collection, quotes: Sequence[str], find: Callable[[QuotableText, str], Found]
) -> list[tuple[int, Found]]:
    matches: list[list[tuple[int, Found]]] = [[] for _ in quotes]
    for document in range(len(collection)) if quotes else ():
        text = QuotableText(collection.text(document))
        for quote, hits in zip(quotes, matches, strict=True):
            span = find(text, quote) if quote.strip() else Found(-1, -1, NOT_FOUND)
            if span.problem != NOT_FOUND:
                hits.append((document, span))
    return [
        hits[0] if len(hits) == 1 else (-1, Found(-1, -1, SEVERAL if hits else NOT_FOUND)) for hits in matches
    ]


def _strings(values: pl.Series | None, count: int) -> Sequence[str]:
    return [""] * count if values is None else values.fill_null("").to_list()
