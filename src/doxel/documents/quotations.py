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

__all__ = [
    "QUOTE_AMBIGUOUS",
    "QUOTE_NOT_FOUND",
    "QuotableText",
    "QuotedSpan",
    "find_quotes",
    "find_quotes_anywhere",
]

QUOTE_NOT_FOUND = "text not found"
QUOTE_AMBIGUOUS = "text found several times"

# All white space of Unicode, as in str.split; the ideographic space has the highest code point.
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)


class QuotedSpan(NamedTuple):
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

    def find(self, quote: str, prefix: str = "", suffix: str = "") -> QuotedSpan:
        """Return the span of a quotation, or the problem."""
        if not quote.strip():
            return QuotedSpan(-1, -1, QUOTE_NOT_FOUND)
        span = self._find(quote)
        if span.problem == QUOTE_AMBIGUOUS and (prefix or suffix):
            span = self._find(quote, prefix, suffix)
            if span.problem == QUOTE_NOT_FOUND:  # the context matches nowhere, so it decides nothing
                return QuotedSpan(-1, -1, QUOTE_AMBIGUOUS)
        return span

    def _find(self, quote: str, prefix: str = "", suffix: str = "") -> QuotedSpan:
        exact = _find_occurrence(self.text, quote, prefix, suffix)
        if exact.problem != QUOTE_NOT_FOUND:
            return exact
        squeezed, offsets = self._squeezed
        span = _find_occurrence(squeezed, *(_remove_spaces(part) for part in (quote, prefix, suffix)))
        if span.problem:
            return span
        return QuotedSpan(int(offsets[span.start]), int(offsets[span.end - 1]) + 1)

    @cached_property
    def _squeezed(self) -> tuple[str, Ints]:
        """The text without white space, and the offset of each of its characters in the text."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return _remove_spaces(self.text), np.flatnonzero(~np.isin(codes, _SPACES))


def _remove_spaces(text: str) -> str:
    return "".join(text.split())


def _find_occurrence(text: str, quote: str, prefix: str, suffix: str) -> QuotedSpan:
    passage = prefix + quote + suffix
    at = text.find(passage)
    if at < 0:
        return QuotedSpan(-1, -1, QUOTE_NOT_FOUND)
    if text.find(passage, at + 1) >= 0:
        return QuotedSpan(-1, -1, QUOTE_AMBIGUOUS)
    start = at + len(prefix)
    return QuotedSpan(start, start + len(quote))


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
    spans = [QuotedSpan(-1, -1, QUOTE_NOT_FOUND)] * len(quotes)
    before, after = _list_strings(prefixes, len(quotes)), _list_strings(suffixes, len(quotes))
    passages = _list_strings(quotes, len(quotes))
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


def find_quotes_anywhere(collection: Collection, quotes: Sequence[str]) -> list[tuple[int, QuotedSpan]]:
    """Return the document of each quotation and its span there; -1 if it is in none or in several.

    All documents are searched, so this is for small collections.  White space is ignored only for quotations
    that no document contains exactly.
    """
    spans = _search_everywhere(
        collection, quotes, lambda text, quote: _find_occurrence(text.text, quote, "", "")
    )
    missing = [row for row, (_, span) in enumerate(spans) if span.problem == QUOTE_NOT_FOUND]
    inexact = _search_everywhere(collection, [quotes[row] for row in missing], QuotableText.find)
    for row, span in zip(missing, inexact, strict=True):
        spans[row] = span
    return spans


def _search_everywhere(
    collection: Collection, quotes: Sequence[str], find: Callable[[QuotableText, str], QuotedSpan]
) -> list[tuple[int, QuotedSpan]]:
    matches: list[list[tuple[int, QuotedSpan]]] = [[] for _ in quotes]
    for document in range(len(collection)) if quotes else ():
        text = QuotableText(collection.text(document))
        for quote, hits in zip(quotes, matches, strict=True):
            span = find(text, quote) if quote.strip() else QuotedSpan(-1, -1, QUOTE_NOT_FOUND)
            if span.problem != QUOTE_NOT_FOUND:
                hits.append((document, span))
    return [
        hits[0] if len(hits) == 1 else (-1, QuotedSpan(-1, -1, QUOTE_AMBIGUOUS if hits else QUOTE_NOT_FOUND))
        for hits in matches
    ]


def _list_strings(values: pl.Series | None, count: int) -> Sequence[str]:
    return [""] * count if values is None else values.fill_null("").to_list()
