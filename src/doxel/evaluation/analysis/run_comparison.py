"""Compare runs and measures: means with intervals, paired tests, effect sizes, agreement of measures.

Runs are compared over the topics for which all of them have a defined score, so that the tests pair scores
of the same topic.  Intervals of single means use the topics that count for the run.  The agreement of
measures is how similarly they rank the runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, permutations

import numpy as np
import polars as pl

from doxel.arguments import check_arguments, check_methods
from doxel.checks.score_warnings import ScoreWarning
from doxel.errors import InputError, MissingExtraError
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.measures.measure_table import lower_is_better
from doxel.spans import Floats
from doxel.statistics.multiple_comparisons import assign_letters, correct_p_values
from doxel.statistics.rank_correlation import compute_kendall_tau, compute_rank_biased_overlap, compute_tau_ap
from doxel.statistics.significance import (
    TESTS,
    apply_friedman_test,
    apply_paired_test,
    apply_randomisation_tests,
    apply_randomised_tukey,
    compute_bootstrap_interval,
    compute_cliffs_delta,
    compute_paired_d,
    count_wins_ties_losses,
)
from doxel.tables import Column, Table
from doxel.wording import format_level, pluralise

__all__ = [
    "FAMILIES",
    "MEASURE_AGREEMENT",
    "NO_FRIEDMAN",
    "PERSISTENCE",
    "Comparison",
    "compare_runs",
    "compute_mean_intervals",
    "correct_over_measures",
    "correlate_measures",
    "pivot_by_topic",
]

_SEVERAL = 3  # the smallest number of runs for Friedman's test


@dataclass(frozen=True)
@check_methods
class Comparison:
    """Runs compared by one measure; ``settings`` describes the method."""

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    scores: Floats  # topics x runs
    left_out: int
    test: str
    correction: str
    baseline: str | None
    level: float
    resamples: int
    seed: int
    unanswered: int | None = None  # topics without results in any run; None if not known
    family: tuple[int, int] | None = None  # measures and pairs, if p was corrected over several measures
    adjusted: tuple[float, ...] | None = None  # p of all pairs, if it was corrected over several measures

    def __repr__(self) -> str:
        against = "" if self.baseline is None else f" against {self.baseline}"
        runs, topics = pluralise(len(self.runs), "run"), pluralise(len(self.topics), "topic")
        return f"<Comparison by {self.measure}: {runs}{against}, {topics}, test {self.test}>"

    def __str__(self) -> str:
        columns = ("run", "other", "difference", "p_adjusted", "wins", "ties", "losses")
        return f"{self!r}\n{self.pairs.select(columns)}"

    @property
    def settings(self) -> dict[str, object]:
        """The method, to be shown with every table."""
        return {
            "measure": self.measure,
            "topics": len(self.topics),
            "topics left out": self.left_out,
            "topics nobody answered": self.unanswered,
            "test": "randomised Tukey HSD" if self.test == "tukey" else TESTS[self.test][1],
            "sides": 2,
            "correction": "by the test itself" if self.test == "tukey" else self.correction,
            "family": self._describe_family(),
            "interval": f"{format_level(self.level)} percentile bootstrap of topics",
            "resamples": self.resamples,
            "seed": self.seed,
        }

    def _describe_family(self) -> str:
        """Return the family of tests over which p-values are corrected."""
        if self.family is not None:
            measures, pairs = self.family
            return f"all measures ({pluralise(pairs, 'pair')} of {pluralise(measures, 'measure')})"
        return f"each measure ({pluralise(len(self._pairs()), 'pair')})"

    @property
    def notes(self) -> list[ScoreWarning]:
        """Notes on the effect of topics that no run answered, and on a missing test."""
        notes: list[ScoreWarning] = []
        if self.unanswered:
            subject = pluralise(self.unanswered, "topic has", "topics have")
            sentence = (
                f"{subject} no results in any run: each counts as a tie at the score of an empty "
                "list, which moves all means and differences towards it; --topics run leaves such topics out"
            )
            notes.append(ScoreWarning(sentence, "S119", topics=self.unanswered))
        _, reason = self.friedman_or_reason
        return notes if reason is None else [*notes, ScoreWarning(reason, NO_FRIEDMAN)]

    @cached_property
    def _merits(self) -> Floats:
        """The scores, with the sign changed if lower is better: here higher is always better."""
        return -self.scores if lower_is_better(self.measure) else self.scores

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per run: run, mean, low, high (of its interval), deviation."""
        low, high = compute_bootstrap_interval(
            self.scores, level=self.level, resamples=self.resamples, seed=self.seed
        )
        return pl.DataFrame(
            {
                "run": self.runs,
                "mean": self.scores.mean(axis=0),
                "low": low,
                "high": high,
                "deviation": self.scores.std(axis=0, ddof=1) if len(self.scores) > 1 else low * 0,
            }
        )

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """One row per pair of runs: difference of means, p, adjusted p, effect sizes, wins, ties, losses.

        Differences and effect sizes have the sign of the scores; a win is a better score, which for some
        measures is a lower one.
        """
        pairs = self._pairs()
        raw = self.p_values
        adjusted: Sequence[float] = raw
        if self.adjusted is not None:
            adjusted = self.adjusted
        elif self.test != "tukey":
            adjusted = correct_p_values(raw, self.correction).tolist()
        rows = []
        for (run, other_run), p, p_adjusted in zip(pairs, raw, adjusted, strict=True):
            a, b = self.scores[:, run], self.scores[:, other_run]
            wins, ties, losses = count_wins_ties_losses(self._merits[:, run], self._merits[:, other_run])
            rows.append(
                {
                    "run": self.runs[run],
                    "other": self.runs[other_run],
                    "difference": float(a.mean() - b.mean()),
                    "p": p,
                    "p_adjusted": p_adjusted,
                    "d": compute_paired_d(a, b),
                    "delta": compute_cliffs_delta(a, b),
                    "wins": wins,
                    "ties": ties,
                    "losses": losses,
                }
            )
        return pl.DataFrame(rows)

    @property
    def full_table(self) -> pl.DataFrame:
        """The pairs, with the measure in the first column and the settings in the last columns."""
        method = {name.replace(" ", "_"): value for name, value in self.settings.items() if name != "measure"}
        return self.pairs.select(
            pl.lit(self.measure).alias("measure"),
            pl.all(),
            *(pl.lit(value).alias(name) for name, value in method.items()),
        )

    @cached_property
    def groups(self) -> list[str]:
        """The letters of each run: runs with a common letter do not differ by randomised Tukey HSD.

        The family-wise error rate over all pairs is 1 - level.
        """
        p = apply_randomised_tukey(self.scores, resamples=self.resamples, seed=self.seed)
        return assign_letters(self._merits.mean(axis=0), p < 1 - self.level)

    @cached_property
    def friedman(self) -> float | None:
        """The p-value of Friedman's test over all runs; None for fewer than three."""
        return apply_friedman_test(self.scores) if len(self.runs) >= _SEVERAL else None

    @cached_property
    def friedman_or_reason(self) -> tuple[float | None, str | None]:
        """The p-value of Friedman's test, or None and a message if scipy is not installed."""
        try:
            return self.friedman, None
        except MissingExtraError as error:
            return None, f"{error}; the test is left out"

    def _pairs(self) -> list[tuple[int, int]]:
        if self.baseline is None:
            return list(combinations(range(len(self.runs)), 2))
        base = self.runs.index(self.baseline)
        return [(run, base) for run in range(len(self.runs)) if run != base]

    @cached_property
    def p_values(self) -> list[float]:
        """The p-value of each pair, without correction."""
        pairs = self._pairs()
        if self.test == "tukey":
            p = apply_randomised_tukey(self.scores, resamples=self.resamples, seed=self.seed)
            return [float(p[pair]) for pair in pairs]
        if self.test == "randomisation":
            runs, others = np.array(pairs).T
            differences = self.scores[:, runs] - self.scores[:, others]
            p = apply_randomisation_tests(differences, resamples=self.resamples, seed=self.seed)
            return [float(value) for value in p]
        return [
            apply_paired_test(
                self.test,
                self.scores[:, run],
                self.scores[:, other_run],
                resamples=self.resamples,
                seed=self.seed,
            )
            for run, other_run in pairs
        ]


@check_arguments
def compare_runs(
    scores: pl.DataFrame,
    *,
    measure: str | None = None,
    baseline: str | None = None,
    test: str = "randomisation",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    answered: Mapping[str, Collection[str]] | None = None,
) -> Comparison:
    """Compare the runs of a table (run, topic, measure, score) by one measure, by default the first.

    ``answered`` has the topics for which each run has results.
    """
    if test not in {*TESTS, "tukey"}:
        raise InputError("a test", wanted=f"one of {', '.join([*TESTS, 'tukey'])}", found=repr(test))
    correct_p_values([], correction)
    check_resampling(level=level, resamples=resamples, seed=seed)
    name = _choose_measure(scores, measure)
    table = scores.filter(pl.col("measure") == name)
    runs = tuple(table["run"].unique(maintain_order=True))
    if len(runs) < 2:
        raise InputError("a comparison", wanted="at least two runs with scores", found=f"{len(runs)}")
    if baseline is not None and baseline not in runs:
        raise InputError("the baseline", wanted=f"one of {', '.join(runs)}", found=repr(baseline))
    topics, values = pivot_by_topic(table, runs)
    is_complete = np.isfinite(values).all(axis=1)
    if not is_complete.any():
        raise InputError(
            f"a comparison by {name}", wanted="topics for which all runs have a score", found="none"
        )
    compared = tuple(topics.filter(pl.Series(is_complete)))
    unanswered = None
    if answered is not None:
        answered_topics = {topic for run in runs for topic in answered.get(run, ())}
        unanswered = sum(topic not in answered_topics for topic in compared)
    return Comparison(
        measure=name,
        runs=runs,
        topics=compared,
        scores=values[is_complete],
        left_out=int((~is_complete).sum()),
        test=test,
        correction=correction,
        baseline=baseline,
        level=level,
        resamples=resamples,
        seed=seed,
        unanswered=unanswered,
    )


FAMILIES = ("measure", "all")
NO_FRIEDMAN = "S120"
"""The code of the note that Friedman's test is missing."""


def correct_over_measures(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons by several measures whose p-values are corrected over all pairs of all measures."""
    if any(comparison.test == "tukey" for comparison in comparisons):
        raise InputError(
            "the family of all measures", wanted="a test of pairs", found="tukey, which corrects each measure"
        )
    raw = [p for comparison in comparisons for p in comparison.p_values]
    adjusted = iter(correct_p_values(raw, comparisons[0].correction).tolist() if comparisons else ())
    return [
        replace(
            comparison,
            family=(len(comparisons), len(raw)),
            adjusted=tuple(next(adjusted) for _ in comparison.p_values),
        )
        for comparison in comparisons
    ]


def pivot_by_topic(table: pl.DataFrame, runs: Sequence[str]) -> tuple[pl.Series, Floats]:
    """Return the topics of one measure, and its scores as topics x runs, NaN where there is no score."""
    topics = table["topic"].unique(maintain_order=True)
    values = np.full((len(topics), len(runs)), np.nan)
    # by number, because a run may have the name of a column
    row, column = (
        table[name].replace_strict(pl.Series(labels), pl.int_range(len(labels), eager=True)).to_numpy()
        for name, labels in (("topic", topics), ("run", runs))
    )
    values[row, column] = table["score"].to_numpy()
    return topics, values


def _choose_measure(scores: pl.DataFrame, measure: str | None) -> str:
    available = scores["measure"].unique(maintain_order=True).to_list()
    if not available:
        raise InputError("a comparison", wanted="a result with scores", found="none")
    if measure is None:
        return str(available[0])
    if measure not in available:
        raise InputError(
            "the measure to compare by", wanted=f"one of {', '.join(available)}", found=repr(measure)
        )
    return str(measure)


def compute_mean_intervals(
    scores: pl.DataFrame, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> pl.DataFrame:
    """Return the bootstrap interval of every mean: run, measure, low, high; NaN if there is no mean.

    A comparison uses the topics that all runs share; here each mean keeps its own topics, as in
    ``Evaluation.means``.  Runs with the same topics share their resamples.
    """
    pieces = []
    for measure in scores["measure"].unique(maintain_order=True):
        table = scores.filter(pl.col("measure") == measure)
        runs = table["run"].unique(maintain_order=True).to_list()
        _, values = pivot_by_topic(table, runs)
        low, high = np.full(len(runs), np.nan), np.full(len(runs), np.nan)
        kinds, kind = np.unique(np.isfinite(values), axis=1, return_inverse=True)
        for number in range(kinds.shape[1]):
            columns, topics = np.flatnonzero(kind == number), kinds[:, number]
            if topics.any():
                low[columns], high[columns] = compute_bootstrap_interval(
                    values[np.ix_(topics, columns)], level=level, resamples=resamples, seed=seed
                )
        pieces.append(pl.DataFrame({"run": runs, "measure": measure, "low": low, "high": high}))
    schema = {"run": pl.String, "measure": pl.String, "low": pl.Float64, "high": pl.Float64}
    return pl.concat(pieces) if pieces else pl.DataFrame(schema=schema)


PERSISTENCE = 0.9  # of RBO

MEASURE_AGREEMENT = Table(
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


def correlate_measures(means: pl.DataFrame, *, persistence: float = PERSISTENCE) -> pl.DataFrame:
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
    return MEASURE_AGREEMENT.from_rows(
        _correlate_pair(measure, other, values, runs, persistence)
        for measure, other in permutations(measures, 2)
    )


def _correlate_pair(
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
