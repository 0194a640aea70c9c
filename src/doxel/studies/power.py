"""Power: how many pairs of runs a measure tells apart, and how stable what it says is.

Discriminative power (Sakai 2006) is the share of all pairs of runs that a paired test tells apart at
p < .05; his curve shows the p (achieved significance level) of all pairs, sorted.  Stability asks two
disjoint samples of the topics, drawn many times: how far do they rank the runs alike (tau), and how often
do they prefer different runs of a pair (swaps)?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.evaluation.options import check_drawing
from doxel.measures import Measure
from doxel.spans import Floats
from doxel.statistics.all_pairs import pairs_of
from doxel.statistics.subsets import disjoint_subsets, split_agreement
from doxel.studies.agreement import MEASURES
from doxel.studies.declare import Panel, StudyResult
from doxel.studies.material import gather
from doxel.studies.setting import AS_IT_IS, Setting
from doxel.studies.testing import SURE, Tested
from doxel.wording import counted

__all__ = ["MEASURES", "Power", "power"]

_POWER = {
    "measure": pl.String,
    **dict.fromkeys(("runs", "topics", "pairs", "apart"), pl.Int64),
    **dict.fromkeys(("share", "needed"), pl.Float64),
}
_PAIRS = {
    **dict.fromkeys(("measure", "run", "other"), pl.String),
    **dict.fromkeys(("difference", "p"), pl.Float64),
    "place": pl.Int64,
}
_STABILITY = {
    "measure": pl.String,
    "size": pl.Int64,
    **dict.fromkeys(("tau", "swaps", "low", "high"), pl.Float64),
}


@dataclass(frozen=True, kw_only=True)
class Power(StudyResult):
    """What measures can tell.

    ``power`` has one row a measure: runs, topics, pairs, apart (p < .05), share, needed (the smallest
    difference of means that was told apart).  ``pairs`` has one row a measure and pair of runs: run,
    other, difference, p, place (1 for the largest p, as on Sakai's curve).  ``stability`` has one row a
    measure and size of the samples: size, tau, swaps, low and high (of swaps, over splits).
    """

    power: pl.DataFrame
    pairs: pl.DataFrame
    stability: pl.DataFrame

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Power, stability, and all pairs."""
        swaps = self.stability.pivot("size", index="measure", values="swaps", maintain_order=True)
        named = swaps.rename(
            {name: counted(int(name), "topic") for name in swaps.columns if name != "measure"}
        )
        return (
            Panel("power", f"Pairs of runs told apart (p < {SURE})", self.power),
            Panel(
                "stability",
                "Share of pairs of runs on which two disjoint samples of topics disagree, by their size",
                self.stability,
                named,
            ),
            Panel("pairs", "The p of every pair of runs", self.pairs, self.pairs.clear()),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """Which measure tells most apart, and whether power and stability go together."""
        order = self.power.sort("share", descending=True, maintain_order=True)
        if not order.height:
            return ("No measure scores two runs.",)
        best, worst = order.row(0, named=True), order.row(-1, named=True)
        first = (
            f"{best['measure']} tells most pairs apart: {best['apart']} of {best['pairs']} "
            f"({best['share']:.0%})."
        )
        said = [first]
        if order.height > 1:
            said.append(f"{worst['measure']} tells fewest: {worst['apart']} ({worst['share']:.0%}).")
        if self.stability.height:
            largest = self.stability.filter(pl.col("size") == pl.col("size").max())
            calm = largest.sort("swaps", maintain_order=True)
            said.append(
                f"Between samples of {counted(calm['size'][0], 'topic')}, {calm['measure'][0]} changes its "
                f"mind least ({calm['swaps'][0]:.1%} of pairs), {calm['measure'][-1]} most "
                f"({calm['swaps'][-1]:.1%})."
            )
        return tuple(said)


def power(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    test: str = "randomisation",
    resamples: int = 10_000,
    splits: int = 1000,
    seed: int = 0,
    **scoring: Any,
) -> Power:
    """Ask how many pairs of runs measures tell apart, and how stable their rankings are.

    ``test="bootstrap"`` is Sakai's.  p is not corrected for the number of pairs: the share compares
    measures, it does not claim that single pairs differ.
    """
    check_drawing(splits=splits)
    tested = Tested(test, "none", resamples, seed)
    material = gather(runs, assessments, collection, scoring)
    wanted = material.measures(measures or list(MEASURES))
    scored = material.under([Setting(AS_IT_IS)], wanted)
    cube = scored.cube()
    if len(cube.runs) < 2:
        raise InputError("the power of measures", wanted="at least two runs with scores", found="one")
    pairs: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    stable: list[dict[str, Any]] = []
    for measure, layer in zip(cube.rankings, cube.values, strict=True):
        there = np.isfinite(layer).any(axis=0)
        names = [run for run, known in zip(cube.runs, there, strict=True) if known]
        scores = layer[:, there]
        scores = scores[np.isfinite(scores).all(axis=1)]
        if len(names) < 2 or not len(scores):
            continue
        mine = _pairs(names, scores, tested)
        pairs += [{"measure": measure, **row} for row in mine]
        told.append({"measure": measure, "runs": len(names), "topics": len(scores), **_told(mine)})
        stable += [{"measure": measure, **row} for row in _stability(scores, splits, seed)]
    return Power(
        power=pl.DataFrame(told, schema=_POWER),
        pairs=pl.DataFrame(pairs, schema=_PAIRS),
        stability=pl.DataFrame(stable, schema=_STABILITY),
        warnings=scored.warnings,
        rejected=scored.rejected,
        parameters={"test": test, "resamples": resamples, "splits": splits, "seed": seed},
    )


def _pairs(names: Sequence[str], scores: Floats, tested: Tested) -> list[dict[str, Any]]:
    means = scores.mean(axis=0)
    rows: list[dict[str, Any]] = [
        {
            "run": names[one],
            "other": names[other],
            "difference": float(means[one] - means[other]),
            "p": float(p),
        }
        for one, other, p in zip(*pairs_of(len(names)), tested.p_of_pairs(scores), strict=True)
    ]
    ordered = sorted(rows, key=lambda row: -row["p"])
    return [{**row, "place": place} for place, row in enumerate(ordered, 1)]


def _told(pairs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    apart = [abs(row["difference"]) for row in pairs if row["p"] < SURE]
    return {
        "pairs": len(pairs),
        "apart": len(apart),
        "share": len(apart) / len(pairs),
        "needed": min(apart, default=float("nan")),
    }


def _stability(scores: Floats, splits: int, seed: int) -> list[dict[str, Any]]:
    """Ask samples of a few sizes up to half of the topics."""
    half = len(scores) // 2
    rows = []
    for size in sorted({half // 4, half // 2, 3 * half // 4, half} - {0}):
        one, other = disjoint_subsets(len(scores), size, splits=splits, seed=seed)
        taus, swaps = split_agreement(scores, one, other)
        low, high = np.quantile(swaps, [0.025, 0.975])
        rows.append(
            {
                "size": size,
                "tau": float(np.nanmean(taus)) if np.isfinite(taus).any() else float("nan"),
                "swaps": float(swaps.mean()),
                "low": float(low),
                "high": float(high),
            }
        )
    return rows
