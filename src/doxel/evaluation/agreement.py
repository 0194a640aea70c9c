"""Agreement of measures: how far two of them put the same runs in the same order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.measures.table import lower_is_better
from doxel.statistics.correlation import kendall_tau, rank_biased_overlap, tau_ap
from doxel.tables import Column, Table

__all__ = ["AGREEMENT", "PERSISTENCE", "agreement"]

PERSISTENCE = 0.9  # of RBO

AGREEMENT = Table(
    "agreement",
    (
        Column("measure", pl.String, "the measure that ranks the runs", required=True),
        Column("other", pl.String, "the measure whose ranking is taken as the truth", required=True),
        Column("runs", pl.Int64, "the runs that both score", required=True),
        Column("tau", pl.Float64, "Kendall's tau-b of the means; NaN where one of them ties all runs"),
        Column("tau_ap", pl.Float64, "tau_AP, in which the top counts more; not symmetric"),
        Column("rbo", pl.Float64, "rank-biased overlap of the two rankings"),
    ),
)


def agreement(means: pl.DataFrame, *, persistence: float = PERSISTENCE) -> pl.DataFrame:
    """Return one row for every ordered pair of measures, from means (run, measure, score).

    Runs that one of two measures does not score, or not as a number, are left out of their pair.
    ``persistence`` is the p of RBO.  Runs with the same mean stand in the order of the table.  The best
    run is first, whether the more or the less of a measure is better.
    """
    measures = means["measure"].unique(maintain_order=True).to_list()
    if len(measures) < 2:
        raise InputError(
            "the agreement of measures", wanted="at least two measures", found=", ".join(measures) or "none"
        )
    runs = means["run"].unique(maintain_order=True).to_list()
    wide = means.pivot("measure", index="run", values="score", maintain_order=True)
    signs = {name: -1.0 if lower_is_better(name) else 1.0 for name in measures}
    values = {name: signs[name] * wide[name].fill_null(float("nan")).to_numpy() for name in measures}
    return AGREEMENT.from_rows(
        _pair(one, other, values, runs, persistence) for one, other in permutations(measures, 2)
    )


def _pair(
    one: str, other: str, values: dict[str, np.ndarray], runs: list[str], persistence: float
) -> dict[str, object]:
    both = np.flatnonzero(np.isfinite(values[one]) & np.isfinite(values[other]))
    a, b = values[one][both], values[other][both]
    first, second = ([runs[both[row]] for row in np.argsort(-scores, kind="stable")] for scores in (a, b))
    return {
        "measure": one,
        "other": other,
        "runs": len(both),
        "tau": kendall_tau(a, b),
        "tau_ap": tau_ap(a, b),
        "rbo": rank_biased_overlap(first, second, persistence) if len(both) else float("nan"),
    }
