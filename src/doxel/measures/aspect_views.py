"""Views of aspects: which parts of an answer a run shows, rank by rank.

An aspect of a topic has one or several gold spans, of which one is enough.  A gold span without aspect is an
aspect of its own.  Arrays have one row per topic and one column per aspect or per rank, padded with zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from doxel.measures.declaration import Quantity, Scores, View
from doxel.measures.measure_parameters import Number, Parameter, check_spending
from doxel.measures.rank_arithmetic import Matrix, add_at_columns, divide
from doxel.measures.text_views import SHARE_SHOWN, UNLIMITED_BUDGETS
from doxel.spans import Booleans

__all__ = ["AspectGains", "AspectText", "ShownAspects"]


@dataclass(frozen=True, eq=False)
class ShownAspects(View):
    """For each aspect, the rank by which enough of one of its spans has been shown, or 0 for never.

    ``reached``, ``weight`` and ``vital`` (1 or 0) have one column per aspect.  ``size``, ``new_size`` and
    ``is_redundant`` have one column per rank; the last is 1 for a result that touches gold spans, all of them
    of aspects that were shown at earlier ranks.
    """

    reached: Matrix
    weight: Matrix
    vital: Matrix
    size: Matrix
    new_size: Matrix
    is_redundant: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = (SHARE_SHOWN, *UNLIMITED_BUDGETS)
    check_parameters = staticmethod(check_spending)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity(
            "shown", "weight of the aspects that this result is the first to show", lambda view: view.shown
        ),
        Quantity(
            "A(k)",
            "share of the weight of all aspects that was shown so far",
            lambda view: divide(view.shown.cumsum(axis=1), view.total[:, None]),
        ),
    )

    @cached_property
    def total(self) -> Scores:
        """The weight of all aspects of each topic."""
        return add_up(self.weight)

    @cached_property
    def shown(self) -> Matrix:
        """The weight of the aspects that are first shown at each rank."""
        return self.spread(self.weight)

    def spread(self, values: Matrix) -> Matrix:
        """Return values of aspects as values of the ranks at which the aspects are first shown."""
        width = self.size.shape[1]
        columns = np.where(self.reached > 0, self.reached - 1, width).astype(np.int64)
        return add_at_columns(values, columns, width)

    def is_shown(self, cutoff: int | None) -> Booleans:
        """Return whether each aspect is shown by a rank, or by the whole list."""
        last = np.inf if cutoff is None else cutoff
        return (self.reached > 0) & (self.reached <= last)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has an aspect."""
        return self.total > 0

    @staticmethod
    def explain_gap(parameters: Mapping[str, Any]) -> str:
        """Return why a topic with aspects has no score."""
        del parameters
        return "none of its aspects is vital"


@dataclass(frozen=True, eq=False)
class AspectGains(View):
    """The gain of each result, less for an aspect that was seen before, and the gains of an ideal list.

    ``gains`` is the gain of each result; ``ideal`` has the gains of the ideal list by rank.
    """

    gains: Matrix
    ideal: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "alpha", Number(0, 1), "how much an aspect loses each time it is seen: 1 all, 0 nothing", 0.5
        ),
        SHARE_SHOWN,
        *UNLIMITED_BUDGETS,
    )
    check_parameters = staticmethod(check_spending)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity(
            "gain", "weight of its aspects, less for those that were seen before", lambda view: view.gains
        ),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has an aspect."""
        return np.asarray((self.ideal > 0).any(axis=1), dtype=bool)


@dataclass(frozen=True, eq=False)
class AspectText(View):
    """The text of aspects: what each result adds to the best shown span of each, and all there is to find.

    The text of an aspect is as long as its shortest span, and is found by the share that the first results
    cover of any of its spans.  Both are multiplied by its weight.  ``gained`` is what each result adds;
    ``total`` is all there is to find.
    """

    gained: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("new text", "weighted text of aspects that it adds", lambda view: view.gained),
        Quantity(
            "R[r]",
            "share of the text of aspects that was shown so far",
            lambda view: divide(view.gained.cumsum(axis=1), view.total[:, None]),
        ),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has an aspect."""
        return self.total > 0


def add_up(values: Matrix) -> Scores:
    """Return the sum of each row, added up from left to right, so that padding does not change it."""
    return values.cumsum(axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))
