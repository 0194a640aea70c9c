"""Views of users who browse: which results lead to which targets, with which probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from doxel.errors import MeasureError
from doxel.measures.declaration import Quantity, Scores, View
from doxel.measures.gain_views import EXCLUDE_TAGS, LEVEL, TIES
from doxel.measures.measure_parameters import (
    DEPENDS,
    IDEAL_BASE,
    LIMIT,
    QUANT,
    TASK,
    Choice,
    Number,
    Parameter,
    Text,
    check_ideal_base,
)
from doxel.measures.rank_arithmetic import Matrix
from doxel.spans import Booleans, Ints
from doxel.usermodels import MODELS, find_model
from doxel.usermodels.target_discovery import Discovery, discover

__all__ = ["Encounters", "Entries", "EntryDistances", "Readings"]

_A = Parameter(
    "A", Number(0, above=True, none=True), "the larger, the farther a user finds an entry point", None
)
_L = Parameter(
    "L", Number(0, above=True, none=True), "mean document length; default: that of the collection", None
)


@dataclass(frozen=True, eq=False)
class Entries:
    """Which result leads to which target, sorted by topic; ranks from 1, targets numbered over all topics."""

    topic: Ints
    rank: Ints
    target: Ints
    chance: Scores


@dataclass(frozen=True, eq=False)
class Encounters(View):
    """The entries of a run, the targets with their weights, and tied levels.

    ``entries`` lists which result leads to which target; ``target_topic`` is the topic of each target,
    ``weight`` its gain.  ``first`` and ``last`` are the first and last column of a result's tied level;
    ``length`` is the number of results.  ``ideal`` contains the entries of the model's ideal list, and
    ``ideal_length`` its number of results; None means one certain entry per target.
    """

    entries: Entries
    target_topic: Ints
    weight: Scores
    first: Ints
    last: Ints
    length: Ints
    ideal: Entries | None
    ideal_length: Ints | None
    audited_as: ClassVar[str] = "elements"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "model",
            Text(),
            f"the user model: {', '.join(MODELS)}, near misses joined as in parent(.5)+child(.2), or a "
            "custom model",
            "identity",
        ),
        Parameter(
            "p", Number(0, 1, above=True), "probability of a near miss (model parent, child or sibling)", 0.5
        ),
        Parameter(
            "exponents",
            Choice(("printed", "words")),
            'exponents of the model "inex2003": as printed in its paper, or in the order that its words '
            "suggest",
            "printed",
        ),
        _A,
        _L,
        TASK,
        QUANT,
        Parameter(
            "base",
            Choice(("full", "ideal")),
            "the recall base of the targets; default: full for the identity model in Thorough, else ideal",
            DEPENDS,
        ),
        *IDEAL_BASE,
        EXCLUDE_TAGS,
        TIES,
        LIMIT,
    )
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("P(j~>x)", "probability of reaching a target from it", lambda view: view.chance_by_rank),
        Quantity(
            "new targets",
            "expected number of targets that it is the first to reach",
            lambda view: view.discoveries,
        ),
        Quantity(
            "E[F_k]",
            "expected number of targets seen so far",
            lambda view: view.discoveries.cumsum(axis=1),
        ),
    )

    @cached_property
    def chance_by_rank(self) -> Matrix:
        """The probability of reaching at least one target from each result."""
        missed = np.ones(self.first.shape)
        np.multiply.at(missed, (self.entries.topic, self.entries.rank - 1), 1.0 - self.entries.chance)
        return 1.0 - missed

    @cached_property
    def discoveries(self) -> Matrix:
        """The expected number of targets that each rank is the first to reach."""
        return self.spread_discoveries(self.entries.chance, np.ones(len(self.weight)))

    def spread_discoveries(self, chance: Scores, weight: Scores) -> Matrix:
        """Return the expected weight of the targets that each rank is the first to reach.

        ``chance`` is the chance of each entry, ``weight`` the weight of each target.
        """
        entries, discovered = self.entries, np.zeros(self.first.shape)
        order = np.lexsort((entries.rank, entries.target))
        turn = np.empty(len(order), dtype=np.int64)
        turn[order] = np.arange(len(order)) - np.searchsorted(entries.target[order], entries.target[order])
        missed = np.ones(len(weight))
        for number in range(int(turn.max(initial=-1)) + 1):  # the first entries of targets, then the second
            rows = np.flatnonzero(turn == number)
            target = entries.target[rows]
            new = missed[target] * chance[rows]
            missed[target] *= 1.0 - chance[rows]
            np.add.at(discovered, (entries.topic[rows], entries.rank[rows] - 1), weight[target] * new)
        return discovered

    @staticmethod
    def check_parameters(parameters: Mapping[str, Any]) -> None:
        """Raise an error if parameters conflict with each other or with the model."""
        check_ideal_base(parameters)
        model_name = parameters["model"]
        model = find_model(model_name)
        if parameters["p"] != 0.5 and (model is None or not model.near_misses):
            raise MeasureError(
                f'p needs a model of near misses (parent, child, sibling), found model="{model_name}"'
            )
        if parameters["exponents"] != "printed" and model_name != "inex2003":
            raise MeasureError(f'exponents="words" needs model="inex2003", found model="{model_name}"')

    @staticmethod
    def explain_gap(parameters: Mapping[str, Any]) -> str:
        """Return why a topic with targets has no score."""
        return f"the ideal list of the user model {parameters['model']} does not surely reach every target"

    @cached_property
    def first_target(self) -> Ints:
        """The number of each topic's first target, and the number of all targets at the end."""
        return np.searchsorted(self.target_topic, np.arange(len(self.length) + 1))

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a target."""
        return np.diff(self.first_target) > 0

    @cached_property
    def total(self) -> Scores:
        """The total weight of each topic's targets."""
        summed = np.bincount(self.target_topic, weights=self.weight, minlength=len(self.length))
        return np.asarray(summed, dtype=np.float64)

    def topics(self) -> Iterator[tuple[int, Discovery, Scores]]:
        """Yield each topic with targets: its number, its discovery, the weights of its targets."""
        for topic in np.flatnonzero(self.defined).tolist():
            begin, end = self.first_target[topic], self.first_target[topic + 1]
            yield topic, self._discovery(self.entries, topic, int(self.length[topic])), self.weight[begin:end]

    def ideal_discovery(self, topic: int) -> Discovery | None:
        """Return the discovery of the model's ideal list, or None for one certain entry per target."""
        if self.ideal is None or self.ideal_length is None:
            return None
        return self._discovery(self.ideal, topic, int(self.ideal_length[topic]))

    def _discovery(self, entries: Entries, topic: int, length: int) -> Discovery:
        begin, end = np.searchsorted(entries.topic, [topic, topic + 1])
        first = self.first_target[topic]
        return discover(
            entries.rank[begin:end],
            entries.target[begin:end] - first,
            entries.chance[begin:end],
            count=int(self.first_target[topic + 1] - first),
            length=length,
        )


@dataclass(frozen=True, eq=False)
class EntryDistances(View):
    """The nearness of each entry point of a run to the document's best one.

    ``nearness`` is 1 at the best entry point and falls with the distance.  ``total`` is the number of best
    entry points.
    """

    nearness: Matrix
    total: Scores
    audited_as: ClassVar[str] = "points"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _A,
        _L,
        LIMIT,
    )
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("s(x,b)", "nearness to the best entry point of its document", lambda view: view.nearness),
    )
    limited_by: ClassVar[str] = "articles"

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a best entry point."""
        return self.total > 0


@dataclass(frozen=True, eq=False)
class Readings(View):
    """Whether reading on from each result soon finds a highlighted passage, and tied levels.

    ``success`` is 1 for a result that leads to a new passage.  ``first`` and ``last`` are the first and last
    column of a result's tied level; ``length`` is the number of results.  ``passages`` is the number of
    highlighted passages.
    """

    success: Matrix
    first: Ints
    last: Ints
    length: Scores
    passages: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("T", Number(1), "irrelevant characters a reader tolerates", 300),
        TIES,
        LIMIT,
    )
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("success", "1 if a reader soon finds a new passage", lambda view: view.success),
        LEVEL,
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a highlighted passage."""
        return self.passages > 0
