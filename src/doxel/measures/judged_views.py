"""Views of judged text: how much of a run is in judged documents, and what was read of them.

The first axis is the topic, the second the rank or the stretch of text; lists are padded with zeros, which do
not change a score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from doxel.measures.declaration import Quantity, Scores, View
from doxel.measures.measure_parameters import Parameter, check_spending
from doxel.measures.rank_arithmetic import Matrix
from doxel.measures.text_views import UNLIMITED_BUDGETS
from doxel.spans import Booleans

__all__ = ["JudgedReading", "JudgedResults", "JudgedText"]


@dataclass(frozen=True, eq=False)
class JudgedText(View):
    """New text by rank, and how much of it is in judged documents.

    ``new_size`` is the number of characters of a result that no earlier result has shown, ``new_judged`` the
    same if its document is judged, else 0.
    """

    new_size: Matrix
    new_judged: Matrix
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)
    keeps_unjudged: ClassVar[bool] = True
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("new", "its characters that no earlier result has shown", lambda view: view.new_size),
        Quantity("new judged", "its new characters, if its document is judged", lambda view: view.new_judged),
    )

    @cached_property
    def read(self) -> Matrix:
        """Characters read so far, each counted once."""
        return self.new_size.cumsum(axis=1)

    @property
    def defined(self) -> Booleans:
        """Every assessed topic counts, also one with nothing to find."""
        return np.ones(len(self.new_size), dtype=bool)

    @staticmethod
    def explain_gap(parameters: Mapping[str, Any]) -> str:
        """Return why a topic has no score: there is no text that could be judged."""
        del parameters
        return "the results that count hold no character"


@dataclass(frozen=True, eq=False)
class JudgedResults(View):
    """Results in judged documents.

    ``judged`` is 1 for a result whose document is judged, ``length`` the number of results of a topic.
    """

    judged: Matrix
    length: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)
    keeps_unjudged: ClassVar[bool] = True
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("judged", "1 if its document is judged", lambda view: view.judged),
    )

    @property
    def defined(self) -> Booleans:
        """Every assessed topic counts, also one with nothing to find."""
        return np.ones(len(self.length), dtype=bool)

    @staticmethod
    def explain_gap(parameters: Mapping[str, Any]) -> str:
        """Return why a topic has no score: there is no result that could be judged."""
        del parameters
        return "there is no result that counts"


@dataclass(frozen=True, eq=False)
class JudgedReading(View):
    """The relevant text of judged documents in the order in which a reader of the ranking meets it.

    There is one column per stretch of new relevant text: ``relevant`` is its size, ``nonrelevant`` the number
    of non-relevant characters of judged documents read before it, ``rank`` the rank of its result, 0 for
    padding.  ``total`` is the topic's relevant text.
    """

    relevant: Matrix
    nonrelevant: Matrix
    rank: Matrix
    total: Scores
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text."""
        return self.total > 0
