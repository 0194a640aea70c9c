"""Compare runs: means with intervals, paired tests with correction, effect sizes.

Runs are compared over the topics for which all of them have a defined score, so that the tests pair scores
of the same topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl

from doxel.errors import InputError, MissingExtraError
from doxel.evaluation.options import check_drawing
from doxel.measures.measure_table import lower_is_better
from doxel.spans import Floats
from doxel.statistics.multiple_comparisons import assign_letters, correct_p_values
from doxel.statistics.significance import (
    TESTS,
    apply_friedman_test,
    apply_paired_test,
    apply_randomised_tukey,
    compute_bootstrap_interval,
    compute_cliffs_delta,
    compute_paired_d,
    count_wins_ties_losses,
)

__all__ = ["Comparison", "by_topic", "compare_runs"]

_SEVERAL = 3  # the smallest number of runs for Friedman's test


@dataclass(frozen=True)
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

    @property
    def settings(self) -> dict[str, object]:
        """The method, to be shown with every table."""
        return {
            "measure": self.measure,
            "topics": len(self.topics),
            "topics left out": self.left_out,
            "test": "randomised Tukey HSD" if self.test == "tukey" else TESTS[self.test][1],
            "sides": 2,
            "correction": "by the test itself" if self.test == "tukey" else self.correction,
            "interval": f"{self.level:.0%} bootstrap of topics",
            "resamples": self.resamples,
            "seed": self.seed,
        }

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
        raw = self._p_values(pairs)
        adjusted = raw if self.test == "tukey" else correct_p_values(raw, self.correction).tolist()
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
    def described(self) -> pl.DataFrame:
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
    def friedman_or_why(self) -> tuple[float | None, str | None]:
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

    def _p_values(self, pairs: list[tuple[int, int]]) -> list[float]:
        if self.test == "tukey":
            p = apply_randomised_tukey(self.scores, resamples=self.resamples, seed=self.seed)
            return [float(p[pair]) for pair in pairs]
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
) -> Comparison:
    """Compare the runs of a table of scores (run, topic, measure, score) by one measure."""
    if test not in {*TESTS, "tukey"}:
        raise InputError("a test", wanted=f"one of {', '.join([*TESTS, 'tukey'])}", found=repr(test))
    correct_p_values([], correction)
    check_drawing(level=level, resamples=resamples, seed=seed)
    name = _measure(scores, measure)
    table = scores.filter(pl.col("measure") == name)
    runs = tuple(table["run"].unique(maintain_order=True))
    if len(runs) < 2:
        raise InputError("a comparison", wanted="at least two runs with scores", found=f"{len(runs)}")
    if baseline is not None and baseline not in runs:
        raise InputError("the baseline", wanted=f"one of {', '.join(runs)}", found=repr(baseline))
    topics, values = by_topic(table, runs)
    is_complete = np.isfinite(values).all(axis=1)
    if not is_complete.any():
        raise InputError(
            f"a comparison by {name}", wanted="topics for which all runs have a score", found="none"
        )
    return Comparison(
        measure=name,
        runs=runs,
        topics=tuple(topics.filter(pl.Series(is_complete))),
        scores=values[is_complete],
        left_out=int((~is_complete).sum()),
        test=test,
        correction=correction,
        baseline=baseline,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def by_topic(table: pl.DataFrame, runs: Sequence[str]) -> tuple[pl.Series, Floats]:
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


def _measure(scores: pl.DataFrame, measure: str | None) -> str:
    available = scores["measure"].unique(maintain_order=True).to_list()
    if measure is None and len(available) == 1:
        return str(available[0])
    if measure not in available:
        raise InputError(
            "the measure to compare by", wanted=f"one of {', '.join(available)}", found=repr(measure)
        )
    return str(measure)
