r"""Paragraphs, sentences and words of plain text, as spans of the unchanged text.

Each function returns starts and ends as two arrays.  The spans are in order, not empty and do not overlap;
they neither begin nor end with white space, and cover every other character.

paragraph
    consecutive lines that are not blank; a blank line is empty or white space
sentence
    ends with its paragraph, or after ``.``, ``!``, ``?`` or ``…`` and any closing quotation marks and
    brackets, if white space and then anything but a lower-case letter follow; or after ``。``, ``！`` or
    ``？``, whatever follows.  A full stop after a single letter (an initial) or one of about twenty
    abbreviations (``ABBREVIATIONS``) does not end a sentence.
word
    consecutive characters that are not white space

The rule for sentences is simple on purpose: it is easy to state, needs no model, and always gives the same
spans.  It fails if a sentence ends with an initial or an abbreviation, or begins with a lower-case letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["ABBREVIATIONS", "paragraphs", "sentences", "words"]

ABBREVIATIONS = frozenset(
    {"No", "Nos", "al", "approx", "cf", "ch", "dr", "ed", "eds", "eq", "eqs", "fig", "figs"}
    | {"mr", "mrs", "ms", "pp", "prof", "sec", "st", "viz", "vol", "vs"}
)
"""Lower-case entries match in any case, the others only as written."""

# Line ends are atomic, so that \r\n never counts as two line ends.
_BLANK = re.compile(r"(?>\r\n|[\r\n])[^\S\r\n]*(?>\r\n|[\r\n])\s*")
_WORD = re.compile(r"\S+")
_STOP = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s+(\S))"  # the next character decides
    r"|[。！？]++[」』”’）)]*+"
)
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")

Spans = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def paragraphs(text: str) -> Spans:
    r"""Return starts and ends of the paragraphs of a text.

    >>> [part.tolist() for part in paragraphs("One\nstill one.\n \n  Two.\n")]
    [[0, 19], [14, 23]]
    """
    return _arrays(_paragraphs(text))


def sentences(text: str) -> Spans:
    """Return starts and ends of the sentences of a text.

    >>> text = 'Dr. A. Who came (late!) again. "Why?" Because.'
    >>> [text[start:end] for start, end in zip(*sentences(text), strict=True)]
    ['Dr. A. Who came (late!) again.', '"Why?"', 'Because.']
    """
    return _arrays(span for start, end in _paragraphs(text) for span in _sentences(text, start, end))


def words(text: str) -> Spans:
    """Return starts and ends of the words of a text.

    >>> [part.tolist() for part in words(" To be,  or not")]
    [[1, 4, 9, 12], [3, 7, 11, 15]]
    """
    return _arrays(match.span() for match in _WORD.finditer(text))


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for gap in _BLANK.finditer(text):
        yield from _trimmed(text, at, gap.start())
        at = gap.end()
    yield from _trimmed(text, at, len(text))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for stop in _STOP.finditer(text, start, end):
        if stop[1] is None or not (stop[1].islower() or _is_abbreviated(text, at, stop)):
            yield from _trimmed(text, at, stop.end())
            at = stop.end()
    yield from _trimmed(text, at, end)


def _is_abbreviated(text: str, start: int, stop: re.Match[str]) -> bool:
    if stop[0] != ".":
        return False
    # search back as far as the longest abbreviation and the character before it
    word = _LAST_WORD.search(text, max(start, stop.start() - 8), stop.start())
    return word is not None and (
        len(word[0]) == 1 or word[0] in ABBREVIATIONS or word[0].lower() in ABBREVIATIONS
    )


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span without surrounding white space, unless it is blank."""
    piece = text[start:end]
    indent = len(piece) - len(piece.lstrip())
    if indent < len(piece):
        yield start + indent, start + len(piece.rstrip())


def _arrays(spans: Iterable[tuple[int, int]]) -> Spans:
    pairs = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()
