"""Agreement of measures: how similarly they rank the runs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.measures.measure_table import lower_is_better
from doxel.statistics.rank_correlation import compute_kendall_tau, compute_rank_biased_overlap, compute_tau_ap
from doxel.tables import Column, Table

__all__ = ["AGREEMENT", "PERSISTENCE", "agreement"]

PERSISTENCE = 0.9  # of RBO

AGREEMENT = Table(
    "agreement",
    (
        Column("measure", pl.String, "the measure that ranks the runs", required=True),
        Column("other", pl.String, "the measure whose ranking is the reference", required=True),
        Column("runs", pl.Int64, "the number of runs that both measures score", required=True),
        Column("tau", pl.Float64, "Kendall's tau-b of the means; NaN if one measure ties all runs"),
        Column("tau_ap", pl.Float64, "tau_AP, which gives more weight to the top; not symmetric"),
        Column("rbo", pl.Float64, "rank-biased overlap of the two rankings"),
    ),
)


def agreement(means: pl.DataFrame, *, persistence: float = PERSISTENCE) -> pl.DataFrame:
    """Return one row per ordered pair of measures, from means (run, measure, score).

    Runs without a finite mean for one of two measures are left out of that pair.  ``persistence`` is the p
    of RBO.  Runs with equal means keep the order of the table.  The best run comes first, whether higher or
    lower scores are better.
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
        _pair(measure, other, values, runs, persistence) for measure, other in permutations(measures, 2)
    )


def _pair(
    measure: str, other: str, values: dict[str, np.ndarray], runs: list[str], persistence: float
) -> dict[str, object]:
    both = np.flatnonzero(np.isfinite(values[measure]) & np.isfinite(values[other]))
    a, b = values[measure][both], values[other][both]
    first, second = ([runs[both[row]] for row in np.argsort(-scores, kind="stable")] for scores in (a, b))
    return {
        "measure": measure,
        "other": other,
        "runs": len(both),
        "tau": compute_kendall_tau(a, b),
        "tau_ap": compute_tau_ap(a, b),
        "rbo": compute_rank_biased_overlap(first, second, persistence) if len(both) else float("nan"),
    }
