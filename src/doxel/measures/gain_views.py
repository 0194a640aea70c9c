"""Views of gains: what each result of a run is worth, and what the ideal ranking would have been worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxel.measures.declare import Scores, View
from doxel.measures.parameters import DEPENDS, Choice, Parameter, Text
from doxel.measures.ranks import Matrix
from doxel.measures.views import ALPHA, LIMIT, TASK
from doxel.spans import Booleans, Ints

__all__ = ["ArticleGains", "BrowseGains", "ConceptSpace", "GainVectors", "RankedRelevance", "TiedLevels"]

QUANT = Parameter("quant", Text(), "the quantisation; default: gen of the assessments' scale", DEPENDS)
EXCLUDE_TAGS = Parameter(
    "exclude_tags", Text(), 'tags that gain nothing, with commas between; "links" for all links', None
)
CONSTRUCTION = Parameter(
    "construction",
    Choice(("path", "greedy", "best-sum", "leaves")),
    "how the ideal recall base is chosen",
    "path",
)
TIE = Parameter(
    "tie",
    Choice(("ancestor", "descendant")),
    "which of two elements with the same gain on a path is ideal",
    "ancestor",
)
BASE = Parameter("base", Choice(("full", "ideal")), "the recall base", "full")
TIES = Parameter(
    "ties",
    Choice(("rsv", "rank")),
    'what makes results tied: equal rsv where these agree with the ranks, else equal ranks; "rank": ranks',
    "rsv",
)


@dataclass(frozen=True)
class GainVectors(View):
    """Gains of the run and of the ideal ranking, by rank; ``divisor`` is what MAep divides by."""

    gains: Matrix
    ideal: Matrix
    divisor: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (
        TASK,
        QUANT,
        ALPHA,
        Parameter(
            "overlap",
            Choice(("on", "off")),
            'in Focused, "off" gives every result its plain gain; default: on',
            DEPENDS,
        ),
        Parameter(
            "partial",
            Choice(("children", "retrieved")),
            "the gain of a partly seen element: from its children as they stand, or from the results in it",
            "children",
        ),
        CONSTRUCTION,
        TIE,
        EXCLUDE_TAGS,
        LIMIT,
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts when there is something to gain."""
        return _any_ideal(self.ideal)


@dataclass(frozen=True)
class ArticleGains(GainVectors):
    """Gains of articles: the gain of each one's root, against all relevant roots."""

    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)
    limited_by: ClassVar[str] = "articles"


@dataclass(frozen=True)
class BrowseGains(View):
    """Gains inside each relevant article, a row an article, and the topic of each."""

    articles: GainVectors
    topic: Ints
    topics: int
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has an article with something to gain."""
        return np.bincount(self.topic, minlength=self.topics) > 0


@dataclass(frozen=True)
class RankedRelevance(View):
    """Relevance of results as probabilities, and the relevance there is."""

    relevance: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, BASE, CONSTRUCTION, TIE, EXCLUDE_TAGS, LIMIT)

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has anything relevant."""
        return self.total > 0


@dataclass(frozen=True)
class TiedLevels(View):
    """Relevance of results as probabilities, and the tied levels that they stand in.

    ``first`` and ``last`` are the columns with which the level of a result begins and ends; ``total``
    is the relevance there is; ``distinct`` counts the different elements that were retrieved.
    """

    relevance: Matrix
    first: Ints
    last: Ints
    length: Scores
    distinct: Scores
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, BASE, CONSTRUCTION, TIE, TIES, EXCLUDE_TAGS, LIMIT)

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has anything relevant."""
        return self.total > 0


@dataclass(frozen=True)
class ConceptSpace(View):
    """Specificity and exhaustivity of results, their sizes, and how much of each was seen before."""

    specificity: Matrix
    exhaustivity: Matrix
    size: Matrix
    seen: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "grades",
            Choice(("normalised", "strict")),
            "grades between 0 and 1, or 1 for the highest and 0 for all others",
            "normalised",
        ),
        EXCLUDE_TAGS,
        LIMIT,
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts when any element has exhaustivity."""
        return self.total > 0


def _any_ideal(ideal: Matrix) -> Booleans:
    return np.asarray((ideal > 0).any(axis=1), dtype=bool)
