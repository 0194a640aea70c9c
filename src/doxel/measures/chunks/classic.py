r"""Classic measures of whole documents: ``AP``, ``nDCG``, ``P``, ``R``, ``RBP``, ``RR``.

Classic measures ignore which part of a document was returned, so that classic and focused retrieval can be
compared in one table.  Documents are ranked by their first result.  The
grade of a document is its own if the assessments grade documents (TREC qrels); otherwise the highest grade
of its highlights or, from 2002 to 2004, of its elements; otherwise 1 if it has relevant text, else 0.
The scores are those of trec_eval (which lacks RBP) to the last bit, except for its treatment of ties and of
topics.  With d(i) = 1 if the document at rank i is relevant, and R relevant documents:

.. math:: P@k = \frac{1}{k}\sum_{i \le k} d(i), \quad R@k = \frac{1}{R}\sum_{i \le k} d(i), \quad
          AP = \frac{1}{R}\sum_i d(i) P@i, \quad RR = 1/r, \quad RBP = (1-p) \sum_i p^{i-1} d(i)

where r is the rank of the first relevant document, and p the probability that a user goes on to the next one.
A list that ends loses what RBP would add after its end: even the best list scores less than 1.  nDCG divides
the sum of grades over log2(rank + 1) by that of the ideal ranking.

Rewards: relevant documents early in the list, whichever part of them was returned.

When it misleads: a system that returns the wrong part of the right document scores as well as one that
returns the right part.  Measures of text and of elements score the two differently.

Neighbours: gP and MAgP score documents by the text shown of them; art_prec and art_rec ignore the order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from doxel.measures.declaration import (
    BOUND,
    DIVIDED_BY_CUTOFF,
    READING,
    UNDIVIDED,
    Measure,
    Properties,
    Quantity,
    Scores,
    declare,
)
from doxel.measures.measure_parameters import Number, Parameter
from doxel.measures.rank_arithmetic import Matrix, at_rank, find_first_rank, mark_first
from doxel.measures.text_views import DocumentRanking

__all__ = [
    "MEASURES",
    "average_precision",
    "ndcg",
    "precision",
    "rank_biased_precision",
    "recall",
    "reciprocal_rank",
]


def average_precision(view: DocumentRanking, *, rel: int, cutoff: int | None) -> Scores:
    """Mean of the precision at the ranks of relevant documents."""
    return _divide(
        at_rank(_list_precisions(view, rel, cutoff).cumsum(axis=1), None), _count_relevant(view, rel)
    )


def ndcg(view: DocumentRanking, *, cutoff: int | None) -> Scores:
    """Discounted cumulated gain as a share of that of the ideal ranking."""
    received = at_rank(_discount(view.grade, cutoff).cumsum(axis=1), None)
    return _divide(received, _add_ideal_gains(view, cutoff))


def precision(view: DocumentRanking, *, rel: int, cutoff: int) -> Scores:
    """Share of the first documents that are relevant."""
    return np.asarray(_mark_relevant(view, rel, cutoff).sum(axis=1) / cutoff)


def recall(view: DocumentRanking, *, rel: int, cutoff: int) -> Scores:
    """Share of the relevant documents that are among the first documents."""
    return _divide(_mark_relevant(view, rel, cutoff).sum(axis=1), _count_relevant(view, rel))


def reciprocal_rank(view: DocumentRanking, *, rel: int, cutoff: int | None) -> Scores:
    """Reciprocal of the rank of the first relevant document."""
    relevant = _mark_relevant(view, rel, cutoff)
    reciprocal = 1 / np.arange(1, relevant.shape[1] + 1)
    return np.asarray((relevant * reciprocal).max(axis=1, initial=0.0))


def rank_biased_precision(view: DocumentRanking, *, p: float, rel: int, cutoff: int | None) -> Scores:
    """Expected share of relevant documents for a user who goes on to the next with probability p."""
    return at_rank(_weigh_by_patience(view, p, rel, cutoff).cumsum(axis=1), None)


def _divide(above: Scores, below: Scores) -> Scores:
    return np.asarray(np.divide(above, below, out=np.zeros(len(above)), where=below > 0))


def _mark_relevant(view: DocumentRanking, rel: int, cutoff: int | None) -> Matrix:
    return (view.grade[:, :cutoff] >= rel).astype(np.float64)


def _count_relevant(view: DocumentRanking, rel: int) -> Scores:
    missed = (view.missed >= rel).sum(axis=1)
    return np.asarray((view.grade >= rel).sum(axis=1) + missed, dtype=np.float64)


def _list_precisions(view: DocumentRanking, rel: int, cutoff: int | None) -> Matrix:
    relevant = _mark_relevant(view, rel, cutoff)
    return np.asarray(relevant * relevant.cumsum(axis=1) / np.arange(1, relevant.shape[1] + 1))


def _weigh_by_patience(view: DocumentRanking, p: float, rel: int, cutoff: int | None) -> Matrix:
    relevant = _mark_relevant(view, rel, cutoff)
    return np.asarray(relevant * ((1 - p) * p ** np.arange(relevant.shape[1])))


def _discount(grades: Matrix, cutoff: int | None) -> Matrix:
    gains = np.maximum(grades[:, :cutoff], 0.0)
    # NumPy's own logarithm can differ in the last bit from that of trec_eval
    logarithms = np.fromiter((math.log2(rank + 2) for rank in range(gains.shape[1])), dtype=np.float64)
    discounted: Matrix = gains / logarithms
    return discounted


def _add_ideal_gains(view: DocumentRanking, cutoff: int | None) -> Scores:
    grades = np.concatenate([view.grade, view.missed], axis=1)
    return at_rank(_discount(-np.sort(-grades, axis=1), cutoff).cumsum(axis=1), None)


_RELEVANT = Quantity("d(i)", "1 if the document is relevant, up to the cutoff", _mark_relevant)
_ALL_RELEVANT = Quantity("R", "the number of relevant documents", _count_relevant)
_SUMS: dict[str, dict[str, Quantity]] = {
    "AP": {
        "terms": Quantity("d(i) P@i", "precision at each relevant document", _list_precisions),
        "divisor": _ALL_RELEVANT,
    },
    "nDCG": {
        "terms": Quantity(
            "grade / log2(i + 1)",
            "discounted grade of each document up to the cutoff",
            lambda view, cutoff: _discount(view.grade, cutoff),
        ),
        "divisor": Quantity("IDCG", "the same sum for the ideal ranking", _add_ideal_gains),
    },
    "P": {"terms": _RELEVANT, "divisor": DIVIDED_BY_CUTOFF},
    "R": {"terms": _RELEVANT, "divisor": _ALL_RELEVANT},
    "RBP": {
        "terms": Quantity(
            "(1 - p) p^(i - 1) d(i)", "chance to stop at each relevant document", _weigh_by_patience
        ),
        "divisor": UNDIVIDED,
    },
    "RR": {
        "terms": Quantity(
            "first",
            "1 at the first relevant document",
            lambda view, rel, cutoff: mark_first(view.grade[:, :cutoff] >= rel),
        ),
        "divisor": Quantity(
            "r", "its rank", lambda view, rel, cutoff: find_first_rank(view.grade[:, :cutoff] >= rel)
        ),
    },
}
_REL = Parameter("rel", Number(1, whole=True), "the lowest grade of a relevant document", 1)
_CUTOFF = Parameter("cutoff", Number(1, whole=True), "number of documents that count")
_P = Parameter("p", Number(0, 0.999), "the probability to go on to the next document", 0.8)
_REFERENCES = {
    "nDCG": "trec_eval (Buckley, NIST); Järvelin and Kekäläinen, TOIS 20(4), 2002",
    "RBP": "Moffat and Zobel, TOIS 27(1), 2008",
    "RR": "trec_eval (Buckley, NIST); Voorhees, TREC-8, 1999",
}


def _declare(
    name: str, function: Callable[..., Scores], summary: str, *, whole: bool, **details: Any
) -> Measure:
    return declare(
        name,
        function,
        view=DocumentRanking,
        at=_CUTOFF,
        at_optional=whole,
        summary=summary,
        reference=_REFERENCES.get(name, "trec_eval (Buckley, NIST)"),
        properties=Properties(
            recall="n" if name in {"P", "RBP", "RR"} else "y",
            precision="n" if name == "R" else "y",
            near_misses="y",
            overlap="n/a",
            ideality="y",
            graded="y" if name == "nDCG" else "n",
            relevant_in_context="i",
        ),
        residual=READING if name in {"AP", "nDCG"} else BOUND,
        **_SUMS[name],
        **details,
    )


MEASURES = (
    _declare("AP", average_precision, "average precision of whole documents", whole=True, own=(_REL,)),
    _declare("nDCG", ndcg, "normalised discounted cumulated gain of whole documents", whole=True),
    _declare("P", precision, "share of the first k documents that are relevant", whole=False, own=(_REL,)),
    _declare(
        "R",
        recall,
        "share of the relevant documents that are among the first k",
        whole=False,
        own=(_REL,),
        kinds=("recall",),
    ),
    _declare(
        "RBP",
        rank_biased_precision,
        "rank-biased precision of whole documents",
        whole=True,
        own=(_P, _REL),
        breaks={"perfect": "the weights of a list that ends add up to less than 1"},
    ),
    _declare(
        "RR", reciprocal_rank, "reciprocal rank of the first relevant document", whole=True, own=(_REL,)
    ),
)
