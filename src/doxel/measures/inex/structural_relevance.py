r"""Structural relevance: ``SR``, ``SRP``, ``SRPL``.

A section and its paragraphs show the same text, so a list of overlapping elements is worth less than the sum
of its relevant elements.  Each relevant element e of the first results R[u] counts by its isolation p, the
probability that a user meets it before any result that overlaps it:

.. math:: SR(u) = \sum_{e \in R[u]} rel(e) p(e; R[u]), \quad SRP@k = SR / k

p follows from a structural summary of the collection: elements are grouped by label path (or tag), W
counts the pairs of elements that are equal or contain each other, and pi is the steady state, row total
over grand total.  isolation="power": p = (1 - pi)^m, with m overlapping results; isolation="ratio": pi
over the sum of pi of the element and of those results.  Overlapping results are counted among the earlier
results or in the whole list (among).  ``SR`` is the expected number itself, ``SRP`` that number per result.
``SRPL`` is precall with rel p instead of q; with among="all", p is taken once, over all results that count.

Rewards: relevant elements that do not overlap each other; no ideal recall base is needed.

When it misleads: if the summary has many groups, every pi is tiny and "power" hardly discounts any
overlap.  The same list scores differently in a collection with another structure.

Neighbours: without overlap SRP is generalised precision (qP).  XCG discounts overlap by an ideal recall
base, SRP by the structure of the collection.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from doxel.measures.declaration import (
    DIVIDED_BY_CUTOFF,
    UNDIVIDED,
    Properties,
    Quantity,
    Scores,
    View,
    declare,
)
from doxel.measures.gain_views import EXCLUDE_TAGS, TIES, TiedLevels
from doxel.measures.inex.precall import (
    METHOD,
    RECALL_POINT_COUNT,
    RECALL_POINT_NOTE,
    SIZE,
    STEP,
    compute_precision_at,
    spread_points,
)
from doxel.measures.measure_parameters import CUTOFF, LIMIT, QUANT, Choice, Parameter
from doxel.measures.rank_arithmetic import Matrix, at_rank, average_points, build_recall_points, divide
from doxel.spans import Booleans, Ints

__all__ = ["MEASURES", "Isolation", "sr", "srp", "srpl"]

_SUMMARY = Parameter("summary", Choice(("path", "tag")), "how elements are grouped", "path")
_ISOLATION = Parameter("isolation", Choice(("power", "ratio")), "how isolation is computed", "power")
_AMONG = Parameter("among", Choice(("earlier", "all")), "which overlapping results are counted", "earlier")


@dataclass(frozen=True)
class Isolation(View):
    """Relevance of results, steady-state probabilities of their groups, and pairs of overlapping results.

    ``levels`` has the relevance of results with their tied levels; ``steady`` is the probability of the group
    of each result.  ``topic``, ``result`` and ``other`` list the pairs by position in the list, from 0.
    ``other`` is a different element, at its first rank, that overlaps ``result``.
    """

    levels: TiedLevels
    steady: Matrix
    topic: Ints
    result: Ints
    other: Ints
    parameters: ClassVar[tuple[Parameter, ...]] = (_SUMMARY, QUANT, TIES, EXCLUDE_TAGS, LIMIT)
    audited_as: ClassVar[str] = "elements"
    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("rel", "quantised relevance, as a probability", lambda view: view.levels.relevance),
        Quantity("pi", "steady state of the group of the element", lambda view: view.steady),
    )

    @property
    def defined(self) -> Booleans:
        """A topic counts if it has a relevant element."""
        return self.levels.total > 0


def sr(view: Isolation, *, isolation: str, among: str, cutoff: int) -> Scores:
    """Expected number of relevant elements met first among the first results (002 Eq. 2)."""
    return at_rank(_list_isolated(view, isolation, among, cutoff).cumsum(axis=1), cutoff)


def srp(view: Isolation, *, isolation: str, among: str, cutoff: int) -> Scores:
    """Expected number of relevant elements met first among the first results, per result."""
    return sr(view, isolation=isolation, among=among, cutoff=cutoff) / cutoff


def srpl(
    view: Isolation, *, isolation: str, among: str, method: str, collection_size: int | None, step: float
) -> Scores:
    """Mean precall precision with relevance times isolation instead of relevance."""
    levels = replace(view.levels, relevance=_list_isolated(view, isolation, among))
    points = build_recall_points(round(1 / step))
    return average_points(compute_precision_at(levels, points, method, collection_size))


def _compute_isolation(view: Isolation, pairs: Booleans, isolation: str) -> Matrix:
    """Return the isolation p of each result, given the pairs that count."""
    topic, result, other = view.topic[pairs], view.result[pairs], view.other[pairs]
    overlapping = np.zeros_like(view.steady)
    if isolation == "power":
        np.add.at(overlapping, (topic, result), 1.0)
        return np.asarray((1.0 - view.steady) ** overlapping, dtype=np.float64)
    np.add.at(overlapping, (topic, result), view.steady[topic, other])
    return divide(view.steady, view.steady + overlapping)


def _isolate(view: Isolation, isolation: str, among: str, cutoff: int | None = None) -> Matrix:
    """Return the isolation of each result in the whole list, or among the first results."""
    last = view.steady.shape[1] if cutoff is None else cutoff
    is_counted = (view.result < last) & (view.other < last)
    if among == "earlier":
        is_counted &= view.other < view.result
    return _compute_isolation(view, is_counted, isolation)[:, :cutoff]


def _list_isolated(view: Isolation, isolation: str, among: str, cutoff: int | None = None) -> Matrix:
    return view.levels.relevance[:, :cutoff] * _isolate(view, isolation, among, cutoff)


def _spread_all_points(
    view: Isolation, isolation: str, among: str, method: str, collection_size: int | None, step: float
) -> Matrix:
    levels = replace(view.levels, relevance=_list_isolated(view, isolation, among))
    return spread_points(levels, build_recall_points(round(1 / step)), method, collection_size)


_ISOLATED = Quantity(
    "isolation", "p: the probability of meeting it before a result that overlaps it", _isolate
)
_TERMS = Quantity("rel p", "relevance times isolation of each result up to the cutoff", _list_isolated)
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
        "SR",
        sr,
        view=Isolation,
        own=(_ISOLATION, _AMONG),
        at=CUTOFF,
        summary="expected number of relevant results that a user meets first",
        reference=_REFERENCE,
        bounds=(0.0, float("inf")),
        properties=_PROPERTIES,
        terms=_TERMS,
        divisor=UNDIVIDED,
        quantities=(_ISOLATED,),
    ),
    declare(
        "SRP",
        srp,
        view=Isolation,
        own=(_ISOLATION, _AMONG),
        at=CUTOFF,
        summary="precision that counts overlapping results by their isolation",
        reference=_REFERENCE,
        terms=_TERMS,
        divisor=DIVIDED_BY_CUTOFF,
        quantities=(_ISOLATED,),
        properties=_PROPERTIES,
    ),
    declare(
        "SRPL",
        srpl,
        view=Isolation,
        own=(_ISOLATION, _AMONG, METHOD, SIZE, STEP),
        summary="precall that counts overlapping results by their isolation",
        reference=_REFERENCE,
        terms=Quantity(
            "P(x)", "P, added up over the recall points that this rank reaches", _spread_all_points
        ),
        divisor=RECALL_POINT_COUNT,
        made_of=RECALL_POINT_NOTE,
        quantities=(_ISOLATED,),
        properties=replace(_PROPERTIES, recall="y"),
    ),
)
