"""Run a plan: load its data, score the runs, and return the scores for each metric."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from doxel.assessments import Assessments, read_assessments
from doxel.checks.score_warnings import ScoreWarning
from doxel.documents import Collection, read_collection
from doxel.documents.ingestion import ingest
from doxel.documents.manifest import MANIFEST_FILE
from doxel.errors import InputError
from doxel.evaluation.compat.evalj.evalj_configuration import Metric, Plan
from doxel.evaluation.compat.evalj.evalj_recall_base import (
    ExpandedBase,
    check_assessments,
    check_collection,
    check_sources,
    expand_recall_base,
    read_expanded,
    write_expanded,
)
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection
from doxel.evaluation.evaluator import evaluate
from doxel.measures import Measure
from doxel.runs import Run, read_run
from doxel.runs.run import name_runs
from doxel.wording import join_words, pluralise

__all__ = ["EvaljOutcome", "run_plan"]


@dataclass(frozen=True)
class EvaljOutcome:
    """The result of a plan: ``scored`` has the reported measures, ``drawn`` also the points of graphs."""

    plan: Plan
    scored: Evaluation
    drawn: Evaluation
    results: Path


def run_plan(
    plan: Plan,
    *,
    runs: Sequence[str] = (),
    assessments: Sequence[str] = (),
    collection: str | None = None,
    results: str | None = None,
    all_topics: bool = False,
    graphs: bool = False,
    progress: Callable[[], None] | None = None,
) -> EvaljOutcome:
    """Score the runs of a plan, or ``runs`` instead.

    ``all_topics`` scores topics without results 0 (EvalJ's ``-e``); ``graphs`` also evaluates the points of
    curves.  The full recall base named in the plan is read if the file exists and written otherwise.
    """
    files = list(runs) or _list_run_files(plan)
    out = results or plan.results
    if out is None:
        raise _make_missing_error(plan, "a folder for the results", "RESULTS_DIR", "-o DIR")
    judged_files = list(assessments) or ([plan.assessments] if plan.assessments else [])
    if not judged_files:
        raise _make_missing_error(plan, "assessments", "ASSESSMENTS_DIR", "-a ASSESSMENTS")
    judged = read_assessments(judged_files[0] if len(judged_files) == 1 else judged_files)
    plan = plan.on_scale(judged.scale)
    notes: list[str] = []
    with _open_data(plan, judged, collection or plan.collection, notes) as (data, documents):
        common: dict[str, Any] = {
            "collection": documents,
            "topics": "assessed" if all_topics else "run",
            "on_error": "skip" if len(files) > 1 else "raise",
            "on_mismatch": "score",  # as EvalJ does
            "progress": progress,
        }
        evaluation = _evaluate(plan, files, data, notes, common, graphs=graphs)
    remarks = [ScoreWarning(note, "S114") for note in notes]
    evaluation = replace(evaluation, warnings=(*remarks, *evaluation.warnings))
    return EvaljOutcome(plan, _drop_points(evaluation, plan.metrics), evaluation, Path(out))


def _make_missing_error(plan: Plan, label: str, key: str, option: str) -> InputError:
    return InputError(
        f"the configuration does not name {label}",
        file=plan.file,
        wanted=f"{option}, or {key} in a property file",
    )


def _list_run_files(plan: Plan) -> list[str]:
    """Return the files of SUBMISSIONRUNS_DIR: a folder, a file, or a pattern that ends with a star."""
    if plan.runs is None:
        raise _make_missing_error(plan, "runs", "SUBMISSIONRUNS_DIR", "RUN...")
    source = Path(plan.runs)
    if plan.runs.endswith("*"):
        prefix = "" if plan.runs.endswith("/*") else source.name.removesuffix("*")
        paths = [path for path in _list_visible(source.parent) if path.name.startswith(prefix)]
    else:
        paths = _list_visible(source) if source.is_dir() else [source]
    files = sorted(str(path) for path in paths if path.is_file())
    if not files:
        raise InputError("SUBMISSIONRUNS_DIR", file=plan.file, wanted="runs", found=f"none in {plan.runs}")
    return files


def _list_visible(folder: Path) -> list[Path]:
    """Return the files in a folder that are not hidden."""
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


@contextlib.contextmanager
def _open_data(
    plan: Plan, judged: Assessments, collection: str | None, notes: list[str]
) -> Iterator[tuple[Assessments, Collection | None]]:
    """Yield the assessments and documents to score with, from the cached recall base if one is named."""
    if plan.expanded is None:
        with _open_documents(collection, notes) as documents:
            yield judged, documents
        return
    if Path(plan.expanded).exists():
        base = read_expanded(plan.expanded)
        check_assessments(base, judged, plan.expanded)
        resolved = replace(base.assessments, notes=judged.notes)
        yield resolved, _check_documents(base, collection, plan.expanded, notes)
        return
    with _open_documents(collection, notes) as documents:
        base = expand_recall_base(judged, documents)
        Path(plan.expanded).parent.mkdir(parents=True, exist_ok=True)
        write_expanded(base, plan.expanded)
        notes.append(f"the full recall base was written to {plan.expanded}")
        yield base.assessments, documents


def _check_documents(
    base: ExpandedBase, collection: str | None, path: str, notes: list[str]
) -> Collection | None:
    """Return the documents to use with a cached recall base: the collection, or those of the base."""
    notes.append(f"the full recall base was read from {path}")
    if collection is not None and (Path(collection) / MANIFEST_FILE).is_file():
        documents = read_collection(collection)
        check_collection(base, documents, path)
        return documents
    if collection is not None:
        check_sources(base, Path(collection), path)
    if base.documents is not None:
        notes.append(
            "results in documents that were not judged gain nothing; their positions were not checked"
        )
    return base.documents


@contextlib.contextmanager
def _open_documents(path: str | None, notes: list[str]) -> Iterator[Collection | None]:
    """Open a collection, or build a temporary one from a folder of sources."""
    if path is None:
        yield None
    elif (Path(path) / MANIFEST_FILE).is_file():
        yield read_collection(path)
    else:
        with tempfile.TemporaryDirectory(prefix="doxel-evalj-") as folder:
            report = ingest(path, Path(folder) / "sources.doxel")
            subject = pluralise(report.documents, "document was", "documents were")
            notes.append(f"{path}: {subject} read into a temporary collection")
            notes.extend(str(error) for error in report.refused)
            yield read_collection(Path(folder) / "sources.doxel")


def _evaluate(
    plan: Plan,
    files: Sequence[str],
    judged: Assessments,
    notes: list[str],
    common: Mapping[str, Any],
    *,
    graphs: bool,
) -> Evaluation:
    """Evaluate each run by the metrics for its task."""
    if not any(metric.only for metric in plan.metrics):
        return evaluate(list(files), judged, _list_measures(plan.metrics, graphs=graphs), **common)
    runs, unreadable = _read_runs(files, skip=common["on_error"] == "skip")
    pieces = [Evaluation(SCORES.empty(), unreadable)]
    groups = _group_by_metrics(plan, runs, notes)
    if runs and not groups:
        tasks = dict.fromkeys(metric.only for metric in plan.metrics if metric.only)
        declared = dict.fromkeys(run.task for run in runs.values() if run.task)
        raise InputError(
            "no run is of the configured task",
            file=plan.file,
            wanted=f"runs of {join_words(list(tasks))}, or runs that declare no task",
            found=f"runs of {join_words(list(declared))}",
        )
    for metrics, group in groups:
        measures = _list_measures(metrics, graphs=graphs)
        pieces.append(evaluate(group, judged, measures, **common))
    return Evaluation(
        scores=pl.concat([piece.scores for piece in pieces]),
        rejected=tuple(rejection for piece in pieces for rejection in piece.rejected),
        warnings=tuple(dict.fromkeys(warning for piece in pieces for warning in piece.warnings)),
        parameters=pieces[-1].parameters,
    )


def _list_measures(metrics: Sequence[Metric], *, graphs: bool) -> list[Measure]:
    reported = [measure for metric in metrics for measure in metric.measures]
    if not graphs:
        return reported
    blocks = [block for metric in metrics for block in metric.blocks if block.curve is not None]
    return [*reported, *(point for block in blocks if block.curve for point in block.curve.measures)]


def _read_runs(files: Sequence[str], *, skip: bool) -> tuple[dict[str, Run], tuple[Rejection, ...]]:
    runs: list[Run] = []
    unreadable: list[Rejection] = []
    for file in files:
        try:
            runs.append(read_run(file))
        except InputError as error:
            if not skip:
                raise
            unreadable.append(Rejection(os.fspath(file), "all", str(error)))
    return dict(zip(name_runs([(run.id, run.file) for run in runs]), runs, strict=True)), tuple(unreadable)


def _group_by_metrics(
    plan: Plan, runs: Mapping[str, Run], notes: list[str]
) -> list[tuple[tuple[Metric, ...], dict[str, Run]]]:
    """Group runs by the metrics that apply to them; all metrics apply to a run that declares no task."""
    groups: dict[tuple[str, ...], dict[str, Run]] = {}
    for name, run in runs.items():
        names = tuple(
            metric.name for metric in plan.metrics if run.task is None or metric.only in {None, run.task}
        )
        if len(names) < len(plan.metrics):
            omitted = pluralise(len(plan.metrics) - len(names), "metric")
            notes.append(f"{name}: {omitted} left out because the run's task is {run.task}")
        if names:
            groups.setdefault(names, {})[name] = run
    return [
        (tuple(metric for metric in plan.metrics if metric.name in names), group)
        for names, group in groups.items()
    ]


def _drop_points(drawn: Evaluation, metrics: Sequence[Metric]) -> Evaluation:
    """Return the evaluation without the points of graphs."""
    reported = {measure.name for metric in metrics for measure in metric.measures}
    return replace(
        drawn,
        scores=drawn.scores.filter(pl.col("measure").is_in(list(reported))),
        rejected=tuple(rejection for rejection in drawn.rejected if rejection.measure in reported | {"all"}),
    )
