"""Views of spans: what lists of chunks look like beside gold spans, tokens, or all chunks there are."""

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
    """For each gold span the rank by which enough of it has been shown; 0 where that never happens.

    ``reached`` has one column a gold span, as the assessments have them: neither merged nor told apart
    where they are equal.  ``spans`` counts them.
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
        """A topic counts when it has a gold span."""
        return self.spans > 0


@dataclass(frozen=True)
class ReadingOrder(View):
    """Relevant text in the order in which a reader of the ranking meets it.

    One column a stretch of new relevant text: ``relevant`` is its size, ``until`` how many characters of
    new text have been read when it ends; ``total`` is the relevant text there is to find.
    """

    relevant: Matrix
    until: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = _BUDGETS

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has relevant text."""
        return self.total > 0


@dataclass(frozen=True)
class ReadTokens(ReadText):
    """Tokens read rank by rank, counted as ``ReadText`` counts characters."""

    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "tokens", Text(), 'what a token is: "words" between white space, or a tokeniser by name', "words"
        ),
        *_BUDGETS,
    )


@dataclass(frozen=True)
class MarkedText(View):
    """Characters as Chroma's evaluation counts them: marks are counted as often as they were made.

    ``new_marked`` is what a result takes off the gold spans, each of them on its own; ``marked`` the sum
    of their sizes.
    """

    size: Matrix
    new_relevant: Matrix
    new_marked: Matrix
    marked: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has a gold span."""
        return self.marked > 0


@dataclass(frozen=True)
class TouchingChunks(ReadText):
    """All chunks of a chunking that share a character with the relevant text, as one list."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()


@dataclass(frozen=True)
class AdjacentChunks(ReadText):
    """All chunks of a chunking that share a character, or only a border, with the relevant text."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()


@dataclass(frozen=True)
class GreedyChunks(ReadText):
    """Chunks of a chunking, chosen one by one by the most new relevant text."""

    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)


@dataclass(frozen=True)
class DocumentRanking(View):
    """Documents in order of first appearance: the grade of each, and of the relevant ones not retrieved."""

    grade: Matrix
    missed: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)
    limited_by: ClassVar[str] = "articles"

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has a relevant document."""
        retrieved = (self.grade > 0).any(axis=1)
        return np.asarray(retrieved | (self.missed > 0).any(axis=1), dtype=bool)
