"""Built-in ways of cutting a text: by characters, tokens, sentences, paragraphs or headings.

Each returns starts and ends as two arrays.  Chunks are spans of the unchanged text, in order.  Without
overlap they cover all of it: white space between two units belongs to the chunk before it, what stands
before the first unit to the first chunk.  A chunk that would lie inside the one before it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from doxel.documents import sentences as units
from doxel.spans import Ints

__all__ = ["Spans", "by_characters", "by_headings", "by_paragraphs", "by_sentences", "by_tokens", "headings"]

Spans = tuple[Ints, Ints]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


def by_characters(text: str, size: int, overlap: int = 0) -> Spans:
    """Cut a text every so many characters.

    >>> [column.tolist() for column in by_characters("abcdefgh", 4, 1)]
    [[0, 3, 6], [4, 7, 8]]
    """
    return _windows(np.arange(len(text) + 1), size, overlap)


def by_tokens(text: str, size: int, overlap: int = 0) -> Spans:
    """Cut a text every so many words between white space.

    >>> [column.tolist() for column in by_tokens("To be, or not", 2)]
    [[0, 7], [7, 13]]
    """
    return _windows(_borders(text, units.words), size, overlap)


def by_sentences(text: str, size: int = 1, overlap: int = 0) -> Spans:
    """Cut a text every so many sentences."""
    return _windows(_borders(text, units.sentences), size, overlap)


def by_paragraphs(text: str, size: int = 1, overlap: int = 0) -> Spans:
    """Cut a text every so many paragraphs, which blank lines separate."""
    return _windows(_borders(text, units.paragraphs), size, overlap)


def by_headings(text: str, starts: Ints, size: int = 1, overlap: int = 0) -> Spans:
    """Cut a text where sections begin, every so many of them."""
    inner = starts[(starts > 0) & (starts < len(text))]
    return _windows(np.unique(np.concatenate([[0], inner, [len(text)]])), size, overlap)


def headings(text: str) -> Ints:
    r"""Return where lines with headings of Markdown begin; lines in fenced code are none.

    >>> headings("# A\n\n```\n# no\n```\n## B\n").tolist()
    [0, 18]
    """
    found: list[int] = []
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
        elif mark is not None:
            fence = mark[1]
        elif _HEADING.match(line.rstrip("\r\n")):
            found.append(at)
        at += len(line)
    return np.array(found, dtype=np.int64)


def _borders(text: str, split: Callable[[str], Spans]) -> Ints:
    """Return where units begin, from 0 to the end of the text."""
    starts, _ = split(text)
    return np.unique(np.concatenate([[0], starts[1:], [len(text)]]))


def _windows(borders: Ints, size: int, overlap: int) -> Spans:
    """Return windows of so many units between borders, each starting ``size - overlap`` after the last."""
    count = len(borders) - 1
    first = np.arange(0, max(count, 0), size - overlap)
    # once a window has reached the end, those after it would lie inside it
    first = first[(first == 0) | (first - (size - overlap) + size < count)]
    return borders[first], borders[np.minimum(first + size, count)]
