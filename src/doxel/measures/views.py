"""Views of text: one run as the arrays that measures of characters and articles need.

The first axis is the topic, the second the rank; lists are padded with zeros, which do not change a
score.  A view has parameters, which all measures over it have too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from doxel.measures.declare import Scores, View
from doxel.measures.parameters import DEPENDS, Choice, Number, Parameter
from doxel.measures.ranks import Matrix, best_onwards, divide
from doxel.spans import Booleans

__all__ = ["Articles", "ReadText", "ResultOverlap", "RetrievedArticles", "ValuedText"]


LIMIT = Parameter(
    "limit", Number(1, whole=True, none=True), "results per topic that count; None for all", 1500
)
CHARS = Parameter("chars", Number(1, whole=True, none=True), "characters per topic that count", None)
ARTICLE_CHARS = Parameter(
    "article_chars", Number(1, whole=True, none=True), "characters per article that count", None
)
TASKS = ("thorough", "focused", "relevant-in-context", "best-in-context", "fetch-and-browse")
TASK = Parameter("task", Choice(TASKS), "the retrieval task; default: the task of the run", DEPENDS)
ALPHA = Parameter(
    "alpha",
    Number(0, 1),
    "share of the value already seen that is subtracted: 1 all, 0 nothing; default: 1, in Thorough 0",
    DEPENDS,
)


@dataclass(frozen=True)
class ReadText(View):
    """Characters read rank by rank: the size of each result and how much of it is new to the reader.

    ``size`` and ``relevant`` count all characters of a result; ``new_size`` and ``new_relevant`` only
    those that no earlier result of the topic has shown.  ``total`` is the topic's relevant text.
    """

    size: Matrix
    relevant: Matrix
    new_size: Matrix
    new_relevant: Matrix
    total: Scores

    @cached_property
    def found(self) -> Matrix:
        """Relevant characters seen so far, each counted once."""
        return self.new_relevant.cumsum(axis=1)

    @cached_property
    def read(self) -> Matrix:
        """Characters read so far, each counted once."""
        return self.new_size.cumsum(axis=1)

    @cached_property
    def paid(self) -> Matrix:
        """Characters read so far, each counted as often as it was retrieved."""
        return self.size.cumsum(axis=1)

    @cached_property
    def best_precision(self) -> Matrix:
        """The best precision from each rank on; past the end 0."""
        return best_onwards(divide(self.found, self.read))

    parameters: ClassVar[tuple[Parameter, ...]] = (TASK, LIMIT, CHARS, ARTICLE_CHARS)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0


@dataclass(frozen=True)
class ValuedText(View):
    """The size of each result and its value to a reader who has seen the earlier results (HiXEval)."""

    value: Matrix
    size: Matrix
    total: Scores

    @cached_property
    def gathered(self) -> Matrix:
        """Value of the results up to each rank."""
        return self.value.cumsum(axis=1)

    @cached_property
    def read(self) -> Matrix:
        """Characters read so far."""
        return self.size.cumsum(axis=1)

    parameters: ClassVar[tuple[Parameter, ...]] = (TASK, ALPHA, LIMIT)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0


@dataclass(frozen=True)
class ResultOverlap(View):
    """For each result, the smallest cutoff at which it overlaps another result (infinite: never)."""

    overlaps_from: Matrix
    length: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)

    @property
    def defined(self) -> Booleans:
        """Every topic counts, because overlap does not depend on the assessments."""
        return np.ones(len(self.length), dtype=bool)


@dataclass(frozen=True)
class Articles(View):
    """Articles in order of first appearance, with their scores and whether they are relevant."""

    score: Matrix
    relevant: Matrix
    length: Scores
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "score",
            Choice(("f", "bep", "t2i")),
            'how an article is scored: "f" F-beta of its characters, "bep" distance to the best entry '
            'point, "t2i" tolerance to irrelevance',
            "f",
        ),
        Parameter("beta", Number(0, above=True), 'weight of recall in F-beta (score="f")', 1),
        Parameter("n", Number(1), 'distance at which an entry point is worth nothing (score="bep")', 500),
        Parameter("T", Number(1), 'irrelevant characters a reader tolerates (score="t2i")', 300),
        LIMIT,
        ARTICLE_CHARS,
    )
    limited_by: ClassVar[str] = "articles"

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant article."""
        return self.total > 0


@dataclass(frozen=True)
class RetrievedArticles(View):
    """Counts per topic: articles retrieved, relevant articles among them, and all relevant articles."""

    retrieved: Scores
    found: Scores
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant article."""
        return self.total > 0
