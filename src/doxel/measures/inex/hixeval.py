r"""HiXEval: highlighted characters at a rank, ``HiXEval_P``, ``HiXEval_R``, ``HiXEval_F``.

Assessors have highlighted the relevant text of documents.  The value rval of result i is the number rsize
of its highlighted characters, less those that earlier results have shown:

.. math:: rval(i) = rsize(e_i) \text{ unseen}, \quad (1 - \alpha) rsize(e_i) \text{ fully seen}, \quad
          rsize(e_i) - \alpha \sum_{e_j \subseteq e_i} rval(j) \text{ otherwise}

.. math:: P(k) = \sum_{i \le k} rval(i) / \sum_{i \le k} size(e_i), \quad
          R(k) = \sum_{i \le k} rval(i) / Trel

size is the number of all characters of a result.  Trel is the number of highlighted characters or, in the
task Thorough, whose results may overlap, the sum of rsize over all elements.  Where elements were
graded and nothing was highlighted (2003-04), rsize is the normalised specificity times the size, and Trel its
sum over the ideal recall base (Focused) or the full one (Thorough); quant, construction, tie and paths choose
the base, as in XCG.

Rewards: relevant text early in the ranking, in results that contain little else.  The weight alpha is the
cost of reading something again.

When it misleads: overlap is subtracted from the value of a result but not from its size, so a repeated
result lowers precision.  With alpha between 0 and 1 the value is hard to interpret, and recall can
exceed 1; from grades it can for any alpha, because grades of different elements need not agree.

Neighbours: iP takes the same quantities at recall levels instead of ranks; XCG's gain weights specificity
instead of characters, so a short perfect paragraph counts as much as a long one.
"""

from __future__ import annotations

from collections.abc import Callable

from doxel.measures.declaration import Measure, Properties, Quantity, Scores, declare
from doxel.measures.measure_parameters import CUTOFF
from doxel.measures.rank_arithmetic import compute_f_beta, divide, sum_to_rank
from doxel.measures.text_views import ValuedText

__all__ = ["MEASURES", "hixeval_f", "hixeval_p", "hixeval_r"]


def hixeval_p(view: ValuedText, *, cutoff: int) -> Scores:
    """Value of the first results per character read (000 Eq. 8)."""
    return divide(sum_to_rank(view.value, cutoff), sum_to_rank(view.size, cutoff))


def hixeval_r(view: ValuedText, *, cutoff: int) -> Scores:
    """Value of the first results as a share of all relevant text (000 Eq. 8)."""
    return divide(sum_to_rank(view.value, cutoff), view.total)


def hixeval_f(view: ValuedText, *, cutoff: int) -> Scores:
    """Harmonic mean of HiXEval_P and HiXEval_R."""
    return compute_f_beta(hixeval_p(view, cutoff=cutoff), hixeval_r(view, cutoff=cutoff))


_VALUES = Quantity(
    "rval", "value of each result up to the cutoff", lambda view, cutoff: view.value[:, :cutoff]
)
_SUMS: dict[str, dict[str, Quantity]] = {
    "HiXEval_P": {
        "terms": _VALUES,
        "divisor": Quantity("size", "the text read", lambda view, cutoff: sum_to_rank(view.size, cutoff)),
    },
    "HiXEval_R": {
        "terms": _VALUES,
        "divisor": Quantity("Trel", "all relevant text", lambda view: view.total),
    },
    "HiXEval_F": {
        "terms": Quantity(
            "2 rval",
            "twice the value of each result up to the cutoff",
            lambda view, cutoff: 2 * view.value[:, :cutoff],
        ),
        "divisor": Quantity(
            "size + Trel",
            "the text read and all relevant text",
            lambda view, cutoff: sum_to_rank(view.size, cutoff) + view.total,
        ),
    },
}


def _declare(name: str, function: Callable[..., Scores], summary: str, high: float) -> Measure:
    return declare(
        name,
        function,
        view=ValuedText,
        at=CUTOFF,
        summary=summary,
        reference="Pehcevski and Thom: HiXEval (INEX 2005); source 000, section 3.6",
        bounds=(0.0, high),
        kinds=("recall",) if name == "HiXEval_R" else (),
        years="2007",
        properties=Properties(
            faithful="y",
            interpretable="y (b)",
            recall="y",
            precision="y",
            near_misses="y",
            ideality="y (c)",
            graded="y (d)",
            thorough="y",
            focused="y",
            relevant_in_context="i",
            best_in_context="i",
        ),
        **_SUMS[name],
    )


MEASURES = (
    _declare("HiXEval_P", hixeval_p, "value of the first k results per character read", 1.0),
    # alpha below 1 counts the same text more than once; grades of nested elements may disagree
    _declare("HiXEval_R", hixeval_r, "value of the first k results as a share of all value", float("inf")),
    _declare("HiXEval_F", hixeval_f, "harmonic mean of HiXEval_P and HiXEval_R", float("inf")),
)
