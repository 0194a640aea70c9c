"""The data of a report: scores, curves, comparisons, agreement, overlap, documents, input files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from doxel.arguments import check_methods
from doxel.assessments import Assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.evaluation.analysis.run_comparison import Comparison, compute_mean_intervals
from doxel.evaluation.analysis.run_overlap import RunOverlap, find_run_overlap
from doxel.evaluation.analysis.run_selection import choose_drawn_runs
from doxel.evaluation.analysis.shown_documents import ShownDocument, find_differing_topics, show_documents
from doxel.evaluation.evaluation_result import Evaluation, Rejection, make_no_scores_error
from doxel.evaluation.evaluator import evaluate
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.evaluation.inputs.measure_sets import expand_sets
from doxel.evaluation.score_explanation import ScoreExplainer, ScoreExplanation
from doxel.files.named_sources import is_site_database, load_site_function
from doxel.measures import Measure
from doxel.measures.curves import Curve, curve, find_curve
from doxel.measures.measure_table import parse_measure

__all__ = [
    "Findings",
    "ReportSettings",
    "SourceFile",
    "examine_result",
    "examine_runs",
    "hash_source_files",
]

_CURVES = 2  # number of curves drawn by default
_MOST_EXPLANATIONS = 500  # in a report


@check_methods
@dataclass(frozen=True)
class ReportSettings:
    """How to compare runs and what to show of them.

    If ``baseline`` is None, the first scored run is used; if ``show`` is None, the topics in which runs
    differ most are shown.
    """

    baseline: str | None = None
    test: str = "randomisation"
    correction: str = "holm"
    level: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    curves: tuple[str, ...] = ()
    show: tuple[str, ...] | None = None
    shown_topics: int = 3  # if ``show`` is None
    shown_documents: int = 5  # per topic
    depth: int = 100  # results per topic to show and to compare with other runs
    runs: str | tuple[str, ...] = ()  # drawn in pictures: names, patterns, best:N, baseline; () for a default
    width: str = "one"  # of pictures, in columns of a paper: one or two

    def __post_init__(self) -> None:
        check_resampling(level=self.level, resamples=self.resamples, seed=self.seed)
        for name, lowest in (("shown_topics", 0), ("shown_documents", 1), ("depth", 1)):
            if getattr(self, name) < lowest:
                raise InputError(name, wanted=f"a whole number from {lowest}", found=str(getattr(self, name)))

    @property
    def of_tests(self) -> dict[str, Any]:
        """The settings of intervals and tests."""
        names = ("test", "correction", "level", "resamples", "seed")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Findings:
    """The evaluation of a report, and everything derived from it.

    ``evaluation`` has the requested measures, ``points`` the measures of the curves.
    """

    evaluation: Evaluation
    points: Evaluation
    curves: tuple[Curve, ...]
    settings: ReportSettings
    assessments: Assessments
    collection: Collection | None = None

    @cached_property
    def tasks(self) -> dict[str, Findings]:
        """The findings of each task, because runs of different tasks cannot be compared; {} for one task.

        Each task has its own baseline, curves and tests.
        """
        parts = self.evaluation.by_task()
        return {} if len(parts) < 2 else {task: self._select(part) for task, part in parts.items()}

    def _select(self, part: Evaluation) -> Findings:
        """Return the findings about some of the runs."""
        measures = _parse_names(part.scores["measure"].unique(maintain_order=True).to_list())
        own = {shape.name for shape in map(find_curve, measures) if shape is not None}
        curves = [shape for shape in self.curves if self.settings.curves or shape.name in own]
        baseline = self.settings.baseline if self.settings.baseline in part.tasks else None
        return replace(
            self,
            evaluation=part,
            points=self.points.select_runs(list(part.tasks)),
            curves=tuple(curves or self.curves) if part.scores.height else (),
            settings=replace(self.settings, baseline=baseline),
        )

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The runs that have scores, in the given order."""
        return tuple(self.evaluation.scores["run"].unique(maintain_order=True))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics that have scores, in the order of the assessments."""
        scored = set(self.evaluation.scores["topic"].unique())
        return tuple(topic for topic in self.assessments.topics if topic in scored)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the requested order."""
        return tuple(self.evaluation.scores["measure"].unique(maintain_order=True))

    @property
    def main(self) -> str:
        """The main measure: of those that most runs have, the first without a cutoff."""
        return _rank_measures(self.evaluation)[0]

    @cached_property
    def baseline(self) -> str:
        """The run to compare others with: the chosen one, else the first with a score by the main measure."""
        name = self.settings.baseline
        if name is not None and name not in self.runs:
            raise InputError("the baseline", wanted=f"one of {', '.join(self.runs)}", found=repr(name))
        if name is not None:
            return name
        scored = self.evaluation.scores.filter(pl.col("measure") == self.main)["run"]
        return str(scored[0])

    @cached_property
    def intervals(self) -> pl.DataFrame:
        """The interval of every mean: run, measure, low, high."""
        options = {name: getattr(self.settings, name) for name in ("level", "resamples", "seed")}
        return compute_mean_intervals(self.evaluation.scores, **options)

    @cached_property
    def mean_curves(self) -> dict[str, pl.DataFrame]:
        """The curves by name, averaged over topics; see ``mean_curves.average_curves``."""
        level, seed = self.settings.level, self.settings.seed
        scores = self.points.scores
        return {shape.name: average_curves(shape.of(scores), level=level, seed=seed) for shape in self.curves}

    @cached_property
    def comparisons(self) -> dict[str, Comparison]:
        """The runs compared by each measure that scores two or more, with the baseline if it is scored."""
        comparisons_by_measure: dict[str, Comparison] = {}
        for measure in self.measures:
            table = self.evaluation.scores.filter(pl.col("measure") == measure)
            scored = table.filter(pl.col("score").is_not_nan())["run"].unique().to_list()
            if len(scored) < 2:
                continue
            runs = Evaluation(table.filter(pl.col("run").is_in(scored)), answered=self.evaluation.answered)
            base = self.baseline if self.baseline in scored else None
            try:
                comparisons_by_measure[measure] = runs.compare(
                    measure, baseline=base, **self.settings.of_tests
                )
            except InputError:  # the runs have no topic in common
                continue
        return comparisons_by_measure

    @cached_property
    def agreement(self) -> pl.DataFrame | None:
        """The agreement of the measures about the ranking of runs; None for one measure or one run."""
        several = len(self.measures) > 1 and len(self.runs) > 1
        return self.evaluation.agreement() if several else None

    @cached_property
    def shared(self) -> RunOverlap | None:
        """The overlap of runs among their first results; None for one run."""
        results = self.evaluation.results
        return None if results is None or len(self.runs) < 2 else find_run_overlap(results, self.all_runs)

    @cached_property
    def all_runs(self) -> tuple[str, ...]:
        """The runs that could be read, including those that all measures reject."""
        results = self.evaluation.results
        return self.runs if results is None else tuple(results["run"].unique(maintain_order=True))

    @cached_property
    def documents(self) -> list[ShownDocument]:
        """The documents to show."""
        results, count = self.evaluation.results, self.settings.shown_documents
        if results is None or not self.shown_topics:
            return []
        return show_documents(
            results, self.assessments, self.shown_topics, collection=self.collection, count=count
        )

    @cached_property
    def shown_topics(self) -> tuple[str, ...]:
        """The topics to show in detail: the chosen ones, else those in which the runs differ most."""
        if self.settings.show is not None:
            return self.settings.show
        return tuple(find_differing_topics(self.evaluation.scores, self.main, self.settings.shown_topics))

    @cached_property
    def explanations(self) -> list[ScoreExplanation]:
        """The explanations of the scores of the shown topics, by run; of many runs by the main measure only.

        Only the runs that are shown in colour are explained: the page has a command for each other score.
        """
        explainer, topics = self.evaluation.explainer, [t for t in self.shown_topics if t in set(self.topics)]
        if explainer is None or not topics:
            return []
        most = max(1, _MOST_EXPLANATIONS // (len(self.runs) * len(topics)))
        others = [measure for measure in self.measures if measure != self.main]
        measures = [self.main, *others][:most]
        scored = set(self.evaluation.scores.select("run", "measure").unique().iter_rows())
        return [
            explainer.explain(run, topic, measure)
            for run in self.shown_runs
            for measure in measures
            if (run, measure) in scored
            for topic in topics
        ]

    @cached_property
    def shown_runs(self) -> list[str]:
        """The runs that pictures show in colour, of each task."""
        parts = list(self.tasks.values()) or [self]
        return [run for part in parts for run in part.choose_drawn_runs(elsewhere=self.runs)[0]]

    def choose_drawn_runs(self, elsewhere: Sequence[str] = ()) -> tuple[list[str], list[str]]:
        """Return the runs that pictures show in colour, and those behind them in grey.

        ``elsewhere`` are runs of other tasks, which a selection may also name.
        """
        if not self.runs:
            return [], []
        return choose_drawn_runs(
            self.evaluation,
            self.settings.runs,
            measure=self.main,
            baseline=self.baseline,
            elsewhere=elsewhere,
        )

    def find_file(self, run: str) -> str | None:
        """Return the file of a run, or None if it was not read from a file."""
        explainer = self.evaluation.explainer
        return None if explainer is None or run not in explainer.names else explainer.find_file(run)


def examine_runs(
    runs: Any,
    assessments: Any,
    measures: Sequence[str | Measure] | None = None,
    *,
    collection: Collection | None = None,
    settings: ReportSettings | None = None,
    progress: Callable[[], None] | None = None,
    **scoring: Any,
) -> Findings:
    """Score runs, with the requested curves, and return the findings for a report.

    ``scoring`` are further options of :func:`doxel.evaluate`.  Without measures, the runs are scored by the
    official sets of their tasks, and then a second time for the curves of these measures.  Scores have
    residuals unless ``residual=False``.
    """
    choices = settings or ReportSettings()
    judged = as_assessments(assessments, collection)
    options = {"residual": True, **scoring, "collection": collection, "progress": progress}
    requested = expand_sets(measures, judged.scale) if measures else None
    curves = _choose_curves(choices.curves, requested or [])
    points = [point for shape in curves for point in shape.measures]
    all_measures = None if requested is None else list(dict.fromkeys([*requested, *points]))
    evaluation = evaluate(runs, judged, all_measures, keep=choices.depth, **options)
    if not evaluation.scores.height:
        raise make_no_scores_error("nothing to report", evaluation.rejected)
    if requested is None:
        reported = evaluation
        curves = curves or _choose_curves_of_tasks(reported)
        points = [point for shape in curves for point in shape.measures]
        if points:
            plain = {"progress": None, "residual": False, "assessors": ()}
            evaluation = evaluate(runs, judged, points, **{**options, **plain})
    else:
        reported = _drop_points(
            evaluation, {str(measure) for measure in requested}, {str(point) for point in points}
        )
    return Findings(
        evaluation=reported,
        points=evaluation,
        curves=tuple(curves),
        settings=choices,
        assessments=judged,
        collection=collection,
    )


def examine_result(evaluation: Evaluation, settings: ReportSettings | None = None) -> Findings:
    """Return the findings about runs that are already scored; points of curves and results are added.

    The runs are read again, because a result keeps scores only.
    """
    choices, explainer, inputs = settings or ReportSettings(), evaluation.explainer, evaluation.inputs
    if explainer is None or inputs is None or inputs.assessments is None:
        raise InputError(
            "a report needs the runs and assessments",
            wanted="a result of doxel.evaluate, made in this process",
            found="scores alone",
        )
    if not evaluation.scores.height:
        raise make_no_scores_error("nothing to report", evaluation.rejected)
    if "residual" not in evaluation.scores.columns and evaluation.overall is None:
        evaluation = replace(evaluation, scores=_add_residuals(evaluation.scores, explainer))
    curves = _choose_curves(choices.curves, ()) or _choose_curves_of_tasks(evaluation)
    points = [point for shape in curves for point in shape.measures]
    added: list[tuple[pl.DataFrame, pl.DataFrame]] = [
        (explainer.score(run, points), explainer.list_results(run, choices.depth))
        for run in evaluation.scores["run"].unique(maintain_order=True)
    ]
    collection = inputs.collection
    return Findings(
        evaluation=replace(evaluation, results=pl.concat(results for _, results in added)),
        points=replace(evaluation, scores=pl.concat(scores for scores, _ in added)),
        curves=tuple(curves),
        settings=choices,
        assessments=inputs.assessments,
        collection=collection if collection is not None and collection.has_texts else None,
    )


def _add_residuals(scores: pl.DataFrame, explainer: ScoreExplainer) -> pl.DataFrame:
    """Return scores with the columns optimistic and residual."""
    key = ["run", "topic", "measure"]
    measures = scores.group_by("run", maintain_order=True).agg(pl.col("measure").unique(maintain_order=True))
    hopes = [explainer.score(run, names, residual=True) for run, names in measures.iter_rows()]
    return scores.join(
        pl.concat(hopes).select(*key, "optimistic", "residual"), on=key, how="left", maintain_order="left"
    )


def _choose_curves(names: Sequence[str], measures: Sequence[Measure]) -> list[Curve]:
    """Return the named curves, else the curves of the first measures that have one."""
    if names:
        shapes = [curve(name) for name in names]
    else:
        shapes = [shape for shape in map(find_curve, measures) if shape is not None]
    by_name = {shape.name: shape for shape in shapes}
    return list(by_name.values()) if names else list(by_name.values())[:_CURVES]


def _choose_curves_of_tasks(evaluation: Evaluation) -> list[Curve]:
    """Return the curves of the first measures of each task."""
    parts = evaluation.by_task().values()
    shapes = [shape for part in parts for shape in _choose_curves((), _parse_names(_rank_measures(part)))]
    return list({shape.name: shape for shape in shapes}.values())


def _parse_names(names: Sequence[str]) -> list[Measure]:
    """Return the measures with these canonical names."""
    return [parse_measure(name)[0] for name in names]


def _rank_measures(evaluation: Evaluation) -> list[str]:
    """Return the measures, those that most runs have first; among equals, those without a cutoff first."""
    scored = evaluation.scores.group_by("measure", maintain_order=True).agg(runs=pl.col("run").n_unique())
    return [
        name
        for name, _ in sorted(
            scored.iter_rows(), key=lambda row: (-row[1], parse_measure(row[0])[0].declaration.at is not None)
        )
    ]


def _drop_points(whole: Evaluation, requested: set[str], points: set[str]) -> Evaluation:
    """Return an evaluation without the measures that were computed only for curves."""
    extra = points - requested
    return replace(
        whole,
        scores=whole.scores.filter(~pl.col("measure").is_in(extra)),
        rejected=_drop_point_rejections(whole.rejected, extra),
    )


def _drop_point_rejections(rejected: Sequence[Rejection], extra: set[str]) -> tuple[Rejection, ...]:
    return tuple(rejection for rejection in rejected if rejection.measure not in extra)


@dataclass(frozen=True)
class SourceFile:
    """A file or folder: its role, its name as given, its size and its SHA-256."""

    role: str
    name: str
    bytes: int
    sha256: str


def hash_source_files(role: str, names: Iterable[str | os.PathLike[str]]) -> list[SourceFile]:
    """Return files with the hash of their bytes on disk; a folder has one hash.

    The hash of a folder covers the names and hashes of its files, in alphabetical order; that of a database
    of the assessment site covers the events in it.
    """
    return [_hash_source(role, name) for name in names]


def _hash_source(role: str, name: str | os.PathLike[str]) -> SourceFile:
    if is_site_database(name):
        label, size, digest = load_site_function("hash_site_database")(os.fspath(name))
        return SourceFile(role, label, size, digest)
    return _hash_folder(role, Path(name)) if Path(name).is_dir() else _hash_file(role, Path(name))


def _hash_file(role: str, path: Path) -> SourceFile:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return SourceFile(role, str(path), path.stat().st_size, digest)


def _hash_folder(role: str, folder: Path) -> SourceFile:
    files = [_hash_file(role, path) for path in sorted(folder.rglob("*")) if path.is_file()]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{Path(file.name).relative_to(folder).as_posix()}\0{file.sha256}\n".encode())
    return SourceFile(role, str(folder), sum(file.bytes for file in files), digest.hexdigest())
