"""Built-in splitters of texts: by characters, tokens, sentences, paragraphs or headings.

Each returns starts and ends as two arrays.  Chunks are spans of the unchanged text, in order.  Without
overlap they cover all of it: white space after a unit belongs to the chunk of that unit, white space
before the first unit to the first chunk.  A chunk that would be inside the previous one is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from doxel.documents.parsing.plain_text import split_paragraphs, split_sentences, split_words
from doxel.spans import Ints

__all__ = ["Spans", "by_characters", "by_headings", "by_paragraphs", "by_sentences", "by_tokens", "headings"]

Spans = tuple[Ints, Ints]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


def by_characters(text: str, size: int, overlap: int = 0) -> Spans:
    """Cut a text into chunks of ``size`` characters.

    >>> [column.tolist() for column in by_characters("abcdefgh", 4, 1)]
    [[0, 3, 6], [4, 7, 8]]
    """
    return _windows(np.arange(len(text) + 1), size, overlap)


def by_tokens(text: str, size: int, overlap: int = 0) -> Spans:
    """Cut a text into chunks of ``size`` words, which white space separates.

    >>> [column.tolist() for column in by_tokens("To be, or not", 2)]
    [[0, 7], [7, 13]]
    """
    return _windows(_borders(text, split_words), size, overlap)


def by_sentences(text: str, size: int = 1, overlap: int = 0) -> Spans:
    """Cut a text into chunks of ``size`` sentences."""
    return _windows(_borders(text, split_sentences), size, overlap)


def by_paragraphs(text: str, size: int = 1, overlap: int = 0) -> Spans:
    """Cut a text into chunks of ``size`` paragraphs, which blank lines separate."""
    return _windows(_borders(text, split_paragraphs), size, overlap)


def by_headings(text: str, starts: Ints, size: int = 1, overlap: int = 0) -> Spans:
    """Cut a text into chunks of ``size`` sections, which start at ``starts``."""
    inner = starts[(starts > 0) & (starts < len(text))]
    return _windows(np.unique(np.concatenate([[0], inner, [len(text)]])), size, overlap)


def headings(text: str) -> Ints:
    r"""Return the offsets of Markdown headings; lines in fenced code are not headings.

    >>> headings("# A\n\n```\n# no\n```\n## B\n").tolist()
    [0, 18]
    """
    offsets: list[int] = []
    fence = ""
    offset = 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if closes else fence
        elif mark is not None:
            fence = mark[1]
        elif _HEADING.match(line.rstrip("\r\n")):
            offsets.append(offset)
        offset += len(line)
    return np.array(offsets, dtype=np.int64)


def _borders(text: str, split: Callable[[str], Spans]) -> Ints:
    """Return the offsets of units, from 0 to the end of the text."""
    starts, _ = split(text)
    return np.unique(np.concatenate([[0], starts[1:], [len(text)]]))


def _windows(borders: Ints, size: int, overlap: int) -> Spans:
    """Return windows of ``size`` units, each starting ``size - overlap`` units after the previous one."""
    count = len(borders) - 1
    first = np.arange(0, max(count, 0), size - overlap)
    # the windows after the first one that reaches the end would be inside it
    first = first[(first == 0) | (first - (size - overlap) + size < count)]
    return borders[first], borders[np.minimum(first + size, count)]
