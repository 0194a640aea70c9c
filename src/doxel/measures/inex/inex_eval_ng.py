r"""inex_eval_ng: recall by exhaustivity, precision by specificity, ``inex_eval_ng`` (and ``_P``, ``_R``).

Specificity is the share of an element's text that is about the topic, exhaustivity how much of the topic
the element covers; assessors graded both.  size is the number of characters of a result, and ov the share of
it that earlier results have shown:

.. math:: P(k) = \frac{\sum spe(e_i) size(e_i) (1 - ov(i))}{\sum size(e_i) (1 - ov(i))}, \quad
          R(k) = \frac{\sum exh(e_i) (1 - ov(i))}{\sum_e exh(e)}

Variant "o" subtracts text that was seen before, variant "s" does not (ov = 0).  ``inex_eval_ng`` is the
mean, over 100 recall points, of the best precision at any recall from that point on.

Rewards: new specific text for precision, new exhaustive elements for recall.

When it misleads: the score depends on the order of two nested results (a section after its paragraph
or before it).  The two dimensions are scored separately, so an element that is exhaustive but hardly
specific helps recall as much as a perfect one.

Neighbours: inex_eval uses one quantised value and ignores sizes; HiXEval counts highlighted characters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from doxel.measures.declaration import Measure, Properties, Quantity, Scores, declare
from doxel.measures.gain_views import ConceptSpace
from doxel.measures.measure_parameters import CUTOFF, Choice, Parameter
from doxel.measures.rank_arithmetic import (
    RECALL_POINTS,
    Matrix,
    add_at_columns,
    at_rank,
    average_points,
    divide,
    find_best_column,
    find_first_reaching,
    take_best_from,
)
from doxel.spans import Ints

__all__ = ["MEASURES", "concept_precision", "concept_recall", "inex_eval_ng"]


def inex_eval_ng(view: ConceptSpace, *, variant: str) -> Scores:
    """Mean, over 100 recall points, of the best precision from each point on."""
    return average_points(take_best_from(*_follow_recall(view, variant)))


def _follow_recall(view: ConceptSpace, variant: str) -> tuple[Matrix, Ints]:
    """Return the precision at each rank, and the first column that reaches each recall point."""
    specific, read, covered = _cumulate_text(view, variant)
    goals = RECALL_POINTS * view.total[:, None]
    return divide(specific, read), find_first_reaching(covered, goals, view.total)


def concept_precision(view: ConceptSpace, *, variant: str, cutoff: int) -> Scores:
    """Share of the new text of the first results that is specific (000 Eq. 2)."""
    specific, read, _ = _cumulate_text(view, variant)
    return divide(at_rank(specific, cutoff), at_rank(read, cutoff))


def concept_recall(view: ConceptSpace, *, variant: str, cutoff: int) -> Scores:
    """Exhaustivity of the first results as a share of all exhaustivity (000 Eq. 2)."""
    return divide(at_rank(_cumulate_text(view, variant)[2], cutoff), view.total)


def _cumulate_text(view: ConceptSpace, variant: str) -> tuple[Matrix, Matrix, Matrix]:
    """Return specific text, all text and exhaustivity, cumulated over ranks."""
    specific, read, covered = (values.cumsum(axis=1) for values in _list_text(view, variant))
    return specific, read, covered


def _list_text(view: ConceptSpace, variant: str) -> tuple[Matrix, Matrix, Matrix]:
    """Return specific text, all text and exhaustivity by rank."""
    new = 1.0 - view.seen if variant == "o" else np.ones_like(view.seen)
    return view.specificity * view.size * new, view.size * new, view.exhaustivity * new


def _spread_points(view: ConceptSpace, variant: str) -> Matrix:
    precision, first = _follow_recall(view, variant)
    best = find_best_column(precision, first)
    return add_at_columns(take_best_from(precision, first), best, precision.shape[1])


def _compute_precision(view: ConceptSpace, variant: str) -> Matrix:
    specific, read, _ = _cumulate_text(view, variant)
    return divide(specific, read)


_BY_RANK = (
    Quantity("P(k)", "precision so far", _compute_precision),
    Quantity(
        "R(k)",
        "recall so far",
        lambda view, variant: divide(_cumulate_text(view, variant)[2], view.total[:, None]),
    ),
)
_SUMS: dict[str, dict[str, Any]] = {
    "inex_eval_ng": {
        "terms": Quantity(
            "P(x)", "P(k), added up over the recall points that take it from this rank", _spread_points
        ),
        "divisor": Quantity(
            "100", "the recall points", lambda view: np.full(len(view.total), float(len(RECALL_POINTS)))
        ),
        "made_of": (
            "It is a mean of interpolated values: each of 100 recall points takes the best P(k) at any rank "
            "where R(k) has reached it, and counts at that rank."
        ),
    },
    "inex_eval_ng_P": {
        "terms": Quantity(
            "spe size (1-ov)",
            "new specific text of each result up to the cutoff",
            lambda view, variant, cutoff: _list_text(view, variant)[0][:, :cutoff],
        ),
        "divisor": Quantity(
            "size (1-ov)",
            "the new text of these results",
            lambda view, variant, cutoff: at_rank(_cumulate_text(view, variant)[1], cutoff),
        ),
    },
    "inex_eval_ng_R": {
        "terms": Quantity(
            "exh (1-ov)",
            "new exhaustivity of each result up to the cutoff",
            lambda view, variant, cutoff: _list_text(view, variant)[2][:, :cutoff],
        ),
        "divisor": Quantity("sum exh", "the exhaustivity of all elements", lambda view: view.total),
    },
}


_VARIANT = Parameter("variant", Choice(("o", "s")), "subtract text seen before (o) or not (s)", "o")


def _declare(name: str, function: Callable[..., Scores], summary: str, **details: Any) -> Measure:
    return declare(
        name,
        function,
        view=ConceptSpace,
        own=(_VARIANT,),
        summary=summary,
        reference="Gövert, Kazai, Fuhr and Lalmas 2003/2006; source 000, Eq. 2",
        years="2003",
        properties=Properties(
            faithful="?",
            interpretable="n (a)",
            recall="y",
            precision="y",
            near_misses="i",
            overlap="-",
            ideality="n",
            graded="n/a",
            thorough="y",
            focused="?",
            relevant_in_context="i",
            best_in_context="i",
        ),
        quantities=_BY_RANK,
        **_SUMS[name],
        **details,
    )


MEASURES = (
    _declare("inex_eval_ng", inex_eval_ng, "mean precision over recall, by specificity and exhaustivity"),
    _declare("inex_eval_ng_P", concept_precision, "share of the new text that is specific", at=CUTOFF),
    _declare(
        "inex_eval_ng_R",
        concept_recall,
        "exhaustivity reached as a share of all exhaustivity",
        at=CUTOFF,
        kinds=("recall",),
    ),
)
