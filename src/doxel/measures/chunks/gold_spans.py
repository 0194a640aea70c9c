r"""Gold spans found: ``span_rec``, ``hit``, ``span_RR``.

A gold span is found if the first k results together show at least the share min of its characters.  Of n
gold spans, f(k) are found at rank k:

.. math:: rec[k] = f(k)/n, \quad hit[k] = 1 \text{ if } f(k) > 0, \quad RR = 1/r

where r is the first rank with f(r) > 0.

Rewards: finding many separate passages, a short one as much as a long one; for hit and span_RR a single
passage is enough.

When it misleads: a result that contains everything finds everything, however long it is.  With min=0.5,
one half of a passage is as good as all of it.  Equal gold spans count twice.

Neighbours: char_rec counts characters, so a long passage weighs more; read measures the cost of reading.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from doxel.measures.declaration import FLOOR, UNDIVIDED, Measure, Properties, Quantity, Scores, declare
from doxel.measures.measure_parameters import CUTOFF, Parameter
from doxel.measures.rank_arithmetic import divide, find_first_rank, mark_first
from doxel.measures.text_views import GoldSpans

__all__ = ["MEASURES", "hit", "span_rec", "span_rr"]


def span_rec(view: GoldSpans, *, cutoff: int | None) -> Scores:
    """Share of the gold spans that the first results show.

    >>> span_rec(GoldSpans(np.array([[2.0, 0.0]]), np.array([2.0])), cutoff=2).tolist()
    [0.5]
    """
    return divide(_count_found(view, cutoff), view.spans)


def hit(view: GoldSpans, *, cutoff: int | None) -> Scores:
    """1 if the first results show a gold span, else 0."""
    return np.where(_count_found(view, cutoff) > 0, 1.0, 0.0)


def span_rr(view: GoldSpans) -> Scores:
    """Reciprocal of the first rank by which a gold span has been shown, 0 if there is none."""
    ranks = np.where(view.reached > 0, view.reached, np.inf)
    return np.asarray(1.0 / ranks.min(axis=1, initial=np.inf), dtype=np.float64)


def _count_found(view: GoldSpans, cutoff: int | None) -> Scores:
    last = np.inf if cutoff is None else cutoff
    is_shown = (view.reached > 0) & (view.reached <= last)
    return np.asarray(is_shown.sum(axis=1), dtype=np.float64)


_FIRST = Quantity(
    "first",
    "1 at the first rank by which a gold span is found",
    lambda view, cutoff=None: mark_first(view.found[:, :cutoff] > 0),
)
_SUMS: dict[str, dict[str, Quantity]] = {
    "span_rec": {
        "terms": Quantity(
            "found", "gold spans found by each result", lambda view, cutoff: view.found[:, :cutoff]
        ),
        "divisor": Quantity("n", "the gold spans", lambda view: view.spans),
    },
    "hit": {"terms": _FIRST, "divisor": UNDIVIDED},
    "span_RR": {
        "terms": _FIRST,
        "divisor": Quantity("r", "that rank", lambda view: find_first_rank(view.found > 0)),
    },
}
_PROPERTIES = Properties(
    faithful="y",
    recall="y",
    near_misses="y",
    ideality="y",
    thorough="y",
    focused="y",
    relevant_in_context="y",
)


def _declare(name: str, function: Callable[..., Scores], summary: str, at: Parameter | None) -> Measure:
    return declare(
        name,
        function,
        view=GoldSpans,
        at=at,
        at_optional=True,
        summary=summary,
        reference="recall, success and reciprocal rank of classic retrieval, over spans of text",
        properties=_PROPERTIES,
        kinds=() if at is None else ("text", "recall"),
        residual=FLOOR,
        **_SUMS[name],
    )


MEASURES = (
    _declare("span_rec", span_rec, "share of the gold spans that the first k results show", CUTOFF),
    _declare("hit", hit, "whether the first k results show any gold span", CUTOFF),
    _declare("span_RR", span_rr, "reciprocal rank of the first gold span that is shown", None),
)
