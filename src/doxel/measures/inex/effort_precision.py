"""Effort-precision: ``ep``, ``MAep``, ``iMAep``, and the 2005 pair ``fetch_MAep``, ``browse_MAep``.

How early a run collects its gain, compared with an ideal ranking.  A result gains as much as it is relevant
(see nxCG), and gains are added up along the ranking.  If the ideal ranking needs i_ideal ranks to collect
the gain g, and the run needs i_run ranks, then

.. math:: ep = i_{ideal}(g) / i_{run}(g)

``ep@x`` is ep where the run has reached the share x of all gain (its gain-recall).  ``MAep`` is the mean
of ep over the ranks at which the run gains something; relevant elements that it never finds count as 0.
``iMAep`` is the mean of ep over the 100 points 0.01 ... 1.

The ideal curve is interpolated linearly between its ranks; ideal_curve="step" takes the first rank that
reaches g.  At recall points, the run's curve is interpolated as well (run_curve="linear"), or taken at
its first rank that reaches the point ("step"), or ep itself is interpolated between the ranks with gain
("points").

``fetch_MAep`` ranks articles by their first appearance, with the gain of the root as the gain of the
article; ``browse_MAep`` treats the results inside each relevant article as a ranking.  The sources name these
two without a formula, so their definitions are doxel's choice.

Rewards: reaching every level of gain with little reading, over the whole range of recall.

When it misleads: it depends on the ideal ranking, and so on the construction of the ideal recall base.
Between two ranks with gain it depends on the interpolation, which changes scores noticeably: the same
run can score 0.28, 0.40 or 0.46 in iMAep.

Neighbours: nxCG measures the gain at a given effort; for binary gains MAep is average precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from doxel.errors import MeasureError
from doxel.measures.declaration import READING, UNDIVIDED, Measure, Quantity, Scores, declare
from doxel.measures.gain_views import ArticleGains, BrowseGains, GainVectors
from doxel.measures.inex.xcg import XCG_PROPERTIES
from doxel.measures.measure_parameters import Choice, Number, Parameter
from doxel.measures.rank_arithmetic import (
    RECALL_POINTS,
    TOLERANCE,
    Matrix,
    add_at_columns,
    at_rank,
    average_points,
    divide,
    find_first_reaching,
    find_point,
    mark_gains,
)
from doxel.spans import Ints

__all__ = ["MEASURES", "browse_maep", "ep", "fetch_maep", "imaep", "maep"]

Row = npt.NDArray[np.float64]


def ep(view: GainVectors, *, ideal_curve: str, run_curve: str, recall: float) -> Scores:
    """Effort-precision at the rank where the run reaches a share of all gain."""
    column = find_point(RECALL_POINTS, recall)
    if column is not None:
        return _compute_standard_points(view, ideal_curve, run_curve)[:, column]
    return _compute_at_points(view, np.array([recall]), ideal_curve, run_curve)[:, 0]


def imaep(view: GainVectors, *, ideal_curve: str, run_curve: str) -> Scores:
    """Mean of ep over 100 points of gain-recall."""
    return average_points(_compute_standard_points(view, ideal_curve, run_curve))


def maep(view: GainVectors, *, ideal_curve: str) -> Scores:
    """Mean of ep over the ranks with gain."""
    return divide(at_rank(_compute_at_ranks(view, ideal_curve).cumsum(axis=1), None), view.divisor)


def fetch_maep(view: ArticleGains) -> Scores:
    """MAep over articles, with the gain of the root as the gain of an article."""
    return maep(view, ideal_curve="linear")


def browse_maep(view: BrowseGains) -> Scores:
    """MAep inside each relevant article, averaged over the relevant articles."""
    scores = maep(view.articles, ideal_curve="linear")
    total = np.bincount(view.topic, weights=scores, minlength=view.topics)
    articles = np.bincount(view.topic, minlength=view.topics).astype(np.float64)
    return divide(np.asarray(total, dtype=np.float64), articles)


def _find_ideal_rank(view: GainVectors, topic: Ints, gain: Row, curve: str) -> Row:
    """Return the rank at which the ideal curve reaches each gain, at most its length (001 Eq. 3)."""
    ideal = view.cumulated_ideal
    length = ideal.argmax(axis=1) + 1.0 if ideal.shape[1] else np.zeros(len(ideal))
    return _find_rank(ideal, topic, gain, curve, view.attainable, beyond=length[topic])


def _find_rank(
    cumulated: Matrix, topic: Ints, gain: Row, curve: str, total: Scores, *, beyond: Row | float
) -> Row:
    """Return the rank at which a cumulated curve reaches each gain: interpolated, or the first such rank.

    ``topic`` is the row of the curve that each gain belongs to, in ascending order.
    """
    goal = gain - TOLERANCE * total[topic]
    column = np.zeros(len(gain), dtype=np.int64)
    bounds = np.searchsorted(topic, np.arange(len(cumulated) + 1)).tolist()
    for row, (begin, stop) in enumerate(pairwise(bounds)):
        column[begin:stop] = np.searchsorted(cumulated[row], goal[begin:stop])
    index = np.minimum(column, cumulated.shape[1] - 1)
    if curve == "step":
        rank = index + 1.0
    else:
        before = np.where(index > 0, cumulated[topic, index - 1], 0.0)
        rank = index + np.minimum(divide(gain - before, cumulated[topic, index] - before), 1.0)
    return np.where(column < cumulated.shape[1], rank, beyond)


def _compute_standard_points(view: GainVectors, ideal_curve: str, run_curve: str) -> Matrix:
    """Return ep at the 100 points, computed once: a single point costs as much as all of them."""
    return view.compute_once(
        ("ep", ideal_curve, run_curve),
        lambda: _compute_at_points(view, RECALL_POINTS, ideal_curve, run_curve),
    )


def _compute_at_points(view: GainVectors, points: Row, ideal_curve: str, run_curve: str) -> Matrix:
    precision = np.zeros((len(view.gains), len(points)))
    has_gain, total = mark_gains(view.gains), view.attainable
    scored = np.flatnonzero(has_gain.any(axis=1) & (total > 0))
    if not len(scored):
        return precision
    topic, goals = np.repeat(scored, len(points)), (points * total[scored, None]).ravel()
    run = view.gains.cumsum(axis=1)
    if run_curve == "points":
        at_ranks = _compute_at_ranks(view, ideal_curve)
        values = [
            np.interp(points * total[row], run[row, has_gain[row]], at_ranks[row, has_gain[row]])
            for row in scored
        ]
        value = np.concatenate(values)
    else:
        needed = _find_ideal_rank(view, topic, goals, ideal_curve)
        value = needed / _find_rank(run, topic, goals, run_curve, total, beyond=np.inf)
    reached = np.where(has_gain, run, 0.0).max(axis=1) + TOLERANCE * total
    precision[scored] = np.where(goals <= reached[topic], value, 0.0).reshape(len(scored), -1)
    return precision


def _compute_at_ranks(view: GainVectors, ideal_curve: str = "linear") -> Matrix:
    """Return ep at each rank with gain, 0 at the others."""
    values = np.zeros(view.gains.shape)
    topic, place = np.nonzero(mark_gains(view.gains))
    gained = view.gains.cumsum(axis=1)[topic, place]
    values[topic, place] = _find_ideal_rank(view, topic, gained, ideal_curve) / (place + 1.0)
    return values


def _spread_points(view: GainVectors, points: Row, values: Matrix) -> Matrix:
    """Return the values at recall points, added up at the ranks by which the run reaches the points."""
    goals = points * view.attainable[:, None]
    reaching = find_first_reaching(view.gains.cumsum(axis=1), goals, view.attainable)
    return add_at_columns(values, reaching, view.gains.shape[1])


def _spread_point(view: GainVectors, ideal_curve: str, run_curve: str, recall: float) -> Matrix:
    score = ep(view, ideal_curve=ideal_curve, run_curve=run_curve, recall=recall)
    return _spread_points(view, np.array([recall]), score[:, None])


def _spread_all_points(view: GainVectors, ideal_curve: str, run_curve: str) -> Matrix:
    return _spread_points(view, RECALL_POINTS, _compute_standard_points(view, ideal_curve, run_curve))


def _spread_articles(view: BrowseGains) -> Matrix:
    """Return ep inside articles, divided by the divisor of the article, by rank in the run."""
    return view.spread(divide(_compute_at_ranks(view.articles), view.articles.divisor[:, None]))


_EP = Quantity("ep", "effort-precision at each rank with gain", _compute_at_ranks)
_INTERPOLATED = "It is interpolated: ep is taken at {}, which counts at the rank by which the run reaches it."
_SUMS: dict[str, dict[str, Any]] = {
    "MAep": {
        "terms": _EP,
        "divisor": Quantity(
            "n", "the ideal elements, or the ranks with gain if there are more", lambda view: view.divisor
        ),
        "quantities": (_EP,),
    },
    "iMAep": {
        "terms": Quantity(
            "ep(x)", "ep, added up over the recall points that this rank reaches", _spread_all_points
        ),
        "divisor": Quantity(
            "100", "the recall points", lambda view: np.full(len(view.gains), float(len(RECALL_POINTS)))
        ),
        "made_of": _INTERPOLATED.format("100 points of gain-recall, each of"),
        "quantities": (_EP,),
    },
    "ep": {
        "terms": Quantity("ep(x)", "ep at the recall point", _spread_point),
        "divisor": UNDIVIDED,
        "made_of": _INTERPOLATED.format("one point of gain-recall"),
        "quantities": (_EP,),
    },
    "browse_MAep": {
        "terms": Quantity(
            "ep / n", "ep inside the article, divided by its relevant elements", _spread_articles
        ),
        "divisor": Quantity(
            "articles",
            "the relevant articles",
            lambda view: np.bincount(view.topic, minlength=view.topics).astype(np.float64),
        ),
        "made_of": "It is a mean of means: MAep inside each relevant article, averaged over these articles.",
    },
}
_SUMS["fetch_MAep"] = _SUMS["MAep"]


def _check_curves(parameters: Mapping[str, Any]) -> None:
    if parameters["ideal_curve"] == "step" and parameters["run_curve"] == "linear":
        raise MeasureError('with ideal_curve="step", run_curve must be "step" or "points"')


_IDEAL_CURVE = Parameter(
    "ideal_curve", Choice(("linear", "step")), "how the ideal curve is interpolated between ranks", "linear"
)
_RUN_CURVE = Parameter(
    "run_curve",
    Choice(("linear", "step", "points")),
    "how the run's curve is read at recall points",
    "linear",
)
_PROPERTIES = replace(XCG_PROPERTIES, precision="y")
_UNBOUNDED = (0.0, float("inf"))  # passages, overlap="off" and some ideal recall bases exceed 1, as in nxCG


def _declare(name: str, function: Callable[..., Scores], summary: str, **details: Any) -> Measure:
    return declare(
        name,
        function,
        summary=summary,
        reference="Kazai and Lalmas, TOIS 24(4), 2006; source 001, Eqs. 3-4",
        **{
            "view": GainVectors,
            "years": "2005-2006",
            "properties": _PROPERTIES,
            "bounds": _UNBOUNDED,
            "residual": READING,  # on bare spans
            **_SUMS[name],
            **details,
        },
    )


MEASURES = (
    _declare("MAep", maep, "effort-precision, averaged over the ranks with gain", own=(_IDEAL_CURVE,)),
    _declare(
        "iMAep",
        imaep,
        "effort-precision, averaged over 100 recall points",
        own=(_IDEAL_CURVE, _RUN_CURVE),
        check=_check_curves,
    ),
    _declare(
        "ep",
        ep,
        "effort-precision at a share of all gain",
        own=(_IDEAL_CURVE, _RUN_CURVE),
        at=Parameter("recall", Number(0, 1, above=True), "the gain-recall to reach"),
        check=_check_curves,
    ),
    _declare(
        "fetch_MAep",
        fetch_maep,
        "MAep over articles",
        view=ArticleGains,
        years="2005",
        bounds=(0.0, 1.0),
        residual="",
    ),
    _declare(
        "browse_MAep",
        browse_maep,
        "MAep inside relevant articles",
        view=BrowseGains,
        years="2005",
        residual="",
    ),
)
