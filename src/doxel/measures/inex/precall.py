r"""inex_eval: precall on quantised relevance, ``inex_eval``, ``inex_eval_P``, ``qP``, ``qR``.

Assessors graded elements, such as sections and paragraphs.  A quantisation turns the grades of an element
into a number q between 0 and 1, its probability of being relevant; n is the sum of q over all assessed
elements, the recall base.  A user who wants the share x of all relevance, NR = x n, goes down the ranking to
the level l of tied results that reaches it:

.. math:: esl = j + s i / (r + 1), \quad P(x) = NR / (NR + esl)

j is the expected number of non-relevant results before level l, r and i are the expected numbers of
relevant and non-relevant results in it, and s is the relevance still missing when it starts.
``inex_eval`` is the mean of P over x = 0.01 ... 1, ``inex_eval_P@x`` a single point.  ``method="rank"``
is the simpler NR / k, with k the first rank that reaches NR.  ``qP@k`` and ``qR@k`` are the sum of q over
the first k results, divided by k and by n.

Rewards: relevant elements early in the ranking, even if they overlap: a paragraph, its section and its
article all count, so runs that return all three do well ("overlap positive").

When it misleads: a system that returns only ideal answers cannot reach full recall, because the recall
base also contains their relevant ancestors and descendants.  base="ideal" avoids this, but then near
misses do not count.

Neighbours: with q of 0 or 1 and no ties, P(r/n) is precision at the r-th relevant result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from doxel.measures.declaration import (
    DIVIDED_BY_CUTOFF,
    UNDIVIDED,
    Measure,
    Properties,
    Quantity,
    Scores,
    declare,
)
from doxel.measures.gain_views import RankedRelevance, TiedLevels
from doxel.measures.measure_parameters import CUTOFF, Choice, Number, Parameter
from doxel.measures.rank_arithmetic import (
    RECALL_POINTS,
    Matrix,
    add_at_columns,
    at_rank,
    average_points,
    build_recall_points,
    divide,
    find_first_reaching,
    find_point,
)

__all__ = [
    "MEASURES",
    "METHOD",
    "RECALL_POINT_COUNT",
    "RECALL_POINT_NOTE",
    "SIZE",
    "STEP",
    "compute_precision_at",
    "inex_eval",
    "inex_eval_p",
    "qp",
    "qr",
    "spread_points",
]


def inex_eval(view: TiedLevels, *, method: str, collection_size: int | None, step: float) -> Scores:
    """Mean precision over recall points."""
    return average_points(_compute_curve(view, round(1 / step), method, collection_size))


def inex_eval_p(view: TiedLevels, *, method: str, collection_size: int | None, recall: float) -> Scores:
    """Precision at one recall point."""
    column = find_point(RECALL_POINTS, recall)
    if column is not None:
        return _compute_curve(view, len(RECALL_POINTS), method, collection_size)[:, column]
    return compute_precision_at(view, np.array([recall]), method, collection_size)[:, 0]


def _compute_curve(view: TiedLevels, points: int, method: str, collection_size: int | None) -> Matrix:
    """Return the precision at equidistant points, computed once: one point costs nearly as much as all."""
    return view.compute_once(
        ("precall", points, method, collection_size),
        lambda: compute_precision_at(view, build_recall_points(points), method, collection_size),
    )


def qp(view: RankedRelevance, *, cutoff: int) -> Scores:
    """Generalised precision at a rank (003 Eq. 1)."""
    return at_rank(view.relevance.cumsum(axis=1), cutoff) / cutoff


def qr(view: RankedRelevance, *, cutoff: int) -> Scores:
    """Generalised recall at a rank (003 Eq. 2)."""
    return divide(at_rank(view.relevance.cumsum(axis=1), cutoff), view.total)


def compute_precision_at(
    view: TiedLevels, points: Matrix, method: str, collection_size: int | None
) -> Matrix:
    """Return the precision at recall points, or 0 where the run ends before it reaches them."""
    goal = points * view.total[:, None]
    relevant = _cumulate_from_zero(view.relevance)
    if method == "rank":
        first = find_first_reaching(relevant[:, 1:], goal, view.total)
        return np.where(first < view.relevance.shape[1], goal / (first + 1.0), 0.0)
    is_listed = np.arange(view.relevance.shape[1]) < view.length[:, None]
    irrelevant = _cumulate_from_zero(np.where(is_listed, 1.0 - view.relevance, 0.0))
    by_level = _take(relevant, view.last + 1)
    column = find_first_reaching(by_level, goal, view.total)
    missed = column >= view.relevance.shape[1]
    column = np.minimum(column, max(0, view.relevance.shape[1] - 1))
    if view.relevance.shape[1] == 0:
        column, missed = np.zeros(goal.shape, dtype=np.int64), np.ones(goal.shape, dtype=bool)
        begin = end = column
    else:
        begin, end = _take(view.first, column), _take(view.last, column) + 1
    before, after = _take(relevant, begin), _take(relevant, end)
    j, i = _take(irrelevant, begin), _take(irrelevant, end) - _take(irrelevant, begin)
    r = after - before
    precision = _compute_precall(goal, j, goal - before, i, r)
    if collection_size is None:
        return np.where(missed, 0.0, precision)
    rest = _score_rest_of_collection(view, goal, relevant[:, -1:], irrelevant[:, -1:], collection_size)
    return np.where(missed, rest, precision)


def _compute_precall(goal: Matrix, j: Matrix, s: Matrix, i: Matrix, r: Matrix) -> Matrix:
    search_length = j + s * i / (r + 1.0)
    return divide(goal, goal + search_length)


def _score_rest_of_collection(
    view: TiedLevels, goal: Matrix, relevant: Matrix, irrelevant: Matrix, size: int
) -> Matrix:
    """Return the precision in one last tied level of the missing relevance and the rest of the collection."""
    missing = np.maximum(view.total[:, None] - relevant, 0.0)  # passages can find more than is in the base
    members = np.maximum(size - view.distinct[:, None] - missing, 0.0)
    return _compute_precall(goal, irrelevant, goal - relevant, members, missing)


def _cumulate_from_zero(values: Matrix) -> Matrix:
    return np.concatenate([np.zeros((len(values), 1)), values.cumsum(axis=1)], axis=1)


def _take(values: Any, columns: Any) -> Any:
    return np.take_along_axis(values, columns, axis=1)


def spread_points(view: TiedLevels, points: Matrix, method: str, collection_size: int | None) -> Matrix:
    """Return the precision at recall points, added up at the ranks by which the run reaches the points.

    Points that only the rest of the collection reaches count at the rank after the last result.
    """
    precision = compute_precision_at(view, points, method, collection_size)
    relevant, width = view.relevance.cumsum(axis=1), view.relevance.shape[1]
    if method != "rank" and width:
        relevant = _take(relevant, view.last)  # a level counts as a whole, from its first rank on
    first = find_first_reaching(relevant, points * view.total[:, None], view.total)
    after = np.broadcast_to(view.length.astype(np.int64)[:, None], first.shape)
    return add_at_columns(precision, np.where(first < width, first, after), width + 1)


def _spread_all_points(view: TiedLevels, method: str, collection_size: int | None, step: float) -> Matrix:
    return spread_points(view, build_recall_points(round(1 / step)), method, collection_size)


def _spread_point(view: TiedLevels, method: str, collection_size: int | None, recall: float) -> Matrix:
    return spread_points(view, np.array([recall]), method, collection_size)


RECALL_POINT_COUNT = Quantity(
    "points",
    "the recall points",
    lambda view, step=0.01: np.full(len(view.defined), float(round(1 / step))),
)
RECALL_POINT_NOTE = (
    "It is a mean of expected values: P(x) = NR / (NR + esl) at each recall point x, which counts at the "
    "rank, or the level of tied results, that reaches it."
)
_RELEVANCES = Quantity(
    "q", "relevance of each result up to the cutoff", lambda view, cutoff: view.relevance[:, :cutoff]
)
_SUMS: dict[str, dict[str, Any]] = {
    "inex_eval": {
        "terms": Quantity(
            "P(x)", "P, added up over the recall points that this rank reaches", _spread_all_points
        ),
        "divisor": RECALL_POINT_COUNT,
        "made_of": RECALL_POINT_NOTE,
    },
    "inex_eval_P": {
        "terms": Quantity("P(x)", "P at the recall point", _spread_point),
        "divisor": UNDIVIDED,
        "made_of": (
            "It is an expected value, P(x) = NR / (NR + esl), and counts at the rank, or the level of tied "
            "results, that reaches the recall."
        ),
    },
    "qP": {"terms": _RELEVANCES, "divisor": DIVIDED_BY_CUTOFF},
    "qR": {"terms": _RELEVANCES, "divisor": Quantity("n", "all relevance", lambda view: view.total)},
}
METHOD = Parameter(
    "method",
    Choice(("precall", "rank")),
    "expected search length with ties, or the first rank that reaches the recall",
    "precall",
)
SIZE = Parameter(
    "collection_size",
    Number(1, whole=True, none=True),
    "number of elements in the collection; those not retrieved then form one last tied level",
    None,
)
STEP = Parameter("step", Number(0.0001, 1, part=True), "distance between recall points", 0.01)
_PROPERTIES = Properties(
    faithful="?",
    interpretable="n (a)",
    recall="y",
    precision="y",
    near_misses="i",
    overlap="+",
    ideality="n",
    graded="n/a",
    thorough="y",
    focused="?",
    relevant_in_context="i",
    best_in_context="i",
)


def _declare(name: str, function: Callable[..., Scores], summary: str, **details: Any) -> Measure:
    return declare(
        name,
        function,
        summary=summary,
        reference="Gövert and Kazai, INEX 2002; Raghavan, Bollmann and Jung, TOIS 7(3), 1989; source 003",
        years="2002-2004",
        **{"view": TiedLevels, "properties": _PROPERTIES, **_SUMS[name], **details},
    )


MEASURES = (
    _declare(
        "inex_eval",
        inex_eval,
        "mean precision over 100 recall points, on quantised relevance",
        own=(METHOD, SIZE, STEP),
    ),
    _declare(
        "inex_eval_P",
        inex_eval_p,
        "precision at a recall point, on quantised relevance",
        own=(METHOD, SIZE),
        at=Parameter("recall", Number(0, 1, above=True), "the recall to reach"),
    ),
    _declare(
        "qP",
        qp,
        "mean relevance of the first k results",
        view=RankedRelevance,
        properties=replace(_PROPERTIES, recall="n"),
        at=CUTOFF,
    ),
    _declare(
        "qR",
        qr,
        "relevance of the first k results as a share of all relevance",
        view=RankedRelevance,
        properties=replace(_PROPERTIES, precision="n"),
        bounds=(0.0, float("inf")),  # passages are not in the recall base
        at=CUTOFF,
        kinds=("recall",),
    ),
)
