"""The result of an evaluation: scores in one tidy table, and methods for follow-up questions.

Also here: combining the results of single runs.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel.arguments import check_methods
from doxel.checks.score_warnings import ScoreWarning, list_guesses, sort_by_gravity
from doxel.errors import InputError, UnscoredRunError
from doxel.evaluation.evaluation_warnings import (
    UNEQUAL_TOPICS,
    describe_unequal_topics,
    note_infinite_topics,
    note_undefined_topics,
)
from doxel.runs.result_spans import RUN_ALIGNMENTS
from doxel.runs.run import TASK_NAMES, name_runs
from doxel.tables import Column, Table

if TYPE_CHECKING:
    from doxel.evaluation.analysis.run_comparison import Comparison
    from doxel.evaluation.saved_results import ScoredInputs
    from doxel.evaluation.score_explanation import ScoreExplainer, ScoreExplanation
    from doxel.evaluation.score_exports import InputSources
    from doxel.measures import Measure

__all__ = [
    "MEAN",
    "MORE_COLUMNS",
    "SCORES",
    "Evaluation",
    "Rejection",
    "ScoredRun",
    "combine_scores",
    "make_no_scores_error",
    "refuse_guesses",
    "report_rejection",
    "select_rows",
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

MEAN = "all"
"""The topic of rows with means, where these follow the scores per topic."""

MORE_COLUMNS = ("optimistic", "residual", "assessors_low", "assessors_high")
"""The columns that scores and means have on request: with residuals, and with further assessors."""


@dataclass(frozen=True)
class Rejection:
    """A run that a measure rejected, with the reason; measure ``all`` if the run could not be read.

    ``code`` is that of the check that refused the whole run, if one did.
    """

    run: str
    measure: str
    reason: str
    code: str | None = None


def make_no_scores_error(subject: str, rejected: Iterable[Rejection]) -> InputError:
    """Return the error for an evaluation without any score, with the reasons."""
    reasons = "; ".join(dict.fromkeys(f"{rejection.run}: {rejection.reason}" for rejection in rejected))
    return InputError(f"{subject}: no run has a score", found=reasons or None)


@check_methods
@dataclass(frozen=True)
class Evaluation:
    """The scores of runs.

    ``scores`` has one row per run, topic and measure (run, topic, measure, score), in the order of the
    runs, of the requested measures and of the assessed topics.  An undefined score is NaN.  With
    ``residual=True`` there are also optimistic (the score if the unjudged text were relevant) and residual
    (its distance from the score), with ``assessors`` also assessors_low and assessors_high.

    ``warnings`` are sentences about the scores, each with a code and its effect on scores.
    """

    scores: pl.DataFrame
    rejected: tuple[Rejection, ...] = ()
    warnings: tuple[ScoreWarning, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    overall: pl.DataFrame | None = None  # run, measure, score; if these are not plain means
    results: pl.DataFrame | None = None  # the first results of each topic, if requested
    aspects: pl.DataFrame | None = None  # when each aspect of a topic is shown, if the gold names aspects
    alignments: pl.DataFrame = field(
        default_factory=RUN_ALIGNMENTS.empty
    )  # how the texts of runs were placed
    answered: Mapping[str, tuple[str, ...]] | None = None  # the assessed topics with results, by run
    # (topic, measure) without score, though there is something to find
    unscored: tuple[tuple[str, str], ...] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)  # the task that each run was scored for
    explainer: ScoreExplainer | None = field(default=None, repr=False, compare=False)
    inputs: ScoredInputs | None = field(default=None, repr=False, compare=False)
    sources: InputSources | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the inputs out of the pickle: they may contain functions, which cannot be pickled."""
        return {**vars(self), "explainer": None, "inputs": None, "sources": None}

    def __repr__(self) -> str:
        runs, measures = self.scores["run"].n_unique(), self.scores["measure"].n_unique()
        lines = [f"<Evaluation: runs {runs:,}, measures {measures:,}>"]
        grave = [warning for warning in sort_by_gravity(self.warnings) if warning.effect != "none"]
        return "\n".join([*lines, *(f"{warning.code} {warning}" for warning in grave)])

    def __str__(self) -> str:
        return f"{self!r}\n{self.means}"

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per run and measure: run, measure, score (the mean), topics, undefined.

        The columns of ``MORE_COLUMNS`` that the scores have are averaged over the same topics.
        Infinite scores are left out of the mean and of the number of topics; if all scores are infinite,
        so is the mean.
        """
        if self.overall is not None:
            return self.overall.with_columns(
                topics=pl.lit(None, dtype=pl.UInt32), undefined=pl.lit(None, dtype=pl.UInt32)
            )
        defined = pl.col("score").filter(pl.col("score").is_not_nan())
        finite = defined.filter(defined.is_finite())
        more = [name for name in MORE_COLUMNS if name in self.scores.columns and name != "residual"]
        is_finite = pl.col("score").is_finite()
        means = self.scores.group_by("run", "measure", maintain_order=True).agg(
            score=finite.mean().fill_null(defined.max()).fill_null(float("nan")),
            topics=finite.len(),
            undefined=pl.col("score").is_nan().sum(),
            **{name: pl.col(name).filter(is_finite).mean().fill_null(float("nan")) for name in more},
        )
        if "optimistic" not in more:
            return means
        place = means.columns.index("optimistic") + 1
        return means.insert_column(place, (means["optimistic"] - means["score"]).alias("residual"))

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
        others = {run for run in self.tasks if run not in runs}
        is_selected = pl.col("run").is_in(list(runs))
        answered = self.answered
        return replace(
            self,
            scores=self.scores.filter(is_selected),
            rejected=tuple(rejection for rejection in self.rejected if rejection.run in runs),
            warnings=tuple(warning for warning in self.warnings if warning.run not in others),
            overall=None if self.overall is None else self.overall.filter(is_selected),
            results=None if self.results is None else self.results.filter(is_selected),
            aspects=None if self.aspects is None else self.aspects.filter(is_selected),
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

        The measure is by default the first one; the comparison has its name (``measure``).
        ``family``: correct p-values over the pairs of the ``"measure"``, or over those of ``"all"`` measures.
        ``settings`` are the keywords of ``run_comparison.compare_runs``: baseline, test,
        correction, level, resamples, seed.
        """
        from doxel.evaluation.analysis.run_comparison import FAMILIES, compare_runs, correct_over_measures

        if family not in FAMILIES:
            raise InputError("family", wanted=" or ".join(FAMILIES), found=repr(family))
        comparison = compare_runs(self.scores, measure=measure, answered=self.answered, **settings)
        if family == "measure":
            return comparison
        others = [name for name in dict.fromkeys(self.scores["measure"]) if name != comparison.measure]
        compared = [comparison]
        for name in others:
            with contextlib.suppress(InputError):  # a measure by which the runs cannot be compared
                compared.append(compare_runs(self.scores, measure=name, **settings))
        return correct_over_measures(compared)[0]

    def explain(self, run: str, topic: str, measure: str | Measure) -> ScoreExplanation:
        """Explain a score: one row per rank, the ideal ranking, and the sum that gives the score.

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

    def _repr_html_(self) -> str:
        """Return the table of means for a notebook."""
        return str(_load_later("notebook.result_html", "render_result")(self))

    def plot(self, kind: str | None = None, **settings: Any) -> Any:
        """Return a picture, which notebooks show; ``picture.save("name.svg")`` writes it.

        ``kind`` is the name of a curve (by default that of the first measure), ``"means"`` (with intervals),
        ``"budget"`` (the mean of char_rec, or of another ``measure``, against the characters, words or
        tokens that are read) or ``"topics"`` (the differences between two ``runs``, topic by topic).
        ``runs`` chooses runs by name, pattern, ``"best:5"`` or ``"baseline"``; ``width`` is ``"one"`` or
        ``"two"`` columns of a paper.  See ``notebook.result_plots.plot_result``.
        """
        return _load_later("notebook.result_plots", "plot_result")(self, kind, **settings)

    def worst(self, count: int = 10, *, measure: str | None = None, run: str | None = None) -> pl.DataFrame:
        """Return the topics with the worst scores: run, topic, measure, score, question.

        The measure is by default the first one.  The question is known if the gold
        contains it, or if ``topic_file`` was given.

        >>> from doxel import evaluate
        >>> gold = [("1", "report", 0, 100), ("2", "report", 0, 100)]
        >>> result = evaluate([("1", "report", 0, 100), ("2", "report", 0, 50)], gold, "char_rec@5")
        >>> result.worst(1)["topic"].to_list()
        ['2']
        """
        find_worst_topics = _load_later("notebook.topic_differences", "find_worst_topics")
        worst: pl.DataFrame = find_worst_topics(self, count, measure=measure, run=run)
        return worst

    def diff(
        self,
        run: str,
        other: str,
        *,
        measure: str | None = None,
        count: int = 5,
        depth: int | None = None,
    ) -> Any:
        """Return the questions that ``other`` gained and lost against ``run``.

        A notebook shows the ``count`` largest losses and gains with question, relevant text and the first
        ``depth`` results of both runs side by side; relevant text is marked.  ``.table``, ``.gained`` and
        ``.lost`` are data frames.
        """
        find_differences = _load_later("notebook.topic_differences", "find_differences")
        return find_differences(self, run, other, measure=measure, count=count, depth=depth)

    def report(
        self,
        folder: str | os.PathLike[str],
        *,
        title: str = "Report",
        show: Sequence[str] | None = None,
        **settings: Any,
    ) -> Any:
        """Write the page of ``doxel report`` and its data to a folder; return the path of the page.

        ``show`` are the topics whose documents are shown, by default those in which runs differ most.
        ``settings`` are fields of ``findings.ReportSettings``, such as baseline and curves.
        """
        return _load_later("reports.report_folder", "report_result")(
            self, folder, title=title, show=show, **settings
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scores as JSON, with fingerprints of the assessments and documents.

        ``doxel.load_result`` reads the file, and ``doxel gate`` compares later runs with it.
        """
        from doxel.evaluation.saved_results import save_result

        save_result(self, path)

    def cite(self) -> str:
        """Return BibTeX entries for the measures and for doxel, with versions and checksums of the inputs.

        >>> from doxel import evaluate
        >>> result = evaluate([("1", "report", 0, 50)], [("1", "report", 0, 100)], "char_rec@5")
        >>> "@inproceedings{allan2004," in result.cite()
        True
        """
        from doxel.evaluation.analysis.result_citation import cite_content
        from doxel.evaluation.saved_results import describe_result

        return cite_content(describe_result(self, per_topic=False)).bibtex

    def to_pandas(self) -> Any:
        """Return the scores as a pandas frame: run, topic, measure, score."""
        from doxel.evaluation.score_exports import convert_to_pandas

        return convert_to_pandas(self)

    def to_ir_measures(self, run: str | None = None) -> list[Any]:
        """Return the scores of a run as ``ir_measures.Metric``; name the run if there are several."""
        from doxel.evaluation.score_exports import convert_to_ir_measures

        return convert_to_ir_measures(self, run)

    def to_pytrec_eval(self, run: str | None = None) -> dict[str, dict[str, float]]:
        """Return the scores of a run as ``{topic: {measure: score}}``.

        >>> from doxel import evaluate
        >>> evaluate({"1": {"a": 0.5}}, {"1": {"a": 1, "b": 1}}, "AP").to_pytrec_eval()
        {'1': {'AP': 0.5}}
        """
        from doxel.evaluation.score_exports import convert_to_pytrec_eval

        return convert_to_pytrec_eval(self, run)

    def to_ranx(self, run: str | None = None) -> dict[str, dict[str, float]]:
        """Return the scores of a run as ``{measure: {topic: score}}``."""
        from doxel.evaluation.score_exports import convert_to_ranx

        return convert_to_ranx(self, run)

    def hash_inputs(self) -> list[dict[str, str]]:
        """Return role, name and SHA-256 of every input, computed now; none if the inputs are not known."""
        from doxel.evaluation.score_exports import hash_inputs

        return [] if self.sources is None else hash_inputs(self.sources)


def _load_later(module: str, name: str) -> Any:
    """Return a function that shows results, by its name: rooms import only rooms that come before them."""
    return getattr(importlib.import_module(f"doxel.{module}"), name)


@dataclass(frozen=True)
class ScoredRun:
    """The evaluation of one run, under the id from its file."""

    run: str
    file: str | None
    evaluation: Evaluation
    task: str | None = None


def report_rejection(rejection: Rejection, file: str | None = None) -> ScoredRun:
    """Return a run without scores; if a check refused it, with the warning of this check."""
    refusals: tuple[ScoreWarning, ...] = ()
    if rejection.code is not None:
        refusal = ScoreWarning(rejection.reason, rejection.code, run=rejection.run, effect="refuse")
        refusals = (refusal,)
    return ScoredRun(rejection.run, file, Evaluation(SCORES.empty(), (rejection,), refusals))


def refuse_guesses(evaluation: Evaluation, silence: Container[str], *, skip_errors: bool) -> Evaluation:
    """Return the evaluation without the runs whose scores rest on a guess, unless its code is silenced.

    A guess about all runs is an error; a guess about one run is an error unless ``skip_errors``.
    """
    refused: dict[str, Rejection] = {}
    guesses = list_guesses(evaluation.warnings, silence)
    for guess in sorted(guesses, key=lambda guess: guess.run is None):
        if guess.code == UNEQUAL_TOPICS and refused:  # the other runs may have the same topics
            scores = evaluation.scores.filter(~pl.col("run").is_in(list(refused)))
            if not describe_unequal_topics(scores):
                continue
        reason = f"no score without guessing: {guess.sentence} [{guess.code}]"
        if guess.run is None or not skip_errors:
            problem = reason if guess.run is None else f"{guess.run}: {reason}"
            raise UnscoredRunError(problem, run=guess.run or "", code=guess.code)
        refused.setdefault(guess.run, Rejection(guess.run, "all", reason, guess.code))
    if not refused:
        return evaluation
    others = [run for run in (*evaluation.tasks, *evaluation.means["run"]) if run not in refused]
    kept_evaluation = evaluation.select_runs(list(dict.fromkeys(others)))
    warnings = [warning for warning in evaluation.warnings if warning.run not in refused]
    refusals = [
        ScoreWarning(rejection.reason, rejection.code or "", run=rejection.run, effect="refuse")
        for rejection in refused.values()
    ]
    rejected = [rejection for rejection in evaluation.rejected if rejection.run not in refused]
    return replace(kept_evaluation, rejected=(*rejected, *refused.values()), warnings=(*warnings, *refusals))


def select_rows(evaluation: Evaluation, *, per_topic: bool) -> pl.DataFrame:
    """Return the rows to print: means with the topic ``all``, after the scores per topic if requested.

    The columns of ``MORE_COLUMNS`` that the evaluation has follow the score.
    """
    more = [name for name in MORE_COLUMNS if name in evaluation.means.columns]
    means = evaluation.means.select("run", pl.lit(MEAN).alias("topic"), "measure", "score", *more)
    if not per_topic:
        return means
    pieces = [
        piece
        for run in means["run"].unique(maintain_order=True)
        for piece in (
            evaluation.scores.filter(pl.col("run") == run).select(means.columns),
            means.filter(pl.col("run") == run),
        )
    ]
    return pl.concat(pieces) if pieces else means


def combine_scores(
    scored: Sequence[ScoredRun],
    *,
    notes: Sequence[ScoreWarning] = (),
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> Evaluation:
    """Combine the evaluations of single runs; ids that several runs share become ``id:file``.

    ``notes`` concern all runs and come first among the warnings.
    """
    tables: list[pl.DataFrame] = [SCORES.empty()]
    rejected: list[Rejection] = []
    warnings: list[ScoreWarning] = []
    results: list[pl.DataFrame] = []
    aspects: list[pl.DataFrame] = []
    alignments: list[pl.DataFrame] = [RUN_ALIGNMENTS.empty()]
    answered: dict[str, tuple[str, ...]] = {}
    unscored: dict[tuple[str, str], None] = {}
    tasks: dict[str, str] = {}
    for scored_run, name in zip(
        scored, name_runs([(scored_run.run, scored_run.file) for scored_run in scored]), strict=True
    ):
        evaluation = scored_run.evaluation
        answered[name] = next(iter((evaluation.answered or {}).values()), ())
        if scored_run.task is not None:
            tasks[name] = scored_run.task
        tables.append(evaluation.scores.with_columns(run=pl.lit(name)))
        results += [] if evaluation.results is None else [evaluation.results.with_columns(run=pl.lit(name))]
        aspects += [] if evaluation.aspects is None else [evaluation.aspects.with_columns(run=pl.lit(name))]
        alignments.append(evaluation.alignments.with_columns(run=pl.lit(name)))
        unscored |= dict.fromkeys(evaluation.unscored)
        rejected += [replace(rejection, run=name) for rejection in evaluation.rejected]
        warnings += [warning.name_run(name) for warning in evaluation.warnings]
    scores = pl.concat(tables, how="diagonal")
    unequal = describe_unequal_topics(scores) if parameters.get("topics") == "run" else []
    undefined = note_undefined_topics(scores, tuple(unscored))
    messages = (*notes, *unequal, *undefined, *note_infinite_topics(scores), *warnings)
    return Evaluation(
        scores=scores,
        rejected=tuple(rejected),
        warnings=tuple(dict.fromkeys(messages)),
        parameters=parameters,
        results=pl.concat(results) if results else None,
        aspects=pl.concat(aspects) if aspects else None,
        alignments=pl.concat(alignments),
        answered=answered,
        unscored=tuple(unscored),
        tasks=tasks,
    )
