r"""Structural relevance: ``SRP``, ``SRPL``.

How many relevant elements does a list hold, when its elements overlap?  Each counts by its isolation,
the probability to meet it first and not through a relative:

.. math:: SR(u) = \sum_{e \in R[u]} rel(e) p(e; R[u]), \quad SRP@k = SR / k

p follows from a summary of the collection: elements are grouped by label path (or tag), W counts pairs
that are the same or contain one another, and pi is the steady state, row total over grand total.
isolation="power": p = (1 - pi)^m, with m overlapping results; isolation="ratio": pi over the sum of pi
of the element and those results.  They are looked for among the earlier results or all of the list.
``SRPL`` is precall with rel p in the place of q.

Rewards: relevant elements that do not get in each other's way, without choosing an ideal recall base.

When it misleads: where the summary has many groups every pi is tiny and "power" hardly discounts any
overlap; the same list scores differently in a collection with other structure.

Neighbours: without overlap SRP is generalised precision (qP); XCG needs an ideal recall base for what
SRP takes from the collection's structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from doxel.errors import MeasureError
from doxel.measures.declare import Properties, Scores, View, declare
from doxel.measures.gain_views import EXCLUDE_TAGS, QUANT, TIES, TiedLevels
from doxel.measures.parameters import CUTOFF, Choice, Parameter
from doxel.measures.precall import METHOD, SIZE, STEP, precision_at
from doxel.measures.ranks import Matrix, at_rank, divide, mean_over_points, recall_points
from doxel.measures.views import LIMIT
from doxel.spans import Booleans, Ints

__all__ = ["MEASURES", "Isolation", "srp", "srpl"]

_SUMMARY = Parameter("summary", Choice(("path", "tag")), "how elements are grouped", "path")
_ISOLATION = Parameter("isolation", Choice(("power", "ratio")), "how isolation is computed", "power")
_AMONG = Parameter("among", Choice(("earlier", "all")), "which results can be in the way", "earlier")


@dataclass(frozen=True)
class Isolation(View):
    """Relevance of results, steady-state probabilities of their groups, and who overlaps whom.

    ``topic``, ``result`` and ``other`` list the pairs, by position in the list from 0: ``other`` is a
    different element, at its first rank, that ``result`` overlaps.
    """

    levels: TiedLevels
    steady: Matrix
    topic: Ints
    result: Ints
    other: Ints
    parameters: ClassVar[tuple[Parameter, ...]] = (_SUMMARY, QUANT, TIES, EXCLUDE_TAGS, LIMIT)

    @property
    def defined(self) -> Booleans:
        """A topic counts when it has anything relevant."""
        return self.levels.total > 0


def srp(view: Isolation, *, isolation: str, among: str, cutoff: int) -> Scores:
    """Relevant elements expected to be met first among the first results, per result."""
    within = (view.result < cutoff) & (view.other < cutoff)
    if among == "earlier":
        within &= view.other < view.result
    isolated = view.levels.relevance * _isolation(view, within, isolation)
    return at_rank(isolated.cumsum(axis=1), cutoff) / cutoff


def srpl(
    view: Isolation, *, isolation: str, among: str, method: str, collection_size: int | None, step: float
) -> Scores:
    """Mean precall precision with relevance times isolation in the place of relevance."""
    del among
    isolated = _isolation(view, view.other < view.result, isolation)
    levels = replace(view.levels, relevance=view.levels.relevance * isolated)
    points = recall_points(round(1 / step))
    return mean_over_points(precision_at(levels, points, method, collection_size))


def _isolation(view: Isolation, pairs: Booleans, isolation: str) -> Matrix:
    """Return p of each result, given the pairs that count."""
    topic, result, other = view.topic[pairs], view.result[pairs], view.other[pairs]
    gathered = np.zeros_like(view.steady)
    if isolation == "power":
        np.add.at(gathered, (topic, result), 1.0)
        return np.asarray((1.0 - view.steady) ** gathered, dtype=np.float64)
    np.add.at(gathered, (topic, result), view.steady[topic, other])
    return divide(view.steady, view.steady + gathered)


def _earlier_only(parameters: Mapping[str, Any]) -> None:
    if parameters["among"] == "all":
        raise MeasureError('SRPL goes down the list once, so it needs among="earlier"')


_PROPERTIES = Properties(
    faithful="?",
    recall="n",
    precision="y",
    near_misses="y",
    overlap="-",
    ideality="n",
    graded="y",
    thorough="y",
    focused="y",
    relevant_in_context="i",
    best_in_context="i",
)
_REFERENCE = "Ali, Consens and Lalmas: Structural Relevance in XML Retrieval Evaluation (2007), source 002"

MEASURES = (
    declare(
        "SRP",
        srp,
        view=Isolation,
        own=(_ISOLATION, _AMONG),
        at=CUTOFF,
        summary="precision that counts overlapping results by their isolation",
        reference=_REFERENCE,
        properties=_PROPERTIES,
    ),
    declare(
        "SRPL",
        srpl,
        view=Isolation,
        own=(_ISOLATION, _AMONG, METHOD, SIZE, STEP),
        summary="precall that counts overlapping results by their isolation",
        reference=_REFERENCE,
        check=_earlier_only,
        properties=replace(_PROPERTIES, recall="y"),
    ),
)
