"""Views of text: one run as the arrays that measures of characters, articles, chunks and documents need.

The first axis is the topic, the second the rank; lists are padded with zeros, which do not change a
score.  A view has parameters, which all measures over it have too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from doxel.measures.declaration import Quantity, Scores, View
from doxel.measures.measure_parameters import (
    ALPHA,
    ARTICLE_CHARS,
    BUDGETS,
    CHARS,
    IDEAL_BASE,
    LIMIT,
    QUANT,
    TASK,
    TOKENS,
    UNITS,
    UNLIMITED,
    Choice,
    Number,
    Parameter,
    check_budget,
    check_ideal_base,
    check_spending,
    check_unit,
)
from doxel.measures.rank_arithmetic import Matrix, accumulate_best, divide
from doxel.spans import Booleans

__all__ = [
    "AdjacentChunks",
    "Articles",
    "DocumentRanking",
    "GoldSpans",
    "GreedyChunks",
    "MarkedText",
    "OverlapRanks",
    "ReadText",
    "ReadTokens",
    "ReadingOrder",
    "RetrievedArticles",
    "TouchingChunks",
    "ValuedText",
    "reach_grade",
]

_PRECISION = Quantity(
    "P[r]",
    "precision: the relevant share of the text read so far",
    lambda view: divide(view.found, view.read),
)
_RECALL = Quantity(
    "R[r]",
    "recall: the share of the relevant text that was read so far",
    lambda view: divide(view.found, view.total[:, None]),
)


@dataclass(frozen=True, eq=False)
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
        return accumulate_best(divide(self.found, self.read))

    parameters: ClassVar[tuple[Parameter, ...]] = (TASK, LIMIT, *BUDGETS, TOKENS)
    check_parameters = staticmethod(check_spending)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("new", "its characters that no earlier result has shown", lambda view: view.new_size),
        Quantity("new rsize", "its new characters that are relevant", lambda view: view.new_relevant),
        _PRECISION,
        _RECALL,
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class ValuedText(View):
    """The size of each result and its value to a reader who has seen the earlier results (HiXEval).

    ``value`` is its relevant text less what was seen, ``size`` its characters.  ``total`` is the topic's
    relevant text.  quant and the parameters of the ideal recall base count only if values come from grades.
    """

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

    parameters: ClassVar[tuple[Parameter, ...]] = (TASK, ALPHA, QUANT, *IDEAL_BASE, LIMIT)
    check_parameters = staticmethod(check_ideal_base)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("rval", "its value: rsize less what earlier results have shown", lambda view: view.value),
        Quantity("P(k)", "value so far per character read", lambda view: divide(view.gathered, view.read)),
        Quantity(
            "R(k)",
            "value so far as a share of all relevant text",
            lambda view: divide(view.gathered, view.total[:, None]),
        ),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class OverlapRanks(View):
    """For each result, the smallest cutoff at which it overlaps another result.

    ``overlaps_from`` is this cutoff, infinite if it never overlaps.  ``length`` is the number of results.
    """

    overlaps_from: Matrix
    length: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity(
            "overlaps from",
            "the smallest cutoff at which it overlaps another result",
            lambda view: np.where(np.isfinite(view.overlaps_from), view.overlaps_from, np.nan),
        ),
    )

    @property
    def defined(self) -> Booleans:
        """Every topic counts, because overlap does not depend on the assessments."""
        return np.ones(len(self.length), dtype=bool)


@dataclass(frozen=True, eq=False)
class Articles(View):
    """Articles in order of first appearance, with their scores and whether they are relevant.

    ``score`` is the score of an article, ``relevant`` is 1 if it is relevant.  ``length`` is the number of
    retrieved articles, ``total`` that of relevant ones.
    """

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
    ranks: ClassVar[str] = "articles"
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("S", "the score of the article", lambda view: view.score),
        Quantity("rel", "1 if the article is relevant", lambda view: view.relevant),
        Quantity("gP", "mean score of the articles so far", lambda view: view.generalised_precision),
        Quantity(
            "gR",
            "share of the relevant articles among those so far",
            lambda view: divide(view.relevant.cumsum(axis=1), view.total[:, None]),
        ),
    )

    @cached_property
    def generalised_precision(self) -> Matrix:
        """Mean score of the articles up to each rank."""
        ranks = np.arange(1, self.score.shape[1] + 1)
        means: Matrix = self.score.cumsum(axis=1) / ranks
        return means

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant article."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class RetrievedArticles(View):
    """Articles by first occurrence, and the numbers of retrieved and of relevant articles.

    ``relevant`` is 1 if an article is relevant.  ``retrieved`` and ``total`` are the numbers of retrieved
    and of relevant articles.
    """

    relevant: Matrix
    retrieved: Scores
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (LIMIT,)
    ranks: ClassVar[str] = "articles"
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("rel", "1 if the article is relevant", lambda view: view.relevant),
    )

    @cached_property
    def found(self) -> Scores:
        """The number of relevant articles retrieved."""
        count: Scores = self.relevant.sum(axis=1)
        return count

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant article."""
        return self.total > 0


UNLIMITED_BUDGETS = (UNLIMITED, *BUDGETS, TOKENS)
"""The parameters of measures that INEX did not have: no limit by default, and budgets of any unit."""
SHARE_SHOWN = Parameter(
    "min", Number(0, 1, above=True), "share of a gold span's characters that must be shown", 0.5
)


@dataclass(frozen=True, eq=False)
class GoldSpans(View):
    """For each gold span, the rank by which enough of it has been shown, or 0 if that never happens.

    ``reached`` has one column per gold span of the assessments; overlapping and equal spans are not
    merged.  ``spans`` is their number per topic.
    """

    reached: Matrix
    spans: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (SHARE_SHOWN, *UNLIMITED_BUDGETS)
    check_parameters = staticmethod(check_spending)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("found", "gold spans that are found by this result", lambda view: view.found),
        Quantity("f(k)", "gold spans found so far", lambda view: view.found.cumsum(axis=1)),
    )

    @cached_property
    def found(self) -> Matrix:
        """The number of gold spans that are found at each rank."""
        counts = np.zeros((len(self.reached), int(self.reached.max(initial=0)) + 1))
        np.add.at(counts, (np.arange(len(counts))[:, None], self.reached.astype(np.int64)), 1.0)
        return counts[:, 1:]  # column 0 counts the spans that are never found

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a gold span."""
        return self.spans > 0


@dataclass(frozen=True, eq=False)
class ReadingOrder(View):
    """Relevant text in the order in which a reader of the ranking meets it.

    There is one column per stretch of new relevant text: ``relevant`` is its size, ``until`` the number of
    new characters, or other units, read when it ends.  ``total`` is the topic's relevant text.  ``new_size``
    (in units) and ``new_relevant`` have one column per rank.  A stretch is read in part if ``in_characters``,
    but not if units are words or tokens, of which a stretch begins at most one, with its first character.
    """

    relevant: Matrix
    until: Matrix
    total: Scores
    new_size: Matrix
    new_relevant: Matrix
    in_characters: bool = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "unit",
            Choice(UNITS),
            "what is counted: characters, words between white space, or the tokens of tokens=",
            "chars",
        ),
        TOKENS,
        UNLIMITED,
        CHARS,
        ARTICLE_CHARS,
    )
    check_parameters = staticmethod(check_unit)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity(
            "new", "its characters, or units, that no earlier result has shown", lambda view: view.new_size
        ),
        Quantity("new rsize", "its new characters that are relevant", lambda view: view.new_relevant),
        Quantity(
            "R[r]",
            "recall: the share of the relevant text that was read so far",
            lambda view: divide(view.new_relevant.cumsum(axis=1), view.total[:, None]),
        ),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class ReadTokens(ReadText):
    """Tokens read rank by rank, counted in the same way as the characters of ``ReadText``."""

    parameters: ClassVar[tuple[Parameter, ...]] = (TOKENS, UNLIMITED, *BUDGETS)
    check_parameters = staticmethod(check_budget)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("tokens", "its tokens", lambda view: view.size),
        Quantity("new tokens", "its tokens that no earlier result has shown", lambda view: view.new_size),
        Quantity("new relevant", "its new tokens that are relevant", lambda view: view.new_relevant),
        _PRECISION,
        _RECALL,
    )


@dataclass(frozen=True, eq=False)
class MarkedText(View):
    """Characters as Chroma's evaluation counts them: overlapping gold spans count several times.

    ``size`` counts all characters of a result, ``new_relevant`` its new relevant ones.  ``new_marked``
    is the new text of a result inside each gold span, summed over the gold spans; ``marked`` is the sum of
    their sizes.
    """

    size: Matrix
    new_relevant: Matrix
    new_marked: Matrix
    marked: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (UNLIMITED,)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("new rsize", "its new characters that are relevant", lambda view: view.new_relevant),
        Quantity(
            "new marked",
            "its new relevant characters, counted as often as they are marked",
            lambda view: view.new_marked,
        ),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a gold span."""
        return self.marked > 0


@dataclass(frozen=True, eq=False)
class TouchingChunks(ReadText):
    """All chunks of a chunking that share a character with the relevant text, as one list."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    ranks: ClassVar[str] = "chunks"


@dataclass(frozen=True, eq=False)
class AdjacentChunks(ReadText):
    """All chunks of a chunking that share a character or a border with the relevant text, as one list."""

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    ranks: ClassVar[str] = "chunks"


@dataclass(frozen=True, eq=False)
class GreedyChunks(ReadText):
    """Chunks of a chunking, chosen one by one for the most new relevant text."""

    parameters: ClassVar[tuple[Parameter, ...]] = (UNLIMITED,)
    ranks: ClassVar[str] = "chunks"


@dataclass(frozen=True, eq=False)
class DocumentRanking(View):
    """The grades of documents in order of first appearance, and of relevant documents not retrieved.

    ``grade`` is the grade of the document at each rank; ``missed`` has the grades of the relevant documents
    that were not retrieved, in no order.
    """

    grade: Matrix
    missed: Matrix
    audited_as: ClassVar[str] = "documents"
    parameters: ClassVar[tuple[Parameter, ...]] = (UNLIMITED,)
    limited_by: ClassVar[str] = "articles"
    ranks: ClassVar[str] = "articles"
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("grade", "the grade of the document", lambda view: view.grade),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant document."""
        return self.find_defined({})

    def find_defined(self, parameters: Mapping[str, Any]) -> Booleans:
        """A topic counts if it has a document that is relevant by the measure's ``rel``."""
        retrieved = reach_grade(self.grade, parameters).any(axis=1)
        return np.asarray(retrieved | reach_grade(self.missed, parameters).any(axis=1), dtype=bool)


def reach_grade(grades: Matrix, parameters: Mapping[str, Any]) -> Booleans:
    """Return which grades of documents are relevant: from ``rel`` on, or above 0 if the measure has none."""
    lowest = parameters.get("rel")
    return np.asarray(grades >= lowest if lowest else grades > 0, dtype=bool)
