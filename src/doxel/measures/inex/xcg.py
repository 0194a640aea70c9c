r"""Extended cumulated gain at a rank: ``nxCG``, ``MAnxCG``, ``gr``, ``xCG``, ``xCI``.

Each result has a gain that shows how relevant it is: the highlighted share of its characters, or a number for
the grades that assessors gave it (quant).  Gains are added up along the ranking (xCG) and compared with those
of the ideal ranking (xCI), the best list that the assessments allow:

.. math:: nxCG[i] = xCG[i] / xCI[i], \quad MAnxCG[i] = \frac{1}{i} \sum_{j \le i} nxCG[j], \quad
          gr[i] = xCG[i] / xCI[n]

In the task Thorough every element has its own gain, and the ideal ranking contains all relevant elements.  In
Focused the ideal ranking contains no overlapping elements, text that was seen before gains less (alpha), and
an ideal element together with its ancestors and descendants gains no more than the element alone.  This limit
applies if overlap counts (overlap="on" and alpha above 0); cap="on" applies it always, cap="off" never.

Rewards: ranking the best elements first.  nxCG ignores everything after the cutoff; MAnxCG also rewards
early gain within the cutoff; gr compares the gain with all that is attainable.  xCG and xCI are the two
cumulated gains themselves; drawn together over the ranks they are the figure of source 001.

When it misleads: the scores depend on how the ideal recall base is constructed (construction, tie, paths).
With overlap="off", with passages, or with construction "best-sum" or "leaves", nxCG can exceed 1.  With alpha
between 0 and 1 a gain is hard to interpret.  xCG is larger for topics with more relevant elements, so a mean
over topics mixes different scales; xCI does not depend on the run.

Neighbours: ep measures the effort at a gain, nxCG the gain at an effort; HiXEval counts characters, XCG
counts elements.
"""

from __future__ import annotations

from collections.abc import Callable

from doxel.measures.declaration import (
    DIVIDED_BY_CUTOFF,
    READING,
    UNDIVIDED,
    Measure,
    Properties,
    Quantity,
    Scores,
    declare,
)
from doxel.measures.gain_views import GainVectors, cumulate_gains
from doxel.measures.measure_parameters import Number, Parameter
from doxel.measures.rank_arithmetic import Matrix, at_rank, divide

__all__ = [
    "MEASURES",
    "XCG_PROPERTIES",
    "cumulate_ideal",
    "cumulate_run",
    "gain_recall",
    "manxcg",
    "nxcg",
]


def nxcg(view: GainVectors, *, cutoff: int) -> Scores:
    """Share of the ideal ranking's cumulated gain that is reached at a rank (001 Eq. 7)."""
    return divide(cumulate_run(view, cutoff=cutoff), cumulate_ideal(view, cutoff=cutoff))


def cumulate_run(view: GainVectors, *, cutoff: int) -> Scores:
    """Gain of the run cumulated up to a rank (001 Eq. 2)."""
    return at_rank(view.gains[:, :cutoff].cumsum(axis=1), cutoff)


def cumulate_ideal(view: GainVectors, *, cutoff: int) -> Scores:
    """Gain of the ideal ranking cumulated up to a rank (001 Eq. 3)."""
    return at_rank(view.ideal[:, :cutoff].cumsum(axis=1), cutoff)


def manxcg(view: GainVectors, *, cutoff: int) -> Scores:
    """Mean of nxCG over the ranks up to the cutoff (called MAxCG in 004)."""
    return _normalise(view, cutoff).cumsum(axis=1)[:, -1] / cutoff


def gain_recall(view: GainVectors, *, cutoff: int) -> Scores:
    """Share of all attainable gain that is reached at a rank (001 Eq. 4)."""
    return divide(cumulate_run(view, cutoff=cutoff), view.attainable)


def _normalise(view: GainVectors, cutoff: int) -> Matrix:
    """Return nxCG at each rank from 1 to the cutoff."""
    return divide(cumulate_gains(view.gains, cutoff), cumulate_gains(view.ideal, cutoff))


_GAINS = Quantity("gain", "gain of each result up to the cutoff", lambda view, cutoff: view.gains[:, :cutoff])
_SUMS: dict[str, dict[str, Quantity]] = {
    "nxCG": {
        "terms": _GAINS,
        "divisor": Quantity(
            "xCI[k]",
            "the ideal ranking's gain by the cutoff",
            lambda view, cutoff: at_rank(view.ideal[:, :cutoff].cumsum(axis=1), cutoff),
        ),
    },
    "MAnxCG": {
        "terms": Quantity("nxCG", "nxCG at each rank up to the cutoff", _normalise),
        "divisor": DIVIDED_BY_CUTOFF,
    },
    "xCG": {"terms": _GAINS, "divisor": UNDIVIDED},
    "xCI": {
        "terms": Quantity(
            "ideal gain",
            "gain of the ideal ranking at each rank up to the cutoff",
            lambda view, cutoff: view.ideal[:, :cutoff],
        ),
        "divisor": UNDIVIDED,
    },
    "gr": {
        "terms": _GAINS,
        "divisor": Quantity(
            "xCI[n]",
            "all attainable gain",
            lambda view: at_rank(view.ideal.cumsum(axis=1), None),
        ),
    },
}
XCG_PROPERTIES = Properties(
    faithful="y",
    interpretable="y (b)",
    recall="y",
    precision="n",
    near_misses="y",
    overlap="=",
    ideality="y",
    graded="y",
    thorough="y",
    focused="y",
    relevant_in_context="i",
    best_in_context="i",
)


def _declare(
    name: str, function: Callable[..., Scores], summary: str, *aliases: str, deepest: float = float("inf")
) -> Measure:
    return declare(
        name,
        function,
        view=GainVectors,
        at=Parameter("cutoff", Number(1, deepest, whole=True), "the rank"),
        summary=summary,
        aliases=aliases,
        bounds=(0.0, float("inf")),
        reference="Kazai and Lalmas, TOIS 24(4), 2006; source 001, Eqs. 2-7",
        years="2005-2006",
        properties=XCG_PROPERTIES,
        kinds=("recall",) if name == "gr" else (),
        breaks={"touching": "it is the gain of the ideal ranking, whatever the run"} if name == "xCI" else {},
        residual="" if name == "xCI" else READING,  # on bare spans
        **_SUMS[name],
    )


MEASURES = (
    _declare("nxCG", nxcg, "gain at a rank as a share of the ideal ranking's gain", "nXCG"),
    # the mean needs a column for every rank, so the cutoff is limited
    _declare("MAnxCG", manxcg, "mean of nxCG over the ranks up to a cutoff", "MAxCG", deepest=100_000),
    _declare("gr", gain_recall, "gain at a rank as a share of all attainable gain"),
    _declare("xCG", cumulate_run, "gain of the run, cumulated up to a rank"),
    _declare("xCI", cumulate_ideal, "gain of the ideal ranking, cumulated up to a rank"),
)
