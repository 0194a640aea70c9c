"""Power: how many pairs of runs a measure distinguishes, and how stable its rankings are.

Discriminative power (Sakai 2006) is the share of all pairs of runs that differ at p < .05 in a paired test;
his curve shows the sorted p-values (achieved significance levels) of all pairs.  Stability compares two
disjoint samples of the topics, drawn many times: how similarly they rank the runs (tau), and how often they
prefer different runs of a pair (swaps).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.measures import Measure
from doxel.spans import Floats
from doxel.statistics.rank_correlation import compare_splits, draw_disjoint_subsets
from doxel.statistics.significance import list_pairs
from doxel.studies.measure_agreement_study import MEASURES
from doxel.studies.study_data import AS_IT_IS, SURE, Setting, SignificancePlan, load_study_data
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import format_share, pluralise

__all__ = ["PowerStudy", "study_power"]

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
class PowerStudy(StudyResult):
    """Discriminative power and stability of measures.

    ``study_power`` has one row per measure: runs, topics, pairs, apart (p < .05), share, needed (the smallest
    significant difference of means).  ``pairs`` has one row per measure and pair of runs: run, other,
    difference, p, place (1 for the largest p, as on Sakai's curve).  ``stability`` has one row per measure
    and sample size: size, tau, swaps, low and high (of swaps, over splits).
    """

    power: pl.DataFrame
    pairs: pl.DataFrame
    stability: pl.DataFrame

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Power, stability, and all pairs."""
        swaps = self.stability.pivot("size", index="measure", values="swaps", maintain_order=True)
        swaps_by_size = swaps.rename(
            {name: pluralise(int(name), "topic") for name in swaps.columns if name != "measure"}
        )
        return (
            Panel("power", f"Pairs of runs that differ significantly (p < {SURE})", self.power),
            Panel(
                "stability",
                "Share of pairs of runs on which two disjoint samples of topics disagree, by sample size",
                self.stability,
                swaps_by_size,
            ),
            Panel("pairs", "The p-value of every pair of runs", self.pairs, self.pairs.clear()),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The most and least powerful measures, and the most and least stable ones."""
        order = self.power.sort("share", descending=True, maintain_order=True)
        if not order.height:
            return ("No measure has scores for two runs.",)
        best, worst = order.row(0, named=True), order.row(-1, named=True)
        first = (
            f"{best['measure']} distinguishes the most pairs of runs: {best['apart']} of {best['pairs']} "
            f"({format_share(best['share'])})."
        )
        sentences = [first]
        if order.height > 1:
            sentences.append(
                f"{worst['measure']} distinguishes the fewest: {worst['apart']} "
                f"({format_share(worst['share'])})."
            )
        if self.stability.height:
            largest = self.stability.filter(pl.col("size") == pl.col("size").max())
            by_swaps = largest.sort("swaps", maintain_order=True)
            sentences.append(
                f"Between samples of {pluralise(by_swaps['size'][0], 'topic')}, {by_swaps['measure'][0]} is "
                f"the most stable (it swaps {format_share(by_swaps['swaps'][0], 1)} of pairs), "
                f"{by_swaps['measure'][-1]} the least stable ({format_share(by_swaps['swaps'][-1], 1)})."
            )
        return tuple(sentences)


def study_power(
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
) -> PowerStudy:
    """Measure how many pairs of runs measures distinguish, and how stable their rankings are.

    ``test="bootstrap"`` is Sakai's.  The p-values are not corrected for the number of pairs: the share
    compares measures and does not claim that single pairs differ.
    """
    check_resampling(splits=splits)
    plan = SignificancePlan(test, "none", resamples, seed)
    data = load_study_data(runs, assessments, collection, scoring)
    studied_measures = data.measures(measures or list(MEASURES))
    setting_scores = data.score_under([Setting(AS_IT_IS)], studied_measures)
    cube = setting_scores.cube()
    if len(cube.runs) < 2:
        raise InputError("the power of measures", wanted="at least two runs with scores", found="one")
    pair_rows: list[dict[str, Any]] = []
    power_rows: list[dict[str, Any]] = []
    stability_rows: list[dict[str, Any]] = []
    for measure, layer in zip(cube.rankings, cube.values, strict=True):
        is_scored = np.isfinite(layer).any(axis=0)
        names = [run for run, has_scores in zip(cube.runs, is_scored, strict=True) if has_scores]
        scores = layer[:, is_scored]
        scores = scores[np.isfinite(scores).all(axis=1)]
        if len(names) < 2 or not len(scores):
            continue
        measure_pairs = _test_pairs(names, scores, plan)
        pair_rows += [{"measure": measure, **row} for row in measure_pairs]
        power_rows.append(
            {
                "measure": measure,
                "runs": len(names),
                "topics": len(scores),
                **_count_significant(measure_pairs),
            }
        )
        stability_rows += [{"measure": measure, **row} for row in _measure_stability(scores, splits, seed)]
    return PowerStudy(
        power=pl.DataFrame(power_rows, schema=_POWER),
        pairs=pl.DataFrame(pair_rows, schema=_PAIRS),
        stability=pl.DataFrame(stability_rows, schema=_STABILITY),
        warnings=setting_scores.warnings,
        rejected=setting_scores.rejected,
        parameters={"test": test, "resamples": resamples, "splits": splits, "seed": seed},
    )


def _test_pairs(names: Sequence[str], scores: Floats, plan: SignificancePlan) -> list[dict[str, Any]]:
    means = scores.mean(axis=0)
    rows: list[dict[str, Any]] = [
        {
            "run": names[first],
            "other": names[second],
            "difference": float(means[first] - means[second]),
            "p": float(p),
        }
        for first, second, p in zip(*list_pairs(len(names)), plan.p_of_pairs(scores), strict=True)
    ]
    ordered = sorted(rows, key=lambda row: -row["p"])
    return [{**row, "place": place} for place, row in enumerate(ordered, 1)]


def _count_significant(pairs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    differences = [abs(row["difference"]) for row in pairs if row["p"] < SURE]
    return {
        "pairs": len(pairs),
        "apart": len(differences),
        "share": len(differences) / len(pairs),
        "needed": min(differences, default=float("nan")),
    }


def _measure_stability(scores: Floats, splits: int, seed: int) -> list[dict[str, Any]]:
    """Compare samples of several sizes, up to half of the topics."""
    half = len(scores) // 2
    rows = []
    for size in sorted({half // 4, half // 2, 3 * half // 4, half} - {0}):
        first, second = draw_disjoint_subsets(len(scores), size, splits=splits, seed=seed)
        taus, swaps = compare_splits(scores, first, second)
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
