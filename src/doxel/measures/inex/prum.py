r"""Measures of users who browse: ``GR``, ``EPRUM`` (``_P``, ``_Pk``), ``PRUM`` (``_P``).

A user who looks at a result may browse from there to a target, an element or passage with relevant text.  A
user model gives the probability P(j ~> x) that a user who looks at result j reaches target x.  After k
results, target x has been seen with probability p_x(k) = 1 - prod (1 - P(j ~> x)); F_k is the number of
targets seen, and w_x the weight of a target.

.. math:: GR@k = \sum_x w_x p_x(k) / \sum_x w_x

.. math:: EPRUM(r/N) = m_r \sum_k \frac{1}{k} [P(F_k \ge r) - P(F_{k-1} \ge r)], \quad
          PRUM(r/N) = \frac{E[\text{ranks that discover something}]}{E[\text{ranks consulted}]}

m_r is the number of ranks after which the ideal list has certainly reached r targets.  ``EPRUM`` and
``PRUM`` are means over r = 1 ... N; ``_P@l`` is the point r = ceil(l N).  ``EPRUM_Pk@k`` is the number of
ranks that the ideal list needs for what the run is expected to find by rank k, divided by k.  In GR, a
tied level that contains rank k counts in part.

EPRUM is the expectation of a ratio of search lengths; expectation="lengths" is the ratio of the expected
lengths, m_r / E[T_r], and 0 where r targets are not surely reached.  The user of PRUM stops at r targets or
at the end of the run; the discoveries of users who never reach r count only with unreached="ignored".

The targets are the elements of a recall base (base): of the full one for the identity model in Thorough,
otherwise of the ideal one.  Without elements they are the gold spans.

Rewards: results from which users reach the targets, even if the results themselves are not relevant.  A
target counts once, however many results lead to it.

When it misleads: everything depends on the model; probabilities that nobody measured give scores that
nobody can interpret.  EPRUM can exceed 1 under models in which one result reaches several targets, unless
the model has an ideal list: without one, m_r = r.

Neighbours: with the identity model the means of EPRUM and PRUM are average precision, and GR is weighted
recall.  GR(model="inex2003") is what source 003 calls ERR, the expected ratio of relevant documents.
Elsewhere ERR is the expected reciprocal rank (Chapelle et al. 2009), another measure, which ir_measures
computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from doxel.measures.declaration import (
    DIVIDED_BY_CUTOFF,
    ONE_PER_DOCUMENT,
    UNDIVIDED,
    Measure,
    Properties,
    Quantity,
    Scores,
    declare,
)
from doxel.measures.measure_parameters import CUTOFF, Choice, Flag, Number, Parameter
from doxel.measures.rank_arithmetic import TOLERANCE, Matrix, divide, mark_first
from doxel.measures.user_views import Encounters
from doxel.spans import Ints
from doxel.usermodels import MODELS
from doxel.usermodels.target_discovery import Discovery

__all__ = ["MEASURES", "eprum", "eprum_at", "eprum_rank", "gr_users", "prum", "prum_at"]


def gr_users(view: Encounters, *, cutoff: int) -> Scores:
    """Expected share of the targets' weight that a user sees in the first results."""
    entries = view.entries
    if not len(entries.rank):
        return np.zeros(len(view.length))
    missed = np.ones(len(view.weight))
    np.multiply.at(missed, entries.target, 1.0 - _find_chances(view, cutoff))
    seen_weight = np.bincount(
        view.target_topic, weights=view.weight * (1.0 - missed), minlength=len(view.length)
    )
    return divide(np.asarray(seen_weight, dtype=np.float64), view.total)


def _find_chances(view: Encounters, cutoff: int) -> Scores:
    """Return the chance of each entry; in a level of tied results that straddles the cutoff, a part of it."""
    entries = view.entries
    place = entries.rank - 1
    first, last = view.first[entries.topic, place], view.last[entries.topic, place]
    looked_at = np.clip((cutoff - first) / (last - first + 1), 0.0, 1.0)
    return np.asarray(looked_at * entries.chance, dtype=np.float64)


def eprum(view: Encounters, *, binary: bool, expectation: str) -> Scores:
    """Expected precision, averaged over all numbers of targets."""
    return _summarise(view, _compute_eprum_points(view, binary, expectation), _average)


def eprum_at(view: Encounters, *, binary: bool, expectation: str, recall: float) -> Scores:
    """Expected precision at a share of the targets."""
    return _summarise(view, _compute_eprum_points(view, binary, expectation), _select_point(recall))


def eprum_rank(view: Encounters, *, binary: bool, cutoff: int) -> Scores:
    """Ranks that the ideal list needs for what is expected to be found by a rank, divided by that rank."""
    scores = np.full(len(view.length), np.nan)
    for topic, run, weights in view.topics():
        weight = np.ones(len(weights)) if binary else weights
        expected = _expect_weight(run, weight, cutoff)
        curve = _expect_ideal_weights(view, topic, weight)
        scores[topic] = np.interp(expected, curve, np.arange(len(curve))) / cutoff
    return scores


def prum(view: Encounters, *, unreached: str) -> Scores:
    """Chance that a consulted result discovers something new, averaged over all numbers of targets."""
    return _summarise(view, _compute_prum_points(view, unreached), _average)


def prum_at(view: Encounters, *, unreached: str, recall: float) -> Scores:
    """Chance that a consulted result discovers something new, at a share of the targets."""
    return _summarise(view, _compute_prum_points(view, unreached), _select_point(recall))


def _average(points: Scores) -> float:
    return float(points.cumsum()[-1] / len(points))


def _select_point(recall: float) -> Callable[[Scores], float]:
    """Return a function that takes the point of a share of the targets from the points r = 1 ... N."""
    return lambda points: points[_choose_target_number(recall, len(points))]


def _choose_target_number(recall: float, count: int) -> int:
    return max(math.ceil(recall * count - TOLERANCE * count), 1) - 1


def _summarise(view: Encounters, points: dict[int, Scores], summary: Callable[[Scores], float]) -> Scores:
    """Return one number per topic from its points; NaN for a topic without points."""
    scores = np.full(len(view.length), np.nan)
    for topic, of_topic in points.items():
        scores[topic] = summary(of_topic)
    return scores


def _compute_eprum_points(view: Encounters, binary: bool, expectation: str) -> dict[int, Scores]:
    """Return the precision at r = 1 ... N for each topic in which it is defined."""
    expect = _expect_searches if expectation == "ratio" else _invert_lengths

    def compute() -> dict[int, Scores]:
        precisions: dict[int, Scores] = {}
        for topic, run, weight in view.topics():
            efforts = _find_efforts(view, topic, len(weight)) if binary else np.arange(1.0, len(weight) + 1)
            if efforts is None:
                continue
            reached = _compute_reached(run, weight, binary=binary)
            precisions[topic] = efforts * (np.zeros(len(weight)) if reached is None else expect(run, reached))
        return precisions

    return view.compute_once(("EPRUM", binary, expectation), compute)


def _compute_reached(run: Discovery, weight: Scores, *, binary: bool) -> Scores | None:
    """Return P(point r is reached) after each rank; None if nothing can be reached."""
    if not len(run.ranks):
        return None
    if binary:
        return run.reached()
    goals = np.sort(weight)[::-1].cumsum()
    return run.weight_reached(weight[run.target], goals)


def _expect_searches(run: Discovery, reached: Scores) -> Scores:
    """Return the expectation of 1/T_r for each r; a target that is never found counts as 0 (000 Eq. 7)."""
    gained = np.diff(reached, axis=0, prepend=0.0)
    searches: Scores = (gained / run.ranks[:, None]).cumsum(axis=0)[-1]
    return searches


def _invert_lengths(run: Discovery, reached: Scores) -> Scores:
    """Return 1/E[T_r] for each r; 0 where r targets are not surely reached."""
    return np.where(reached[-1] < 1 - TOLERANCE, 0.0, 1.0 / _expect_consulted(run, reached))


def _expect_consulted(run: Discovery, reached: Scores) -> Scores:
    """Return the expected number of ranks that a user consults who stops at r targets."""
    # the chances change only at run.ranks, so all ranks between two of them are consulted equally likely
    waits = np.diff(np.append(run.ranks, run.length)).astype(np.float64)
    consulted: Scores = (run.ranks[0] * 1.0) + ((1.0 - reached) * waits[:, None]).cumsum(axis=0)[-1]
    return consulted


def _find_efforts(view: Encounters, topic: int, count: int) -> Scores | None:
    """Return m_r, the first rank at which the ideal list surely reaches r targets; or None."""
    ideal = view.ideal_discovery(topic)
    if ideal is None:
        return np.arange(1.0, count + 1)
    if not len(ideal.ranks):
        return None
    is_certain = ideal.reached() >= 1 - TOLERANCE
    if not is_certain[-1].all():
        return None
    return np.asarray(ideal.ranks[is_certain.argmax(axis=0)], dtype=np.float64)


def _expect_weight(run: Discovery, weight: Scores, rank: int) -> float:
    """Return the expected weight of the targets seen by a rank."""
    row = int(np.searchsorted(run.ranks, rank, side="right")) - 1
    return 0.0 if row < 0 else float((run.seen[row] * weight[run.target]).cumsum()[-1])


def _expect_ideal_weights(view: Encounters, topic: int, weight: Scores) -> Scores:
    """Return the expected weight of the targets that the ideal list finds by each rank, from rank 0 on."""
    ideal = view.ideal_discovery(topic)
    if ideal is None:
        return np.concatenate([[0.0], np.sort(weight)[::-1].cumsum()])
    by_rank = [_expect_weight(ideal, weight, rank) for rank in range(ideal.length + 1)]
    return np.array(by_rank)


def _compute_prum_points(view: Encounters, unreached: str) -> dict[int, Scores]:
    """Return the precision at r = 1 ... N for each topic."""

    def compute(run: Discovery, count: int) -> Scores:
        if not len(run.ranks):
            return np.zeros(count)
        new = run.discovers() if unreached == "ignored" else run.discovers_and_reaches()
        return divide(new.cumsum(axis=0)[-1], _expect_consulted(run, run.reached()))

    return view.compute_once(
        ("PRUM", unreached),
        lambda: {topic: compute(run, len(weight)) for topic, run, weight in view.topics()},
    )


def _spread(view: Encounters, by_topic: Iterable[tuple[int, Ints, Scores]]) -> Matrix:
    """Return values as an array of topics x ranks, from the ranks and values of each topic."""
    spread = np.zeros(view.first.shape)
    for topic, ranks, values in by_topic:
        spread[topic, ranks - 1] = values
    return spread


def _divide_eprum(view: Encounters, binary: bool, expectation: str) -> Iterator[tuple[int, Ints, Matrix]]:
    """Yield each topic with the ranks that can discover something, and their parts of r = 1 ... N."""
    points = _compute_eprum_points(view, binary, expectation)
    for topic, run, weight in view.topics():
        reached = _compute_reached(run, weight, binary=binary)
        if topic not in points or reached is None:
            continue
        gained = np.diff(reached, axis=0, prepend=0.0)
        efforts = _find_efforts(view, topic, len(weight)) if binary else np.arange(1.0, len(weight) + 1)
        if expectation == "ratio" and efforts is not None:
            yield topic, run.ranks, efforts * gained / run.ranks[:, None]
        else:  # a ratio of expectations counts at the rank that surely reaches the point
            yield topic, run.ranks, mark_first((reached >= 1 - TOLERANCE).T).T * points[topic]


def _divide_prum(view: Encounters, unreached: str) -> Iterator[tuple[int, Ints, Matrix]]:
    """Yield each topic with the ranks that can discover something, and their parts of r = 1 ... N."""
    for topic, run, _ in view.topics():
        if len(run.ranks):
            new = run.discovers() if unreached == "ignored" else run.discovers_and_reaches()
            yield topic, run.ranks, divide(new, _expect_consulted(run, run.reached()))


def _spread_mean(view: Encounters, parts: Iterable[tuple[int, Ints, Matrix]]) -> Matrix:
    return _spread(view, ((topic, ranks, part.sum(axis=1)) for topic, ranks, part in parts))


def _spread_point(view: Encounters, parts: Iterable[tuple[int, Ints, Matrix]], recall: float) -> Matrix:
    points = (
        (topic, ranks, part[:, _choose_target_number(recall, part.shape[1])]) for topic, ranks, part in parts
    )
    return _spread(view, points)


def _spread_ideal_ranks(view: Encounters, binary: bool, cutoff: int) -> Matrix:
    """Return by how many ranks of the ideal list each rank of the run advances."""

    def advance() -> Iterator[tuple[int, Ints, Scores]]:
        for topic, run, weights in view.topics():
            weight = np.ones(len(weights)) if binary else weights
            curve = _expect_ideal_weights(view, topic, weight)
            if curve is not None:
                expected = np.array([_expect_weight(run, weight, rank) for rank in run.ranks])
                reached = np.interp(expected, curve, np.arange(len(curve)))
                yield topic, run.ranks, np.diff(reached, prepend=0.0)

    return _spread(view, advance())[:, :cutoff]


_TARGETS = Quantity("N", "the targets", lambda view: np.diff(view.first_target).astype(np.float64))
_EXPECTED = (
    "It is an expectation over users: the parts of {} that are due to the chance of discovering targets at "
    "the rank.{}"
)
_LENGTHS = ' With expectation="lengths" a point counts at the rank that surely reaches it.'
_SUMS: dict[str, dict[str, Any]] = {
    "GR": {
        "terms": Quantity(
            "w p",
            "expected weight of the targets that the result is the first to reach, up to the cutoff",
            lambda view, cutoff: view.spread_discoveries(_find_chances(view, cutoff), view.weight),
        ),
        "divisor": Quantity("sum w", "the weight of all targets", lambda view: view.total),
    },
    "EPRUM": {
        "terms": Quantity(
            "parts of precisions",
            "parts of the precisions at r = 1 ... N that are due to the rank",
            lambda view, binary, expectation: _spread_mean(view, _divide_eprum(view, binary, expectation)),
        ),
        "divisor": _TARGETS,
        "made_of": _EXPECTED.format("the expected precisions at r = 1 ... N targets", _LENGTHS),
    },
    "EPRUM_P": {
        "terms": Quantity(
            "part of precision",
            "part of the precision that is due to the rank",
            lambda view, binary, expectation, recall: _spread_point(
                view, _divide_eprum(view, binary, expectation), recall
            ),
        ),
        "divisor": UNDIVIDED,
        "made_of": _EXPECTED.format("the expected precision at r targets", _LENGTHS),
    },
    "EPRUM_Pk": {
        "terms": Quantity(
            "ideal ranks",
            "ranks of the ideal list by which the expected number of targets advances",
            _spread_ideal_ranks,
        ),
        "divisor": DIVIDED_BY_CUTOFF,
        "made_of": "It is an expectation: what users find by the cutoff, as a rank of the ideal list.",
    },
    "PRUM": {
        "terms": Quantity(
            "discoveries / consulted",
            "expected discoveries at the rank per rank consulted, added up over r = 1 ... N",
            lambda view, unreached: _spread_mean(view, _divide_prum(view, unreached)),
        ),
        "divisor": _TARGETS,
        "made_of": _EXPECTED.format("the precisions at r = 1 ... N targets", ""),
    },
    "PRUM_P": {
        "terms": Quantity(
            "discoveries / consulted",
            "expected discoveries at the rank per rank consulted",
            lambda view, unreached, recall: _spread_point(view, _divide_prum(view, unreached), recall),
        ),
        "divisor": UNDIVIDED,
        "made_of": _EXPECTED.format("the precision at r targets", ""),
    },
}
_EXPECTATION = Parameter(
    "expectation",
    Choice(("ratio", "lengths")),
    "the expectation of the ratio of search lengths, or the ratio of their expectations",
    "ratio",
)
_UNREACHED = Parameter(
    "unreached",
    Choice(("zero", "ignored")),
    "whether the discoveries of users who never reach the recall count as nothing, or as those of others",
    "zero",
)
_BINARY = Parameter("binary", Flag(), "count each target as 1; False: by its weight", True)
_RANK = Parameter("cutoff", Number(0, whole=True), "number of results that count")
_RECALL = Parameter("recall", Number(0, 1, above=True), "the share of the targets to find")


def _require_entry_points(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Require one result per document if targets are entry points; custom models require nothing."""
    model = MODELS.get(parameters["model"])
    return (ONE_PER_DOCUMENT,) if model is not None and model.targets == "entry points" else ()


def _declare(name: str, function: Callable[..., Scores], summary: str, **details: Any) -> Measure:
    graded = "n" if name.startswith("PRUM") else "y"
    return declare(
        name,
        function,
        view=Encounters,
        summary=summary,
        requires=_require_entry_points,
        properties=Properties(
            faithful="y",
            recall="y",
            precision="y",
            near_misses="y",
            overlap="=",
            ideality="y",
            graded=graded,
            user_model="y",
            thorough="y",
            focused="y",
            relevant_in_context="y",
            best_in_context="y",
        ),
        **_SUMS[name],
        **{
            "reference": "Piwowarski and Dupret, SIGIR 2006; Piwowarski et al., TOIS 25(1), 2007",
            **details,
        },
    )


MEASURES = (
    _declare(
        "GR",
        gr_users,
        "expected share of the targets that a user sees",
        at=_RANK,
        reference="Piwowarski and Gallinari: Expected Ratio of Relevant Units (INEX 2003), source 003",
    ),
    _declare(
        "EPRUM",
        eprum,
        "expected precision, averaged over targets",
        own=(_BINARY, _EXPECTATION),
        aliases=("BPRUM",),
        years="2006",
        bounds=(0.0, float("inf")),
    ),
    _declare(
        "EPRUM_P",
        eprum_at,
        "expected precision at a share of the targets",
        own=(_BINARY, _EXPECTATION),
        at=_RECALL,
        bounds=(0.0, float("inf")),
    ),
    _declare(
        "EPRUM_Pk",
        eprum_rank,
        "expected precision at a rank",
        own=(_BINARY,),
        at=CUTOFF,
        bounds=(0.0, float("inf")),
    ),
    _declare(
        "PRUM",
        prum,
        "chance that a consulted result discovers something, averaged over targets",
        own=(_UNREACHED,),
    ),
    _declare(
        "PRUM_P",
        prum_at,
        "chance that a consulted result discovers something, at a share of the targets",
        own=(_UNREACHED,),
        at=_RECALL,
    ),
)
