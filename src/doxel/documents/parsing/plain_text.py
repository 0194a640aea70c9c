"""Plain text documents, and the paragraphs, sentences and words of plain text.

By the rule ``text-source`` a document's text is the decoded file, unchanged, line ends included.  Its
elements are ``document``, the paragraphs in it (``p``) and the sentences in these (``s``).

Each function that splits a text returns starts and ends as two arrays.  The spans are in order, not empty
and do not overlap; they neither begin nor end with white space, and cover every other character.

paragraph
    consecutive lines that are not blank; a blank line is empty or white space
sentence
    ends with its paragraph, or after ``.``, ``!``, ``?`` or ``…`` and any closing quotation marks and
    brackets, if white space and then anything but a lower-case letter follow; or after ``。``, ``！`` or
    ``？``, whatever follows.  A full stop after a single letter (an initial) or one of about twenty
    abbreviations (``ABBREVIATIONS``) does not end a sentence.
word
    consecutive characters that are not white space

The rule for sentences is simple on purpose: it is easy to state, needs no model, and always gives the
same spans.  It fails if a sentence ends with an initial or an abbreviation, or begins with a lower-case
letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from doxel.documents.parsing.node_columns import NodeColumns, OutlineBuilder, SourceKind
from doxel.files.contents import decode_source, encode_source

__all__ = ["ABBREVIATIONS", "TEXT", "outline_text", "split_paragraphs", "split_sentences", "split_words"]


def outline_text(text: str, name: str) -> OutlineBuilder:
    """Return the paragraphs and sentences of a text as elements."""
    outline = OutlineBuilder(name)
    outline.open("document", 0)
    starts, ends = (side.tolist() for side in split_sentences(text))
    number = 0
    for start, end in zip(*(side.tolist() for side in split_paragraphs(text)), strict=True):
        outline.open("p", start)
        while number < len(starts) and ends[number] <= end:
            outline.open("s", starts[number])
            outline.close(ends[number])
            number += 1
        outline.close(end)
    outline.close(len(text))
    return outline


def _read_plain_text(columns: NodeColumns, data: bytes, name: str) -> bytes:
    text = decode_source(data, name)
    encoded = encode_source(text, name)
    outline_text(text, name).add_to(columns)
    return encoded


TEXT = SourceKind(
    "text", rule="text-source", suffixes=(".txt", ".text"), open=lambda _declared: _read_plain_text
)


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

SpanArrays = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def split_paragraphs(text: str) -> SpanArrays:
    r"""Return starts and ends of the paragraphs of a text.

    >>> [part.tolist() for part in split_paragraphs("One\nstill one.\n \n  Two.\n")]
    [[0, 19], [14, 23]]
    """
    return _build_arrays(_iterate_paragraphs(text))


def split_sentences(text: str) -> SpanArrays:
    """Return starts and ends of the sentences of a text.

    >>> text = 'Dr. A. Who came (late!) again. "Why?" Because.'
    >>> [text[start:end] for start, end in zip(*split_sentences(text), strict=True)]
    ['Dr. A. Who came (late!) again.', '"Why?"', 'Because.']
    """
    return _build_arrays(
        span for start, end in _iterate_paragraphs(text) for span in _iterate_sentences(text, start, end)
    )


def split_words(text: str) -> SpanArrays:
    """Return starts and ends of the words of a text.

    >>> [part.tolist() for part in split_words(" To be,  or not")]
    [[1, 4, 9, 12], [3, 7, 11, 15]]
    """
    return _build_arrays(match.span() for match in _WORD.finditer(text))


def _iterate_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for gap in _BLANK.finditer(text):
        yield from _trim(text, at, gap.start())
        at = gap.end()
    yield from _trim(text, at, len(text))


def _iterate_sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for stop in _STOP.finditer(text, start, end):
        if stop[1] is None or not (stop[1].islower() or _is_abbreviated(text, at, stop)):
            yield from _trim(text, at, stop.end())
            at = stop.end()
    yield from _trim(text, at, end)


def _is_abbreviated(text: str, start: int, stop: re.Match[str]) -> bool:
    if stop[0] != ".":
        return False
    # search back as far as the longest abbreviation and the character before it
    word = _LAST_WORD.search(text, max(start, stop.start() - 8), stop.start())
    return word is not None and (
        len(word[0]) == 1 or word[0] in ABBREVIATIONS or word[0].lower() in ABBREVIATIONS
    )


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span without surrounding white space, unless it is blank."""
    piece = text[start:end]
    indent = len(piece) - len(piece.lstrip())
    if indent < len(piece):
        yield start + indent, start + len(piece.rstrip())


def _build_arrays(spans: Iterable[tuple[int, int]]) -> SpanArrays:
    pairs = np.array(list(spans), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0].copy(), pairs[:, 1].copy()
