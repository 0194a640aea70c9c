"""Settings: whether two settings lead to the same conclusions about the same runs.

One function serves every pair of settings: two quantisations, links filtered or not, fewer grades, CO
against CO+S, overlap on and off, strict against vague structure (source 004).  The possible changes are
listed in :mod:`doxel.studies.study_data`.

For every measure the study reports tau and tau_AP of the two rankings with an interval over topics; for
every run the paired test of its scores under A and under B; and for every pair of runs whether a test finds
a significant difference under A, under B, or both, and in the same direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.measures import Measure
from doxel.spans import Floats, Ints
from doxel.statistics.multiple_comparisons import correct_p_values
from doxel.statistics.rank_correlation import (
    compute_kendall_tau,
    compute_kendall_taus,
    compute_tau_ap,
    compute_tau_interval,
    resample_means,
)
from doxel.statistics.significance import compute_paired_d, list_pairs
from doxel.studies.study_data import (
    SURE,
    Cube,
    Setting,
    SettingScores,
    SignificancePlan,
    load_study_data,
    parse_setting,
)
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import pluralise

__all__ = ["MEASURES", "SettingsStudy", "study_settings"]

MEASURES = ("nxCG(task=focused)@10", "MAep(task=thorough)", "SRP@10")


_AGREEMENT = {
    "runs": pl.Int64,
    "topics": pl.Int64,
    **dict.fromkeys(("tau", "low", "high", "tau_ap"), pl.Float64),
    "moved": pl.Int64,
}
_RUNS = {
    "run": pl.String,
    **dict.fromkeys(("a", "b", "difference", "p", "p_adjusted", "d"), pl.Float64),
    **dict.fromkeys(("rank_a", "rank_b"), pl.Int64),
}
_CONCLUSIONS = dict.fromkeys(("pairs", "both", "only_a", "only_b", "opposite", "neither"), pl.Int64)


@dataclass(frozen=True, kw_only=True)
class SettingsStudy(StudyResult):
    """Two settings compared.

    ``agreement`` has one row per measure: runs, topics, tau with low and high, tau_ap (B with A as the
    reference), moved (runs whose rank differs).  ``runs`` has one row per measure and run: a, b, difference,
    p, p_adjusted, d, rank_a, rank_b.  ``conclusions`` has one row per measure: pairs, both, only_a, only_b,
    opposite (significant under both, in opposite directions), neither.  Measures that the settings do not
    change are listed in ``untouched`` and left out.
    """

    a: str
    b: str
    untouched: tuple[str, ...]
    agreement: pl.DataFrame
    runs: pl.DataFrame
    conclusions: pl.DataFrame

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Agreement, runs, and conclusions."""
        return (
            Panel(
                "agreement", f"Agreement of the rankings under A ({self.a}) and B ({self.b})", self.agreement
            ),
            Panel(
                "runs", f"Each run under A ({self.a}) and B ({self.b})", self.runs, self.runs.drop("p", "d")
            ),
            Panel(
                "conclusions",
                f"Pairs of runs that differ significantly (p < {SURE}) under A, under B, under both",
                self.conclusions,
            ),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """For each measure, whether the setting matters."""
        sentences = []
        tables = self.agreement.iter_rows(named=True), self.conclusions.iter_rows(named=True)
        for ranking, pairs in zip(*tables, strict=True):
            runs = self.runs.filter(pl.col("measure") == ranking["measure"])
            significant = runs.filter(pl.col("p_adjusted") < SURE).height
            tau = (
                "tau is undefined"
                if not np.isfinite(ranking["tau"])
                else f"tau {ranking['tau']:.2f} [{ranking['low']:.2f}, {ranking['high']:.2f}]"
            )
            sentences.append(
                f"{ranking['measure']}: {tau}; {ranking['moved']} of {ranking['runs']} runs change rank; the "
                f"scores of {pluralise(significant, 'run')} differ significantly; "
                f"of {pairs['pairs']} pairs of "
                f"runs {pairs['both']} differ significantly under both settings, {pairs['only_a']} only "
                f"under A, {pairs['only_b']} only under B"
                + (f", {pairs['opposite']} in opposite directions" if pairs["opposite"] else "")
                + "."
            )
        if self.untouched:
            sentences.append(f"Not changed by the settings: {', '.join(self.untouched)}.")
        topic_counts = [row["topics"] for row in self.agreement.iter_rows(named=True)]
        if topic_counts and 2.0 ** (1 - min(topic_counts)) >= SURE:
            sentences.append(
                f"With only {pluralise(min(topic_counts), 'topic')}, no difference can be significant."
            )
        return tuple(sentences)


def study_settings(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    a: str | Setting = "",
    b: str | Setting = "",
    test: str = "randomisation",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **scoring: Any,
) -> SettingsStudy:
    """Score the same runs under two settings; ``scoring`` are keywords of ``doxel.evaluate``.

    Examples
    --------
    >>> gold = [("1", "a", 0, 10)]
    >>> runs = {"once": [("1", "a", 0, 10)], "twice": [("1", "a", 0, 10), ("1", "a", 0, 10)]}
    >>> study = study_settings(runs, gold, "char_prec@2", b="repeats=charged")
    >>> study.runs.select("run", "a", "b").rows()
    [('once', 1.0, 1.0), ('twice', 1.0, 0.5)]
    """
    check_resampling(level=level, resamples=resamples, seed=seed)
    plan = SignificancePlan(test, correction, max(resamples, 1000), seed)
    first, second = parse_setting(a), parse_setting(b)
    if first.changes == second.changes:
        raise InputError("two settings", wanted="A and B that differ", found=f"{first.label!r} twice")
    data = load_study_data(runs, assessments, collection, scoring)
    requested = data.measures(measures or list(MEASURES))
    changed, untouched = _select_changed(requested, first, second)
    setting_scores = data.score_under([first, second], changed)
    pairs = _select_scored_twice(setting_scores)
    method = {"test": test, "correction": correction, "level": level, "resamples": resamples, "seed": seed}
    return SettingsStudy(
        a=first.label,
        b=second.label,
        untouched=untouched,
        agreement=_build_table(
            _AGREEMENT, pairs, lambda two: [_compare_rankings(two, level, resamples, seed)]
        ),
        runs=_build_table(_RUNS, pairs, lambda two: _compare_scores(two, plan)),
        conclusions=_build_table(_CONCLUSIONS, pairs, lambda two: [_count_conclusions(two, plan)]),
        warnings=setting_scores.warnings,
        rejected=setting_scores.rejected,
        parameters={"a": first.label, "b": second.label, **method},
    )


def _select_scored_twice(setting_scores: SettingScores) -> dict[str, Cube]:
    """Return the scores under A and under B of each measure that has both."""
    cube = setting_scores.cube()
    both = {
        measure: cube.select([setting_scores.ranking(measure, label) for label in setting_scores.settings])
        for measure in setting_scores.measures
    }
    return {
        measure: two for measure, two in both.items() if len(two.rankings) == len(setting_scores.settings)
    }


def _build_table(
    schema: dict[str, Any], pairs: Mapping[str, Cube], rows: Callable[[Cube], list[dict[str, Any]]]
) -> pl.DataFrame:
    """Return the rows of each measure, with its name in the first column."""
    return pl.DataFrame(
        [{"measure": measure, **row} for measure, two in pairs.items() for row in rows(two)],
        schema={"measure": pl.String, **schema},
    )


def _select_changed(
    measures: Sequence[Measure], a: Setting, b: Setting
) -> tuple[list[Measure], tuple[str, ...]]:
    """Divide measures into those that the settings change, and the names of the others."""
    if a.options != b.options or a.own != b.own:
        return list(measures), ()
    pairs = zip(measures, a.apply_to(measures), b.apply_to(measures), strict=True)
    changed_measures = [measure for measure, under_a, under_b in pairs if under_a != under_b]
    if not changed_measures:
        raise InputError(
            "two settings", wanted="A and B that change at least one measure", found="no measure that changes"
        )
    return changed_measures, tuple(measure.name for measure in measures if measure not in changed_measures)


def _compare_rankings(cube: Cube, level: float, resamples: int, seed: int) -> dict[str, Any]:
    means = cube.merits
    both = np.flatnonzero(np.isfinite(means).all(axis=0))
    resampled_means = (
        resample_means(cube.values[:, :, both], resamples=resamples, seed=seed) * cube.signs[:, None]
    )
    is_complete = np.isfinite(resampled_means).all(axis=(1, 2))
    low, high = compute_tau_interval(
        compute_kendall_taus, resampled_means[is_complete, 0], resampled_means[is_complete, 1], level=level
    )
    ranks = [_compute_ranks(row) for row in means[:, both]]
    return {
        "runs": len(both),
        "topics": int(np.isfinite(cube.values).any(axis=2).all(axis=0).sum()),
        "tau": compute_kendall_tau(means[0, both], means[1, both]),
        "low": low,
        "high": high,
        "tau_ap": compute_tau_ap(means[1, both], means[0, both]),
        "moved": int((ranks[0] != ranks[1]).sum()),
    }


def _compute_ranks(means: Floats) -> Ints:
    """Return ranks from 1, the highest mean first; equal means share a rank, undefined means come last."""
    close = np.where(np.isfinite(means), means.round(12), -np.inf)
    return np.asarray((close[None, :] > close[:, None]).sum(axis=1) + 1, dtype=np.int64)


def _compare_scores(cube: Cube, plan: SignificancePlan) -> list[dict[str, Any]]:
    means = cube.means
    ranks = [_compute_ranks(row) for row in cube.merits]
    rows: list[dict[str, Any]] = []
    for run, name in enumerate(cube.runs):
        a, b = cube.values[0, :, run], cube.values[1, :, run]
        both = np.isfinite(a) & np.isfinite(b)
        if not both.any():
            continue
        rows.append(
            {
                "run": name,
                "a": float(means[0, run]),
                "b": float(means[1, run]),
                "difference": float((b[both] - a[both]).mean()),
                "p": plan.p(b[both], a[both]),
                "d": compute_paired_d(b[both], a[both]),
                "rank_a": int(ranks[0][run]),
                "rank_b": int(ranks[1][run]),
            }
        )
    adjusted = correct_p_values([row["p"] for row in rows], plan.correction).tolist()
    return [{**row, "p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)]


def _count_conclusions(cube: Cube, plan: SignificancePlan) -> dict[str, int]:
    first, second = (_test_pairs(layer, plan) for layer in cube.values)
    both = (first != 0) & (second != 0)
    return {
        "pairs": len(first),
        "both": int(both.sum()),
        "only_a": int(((first != 0) & (second == 0)).sum()),
        "only_b": int(((first == 0) & (second != 0)).sum()),
        "opposite": int((both & (first != second)).sum()),
        "neither": int(((first == 0) & (second == 0)).sum()),
    }


def _test_pairs(scores: Floats, plan: SignificancePlan) -> Ints:
    """Return for every pair of runs 1 or -1 if they differ significantly, by which is higher, else 0.

    ``scores`` are topics x runs, NaN for a run without scores.  The p-values are corrected for the number of
    pairs, and topics that are undefined for a run are left out.
    """
    first, second = list_pairs(scores.shape[1])
    signs = np.zeros(len(first), dtype=np.int64)
    runs = np.asarray(np.isfinite(scores).any(axis=0))
    complete = scores[np.isfinite(scores[:, runs]).all(axis=1)]
    has_both = runs[first] & runs[second]
    if not len(complete) or not has_both.any():
        return signs
    means = np.where(runs, complete.mean(axis=0), 0.0)
    significant = correct_p_values(plan.p_of_pairs(complete[:, runs]), plan.correction) < SURE
    signs[has_both] = np.where(significant, np.sign(means[first] - means[second])[has_both], 0)
    return signs
