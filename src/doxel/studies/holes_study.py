"""Holes: the conclusions about runs that survive when fewer documents are judged.

A random share of the judged documents of each topic is kept, several times.  The runs are scored with
the remaining judgements, once with unjudged results as not relevant and once without them, and compared with
the same runs under all judgements: how similarly they are ranked, which significant differences between runs
are still significant, lost or reversed, and how many full scores are at most score + residual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import remove_documents
from doxel.errors import InputError
from doxel.evaluation.analysis.run_comparison import pivot_by_topic
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.measures import Measure
from doxel.measures.judged_views import JudgedReading
from doxel.measures.measure_table import lower_is_better
from doxel.spans import Booleans, Floats
from doxel.statistics.multiple_comparisons import correct_p_values
from doxel.statistics.rank_correlation import compute_kendall_tau
from doxel.statistics.significance import list_pairs
from doxel.studies.study_data import SURE, SignificancePlan, load_study_data
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import format_share

__all__ = ["MEASURES", "HolesStudy", "study_holes"]

MEASURES = ("char_prec@10", "MAiP(task=thorough)", "P@10", "bpref_chars")
SHARES = (0.75, 0.5, 0.25, 0.1)

_ROUNDING = 1e-12
_SURVIVAL = {
    "measure": pl.String,
    "unjudged": pl.String,
    "share": pl.Float64,
    "tau": pl.Float64,
    "lowest_tau": pl.Float64,
    "significant": pl.Int64,
    "kept": pl.Float64,
    "lost": pl.Float64,
    "reversed": pl.Float64,
    "new": pl.Float64,
    "within": pl.Float64,
}
_CONCLUSIONS = {
    "measure": pl.String,
    "run": pl.String,
    "other": pl.String,
    "difference": pl.Float64,
    "p": pl.Float64,
    "unjudged": pl.String,
    "share": pl.Float64,
    "kept": pl.Float64,
}


@dataclass(frozen=True, kw_only=True)
class HolesStudy(StudyResult):
    """The share of conclusions that survive when judgements are removed.

    ``survival`` has one row per measure, treatment of unjudged results and share of judged documents: tau
    (mean over trials) and lowest_tau against the ranking under all judgements; of the pairs of runs that are
    significant there, the shares kept, lost and reversed; new, the number of pairs significant only under
    fewer judgements; within, the share of full scores that are at most score + residual.  ``conclusions`` has
    one row per significant pair, treatment and share, with the share of trials that keep it.
    """

    survival: pl.DataFrame
    conclusions: pl.DataFrame

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Survival by share, and every conclusion."""
        keys = ["measure", "run", "other", "unjudged"]
        by_share = self.conclusions.pivot("share", index=keys, values="kept", maintain_order=True)
        return (
            Panel(
                "survival",
                "Rankings and significant differences that survive, by share of the judged documents",
                self.survival,
            ),
            Panel(
                "conclusions",
                "Significant differences between runs, and the share of trials that keep them, by share of "
                "the judged documents",
                self.conclusions,
                by_share,
            ),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The conclusions that survive at the smallest share, and whether any was ever reversed."""
        smallest = self.survival.filter(pl.col("share") == pl.col("share").min())
        measures = smallest.filter(pl.col("significant") > 0).sort(
            "kept", descending=True, maintain_order=True
        )
        share = f"{smallest['share'][0]:.0%} of the judged documents"
        if not measures.height:
            return (f"No two runs differ significantly (p < {SURE}), so there is no conclusion to lose.",)
        best, worst = measures.row(0, named=True), measures.row(-1, named=True)
        kept_share = format_share(best["kept"])
        sentences = [
            f"With {share}, {_describe(best)} keeps the most significant differences ({kept_share})."
        ]
        if measures.height > 1:
            sentences.append(f"{_describe(worst)} keeps the fewest ({format_share(worst['kept'])}).")
        turned = self.survival.filter(pl.col("significant") > 0, pl.col("reversed") > 0)
        if turned.height:
            row = turned.sort("reversed", descending=True, maintain_order=True).row(0, named=True)
            sentences.append(
                f"Differences are reversed most often by {_describe(row)} with {row['share']:.0%} of the "
                f"judged documents: {format_share(row['reversed'], 1)} of them."
            )
        else:
            sentences.append("No significant difference was ever reversed.")
        shares: list[float] = self.survival["within"].drop_nans().to_list()
        if shares:
            sentences.append(
                f"Score and residual together reach the full score in {format_share(min(shares), 1)} to "
                f"{format_share(max(shares), 1)} of the topics and runs, by measure and share."
            )
        return tuple(sentences)


def _describe(row: Mapping[str, Any]) -> str:
    suffix = " without unjudged results" if row["unjudged"] == "remove" else ""
    return f"{row['measure']}{suffix}"


def study_holes(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    shares: Sequence[float] = (),
    trials: int = 5,
    test: str = "randomisation",
    correction: str = "holm",
    resamples: int = 1000,
    seed: int = 0,
    **scoring: Any,
) -> HolesStudy:
    """Remove judgements at random and count the conclusions about the runs that survive.

    ``shares`` are the shares of judged documents to keep per topic, ``trials`` the number of random cuts to
    each.  The reference is always the measure under all judgements, with unjudged results as not relevant.
    """
    check_resampling(splits=trials)
    kept_shares = sorted({float(share) for share in shares or SHARES}, reverse=True)
    if not all(0 < share < 1 for share in kept_shares):
        raise InputError("shares", wanted="numbers between 0 and 1", found=str(list(shares)))
    plan = SignificancePlan(test, correction, resamples, seed)
    data = load_study_data(runs, assessments, collection, scoring)
    studied_measures = data.measures(measures or list(MEASURES))
    full = data.score(studied_measures)
    names = tuple(full.scores["run"].unique(maintain_order=True))
    if len(names) < 2:
        raise InputError("a study of holes", wanted="at least two runs with scores", found="one")
    truths = {measure.name: _Truth.of(full.scores, measure.name, names, plan) for measure in studied_measures}
    variants = [(measure, *variant) for measure in studied_measures for variant in _list_variants(measure)]
    random = np.random.default_rng(seed)
    outcomes: dict[tuple[str, str], dict[float, list[_Outcome]]] = {}
    for share in [share for share in kept_shares for _ in range(trials)]:
        cut_data = replace(data, assessments=cut_judgements(data.assessments, share, random))
        scores_after_cut = cut_data.score(
            [variant for _, _, variant in variants], residual=True, on_mismatch="score"
        )
        for measure, treatment, variant in variants:
            table = scores_after_cut.scores.filter(pl.col("measure") == variant.name)
            outcome = truths[measure.name].compare(table, plan, is_bound=treatment == "nonrelevant")
            outcomes.setdefault((measure.name, treatment), {}).setdefault(share, []).append(outcome)
    survival, conclusions = _tabulate(outcomes, truths)
    return HolesStudy(
        survival=survival,
        conclusions=conclusions,
        warnings=full.warnings,
        rejected=tuple(dict.fromkeys(full.rejected)),
        parameters={
            "shares": kept_shares,
            "trials": trials,
            "test": test,
            "correction": correction,
            "resamples": resamples,
            "seed": seed,
        },
    )


def _tabulate(
    outcomes: Mapping[tuple[str, str], Mapping[float, list[_Outcome]]], truths: Mapping[str, _Truth]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return how much of each measure, treatment and share survives, and each conclusion."""
    survival: list[dict[str, Any]] = []
    conclusions: list[dict[str, Any]] = []
    for (name, treatment), by_share in outcomes.items():
        for share, repeats in by_share.items():
            key = {"measure": name, "unjudged": treatment, "share": share}
            survival.append({**key, **_summarise(truths[name], repeats)})
            conclusions += [{**key, **row} for row in truths[name].list_conclusions(repeats)]
    return pl.DataFrame(survival, schema=_SURVIVAL), pl.DataFrame(conclusions, schema=_CONCLUSIONS)


def _list_variants(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """Yield the treatments of unjudged results that a measure distinguishes, with the measure under each."""
    yield "nonrelevant", measure
    skips = measure.declaration.view is JudgedReading  # bpref skips unjudged results anyway
    if "unjudged" in measure.declaration.parameters and not skips:
        yield "remove", measure(unjudged="remove")


def cut_judgements(assessments: Assessments, share: float, random: np.random.Generator) -> Assessments:
    """Return the judgements of a random share of each topic's judged documents, one at least.

    >>> from doxel.evaluation.inputs.input_tables import as_assessments
    >>> gold = as_assessments([(topic, doc, 0, 9) for topic in "12" for doc in "abcd"])
    >>> cut_judgements(gold, 0.5, np.random.default_rng(0)).judged["topic"].to_list()
    ['1', '1', '2', '2']
    """
    judged = assessments.judged.select("topic", "doc").unique(maintain_order=True)
    shuffled = judged.with_columns(chance=pl.Series(random.random(judged.height)))
    place = pl.col("chance").rank("ordinal").over("topic")
    most = (pl.len().over("topic") * share).round().clip(1)
    return remove_documents(assessments, shuffled.filter(place > most))


@dataclass(frozen=True)
class _Outcome:
    """One trial: the means of runs, which pairs are significant, the signs of differences, and the bound."""

    tau: float
    is_significant: Booleans
    signs: Floats
    within: float


@dataclass(frozen=True)
class _Truth:
    """The conclusions of a measure under all judgements."""

    measure: str
    runs: tuple[str, ...]
    scores: pl.DataFrame  # run, topic, full
    means: Floats
    p: Floats
    is_significant: Booleans
    signs: Floats

    @classmethod
    def of(cls, scores: pl.DataFrame, measure: str, runs: tuple[str, ...], plan: SignificancePlan) -> _Truth:
        table = scores.filter(pl.col("measure") == measure)
        means, p = _test(table, runs, plan)
        full = table.select("run", "topic", full="score")
        return cls(measure, runs, full, means, p, p < SURE, _sign_differences(means))

    def compare(self, table: pl.DataFrame, plan: SignificancePlan, *, is_bound: bool) -> _Outcome:
        """Compare the conclusions under all judgements with those under fewer.

        ``is_bound``: the scores have residuals that can be compared with the full scores.
        """
        means, p = _test(table, self.runs, plan)
        both = table.join(self.scores, on=["run", "topic"]).filter(
            pl.col("full").is_finite() & pl.col("optimistic").is_finite()
        )
        is_within = both["full"] <= both["optimistic"] + _ROUNDING
        within = float(np.mean(is_within.to_numpy())) if both.height and is_bound else float("nan")
        return _Outcome(compute_kendall_tau(means, self.means), p < SURE, _sign_differences(means), within)

    def list_conclusions(self, trials: Sequence[_Outcome]) -> Iterator[dict[str, Any]]:
        """Yield the significant pairs of runs, with the share of trials that keep each."""
        sign = -1.0 if lower_is_better(self.measure) else 1.0
        kept_shares = np.mean([self.keep(outcome) for outcome in trials], axis=0)
        for pair, (first, second) in enumerate(zip(*list_pairs(len(self.runs)), strict=True)):
            if self.is_significant[pair]:
                difference = float(self.means[first] - self.means[second])
                better, worse = (first, second) if sign * difference > 0 else (second, first)
                yield {
                    "run": self.runs[better],
                    "other": self.runs[worse],
                    "difference": abs(difference),
                    "p": float(self.p[pair]),
                    "kept": float(kept_shares[pair]),
                }

    def keep(self, outcome: _Outcome) -> Booleans:
        """Mark the pairs that are significant in a trial, in the same direction."""
        is_kept: Booleans = self.is_significant & outcome.is_significant & (self.signs == outcome.signs)
        return is_kept


def _test(table: pl.DataFrame, runs: tuple[str, ...], plan: SignificancePlan) -> tuple[Floats, Floats]:
    """Return the means of runs over the topics that all of them have, and the corrected p-values of pairs."""
    _, values = pivot_by_topic(table, runs)
    values = values[np.isfinite(values).all(axis=1)]
    pairs = len(list_pairs(len(runs))[0])
    if not len(values):
        return np.full(len(runs), np.nan), np.ones(pairs)
    return values.mean(axis=0), correct_p_values(plan.p_of_pairs(values), plan.correction)


def _sign_differences(means: Floats) -> Floats:
    first, second = list_pairs(len(means))
    signs: Floats = np.sign(means[first] - means[second])
    return signs


def _summarise(truth: _Truth, trials: Sequence[_Outcome]) -> dict[str, Any]:
    """Return the means over trials of tau, and of the shares of conclusions that are kept, lost, reversed."""
    count = int(truth.is_significant.sum())
    kept_counts = [int(truth.keep(outcome).sum()) for outcome in trials]
    turned = [
        int((truth.is_significant & outcome.is_significant & (truth.signs == -outcome.signs)).sum())
        for outcome in trials
    ]
    new = [int((~truth.is_significant & outcome.is_significant).sum()) for outcome in trials]
    taus = np.array([outcome.tau for outcome in trials])
    has_taus = np.isfinite(taus).any()
    shares = np.array([kept_counts, turned]) / count if count else np.full((2, len(trials)), np.nan)
    return {
        "tau": float(np.nanmean(taus)) if has_taus else float("nan"),
        "lowest_tau": float(np.nanmin(taus)) if has_taus else float("nan"),
        "significant": count,
        "kept": float(shares[0].mean()),
        "lost": float(1 - shares.sum(axis=0).mean()),
        "reversed": float(shares[1].mean()),
        "new": float(np.mean(new)),
        "within": float(np.mean([outcome.within for outcome in trials])),
    }
