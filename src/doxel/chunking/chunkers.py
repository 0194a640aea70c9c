"""Chunkers by name: ``characters:400:100``, ``paragraphs``, or a custom function, ``FILE.py:NAME``.

The name of a built-in chunker is followed by the number of units per chunk, and by the number of units
that the next chunk repeats.  A custom function takes a text and returns its chunks as spans (start, end),
or as texts that occur in it in this order.

The built-in chunkers cut by characters, tokens, sentences, paragraphs or headings.  Each splitter returns
starts and ends as two arrays.  Chunks are spans of the unchanged text, in order.  Without overlap they
cover all of it: white space after a unit belongs to the chunk of that unit, white space before the first
unit to the first chunk.  A chunk that would be inside the previous one is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxel.chunking.splitters import Spans, by_characters, by_headings, by_paragraphs, by_sentences, by_tokens
from doxel.errors import InputError
from doxel.evaluation.own_functions import ask, load_function
from doxel.spans import Ints
from doxel.wording import did_you_mean, quote_value

__all__ = ["BUILT_IN", "Chunker", "chunker_named"]

# name: (default number of units per chunk, splitter)
BUILT_IN: dict[str, tuple[int | None, Callable[..., Spans]]] = {
    "characters": (None, by_characters),
    "tokens": (None, by_tokens),
    "sentences": (1, by_sentences),
    "paragraphs": (1, by_paragraphs),
    "headings": (1, by_headings),
}
_NAME = re.compile(r"([a-z]+)(?::(\d{1,9}))?(?::(\d{1,9}))?")


@dataclass(frozen=True)
class Chunker:
    """A way to cut texts; ``name`` is its name on the command line."""

    name: str
    function: Callable[..., Any]
    wants_sections: bool = False

    def cut(self, text: str, sections: Ints, document: str) -> Spans:
        """Cut a text; ``sections`` are the offsets of its sections, ``document`` is its name in errors."""
        if self.wants_sections:
            starts, ends = self.function(text, sections)
        else:
            output = ask(self.function, f"chunker {self.name!r}, document {document!r}", text)
            starts, ends = _spans(output, text, self.name, document)
        wrong = np.flatnonzero((starts < 0) | (ends > len(text)) | (ends <= starts))
        if len(wrong) and text:
            start, end = int(starts[wrong[0]]), int(ends[wrong[0]])
            raise InputError(
                f"chunker {self.name!r}, document {document!r}, chunk {wrong[0] + 1}",
                wanted=f"a span that is not empty, within {len(text):,} characters",
                found=f"[{start}, {end})",
            )
        return (starts, ends) if text else (starts[:0], ends[:0])


def chunker_named(name: str) -> Chunker:
    """Return the chunker with a name.

    >>> [column.tolist() for column in chunker_named("characters:4").cut("abcdef", np.zeros(0), "a")]
    [[0, 4], [4, 6]]
    """
    if ".py:" in name:
        _, function, _ = load_function(name, "a chunker", "a function NAME(text)")
        return Chunker(name, function)
    match = _NAME.fullmatch(name.strip())
    if match is None or match[1] not in BUILT_IN:
        raise InputError(
            "a chunker",
            wanted=f"one of {', '.join(BUILT_IN)} with :SIZE:OVERLAP, or FILE.py:NAME",
            found=f"{name!r}{did_you_mean(name.partition(':')[0], BUILT_IN)}",
        )
    default, function = BUILT_IN[match[1]]
    size = int(match[2]) if match[2] else default
    overlap = int(match[3] or 0)
    if size is None or size < 1 or overlap >= size:
        raise InputError(
            f"chunker {name!r}",
            wanted=f"{match[1]}:SIZE or {match[1]}:SIZE:OVERLAP, 0 <= overlap < size",
            found="no size" if size is None else f"size {size}, overlap {overlap}",
        )
    if match[1] == "headings":
        return Chunker(name, lambda text, starts: function(text, starts, size, overlap), wants_sections=True)
    return Chunker(name, lambda text: function(text, size, overlap))


def _spans(output: Any, text: str, name: str, document: str) -> Spans:
    """Return the output of a chunker as starts and ends."""
    if isinstance(output, tuple) and len(output) == 2 and isinstance(output[0], np.ndarray):
        return np.asarray(output[0], dtype=np.int64), np.asarray(output[1], dtype=np.int64)
    try:
        chunks = list(output)
        if chunks and all(isinstance(chunk, str) for chunk in chunks):
            return _places(chunks, text, name, document)
        pairs = np.array([(start, end) for start, end in chunks], dtype=np.int64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):
        wanted = "spans (start, end), or texts"
        raise InputError(f"chunker {name!r}", wanted=wanted, found=quote_value(output)) from None
    return pairs[:, 0], pairs[:, 1]


def _places(chunks: Sequence[str], text: str, name: str, document: str) -> Spans:
    """Return the spans of texts: each is the first occurrence after the start of the text before it."""
    starts: list[int] = []
    for number, chunk in enumerate(chunks, 1):
        offset = text.find(chunk, starts[-1] + 1 if starts else 0)
        if offset < 0:
            raise InputError(
                f"chunker {name!r}, document {document!r}, chunk {number}",
                wanted="a text from the document, after the start of the previous chunk",
                found=quote_value(chunk),
            )
        starts.append(offset)
    start = np.array(starts, dtype=np.int64)
    return start, start + np.array([len(chunk) for chunk in chunks], dtype=np.int64)
