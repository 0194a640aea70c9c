"""Ideal base: how much scores and rankings depend on how the ideal recall base is built.

XCG is computed under the four constructions (path, greedy, best-sum, leaves) and the two tie rules
(ancestor, descendant): scores, changes of rank, tau against the official construction, and paired tests of
each run's scores against the official ones (seeds 000 and 004; Kazai 2007 did the same for INEX 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from doxel.errors import InputError
from doxel.measures import Measure
from doxel.recallbases.recall_base_table import recall_base
from doxel.statistics.multiple_comparisons import correct_p_values
from doxel.statistics.rank_correlation import compute_kendall_tau, compute_tau_ap
from doxel.studies.study_data import SURE, Cube, Setting, SignificancePlan, StudyData, load_study_data
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import format_share, pluralise

__all__ = ["CONSTRUCTIONS", "MEASURES", "TIES", "IdealBaseStudy", "study_ideal_base"]

CONSTRUCTIONS = ("path", "greedy", "best-sum", "leaves")
TIES = ("ancestor", "descendant")
MEASURES = ("nxCG(task=focused)@10", "MAep(task=focused)")
_OFFICIAL = "path, ancestor"


_SCORES = {
    **dict.fromkeys(("measure", "base", "run"), pl.String),
    "mean": pl.Float64,
    **dict.fromkeys(("rank", "change"), pl.Int64),
    **dict.fromkeys(("difference", "p", "p_adjusted"), pl.Float64),
}
_AGREEMENT = {
    **dict.fromkeys(("measure", "base"), pl.String),
    **dict.fromkeys(("tau", "tau_ap"), pl.Float64),
    **dict.fromkeys(("moved", "different"), pl.Int64),
    "largest": pl.Float64,
}


@dataclass(frozen=True, kw_only=True)
class IdealBaseStudy(StudyResult):
    """XCG under eight ideal recall bases.

    ``bases`` has one row per construction and tie rule: elements, characters (mean size), gain (mean),
    shared (the share of the official base's elements that it contains).  ``scores`` has one row per
    measure, base and run: mean, rank, change (of rank against the official base), difference, p,
    p_adjusted.  ``agreement`` has one row per measure and base: tau, tau_ap, moved, different (runs whose
    scores differ significantly).
    """

    bases: pl.DataFrame
    scores: pl.DataFrame
    agreement: pl.DataFrame

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The bases, agreement with the official one, and the scores."""
        extremes = self.scores.group_by("measure", "run", maintain_order=True).agg(
            official=pl.col("mean").filter(pl.col("base") == _OFFICIAL).first(),
            lowest=pl.col("mean").min(),
            highest=pl.col("mean").max(),
            places=pl.format("{} to {}", pl.col("rank").min(), pl.col("rank").max()),
        )
        return (
            Panel("bases", "The ideal recall bases, over all topics", self.bases),
            Panel("agreement", f"Rankings under each base against those under ({_OFFICIAL})", self.agreement),
            Panel("scores", "Mean scores and ranks over all bases", self.scores, extremes),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The differences between the bases, and their effect on the rankings."""
        others = self.bases.filter(pl.col("base") != _OFFICIAL)
        least = others.sort("shared", maintain_order=True).row(0, named=True)
        official = self.bases.filter(pl.col("base") == _OFFICIAL).row(0, named=True)
        first = (
            f"The official base has {official['elements']:,} elements; ({least['base']}) differs most: "
            f"it has {least['elements']:,} elements, including {format_share(least['shared'])} of the "
            "official ones."
        )
        sentences = [first]
        for measure, part in self.agreement.group_by("measure", maintain_order=True):
            worst = part.sort("tau", nulls_last=True, maintain_order=True).row(0, named=True)
            same = part.filter(pl.col("moved") == 0).height
            sentences.append(
                f"{measure[0]}: {same} of {part.height} other bases rank the runs exactly as the official "
                f"one; the lowest tau is {worst['tau']:.2f} ({worst['base']}), where "
                f"{pluralise(worst['moved'], 'run changes rank', 'runs change rank')} and the scores of "
                f"{pluralise(worst['different'], 'run')} differ significantly."
            )
        return tuple(sentences)


def study_ideal_base(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    test: str = "randomisation",
    correction: str = "holm",
    resamples: int = 10_000,
    seed: int = 0,
    **scoring: Any,
) -> IdealBaseStudy:
    """Score runs under all ideal recall bases; measures must have ``construction`` and ``tie``."""
    plan = SignificancePlan(test, correction, resamples, seed)
    data = load_study_data(runs, assessments, collection, scoring)
    requested = data.measures(measures or list(MEASURES))
    for candidate in requested:
        if not {"construction", "tie"} <= set(candidate.declaration.parameters):
            raise InputError(
                "a study of ideal recall bases",
                wanted="measures over the ideal base, such as nxCG@10 or MAep",
                found=candidate.name,
            )
    bases = [
        Setting(f"{construction}, {tie}", {"construction": construction, "tie": tie})
        for construction, tie in product(CONSTRUCTIONS, TIES)
    ]
    setting_scores = data.score_under(bases, requested)
    cube = setting_scores.cube()
    rows, agreement_rows = [], []
    for measure in setting_scores.measures:
        part = cube.select([setting_scores.ranking(measure, label) for label in setting_scores.settings])
        if len(part.rankings) < len(bases):
            continue  # rejected for all runs
        part = replace(part, rankings=setting_scores.settings)
        of_measure = _score_bases(part, plan)
        rows += [{"measure": measure, **row} for row in of_measure]
        agreement_rows += [{"measure": measure, **row} for row in _compare_bases(part, of_measure)]
    return IdealBaseStudy(
        bases=_describe_bases(data, bases, requested),
        scores=pl.DataFrame(rows, schema=_SCORES),
        agreement=pl.DataFrame(agreement_rows, schema=_AGREEMENT),
        warnings=setting_scores.warnings,
        rejected=setting_scores.rejected,
        parameters={"test": test, "correction": correction, "resamples": resamples, "seed": seed},
    )


def _score_bases(cube: Cube, plan: SignificancePlan) -> list[dict[str, Any]]:
    means, rows = cube.means, []
    ranks = (means.round(12)[:, None, :] > means.round(12)[:, :, None]).sum(axis=2) + 1
    for base, name in enumerate(cube.rankings):
        base_rows: list[dict[str, Any]] = []
        for run, run_name in enumerate(cube.runs):
            scores, official = cube.values[base, :, run], cube.values[0, :, run]
            both = np.isfinite(scores) & np.isfinite(official)
            if not both.any():
                continue
            base_rows.append(
                {
                    "base": name,
                    "run": run_name,
                    "mean": float(means[base, run]),
                    "rank": int(ranks[base, run]),
                    "change": int(ranks[base, run] - ranks[0, run]),
                    "difference": float((scores[both] - official[both]).mean()),
                    "p": plan.p(scores[both], official[both]),
                }
            )
        adjusted = correct_p_values([row["p"] for row in base_rows], plan.correction).tolist()
        rows += [{**row, "p_adjusted": p} for row, p in zip(base_rows, adjusted, strict=True)]
    return rows


def _compare_bases(cube: Cube, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    means = cube.means
    scored = np.flatnonzero(np.isfinite(means).all(axis=0))
    table_rows = []
    for base, name in enumerate(cube.rankings[1:], 1):
        base_rows = [row for row in rows if row["base"] == name]
        table_rows.append(
            {
                "base": name,
                "tau": compute_kendall_tau(means[base, scored], means[0, scored]),
                "tau_ap": compute_tau_ap(means[base, scored], means[0, scored]),
                "moved": sum(row["change"] != 0 for row in base_rows),
                "different": sum(row["p_adjusted"] < SURE for row in base_rows),
                "largest": max((abs(row["difference"]) for row in base_rows), default=float("nan")),
            }
        )
    return table_rows


def _describe_bases(
    data: StudyData, settings: Sequence[Setting], measures: Sequence[Measure]
) -> pl.DataFrame:
    """Describe each base, with the quantisation and the excluded tags of the first measure."""
    parameters = measures[0].written
    options: dict[str, Any] = {
        "quant": parameters.get("quant") or data.keywords.get("quant") or "gen",
        "exclude_tags": parameters.get("exclude_tags"),
        "structure": data.keywords.get("structure"),
        "topic_file": data.keywords.get("topic_file"),
    }
    official: set[tuple[str, ...]] = set()
    rows = []
    for setting in settings:
        base = recall_base(data.assessments, data.collection, ideal=True, **setting.changes, **options)
        elements = set(base.select("topic", "doc", "path").iter_rows())
        official = official or elements
        rows.append(
            {
                "base": setting.label,
                "elements": base.height,
                "characters": base["size"].mean(),
                "gain": base["gain"].mean(),
                "shared": len(elements & official) / len(official) if official else float("nan"),
            }
        )
    return pl.DataFrame(rows)
