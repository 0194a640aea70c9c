"""Quoted text, found again in its document.

First the quotation as it stands; then with white space left out on both sides, because a quotation
often comes from a page or a chunk in which lines and blocks were joined differently.  A text that is
found nowhere, or at several places, is reported and never guessed; what stands before and after the
quotation, where known, decides between several places.
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

# All white space of Unicode, as str.split understands it; none lies beyond the ideographic space.
_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)


class Found(NamedTuple):
    """Where a quotation stands: start and end, or -1 twice and the problem."""

    start: int
    end: int
    problem: str | None = None


class QuotableText:
    r"""A text in which quotations are looked up.

    >>> text = QuotableText("To be, or not to be")
    >>> text.find("or not")
    Found(start=7, end=13, problem=None)
    >>> text.find("ornot to\nbe")
    Found(start=7, end=19, problem=None)
    >>> text.find("o be")
    Found(start=-1, end=-1, problem='text found several times')
    >>> text.find("o be", prefix="not t")
    Found(start=15, end=19, problem=None)
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str, prefix: str = "", suffix: str = "") -> Found:
        """Return the place of a quotation, or why it has none."""
        if not quote.strip():
            return Found(-1, -1, NOT_FOUND)
        found = self._find(quote)
        if found.problem == SEVERAL and (prefix or suffix):
            found = self._find(quote, prefix, suffix)
            if found.problem == NOT_FOUND:  # the surroundings fit no place, so they decide nothing
                return Found(-1, -1, SEVERAL)
        return found

    def _find(self, quote: str, prefix: str = "", suffix: str = "") -> Found:
        exact = _occurrence(self.text, quote, prefix, suffix)
        if exact.problem != NOT_FOUND:
            return exact
        squeezed, places = self._squeezed
        found = _occurrence(squeezed, *(_without_spaces(part) for part in (quote, prefix, suffix)))
        if found.problem:
            return found
        return Found(int(places[found.start]), int(places[found.end - 1]) + 1)

    @cached_property
    def _squeezed(self) -> tuple[str, Ints]:
        """The text without white space, and where each of its characters stands in the text."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return _without_spaces(self.text), np.flatnonzero(~np.isin(codes, _SPACES))


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _occurrence(text: str, quote: str, prefix: str, suffix: str) -> Found:
    wanted = prefix + quote + suffix
    at = text.find(wanted)
    if at < 0:
        return Found(-1, -1, NOT_FOUND)
    if text.find(wanted, at + 1) >= 0:
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

    Start and end are -1 where there is a problem (a string); documents are read one at a time.  A
    number of -1 is a document that is not known, and its quotation is not found.
    """
    found = [Found(-1, -1, NOT_FOUND)] * len(quotes)
    before, after = _strings(prefixes, len(quotes)), _strings(suffixes, len(quotes))
    wanted = _strings(quotes, len(quotes))
    order = np.argsort(numbers, kind="stable")
    opened: QuotableText | None = None
    number = -1
    for row in order[numbers[order] >= 0].tolist():
        if opened is None or number != int(numbers[row]):
            number = int(numbers[row])
            opened = QuotableText(collection.text(number))
        found[row] = opened.find(wanted[row], before[row], after[row])
    start = np.array([one.start for one in found], dtype=np.int64)
    end = np.array([one.end for one in found], dtype=np.int64)
    return start, end, pl.Series("problem", [one.problem for one in found], dtype=pl.String)


def find_anywhere(collection: Collection, quotes: Sequence[str]) -> list[tuple[int, Found]]:
    """Return the document of each quotation and its place there; -1 where it is in none or in several.

    All documents are searched, so this is for few of them.  Only what stands nowhere as it is gets looked
    for without its white space.
    """
    found = _everywhere(collection, quotes, lambda text, quote: _occurrence(text.text, quote, "", ""))
    lost = [row for row, (_, place) in enumerate(found) if place.problem == NOT_FOUND]
    again = _everywhere(collection, [quotes[row] for row in lost], QuotableText.find)
    for row, place in zip(lost, again, strict=True):
        found[row] = place
    return found


def _everywhere(
    collection: Collection, quotes: Sequence[str], find: Callable[[QuotableText, str], Found]
) -> list[tuple[int, Found]]:
    places: list[list[tuple[int, Found]]] = [[] for _ in quotes]
    for document in range(len(collection)) if quotes else ():
        text = QuotableText(collection.text(document))
        for quote, hits in zip(quotes, places, strict=True):
            found = find(text, quote) if quote.strip() else Found(-1, -1, NOT_FOUND)
            if found.problem != NOT_FOUND:
                hits.append((document, found))
    return [
        hits[0] if len(hits) == 1 else (-1, Found(-1, -1, SEVERAL if hits else NOT_FOUND)) for hits in places
    ]


def _strings(values: pl.Series | None, count: int) -> Sequence[str]:
    return [""] * count if values is None else values.fill_null("").to_list()
