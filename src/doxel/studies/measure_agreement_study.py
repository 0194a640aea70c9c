"""Agreement: how similarly measures, or settings, rank the runs.

The study computes Kendall's tau-b and tau_AP (which gives more weight to the top; the other ranking is the
reference) between the rankings of runs by their means.  Intervals are bootstrapped: topics are drawn with
replacement, the same ones for all rankings.  Runs without a score in one of two rankings are left out of
that pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.measures import Measure
from doxel.statistics.rank_correlation import (
    compute_kendall_tau,
    compute_kendall_taus,
    compute_tau_ap,
    compute_tau_aps,
    compute_tau_interval,
    resample_means,
)
from doxel.studies.study_data import AS_IT_IS, Cube, Setting, load_study_data, parse_setting
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import pluralise

__all__ = ["MEASURES", "MeasureAgreement", "study_agreement"]

MEASURES = (
    "nxCG(task=focused)@10",
    "MAep(task=thorough)",
    "inex_eval",
    "SRP@10",
    "HiXEval_F@10",
    "MAiP(task=thorough)",
    "GR@10",
    "char_rec@10",
)


_PAIRS = {
    "ranking": pl.String,
    "other": pl.String,
    "runs": pl.Int64,
    **dict.fromkeys(("tau", "low", "high", "tau_ap", "tau_ap_low", "tau_ap_high"), pl.Float64),
}


@dataclass(frozen=True, kw_only=True)
class MeasureAgreement(StudyResult):
    """Rankings and their agreement.

    ``pairs`` has one row per ordered pair of rankings: ranking, other, runs, tau with low and high, tau_ap
    with tau_ap_low and tau_ap_high.  ``rankings`` has one row per ranking and run: ranking, run, mean,
    rank.
    """

    pairs: pl.DataFrame
    rankings: pl.DataFrame
    topics: int

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The matrix of tau, the pairs, the rankings."""
        names = self.rankings["ranking"].unique(maintain_order=True).to_list()
        return (
            Panel(
                "tau",
                "Kendall's tau of all pairs, with its interval over topics, least agreement first",
                self.pairs,
                _select_each_pair(self.pairs, names).drop("runs", "tau_ap_low", "tau_ap_high"),
            ),
            Panel(
                "rankings", "The runs in order, best first", self.rankings, _format_rankings(self.rankings)
            ),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The rankings that agree least and most, and the width of the intervals."""
        pairs = _select_each_pair(self.pairs, self.rankings["ranking"].unique(maintain_order=True).to_list())
        defined = pairs.filter(pl.col("tau").is_finite())
        if not defined.height:
            return ("No two rankings can be compared.",)
        least, most = defined.row(0, named=True), defined.row(-1, named=True)
        runs = pluralise(least["runs"], "run")
        sentences = [f"{_format_pair(least)} agree least: tau {_format_interval(least)} over {runs}."]
        if defined.height > 1:
            sentences.append(f"{_format_pair(most)} agree most: tau {_format_interval(most)}.")
        winners = self.rankings.filter(pl.col("rank") == 1)["run"].unique(maintain_order=True).to_list()
        sentences.append(
            f"All rankings have {winners[0]} in first place."
            if len(winners) == 1
            else f"{len(winners)} different runs are first in at least one ranking: {', '.join(winners)}."
        )
        wide = defined.filter(pl.col("high") - pl.col("low") > 0.5).height
        topics = pluralise(self.topics, "topic")
        sentences.append(f"With {topics}, {wide} of {defined.height} intervals of tau are wider than 0.5.")
        return tuple(sentences)


def study_agreement(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    settings: Sequence[str | Setting] = (),
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **scoring: Any,
) -> MeasureAgreement:
    """Measure how similarly measures rank runs; with ``settings``, each measure under each setting.

    ``scoring`` are keywords of ``doxel.evaluate``.

    Examples
    --------
    >>> gold = [("1", "a", 0, 10), ("2", "a", 50, 60)]
    >>> runs = {
    ...     "short": [("1", "a", 0, 5), ("2", "a", 50, 55)],
    ...     "long": [("1", "a", 0, 90), ("2", "a", 0, 90)],
    ... }
    >>> study_agreement(runs, gold, ["char_rec@1", "char_prec@1"]).pairs["tau"].to_list()
    [-1.0, -1.0]
    """
    check_resampling(level=level, resamples=resamples, seed=seed)
    data = load_study_data(runs, assessments, collection, scoring)
    studied_measures = data.measures(measures or list(MEASURES))
    parsed_settings = [parse_setting(text) for text in settings] or [Setting(AS_IT_IS)]
    if len(studied_measures) * len(parsed_settings) < 2:
        raise InputError("agreement", wanted="at least two measures or settings", found="one")
    setting_scores = data.score_under(parsed_settings, studied_measures)
    cube = setting_scores.cube()
    return MeasureAgreement(
        pairs=_compare_rankings(cube, level=level, resamples=resamples, seed=seed),
        rankings=_tabulate_rankings(cube),
        topics=int(np.isfinite(cube.values).any(axis=(0, 2)).sum()),
        warnings=setting_scores.warnings,
        rejected=setting_scores.rejected,
        parameters={"level": level, "resamples": resamples, "seed": seed},
    )


def _compare_rankings(cube: Cube, *, level: float, resamples: int, seed: int) -> pl.DataFrame:
    means = cube.merits
    resampled_means = resample_means(cube.values, resamples=resamples, seed=seed) * cube.signs[:, None]
    rows = []
    for first, second in permutations(range(len(cube.rankings)), 2):
        both = np.flatnonzero(np.isfinite(means[first]) & np.isfinite(means[second]))
        a, b = resampled_means[:, first][:, both], resampled_means[:, second][:, both]
        is_complete = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
        low, high = compute_tau_interval(compute_kendall_taus, a[is_complete], b[is_complete], level=level)
        ap_low, ap_high = compute_tau_interval(compute_tau_aps, a[is_complete], b[is_complete], level=level)
        rows.append(
            {
                "ranking": cube.rankings[first],
                "other": cube.rankings[second],
                "runs": len(both),
                "tau": compute_kendall_tau(means[first, both], means[second, both]),
                "low": low,
                "high": high,
                "tau_ap": compute_tau_ap(means[first, both], means[second, both]),
                "tau_ap_low": ap_low,
                "tau_ap_high": ap_high,
            }
        )
    return pl.DataFrame(rows, schema=_PAIRS)


def _tabulate_rankings(cube: Cube) -> pl.DataFrame:
    """Return the runs of each ranking: ranking, run, mean, rank (from 1); equal means share a rank."""
    rows = [
        {"ranking": name, "run": run, "mean": sign * merit, "merit": merit}
        for name, sign, merits in zip(cube.rankings, cube.signs, cube.merits.tolist(), strict=True)
        for run, merit in zip(cube.runs, merits, strict=True)
        if np.isfinite(merit)
    ]
    table = pl.DataFrame(
        rows,
        schema={"ranking": pl.String, "run": pl.String, "mean": pl.Float64, "merit": pl.Float64},
    )
    # means that differ only in their last bits are equal
    place = pl.col("merit").round(12).rank("min", descending=True).over("ranking").cast(pl.Int64)
    return table.select("ranking", "run", "mean", rank=place)


def _format_rankings(rankings: pl.DataFrame) -> pl.DataFrame:
    """Return each ranking as one line, with = between runs of equal mean."""
    rows = []
    for (name,), part in rankings.group_by("ranking", maintain_order=True):
        ordered = part.sort("rank", maintain_order=True)
        line, before = "", None
        for run, rank in ordered.select("run", "rank").iter_rows():
            line += run if before is None else f"{' = ' if rank == before else ' > '}{run}"
            before = rank
        rows.append({"ranking": name, "runs": line})
    return pl.DataFrame(rows)


def _select_each_pair(pairs: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return each pair once, least agreement first; for tau_AP the first ranking is the reference."""
    place = {name: number for number, name in enumerate(names)}
    order = pl.col("ranking").replace_strict(place) > pl.col("other").replace_strict(place)
    columns = ("runs", "tau", "low", "high", "tau_ap", "tau_ap_low", "tau_ap_high")
    selected = pairs.filter(order).select(
        pl.col("other").alias("ranking"), pl.col("ranking").alias("other"), *columns
    )
    return selected.sort("tau", nulls_last=True, maintain_order=True)


def _format_pair(row: dict[str, Any]) -> str:
    return f"{row['ranking']} and {row['other']}"


def _format_interval(row: dict[str, Any]) -> str:
    return f"{row['tau']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
