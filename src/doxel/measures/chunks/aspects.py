r"""Aspects of answers: ``aspect_rec``, ``all_aspects``, ``aspect_AP``, ``alpha_nDCG``, ``nugget_F`` and more.

A question may have several aspects, each answered by one or more gold spans.  Spans of one aspect are
alternatives: one of them is enough.  A span without aspect is an aspect of its own.  An aspect has a weight w
(1 by default) and is vital unless the gold declares it not vital.  It is shown at rank k if the first k
results together show at least the share min of one of its spans; rank(a) is the first such rank.
``aspect_rec`` is the share of the weight that is shown:

.. math:: rec[k] = \sum_{rank(a) \le k} w_a / \sum_a w_a

``all_aspects`` is 1 if every vital aspect is shown, else 0: a chain of evidence with a gap is worth nothing.

``aspect_AP`` ignores the results that touch only spans of aspects shown at earlier ranks.  P(i) is the share
of results, among the others up to rank i, that were the first to show an aspect:

.. math:: AP = \sum_a w_a P(rank(a)) / \sum_a w_a

``alpha_nDCG`` divides the discounted gains of the results by those of an ideal list.  A result counts for an
aspect if it shows the share min of one of its spans by itself, or if it is the first by which the aspect is
shown.  Its gain is the sum of w (1 - alpha)^n over these aspects, n being the number of earlier results that
counted for the aspect; a repeated result gains nothing.  The ideal list takes the gold spans one by one,
each time the one with the highest gain:

.. math:: DCG[k] = \sum_{i \le k} gain_i / log_2(i + 1)

``nugget_F`` weighs the recall R of vital aspects against the length l of the text.  Each aspect shown, vital
or not, allows for allowance characters; A is their sum, and b is beta:

.. math:: P = min(1, A/l), \quad F = (b^2 + 1) P R / (b^2 P + R)

``aspect_char_rec`` counts characters: c is the largest share shown of any span of an aspect, L the length of
its shortest span:

.. math:: crec[k] = \sum_a w_a L_a c_a / \sum_a w_a L_a

Rewards: answers that are complete, however many passages say the same.  aspect_AP and alpha_nDCG also reward
showing each aspect early and once; nugget_F rewards short answers.

When it misleads: aspects are only as good as their names, and gold with few alternatives punishes a run for
the right text in another place.  A result that contains everything shows everything.  alpha_nDCG can exceed
1: a result may hold several gold spans, and choosing spans one by one is not always best.

Neighbours: on gold without aspects aspect_rec is span_rec, and on disjoint gold aspect_char_rec is char_rec;
nDCG ranks whole documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from doxel.measures.aspect_views import AspectGains, AspectText, ShownAspects, add_up
from doxel.measures.chunks.characters import REPEATS
from doxel.measures.declaration import UNDIVIDED, Measure, Properties, Quantity, Scores, View, declare
from doxel.measures.measure_parameters import CUTOFF, Number, Parameter
from doxel.measures.rank_arithmetic import Matrix, at_rank, compute_f_beta, divide

__all__ = [
    "MEASURES",
    "all_aspects",
    "alpha_ndcg",
    "aspect_ap",
    "aspect_char_rec",
    "aspect_rec",
    "nugget_f",
]


def aspect_rec(view: ShownAspects, *, cutoff: int | None) -> Scores:
    """Share of the weight of all aspects that the first results show."""
    return divide(add_up(np.where(view.is_shown(cutoff), view.weight, 0.0)), view.total)


def all_aspects(view: ShownAspects, *, cutoff: int | None) -> Scores:
    """1 if the first results show every vital aspect, else 0; NaN without vital aspects."""
    is_missed = (view.vital > 0) & ~view.is_shown(cutoff)
    return np.where((view.vital > 0).any(axis=1), np.where(is_missed.any(axis=1), 0.0, 1.0), np.nan)


def aspect_ap(view: ShownAspects) -> Scores:
    """Mean over the aspects of the share of useful results up to the one that first shows it."""
    return divide(add_up(_list_precisions(view)), view.total)


def _list_precisions(view: ShownAspects) -> Matrix:
    """Return for each rank the weight of the aspects that it is the first to show, times P there."""
    counted = (1.0 - view.is_redundant).cumsum(axis=1)
    useful = (view.shown > 0).cumsum(axis=1)
    return view.shown * divide(useful, counted)


def alpha_ndcg(view: AspectGains, *, cutoff: int | None) -> Scores:
    """Discounted gain of the first results, as a share of that of an ideal list."""
    return divide(at_rank(_discount(view.gains).cumsum(axis=1), cutoff), _compute_ideal(view, cutoff))


def _discount(gains: Matrix) -> Matrix:
    discounted: Matrix = gains / np.log2(np.arange(2, gains.shape[1] + 2))
    return discounted


def _compute_ideal(view: AspectGains, cutoff: int | None) -> Scores:
    return at_rank(_discount(view.ideal).cumsum(axis=1), cutoff)


def nugget_f(
    view: ShownAspects, *, beta: float, allowance: float, repeats: str, cutoff: int | None
) -> Scores:
    """F-beta of the vital aspects shown and of the text that the aspects shown allow for."""
    vital_weight = add_up(np.where(view.is_shown(cutoff), _select_vital(view), 0.0))
    recall = divide(vital_weight, add_up(_select_vital(view)))
    score = compute_f_beta(_compute_allowed_share(view, allowance, repeats, cutoff), recall, beta)
    return np.where(add_up(_select_vital(view)) > 0, score, np.nan)


def _select_vital(view: ShownAspects) -> Matrix:
    """Return the weights of the vital aspects, 0 for the others."""
    return np.where(view.vital > 0, view.weight, 0.0)


def _compute_allowed_share(view: ShownAspects, allowance: float, repeats: str, cutoff: int | None) -> Scores:
    """Return the share of the text that the aspects shown allow for, at most 1; 0 without text."""
    length = at_rank((view.size if repeats == "charged" else view.new_size).cumsum(axis=1), cutoff)
    return np.minimum(1.0, divide(allowance * view.is_shown(cutoff).sum(axis=1), length))


def _list_vital(
    view: ShownAspects, beta: float, allowance: float, repeats: str, cutoff: int | None
) -> Matrix:
    """Return the terms of F: the weights of vital aspects first shown at each rank, times (b² + 1) P."""
    precision = _compute_allowed_share(view, allowance, repeats, cutoff)
    return view.spread(_select_vital(view))[:, :cutoff] * ((beta**2 + 1) * precision)[:, None]


def _divide_vital(
    view: ShownAspects, beta: float, allowance: float, repeats: str, cutoff: int | None
) -> Scores:
    """Return the divisor of the terms of F: b² P times the weight of vital aspects, and of those shown."""
    precision = _compute_allowed_share(view, allowance, repeats, cutoff)
    vital_weight = add_up(np.where(view.is_shown(cutoff), _select_vital(view), 0.0))
    return beta**2 * precision * add_up(_select_vital(view)) + vital_weight


def aspect_char_rec(view: AspectText, *, cutoff: int | None) -> Scores:
    """Share of the text of aspects that the first results show."""
    return divide(at_rank(view.gained.cumsum(axis=1), cutoff), view.total)


def _mark_last_vital(view: ShownAspects, cutoff: int | None) -> Matrix:
    """Return 1 at the rank that shows the last of the vital aspects, if all of them are shown."""
    ranks = np.where(view.vital > 0, view.reached, 0.0).max(axis=1, initial=0.0)
    is_last = np.arange(1, view.size.shape[1] + 1) == ranks[:, None]
    return np.where(is_last & (all_aspects(view, cutoff=cutoff) == 1)[:, None], 1.0, 0.0)


_WEIGHT = Quantity("sum of w", "the weight of all aspects", lambda view: view.total)
_SUMS: dict[str, dict[str, Any]] = {
    "aspect_rec": {
        "terms": Quantity(
            "shown",
            "weight of the aspects that each result is the first to show",
            lambda view, cutoff: view.shown[:, :cutoff],
        ),
        "divisor": _WEIGHT,
    },
    "all_aspects": {
        "terms": Quantity("last", "1 at the rank that completes the vital aspects", _mark_last_vital),
        "divisor": UNDIVIDED,
    },
    "aspect_AP": {
        "terms": Quantity(
            "w x P", "weight of the aspects first shown, times the share of useful results", _list_precisions
        ),
        "divisor": _WEIGHT,
        "made_of": "Results that touch only aspects shown at earlier ranks are taken out first.",
        "quantities": (
            Quantity(
                "out", "1 if all that it touches was shown at earlier ranks", lambda view: view.is_redundant
            ),
        ),
    },
    "alpha_nDCG": {
        "terms": Quantity(
            "gain/log2(i+1)", "discounted gain", lambda view, cutoff: _discount(view.gains)[:, :cutoff]
        ),
        "divisor": Quantity("ideal", "the discounted gains of the ideal list", _compute_ideal),
    },
    "nugget_F": {
        "terms": Quantity("(b²+1) P w", "weight of vital aspects first shown, times (b² + 1) P", _list_vital),
        "divisor": Quantity("b² P W + V", "W: the weight of vital aspects; V: of those shown", _divide_vital),
        "made_of": (
            "It is the weighted harmonic mean of the recall of vital aspects and of a precision: the "
            "characters that the aspects shown allow for, divided by the characters read, at most 1."
        ),
        "quantities": (
            Quantity("new", "its characters that no earlier result has shown", lambda view: view.new_size),
        ),
    },
    "aspect_char_rec": {
        "terms": Quantity(
            "new text",
            "weighted text of aspects that each result adds",
            lambda view, cutoff: view.gained[:, :cutoff],
        ),
        "divisor": Quantity("sum of w L", "the weighted text of all aspects", lambda view: view.total),
    },
}
_PROPERTIES = Properties(
    faithful="y", recall="y", near_misses="y", ideality="y", graded="y", thorough="y", focused="y"
)


def _declare(
    name: str,
    function: Callable[..., Scores],
    view: type[View],
    summary: str,
    reference: str,
    *,
    at: Parameter | None = CUTOFF,
    **details: Any,
) -> Measure:
    return declare(
        name,
        function,
        view=view,
        at=at,
        at_optional=True,
        summary=summary,
        reference=reference,
        properties=_PROPERTIES,
        **_SUMS[name],
        **details,
    )


_GENOMICS = "Hersh, Cohen, Roberts and Rekapalli: TREC 2006 Genomics Track Overview (2006)"

MEASURES = (
    _declare(
        "aspect_rec",
        aspect_rec,
        ShownAspects,
        "share of the aspects that the first k results show",
        "aspect recall of the TREC interactive track (Over, 1998), over spans of text",
        kinds=("text", "recall"),
    ),
    _declare(
        "all_aspects",
        all_aspects,
        ShownAspects,
        "whether the first k results show every vital aspect",
        "after the joint scores of questions with several hops (Yang et al., HotpotQA, 2018)",
        kinds=("text", "recall"),
    ),
    _declare(
        "aspect_AP",
        aspect_ap,
        ShownAspects,
        "mean share of useful results up to the one that first shows an aspect",
        _GENOMICS,
        at=None,
    ),
    _declare(
        "alpha_nDCG",
        alpha_ndcg,
        AspectGains,
        "discounted gain of aspects, less for those seen before, as a share of an ideal list's",
        "Clarke et al.: Novelty and diversity in information retrieval evaluation (SIGIR 2008)",
        bounds=(0.0, float("inf")),
        breaks={"best": "overlapping gold spans gain more one by one than as one result with all their text"},
    ),
    _declare(
        "nugget_F",
        nugget_f,
        ShownAspects,
        "vital aspects shown, weighed against the length of the text",
        "Lin and Demner-Fushman: Methods for automatically evaluating answers to complex questions (2006)",
        own=(
            Parameter("beta", Number(0), "weight of recall in F-beta", 3),
            Parameter("allowance", Number(0), "characters that each aspect shown allows for", 100),
            REPEATS,
        ),
    ),
    _declare(
        "aspect_char_rec",
        aspect_char_rec,
        AspectText,
        "share of the text of aspects that the first k results show",
        "character recall, with the best-covered of the alternative spans of each aspect",
        kinds=("text", "recall"),
    ),
)
