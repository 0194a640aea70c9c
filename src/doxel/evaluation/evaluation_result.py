"""The result of an evaluation: scores in one tidy table, and methods for follow-up questions.

Also the notes about topics that are in a run or in the assessments, but not in both.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel.errors import InputError
from doxel.measures.measure_table import join_measure_names
from doxel.runs.result_spans import RUN_ALIGNMENTS
from doxel.runs.run import TASK_NAMES
from doxel.tables import Column, Table
from doxel.wording import join_words, pluralise

if TYPE_CHECKING:
    from doxel.evaluation.analysis.run_comparison import Comparison
    from doxel.evaluation.score_explanation import ScoreExplainer, ScoreExplanation
    from doxel.measures import Measure

__all__ = [
    "SCORES",
    "Evaluation",
    "Rejection",
    "describe_infinite_topics",
    "describe_topic_mismatches",
    "describe_undefined_topics",
    "describe_unequal_topics",
    "make_no_scores_error",
]

SCORES = Table(
    "scores",
    (
        Column("run", pl.String, "the run's id", required=True),
        Column("topic", pl.String, "the topic's id", required=True),
        Column("measure", pl.String, "the measure's canonical name", required=True),
        Column("score", pl.Float64, "the score; NaN if it is undefined", required=True),
    ),
)


@dataclass(frozen=True)
class Rejection:
    """A run that a measure rejected, with the reason; measure ``all`` if the run could not be read."""

    run: str
    measure: str
    reason: str


def make_no_scores_error(subject: str, rejected: Iterable[Rejection]) -> InputError:
    """Return the error for an evaluation without any score, with the reasons."""
    reasons = "; ".join(dict.fromkeys(f"{rejection.run}: {rejection.reason}" for rejection in rejected))
    return InputError(f"{subject}: no run has a score", found=reasons or None)


@dataclass(frozen=True)
class Evaluation:
    """The scores of runs.

    ``scores`` has one row per run, topic and measure (run, topic, measure, score), in the order of the
    runs, of the requested measures and of the assessed topics.  An undefined score is NaN.
    """

    scores: pl.DataFrame
    rejected: tuple[Rejection, ...] = ()
    warnings: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    overall: pl.DataFrame | None = None  # run, measure, score; if these are not plain means
    results: pl.DataFrame | None = None  # the first results of each topic, if requested
    alignments: pl.DataFrame = field(
        default_factory=RUN_ALIGNMENTS.empty
    )  # how the texts of runs were placed
    answered: Mapping[str, tuple[str, ...]] | None = None  # the assessed topics with results, by run
    # (topic, measure) without score, though there is something to find
    unscored: tuple[tuple[str, str], ...] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)  # the task that each run was scored for
    explainer: ScoreExplainer | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the inputs out of the pickle: they may contain functions, which cannot be pickled."""
        return {**vars(self), "explainer": None}

    def __repr__(self) -> str:
        runs, measures = self.scores["run"].n_unique(), self.scores["measure"].n_unique()
        return f"<Evaluation: runs {runs:,}, measures {measures:,}>"

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per run and measure: run, measure, score (the mean), topics, undefined.

        Infinite scores are left out of the mean and of the number of topics; if all scores are infinite,
        so is the mean.
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

    def by_task(self) -> dict[str, Evaluation]:
        """Return one evaluation per task, because only runs of one task are comparable.

        Tasks are in the order of ``TASK_NAMES``, then sub-tasks with structure in alphabetical order.
        Runs that declare no task are scored for the focused task, and are listed with it.
        """
        places = {task: place for place, task in enumerate(TASK_NAMES)}
        return {
            task: self.select_runs([run for run, other in self.tasks.items() if other == task])
            for task in sorted(
                set(self.tasks.values()), key=lambda task: (places.get(task, len(places)), task)
            )
        }

    def select_runs(self, runs: Sequence[str]) -> Evaluation:
        """Return the evaluation of some of the runs, with their rejections and warnings."""
        others = {f"{run}: " for run in self.tasks if run not in runs}
        is_selected = pl.col("run").is_in(list(runs))
        answered = self.answered
        return replace(
            self,
            scores=self.scores.filter(is_selected),
            rejected=tuple(rejection for rejection in self.rejected if rejection.run in runs),
            warnings=tuple(warning for warning in self.warnings if not any(map(warning.startswith, others))),
            overall=None if self.overall is None else self.overall.filter(is_selected),
            results=None if self.results is None else self.results.filter(is_selected),
            tasks={run: task for run, task in self.tasks.items() if run in runs},
            alignments=self.alignments.filter(is_selected),
            answered=None if answered is None else {run: answered[run] for run in runs if run in answered},
        )

    def curve(self, name: str) -> pl.DataFrame:
        """Return a curve for each run and topic: run, topic, curve, x, y, at (the cutoff).

        The curve's measures must have been evaluated:
        ``evaluate(..., measures=["MAep", *curve("ep/gr").measures])``.
        """
        from doxel.measures.curves import curve

        shape = curve(name)
        points = shape.of(self.scores)
        names = {measure.name for measure in shape.measures}
        if not points.height and not any(item.measure in names | {"all"} for item in self.rejected):
            raise InputError(
                f"the curve {shape.name}",
                wanted="an evaluation of its measures, doxel.measures.curves.curve(name).measures",
                found="none of them",
            )
        return points

    def compare(self, measure: str | None = None, *, family: str = "measure", **settings: Any) -> Comparison:
        """Compare the runs by one measure: intervals, tests with correction, effect sizes.

        ``family``: correct p-values over the pairs of the ``"measure"``, or over those of ``"all"`` measures.
        ``settings`` are the keywords of ``run_comparison.compare_runs``: baseline, test,
        correction, level, resamples, seed.
        """
        from doxel.evaluation.analysis.run_comparison import FAMILIES, compare_runs, correct_over_measures

        if family not in FAMILIES:
            raise InputError("family", wanted=" or ".join(FAMILIES), found=repr(family))
        chosen = compare_runs(self.scores, measure=measure, answered=self.answered, **settings)
        if family == "measure":
            return chosen
        others = [name for name in dict.fromkeys(self.scores["measure"]) if name != chosen.measure]
        compared = [chosen]
        for name in others:
            with contextlib.suppress(InputError):  # a measure by which the runs cannot be compared
                compared.append(compare_runs(self.scores, measure=name, **settings))
        return correct_over_measures(compared)[0]

    def explain(self, run: str, topic: str, measure: str | Measure) -> ScoreExplanation:
        """Return how a score comes about: a row per rank, the ideal ranking, and the sum that gives it.

        The runs and assessments are read again, because a result keeps scores only.

        >>> from doxel import evaluate
        >>> result = evaluate({"mine": [("1", "report", 50, 150)]}, [("1", "report", 100, 200)], "char_prec")
        >>> print(result.explain("mine", "1", "char_prec").sum)
        50 / 100 = 0.5
        """
        if self.explainer is None:
            raise InputError(
                "an explanation needs the runs and assessments",
                wanted="a result of doxel.evaluate, made in this process",
                found="scores alone",
            )
        return self.explainer.explain(run, topic, measure)

    def agreement(self, *, persistence: float = 0.9) -> pl.DataFrame:
        """Return how similarly the measures rank the runs, one row per pair of measures.

        measure, other, runs, tau (Kendall's tau-b), tau_ap (with the ranking by ``other`` as the reference),
        rbo (rank-biased overlap; ``persistence`` is its p).
        """
        from doxel.evaluation.analysis.run_comparison import correlate_measures

        return correlate_measures(self.means, persistence=persistence)


def describe_topic_mismatches(results: pl.DataFrame, assessed: Sequence[str], lacking: int) -> list[str]:
    """List ignored results of topics that were not assessed, and topics that score 0.

    ``lacking`` is the number of assessed topics that have no results but count all the same.
    """
    remarks: list[str] = []
    unassessed = results.filter(~pl.col("topic").is_in(assessed))
    if unassessed.height:
        subject = pluralise(
            unassessed["topic"].n_unique(),
            "topic was never assessed; its",
            "topics were never assessed; their",
        )
        remarks.append(f"{subject} {pluralise(unassessed.height, 'result is', 'results are')} ignored")
    if unassessed.height and unassessed.height == results.height:
        topics = results["topic"].unique(maintain_order=True).to_list()
        remarks.append(
            f"none of its topics was assessed: the run has topics {join_words(topics, 3)}, "
            f"the assessments have {join_words(assessed, 3)}; do the ids match?"
        )
    if lacking:
        remarks.append(
            pluralise(
                lacking,
                "assessed topic has no results and scores 0",
                "assessed topics have no results and score 0",
            )
        )
    return remarks


def describe_unequal_topics(scores: pl.DataFrame) -> list[str]:
    """Return the warning that the runs' means are over different topics, if they are."""
    of_run = scores.group_by("run", maintain_order=True).agg(pl.col("topic").unique().sort())
    if of_run["topic"].n_unique() < 2:
        return []
    counts = [(run, len(topics)) for run, topics in of_run.iter_rows()]
    numbers = sorted({count for _, count in counts})
    spread = f"{numbers[0]:,} to {numbers[-1]:,}" if len(numbers) > 1 else f"{numbers[0]:,} different"
    listed = join_words([f"{run} {count:,}" for run, count in counts])
    warning = f"the means are over different topics, {spread} per run ({listed}), and are not comparable"
    return [f"{warning}; --topics assessed counts the same topics for all runs"]


def describe_undefined_topics(scores: pl.DataFrame, unscored: Sequence[tuple[str, str]]) -> list[str]:
    """List the topics that have nothing to find, with the measures for which this is so.

    Topics and measures in ``unscored`` have no score for another reason, which is noted elsewhere.
    """
    empty = scores.filter(pl.col("score").is_nan()).select("topic", "measure").unique(maintain_order=True)
    others = pl.DataFrame(list(unscored), schema={"topic": pl.String, "measure": pl.String}, orient="row")
    empty = empty.join(others, on=["topic", "measure"], how="anti", maintain_order="left")
    by_topics = (
        empty.group_by("measure", maintain_order=True)
        .agg("topic")
        .group_by("topic", maintain_order=True)
        .agg("measure")
    )
    measures = scores["measure"].n_unique()
    messages = []
    for topics, names in by_topics.iter_rows():
        measures_clause = "" if len(names) == measures else f" for {join_measure_names(names)}"
        subject = pluralise(len(topics), "assessed topic has", "assessed topics have")
        outcome = "its score is" if len(topics) == 1 else "their scores are"
        messages.append(
            f"{subject} nothing to find{measures_clause} ({join_words(topics)}): "
            f"{outcome} undefined and left out of the mean"
        )
    return messages


def describe_infinite_topics(scores: pl.DataFrame) -> list[str]:
    """List the infinite scores, such as reading that never finds enough."""
    never = scores.filter(pl.col("score").is_infinite()).group_by("run", "measure", maintain_order=True)
    return [
        f"{run}: {measure} is infinite for {pluralise(len(topics), 'topic')} ({join_words(topics)}); "
        f"{'it is' if len(topics) == 1 else 'they are'} left out of the mean"
        for run, measure, topics in never.agg("topic").iter_rows()
    ]
