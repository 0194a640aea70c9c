"""The outcome of an evaluation: scores in one tidy table, and answers to follow-up questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel.errors import InputError
from doxel.tables import Column, Table

if TYPE_CHECKING:
    from doxel.evaluation.comparison import Comparison

__all__ = ["SCORES", "Evaluation", "Rejection", "no_scores"]

SCORES = Table(
    "scores",
    (
        Column("run", pl.String, "the run's id", required=True),
        Column("topic", pl.String, "the topic's id", required=True),
        Column("measure", pl.String, "the measure's canonical name", required=True),
        Column("score", pl.Float64, "its value; NaN where it is undefined", required=True),
    ),
)


@dataclass(frozen=True)
class Rejection:
    """A run that a measure refused, and why; measure ``all`` where the run could not be read."""

    run: str
    measure: str
    reason: str


def no_scores(what: str, rejected: Iterable[Rejection]) -> InputError:
    """Return the error about runs of which none has a score, with the reasons."""
    reasons = "; ".join(dict.fromkeys(f"{one.run}: {one.reason}" for one in rejected))
    return InputError(f"{what}: no run has a score", found=reasons or None)


@dataclass(frozen=True)
class Evaluation:
    """Scores of runs.

    ``scores`` has one row a run, topic and measure (run, topic, measure, score), in the order of the
    runs, the measures as asked for and the topics of the assessments.  An undefined score is NaN.
    """

    scores: pl.DataFrame
    rejected: tuple[Rejection, ...] = ()
    warnings: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    overall: pl.DataFrame | None = None  # run, measure, score: where these are more than means
    results: pl.DataFrame | None = None  # the first results of each topic, where they were to be kept

    def __repr__(self) -> str:
        runs, measures = self.scores["run"].n_unique(), self.scores["measure"].n_unique()
        return f"<Evaluation: runs {runs:,}, measures {measures:,}>"

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row a run and measure: run, measure, score (the mean), topics, undefined.

        Infinite scores are left out of the mean, and of topics; where all are, so is the mean.
        """
        if self.overall is not None:
            return self.overall.with_columns(
                topics=pl.lit(None, dtype=pl.UInt32), undefined=pl.lit(None, dtype=pl.UInt32)
            )
        defined = pl.col("score").filter(pl.col("score").is_not_nan())
        finite = defined.filter(defined.is_finite())
        return self.scores.group_by("run", "measure", maintain_order=True).agg(
            score=finite.mean().fill_null(defined.max()).fill_null(float("nan")),
            topics=finite.len(),
            undefined=pl.col("score").is_nan().sum(),
        )

    def curve(self, name: str) -> pl.DataFrame:
        """Return a curve of each run and topic: run, topic, curve, x, y, at (the cutoff).

        The measures of the curve must have been among those evaluated:
        ``evaluate(..., measures=["MAep", *curve("ep/gr").measures])``.
        """
        from doxel.measures.curves import curve

        wanted = curve(name)
        found = wanted.of(self.scores)
        points = {one.name for one in wanted.measures}
        if not found.height and not any(one.measure in points | {"all"} for one in self.rejected):
            raise InputError(
                f"the curve {wanted.name}",
                wanted="its measures among those evaluated: doxel.measures.curves.curve(name).measures",
                found="none of them",
            )
        return found

    def compare(self, measure: str | None = None, **settings: Any) -> Comparison:
        """Compare the runs by one measure: intervals, tests with correction, effect sizes.

        ``settings`` are those of :func:`doxel.evaluation.comparison.compare_runs`: baseline, test,
        correction, level, resamples, seed.
        """
        from doxel.evaluation.comparison import compare_runs

        return compare_runs(self.scores, measure=measure, **settings)

    def agreement(self, *, persistence: float = 0.9) -> pl.DataFrame:
        """Return how far measures put the runs in the same order, one row a pair of measures.

        measure, other, runs, tau (Kendall's tau-b), tau_ap (the ranking by ``other`` taken as the
        truth), rbo (rank-biased overlap; ``persistence`` is its p).
        """
        from doxel.evaluation.agreement import agreement

        return agreement(self.means, persistence=persistence)
