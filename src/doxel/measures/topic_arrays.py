"""The results and the gold of each topic as plain arrays, for measures of one's own.

Most measures are computed for all topics at once, over the padded arrays of a view.  A function of one
topic's results and gold is easier to write; this view serves it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from doxel.measures.declaration import Quantity, View
from doxel.measures.measure_parameters import Parameter, check_spending
from doxel.measures.rank_arithmetic import Matrix
from doxel.measures.text_views import UNLIMITED_BUDGETS
from doxel.spans import Booleans, Floats, Ints

__all__ = ["TopicArrays", "TopicGold", "TopicResults"]

Texts = npt.NDArray[np.object_]
Column = Callable[[str], npt.NDArray[Any]]


class TopicResults:
    """The results of one topic, the best first: arrays with one entry per result.

    The arrays are read-only.  Those that count characters need the positions of results: if these are
    unknown, because results are elements or documents and there is no collection, using them is an error.
    """

    def __init__(self, column: Column, first: int, last: int) -> None:
        self._column, self._first, self._last = column, first, last

    def __len__(self) -> int:
        return self._last - self._first

    def head(self, ranks: int | None) -> TopicResults:
        """Return the first results; all of them for None."""
        last = self._last if ranks is None else min(self._last, self._first + ranks)
        return TopicResults(self._column, self._first, last)

    def _take(self, name: str) -> npt.NDArray[Any]:
        values = self._column(name)[self._first : self._last]
        values.flags.writeable = False  # the arrays are shared with other measures
        return values

    @property
    def doc(self) -> Texts:
        """The id of the document."""
        return self._take("doc")

    @property
    def start(self) -> Ints:
        """The offset of the first character in the document; -1 for a result without a position."""
        return self._take("start")

    @property
    def end(self) -> Ints:
        """The offset after the last character; -1 for a result without a position."""
        return self._take("end")

    @property
    def score(self) -> Floats:
        """The score that the system gave to the result; NaN if the run has none."""
        return self._take("score")

    @property
    def grade(self) -> Floats:
        """The grade of the document; 0 if it was judged and is not relevant, NaN if it was not judged."""
        return self._take("grade")

    @property
    def size(self) -> Ints:
        """The number of characters."""
        return self._take("size")

    @property
    def relevant(self) -> Ints:
        """The number of relevant characters."""
        return self._take("relevant")

    @property
    def new_size(self) -> Ints:
        """The number of characters that no earlier result of the topic contains."""
        return self._take("new_size")

    @property
    def new_relevant(self) -> Ints:
        """The number of relevant characters that no earlier result of the topic contains."""
        return self._take("new_relevant")


@dataclass(frozen=True, eq=False)
class TopicGold:
    """What there is to find for one topic.

    There is one entry per gold span, as it was assessed: spans may overlap.  ``doc`` is its document;
    ``start`` and ``end`` are its offsets, the end exclusive; ``size`` is its number of characters.
    ``documents`` are the ids of the judged documents; ``grades`` are their grades, 0 if a document is not
    relevant.  ``total`` is the number of relevant characters, each counted once.
    """

    doc: Texts
    start: Ints
    end: Ints
    size: Ints
    documents: Texts
    grades: Floats
    total: float

    def __len__(self) -> int:
        return len(self.start)


def _spread(name: str) -> Callable[[TopicArrays], Matrix | None]:
    return lambda view: view.spread(name)


@dataclass(frozen=True, eq=False)
class TopicArrays(View):
    """Results and gold of each topic, for a function that is called once per topic.

    ``topics`` are the ids of the topics, ``results`` and ``gold`` the arrays of each.  ``spread`` returns an
    array of the results as topics x ranks, or None if it is unknown.
    """

    topics: tuple[str, ...]
    results: tuple[TopicResults, ...]
    gold: tuple[TopicGold, ...]
    spread: Callable[[str], Matrix | None]
    parameters: ClassVar[tuple[Parameter, ...]] = UNLIMITED_BUDGETS
    check_parameters = staticmethod(check_spending)
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("new", "its characters that no earlier result has shown", _spread("new_size")),
        Quantity("new rsize", "its new characters that are relevant", _spread("new_relevant")),
        Quantity("grade", "the grade of its document", _spread("grade")),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has relevant text or a relevant document."""
        return np.array([gold.total > 0 or bool((gold.grades > 0).any()) for gold in self.gold], dtype=bool)

    @staticmethod
    def explain_gap(parameters: Mapping[str, Any]) -> str:
        """Return why a topic that has something to find has no score."""
        del parameters
        return "the function returned NaN"
