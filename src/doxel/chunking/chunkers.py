"""Chunkers by name: ``characters:400:100``, ``paragraphs``, or a function of one's own, ``FILE.py:NAME``.

After the name of a built-in chunker stands how many units make a chunk, and after that how many of them
the next one repeats.  A function of one's own takes a text and returns its chunks as spans (start, end), or
as texts that stand in it one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxel.chunking import splitters
from doxel.chunking.splitters import Spans
from doxel.errors import InputError
from doxel.evaluation.own_functions import ask, load_function
from doxel.spans import Ints
from doxel.wording import did_you_mean, shown

__all__ = ["BUILT_IN", "Chunker", "chunker_named"]

# how many units make a chunk where nothing is said, and what is done
BUILT_IN: dict[str, tuple[int | None, Callable[..., Spans]]] = {
    "characters": (None, splitters.by_characters),
    "tokens": (None, splitters.by_tokens),
    "sentences": (1, splitters.by_sentences),
    "paragraphs": (1, splitters.by_paragraphs),
    "headings": (1, splitters.by_headings),
}
_NAME = re.compile(r"([a-z]+)(?::(\d{1,9}))?(?::(\d{1,9}))?")


@dataclass(frozen=True)
class Chunker:
    """A way of cutting texts; ``name`` is how it is written."""

    name: str
    function: Callable[..., Any]
    wants_sections: bool = False

    def cut(self, text: str, sections: Ints, document: str) -> Spans:
        """Cut a text; ``sections`` are where its sections begin, ``document`` is what errors call it."""
        if self.wants_sections:
            starts, ends = self.function(text, sections)
        else:
            found = ask(self.function, f"chunker {self.name!r}, document {document!r}", text)
            starts, ends = _spans(found, text, self.name, document)
        wrong = np.flatnonzero((starts < 0) | (ends > len(text)) | (ends <= starts))
        if len(wrong) and text:
            start, end = int(starts[wrong[0]]), int(ends[wrong[0]])
            raise InputError(
                f"chunker {self.name!r}, document {document!r}, chunk {wrong[0] + 1}",
                wanted=f"a span that holds something, within {len(text):,} characters",
                found=f"[{start}, {end})",
            )
        return (starts, ends) if text else (starts[:0], ends[:0])


def chunker_named(name: str) -> Chunker:
    """Return a chunker by its name.

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


def _spans(found: Any, text: str, name: str, document: str) -> Spans:
    """Return what a chunker gave as starts and ends."""
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], np.ndarray):
        return np.asarray(found[0], dtype=np.int64), np.asarray(found[1], dtype=np.int64)
    try:
        chunks = list(found)
        if chunks and all(isinstance(one, str) for one in chunks):
            return _places(chunks, text, name, document)
        pairs = np.array([(start, end) for start, end in chunks], dtype=np.int64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):
        wanted = "spans (start, end), or texts"
        raise InputError(f"chunker {name!r}", wanted=wanted, found=shown(found)) from None
    return pairs[:, 0], pairs[:, 1]


def _places(chunks: Sequence[str], text: str, name: str, document: str) -> Spans:
    """Return where texts stand: each at the first place after the beginning of the one before it."""
    starts: list[int] = []
    for number, chunk in enumerate(chunks, 1):
        at = text.find(chunk, starts[-1] + 1 if starts else 0)
        if at < 0:
            raise InputError(
                f"chunker {name!r}, document {document!r}, chunk {number}",
                wanted="a text that stands in the document, after the beginning of the chunk before it",
                found=shown(chunk),
            )
        starts.append(at)
    begin = np.array(starts, dtype=np.int64)
    return begin, begin + np.array([len(chunk) for chunk in chunks], dtype=np.int64)
