"""Views of gains: the gain of each result of a run and the gains of the ideal ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxel.measures.declaration import DEPENDS, Choice, Parameter, Scores, Text, View
from doxel.measures.rank_arithmetic import Matrix
from doxel.measures.text_views import ALPHA, IDEAL_BASE, LIMIT, QUANT, TASK, check_ideal_base
from doxel.spans import Booleans, Ints

__all__ = ["ArticleGains", "BrowseGains", "ConceptSpace", "GainVectors", "RankedRelevance", "TiedLevels"]

EXCLUDE_TAGS = Parameter(
    "exclude_tags", Text(), 'tags that gain nothing, separated by commas; "links" for all links', None
)
BASE = Parameter("base", Choice(("full", "ideal")), "the recall base", "full")
TIES = Parameter(
    "ties",
    Choice(("rsv", "rank")),
    'which results are tied: those with equal rsv if rsv and ranks agree, else with equal rank; "rank": '
    "always with equal rank",
    "rsv",
)


@dataclass(frozen=True)
class GainVectors(View):
    """The gains of the run and of the ideal ranking by rank; ``divisor`` is the divisor of MAep."""

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
            'in Focused, "off" gives every result its full gain in spite of overlap; default: on',
            DEPENDS,
        ),
        Parameter(
            "partial",
            Choice(("children", "retrieved")),
            "the gain of a partly seen element: computed from its children, or from the results inside it",
            "children",
        ),
        Parameter(
            "cap",
            Choice(("auto", "on", "off")),
            "in Focused, whether an ideal element and its relatives gain at most its q: if overlap counts "
            "(alpha above 0), always, or never",
            "auto",
        ),
        *IDEAL_BASE,
        EXCLUDE_TAGS,
        LIMIT,
    )
    check_parameters = staticmethod(check_ideal_base)

    @property
    def defined(self) -> Booleans:
        """A topic counts if there is something to gain."""
        return _has_ideal(self.ideal)


@dataclass(frozen=True)
class ArticleGains(GainVectors):
    """Gains of articles: the gain of each article's root, compared with all relevant roots."""

    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)
    limited_by: ClassVar[str] = "articles"


@dataclass(frozen=True)
class BrowseGains(View):
    """Gains inside each relevant article, one row per article, and the topic of each article."""

    articles: GainVectors
    topic: Ints
    topics: int
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has an article with something to gain."""
        return np.bincount(self.topic, minlength=self.topics) > 0


@dataclass(frozen=True)
class RankedRelevance(View):
    """The relevance of results as probabilities, and the total relevance per topic."""

    relevance: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, BASE, *IDEAL_BASE, EXCLUDE_TAGS, LIMIT)
    check_parameters = staticmethod(check_ideal_base)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant element."""
        return self.total > 0


@dataclass(frozen=True)
class TiedLevels(View):
    """The relevance of results as probabilities, and the tied level of each result.

    ``first`` and ``last`` are the first and last column of a result's level; ``total`` is the total
    relevance per topic; ``distinct`` counts the different elements that were retrieved.
    """

    relevance: Matrix
    first: Ints
    last: Ints
    length: Scores
    distinct: Scores
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, BASE, *IDEAL_BASE, TIES, EXCLUDE_TAGS, LIMIT)
    check_parameters = staticmethod(check_ideal_base)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant element."""
        return self.total > 0


@dataclass(frozen=True)
class ConceptSpace(View):
    """Specificity, exhaustivity and size of results, and the share of each that was seen before."""

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
        """A topic counts if it has an element with exhaustivity."""
        return self.total > 0


def _has_ideal(ideal: Matrix) -> Booleans:
    return np.asarray((ideal > 0).any(axis=1), dtype=bool)
