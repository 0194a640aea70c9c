"""Views of spans: lists of chunks compared with gold spans, tokens or all chunks of a chunking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxel.measures.declare import Scores, View
from doxel.measures.parameters import Number, Parameter, Text
from doxel.measures.ranks import Matrix
from doxel.measures.views import ARTICLE_CHARS, CHARS, LIMIT, ReadText
from doxel.spans import Booleans

__all__ = [
    "AdjacentChunks",
    "DocumentRanking",
    "GoldSpans",
    "GreedyChunks",
    "MarkedText",
    "ReadTokens",
    "ReadingOrder",
    "TouchingChunks",
]

_BUDGETS = (LIMIT, CHARS, ARTICLE_CHARS)


@dataclass(frozen=True)
class GoldSpans(View):
    """For each gold span, the rank by which enough of it has been shown, or 0 if that never happens.

    ``reached`` has one column per gold span of the assessments; overlapping and equal spans are not
    merged.  ``spans`` is their number per topic.
    """

    reached: Matrix
    spans: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "min", Number(0, 1, above=True), "share of a gold span's characters that must be shown", 0.5
        ),
        *_BUDGETS,
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a gold span."""
        return self.spans > 0


@dataclass(frozen=True)
class ReadingOrder(View):
    """Relevant text in the order in which a reader of the ranking meets it.

    There is one column per stretch of new relevant text: ``relevant`` is its size, ``until`` the number of
    new characters read when it ends.  ``total`` is the topic's relevant text.
    """

    relevant: Matrix
    until: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = _BUDGETS

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0


@dataclass(frozen=True)
class ReadTokens(ReadText):
    """Tokens read rank by rank, counted in the same way as the characters of ``ReadText``."""

    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "tokens", Text(), 'the tokeniser: "words" between white space, or a tokeniser by name', "words"
        ),
        *_BUDGETS,
    )


@dataclass(frozen=True)
class MarkedText(View):
    """Characters as Chroma's evaluation counts them: overlapping gold spans count several times.

    ``new_marked`` is the new text of a result inside each gold span, summed over the gold spans;
    ``marked`` is the sum of their sizes.
    """

    size: Matrix
    new_relevant: Matrix
    new_marked: Matrix
    marked: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a gold span."""
        return self.marked > 0


@dataclass(frozen=True)
class TouchingChunks(ReadText):
    """All chunks of a chunking that share a character with the relevant text, as one list."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()


@dataclass(frozen=True)
class AdjacentChunks(ReadText):
    """All chunks of a chunking that share a character or a border with the relevant text, as one list."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()


@dataclass(frozen=True)
class GreedyChunks(ReadText):
    """Chunks of a chunking, chosen one by one for the most new relevant text."""

    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)


@dataclass(frozen=True)
class DocumentRanking(View):
    """The grades of documents in order of first appearance, and of relevant documents not retrieved."""

    grade: Matrix
    missed: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)
    limited_by: ClassVar[str] = "articles"

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant document."""
        retrieved = (self.grade > 0).any(axis=1)
        return np.asarray(retrieved | (self.missed > 0).any(axis=1), dtype=bool)
