"""Views of gains: the gain of each result of a run and the gains of the ideal ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from doxel.measures.declaration import Quantity, Scores, View
from doxel.measures.measure_parameters import (
    ALPHA,
    DEPENDS,
    IDEAL_BASE,
    LIMIT,
    QUANT,
    TASK,
    Choice,
    Parameter,
    Text,
    check_ideal_base,
)
from doxel.measures.rank_arithmetic import Matrix, at_rank, divide
from doxel.spans import Booleans, Ints

__all__ = [
    "ArticleGains",
    "BrowseGains",
    "ConceptSpace",
    "GainVectors",
    "RankedRelevance",
    "TiedLevels",
    "cumulate_gains",
]

EXCLUDE_TAGS = Parameter(
    "exclude_tags", Text(), 'tags that gain nothing, separated by commas; "links" for all links', None
)
BASE = Parameter("base", Choice(("full", "ideal")), "the recall base", "full")
TIES = Parameter(
    "ties",
    Choice(("rsv", "rank")),
    "which results are tied: those with equal rsv (the score in the run) if rsv and ranks agree, else with "
    'equal rank; "rank": '
    "always with equal rank",
    "rsv",
)


def cumulate_gains(gains: Matrix, width: int) -> Matrix:
    """Return the gain cumulated up to each rank from 1 to ``width``; past the end it stays constant."""
    padded = np.zeros((len(gains), width))
    listed = min(width, gains.shape[1])
    padded[:, :listed] = gains[:, :listed]
    return padded.cumsum(axis=1)


_XCG = (
    Quantity("q", "quantised relevance", lambda view: view.get_detail("q")),
    Quantity("overlap(i)", "share seen in earlier results", lambda view: view.get_detail("overlap")),
    Quantity("xG", "gain before it is limited by room", lambda view: view.get_detail("xG")),
    Quantity(
        "room",
        "gain that the ideal elements on its path have left",
        lambda view: view.get_detail("room"),
    ),
    Quantity("gain", "gain that counts", lambda view: view.gains),
    Quantity("xCG", "cumulated gain", lambda view: cumulate_gains(view.gains, view.width)),
    Quantity(
        "xCI", "cumulated gain of the ideal ranking", lambda view: cumulate_gains(view.ideal, view.width)
    ),
    Quantity(
        "nxCG",
        "xCG / xCI",
        lambda view: divide(cumulate_gains(view.gains, view.width), cumulate_gains(view.ideal, view.width)),
    ),
    Quantity(
        "gr",
        "gain-recall: xCG as a share of all attainable gain",
        lambda view: divide(cumulate_gains(view.gains, view.width), view.attainable[:, None]),
    ),
)


@dataclass(frozen=True, eq=False)
class GainVectors(View):
    """The gains of the run and of the ideal ranking by rank.

    ``gains`` is the gain of each result; ``ideal`` has the gains of the ideal ranking, the highest first.
    ``divisor`` is the divisor of MAep.
    ``details`` computes the quantities that lead to the gains (q, overlap, xG, room) by rank; only
    explanations need them.
    """

    gains: Matrix
    ideal: Matrix
    divisor: Scores
    details: Callable[[], Mapping[str, Matrix]] | None = None
    quantities: ClassVar[tuple[Quantity, ...]] = _XCG
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
    def width(self) -> int:
        """The number of ranks of the longest run or ideal ranking."""
        return int(max(self.gains.shape[1], self.ideal.shape[1]))

    @property
    def cumulated_ideal(self) -> Matrix:
        """The gain of the ideal ranking, cumulated up to each rank."""
        return self.compute_once("cumulated ideal", lambda: self.ideal.cumsum(axis=1))

    @property
    def attainable(self) -> Scores:
        """All gain of the ideal ranking, by topic."""
        return at_rank(self.cumulated_ideal, None)

    def get_detail(self, name: str) -> Matrix | None:
        """Return a quantity that leads to the gains, or None if the view does not have it."""
        return None if self.details is None else self.compute_once("details", self.details).get(name)

    @property
    def defined(self) -> Booleans:
        """A topic counts if there is something to gain."""
        return self.compute_once("defined", lambda: np.asarray((self.ideal > 0).any(axis=1), dtype=bool))


@dataclass(frozen=True, eq=False)
class ArticleGains(GainVectors):
    """Gains of articles: the gain of each article's root, compared with all relevant roots."""

    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)
    limited_by: ClassVar[str] = "articles"
    ranks: ClassVar[str] = "articles"
    audited_as: ClassVar[str] = "articles"


@dataclass(frozen=True, eq=False)
class BrowseGains(View):
    """Gains inside each relevant article, one row per article, and the topic of each article.

    ``articles`` has the gains, with articles in place of topics; ``topic`` is the topic of each article, and
    ``topics`` the number of topics.
    ``rank`` is the rank in the run of each result inside an article, 0 for padding.
    """

    articles: GainVectors
    topic: Ints
    topics: int
    rank: Ints
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity(
            "rank in article",
            "rank among the results in its article, if that is relevant",
            lambda view: view.spread(
                np.broadcast_to(np.arange(1.0, view.rank.shape[1] + 1), view.rank.shape)
            ),
        ),
        Quantity("gain", "gain that counts", lambda view: view.spread(view.articles.gains)),
    )
    audited_as: ClassVar[str] = "elements"
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, EXCLUDE_TAGS, LIMIT)

    def spread(self, values: Matrix) -> Matrix:
        """Return values of results inside articles as an array of topics x ranks of the run."""
        spread = np.zeros((self.topics, int(self.rank.max(initial=0)) + 1))
        spread[np.broadcast_to(self.topic[:, None], self.rank.shape), self.rank] = values
        return spread[:, 1:]  # rank 0 is padding

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has an article with something to gain."""
        return np.bincount(self.topic, minlength=self.topics) > 0


_RELEVANCE = (
    Quantity("q", "quantised relevance, as a probability", lambda view: view.relevance),
    Quantity("sum q", "relevance so far", lambda view: view.relevance.cumsum(axis=1)),
)
LEVEL = Quantity("level", "first rank of its level of tied results", lambda view: view.first + 1.0)


@dataclass(frozen=True, eq=False)
class RankedRelevance(View):
    """The relevance of results as probabilities.

    ``relevance`` is that of each result; ``total`` is the total relevance per topic.
    """

    relevance: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, BASE, *IDEAL_BASE, EXCLUDE_TAGS, LIMIT)
    quantities: ClassVar[tuple[Quantity, ...]] = _RELEVANCE
    audited_as: ClassVar[str] = "elements"
    check_parameters = staticmethod(check_ideal_base)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant element."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class TiedLevels(View):
    """The relevance of results as probabilities, and the tied level of each result.

    ``relevance`` is that of each result; ``length`` is the number of results.  ``first`` and ``last`` are the
    first and last column of a result's level; ``total`` is the total relevance per topic;
    ``distinct`` counts the different elements that were retrieved.
    """

    relevance: Matrix
    first: Ints
    last: Ints
    length: Scores
    distinct: Scores
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (QUANT, BASE, *IDEAL_BASE, TIES, EXCLUDE_TAGS, LIMIT)
    quantities: ClassVar[tuple[Quantity, ...]] = (*_RELEVANCE, LEVEL)
    audited_as: ClassVar[str] = "elements"
    check_parameters = staticmethod(check_ideal_base)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant element."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class ConceptSpace(View):
    """Specificity, exhaustivity and size of results, and the share of each that was seen before.

    ``specificity`` and ``exhaustivity`` are the grades of a result; ``size`` is the number of its characters;
    ``seen`` is the share of it that earlier results have shown.  ``total`` is the exhaustivity of all
    elements.
    """

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
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("spe", "specificity", lambda view: view.specificity),
        Quantity("exh", "exhaustivity", lambda view: view.exhaustivity),
        Quantity("overlap(i)", "share seen in earlier results", lambda view: view.seen),
    )
    audited_as: ClassVar[str] = "elements"

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has an element with exhaustivity."""
        return self.total > 0
