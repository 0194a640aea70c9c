"""The data of a report as one JSON object, from which the page can be made again."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from doxel._version import __version__
from doxel.checks.score_warnings import sort_by_gravity
from doxel.evaluation.analysis.findings import Findings, SourceFile
from doxel.evaluation.analysis.run_comparison import PERSISTENCE, Comparison
from doxel.evaluation.analysis.shown_documents import LONGEST, ShownDocument
from doxel.evaluation.evaluation_result import MORE_COLUMNS, Rejection
from doxel.evaluation.score_explanation import ScoreExplanation
from doxel.measures.measure_table import lower_is_better
from doxel.reports.output_files import to_plain
from doxel.statistics.multiple_comparisons import shorten_letters

__all__ = ["REPORT_FORMAT", "build_report_data", "select_task"]

REPORT_FORMAT = 2  # of the object; increased when the page can no longer be made from older ones

_EXPLAINED_RANKS = 30
_RESULT = ("rank", "start", "end", "relevant", "new", "new_relevant", "path")


def build_report_data(
    findings: Findings,
    *,
    title: str,
    files: Iterable[SourceFile] = (),
    topic_titles: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    explain_command: str | None = None,
) -> dict[str, Any]:
    """Return all data of a report as plain values; NaN and infinity become None.

    Runs, topics and measures are listed once; elsewhere they are referred to by index.  If the runs have
    several tasks, ``tasks`` has the comparisons, curves and agreement of each; otherwise it is empty.
    ``explain_command`` is the beginning of the command that explains a score of these runs.
    """
    titles = topic_titles or {}
    run_number = {run: number for number, run in enumerate(findings.all_runs)}
    return {
        "format": REPORT_FORMAT,
        "title": title,
        "runs": list(findings.all_runs),
        "topics": [{"id": topic, "title": titles.get(topic)} for topic in findings.topics],
        "measures": list(findings.measures),
        "lower": [lower_is_better(name) for name in findings.measures],
        "main": findings.measures.index(findings.main),
        "baseline": run_number[findings.baseline],
        "chosen": [run_number[run] for run in findings.shown_runs] if findings.settings.runs else None,
        "scores": _list_scores(findings),
        "means": _list_means(findings),
        **_build_comparable(None if findings.tasks else findings, findings.measures, run_number),
        "tasks": [
            {
                "name": task,
                "runs": [run_number[run] for run in part.all_runs],
                "baseline": run_number[part.baseline] if part.runs else None,
                **_build_comparable(part, findings.measures, run_number),
            }
            for task, part in findings.tasks.items()
        ],
        "overlap": _build_overlap(findings),
        "aspects": _list_aspects(findings),
        "documents": [_build_document(document, run_number, titles) for document in findings.documents],
        "explain": _explain(findings, run_number, explain_command),
        "longest": LONGEST,
        "depth": findings.settings.depth,
        "skipped": _list_rejections(findings),
        "warnings": _list_warnings(findings),
        "parameters": to_plain(
            {**findings.evaluation.parameters, **asdict(findings.settings), "baseline": findings.baseline}
        ),
        "options": to_plain(dict(options or {})),
        "files": [asdict(file) for file in files],
        "collection": _describe_collection(findings),
        "versions": {
            "doxel": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "polars": pl.__version__,
        },
    }


def select_task(report: Mapping[str, Any], task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a report for the runs of one of its tasks, by their indices in it."""
    place = {run: number for number, run in enumerate(task["runs"])}

    def renumber(comparison: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if comparison is None:
            return None
        pairs = [
            {**pair, "run": place[pair["run"]], "other": place[pair["other"]]} for pair in comparison["pairs"]
        ]
        groups = {str(place[int(run)]): letters for run, letters in comparison["groups"].items()}
        return {**comparison, "pairs": pairs, "groups": groups}

    return {
        **report,
        "task": task["name"],
        "runs": [report["runs"][run] for run in task["runs"]],
        "means": [[of_runs[run] for run in task["runs"]] for of_runs in report["means"]],
        "baseline": place.get(task["baseline"]),
        "comparisons": [renumber(comparison) for comparison in task["comparisons"]],
    }


def _build_comparable(
    findings: Findings | None, measures: Sequence[str], number: Mapping[str, int]
) -> dict[str, Any]:
    """Return the data that compare the runs of one task; empty data for None."""
    if findings is None:
        return {"comparisons": [None] * len(measures), "curves": [], "agreement": None}
    return {
        "comparisons": [_build_comparison(findings, name, number) for name in measures],
        "curves": _build_curves(findings, number),
        "agreement": _build_agreement(findings, measures),
    }


def _list_scores(findings: Findings) -> list[list[list[float | None] | None]]:
    """Return scores as measures x runs x topics, with None for runs that a measure did not score."""
    place = {topic: number for number, topic in enumerate(findings.topics)}
    scores: list[list[list[float | None] | None]] = []
    for measure in findings.measures:
        rows: dict[str, list[float | None]] = {}
        table = findings.evaluation.scores.filter(pl.col("measure") == measure)
        for run, topic, score in table.select("run", "topic", "score").iter_rows():
            rows.setdefault(run, [None] * len(place))[place[topic]] = to_plain(score)
        scores.append([rows.get(run) for run in findings.all_runs])
    return scores


def _list_means(findings: Findings) -> list[list[dict[str, Any] | None]]:
    """Return means as measures x runs, each with its interval and number of topics.

    Further figures are the residual of unjudged text and the range over assessors, if they are known.
    """
    means = findings.evaluation.means.join(
        findings.intervals, on=["run", "measure"], how="left", maintain_order="left"
    )
    by_key = {(row["run"], row["measure"]): row for row in means.iter_rows(named=True)}
    more = (name for name in MORE_COLUMNS if name in means.columns)
    names = ("score", "low", "high", "topics", "undefined", *more)
    return [
        [
            None
            if (row := by_key.get((run, measure))) is None
            else to_plain({name: row[name] for name in names})
            for run in findings.all_runs
        ]
        for measure in findings.measures
    ]


def _list_aspects(findings: Findings) -> list[dict[str, Any]]:
    """Return the aspects of the topics, with the rank at which each run shows them, None if it never does."""
    table = findings.evaluation.aspects
    if table is None:
        return []
    place = {run: number for number, run in enumerate(findings.all_runs)}
    aspects: dict[tuple[str, str | None, str], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        if row["run"] not in place:
            continue
        key = (row["topic"], row["aspect"], row["place"])
        about = {name: row[name] for name in ("topic", "aspect", "place", "weight", "vital")}
        aspect = aspects.setdefault(key, {**about, "ranks": [None] * len(place)})
        aspect["ranks"][place[row["run"]]] = row["rank"]
    return list(aspects.values())


def _build_comparison(findings: Findings, measure: str, number: Mapping[str, int]) -> dict[str, Any] | None:
    comparison: Comparison | None = findings.comparisons.get(measure)
    if comparison is None:
        return None
    pairs = comparison.pairs.to_dicts() if comparison.baseline is not None else []
    # letters come from Tukey's test: beside the p-values of another test they could contradict them
    letters = comparison.groups if comparison.test == "tukey" else []
    return {
        "settings": to_plain(comparison.settings),
        "groups": {
            str(number[run]): shorten_letters(group)
            for run, group in zip(comparison.runs, letters, strict=bool(letters))
        },
        "friedman": to_plain(comparison.friedman_or_reason[0]),
        "pairs": [
            to_plain({**pair, "run": number[pair["run"]], "other": number[pair["other"]]}) for pair in pairs
        ],
    }


def _list_warnings(findings: Findings) -> list[dict[str, Any]]:
    """Return all warnings, each once, the gravest first."""
    parts = findings.tasks.values() or [findings]
    comparisons = [comparison for part in parts for comparison in part.comparisons.values()]
    notes = [note for comparison in comparisons for note in comparison.notes]
    warnings = dict.fromkeys([*findings.evaluation.warnings, *findings.points.warnings, *notes])
    return [warning.to_dict() for warning in sort_by_gravity(list(warnings))]


def _build_curves(findings: Findings, number: Mapping[str, int]) -> list[dict[str, Any]]:
    curves = []
    for curve in findings.curves:
        means = findings.mean_curves[curve.name]
        lines = [
            {
                # the ideal ranking is not a run
                **({"run": number[run]} if run in number else {"run": -1, "name": run}),
                **{name: to_plain(part[name].to_list()) for name in ("at", "x", "mean", "low", "high")},
            }
            for (run,), part in means.partition_by("run", as_dict=True, maintain_order=True).items()
        ]
        curves.append(
            {
                "name": curve.name,
                "about": curve.about,
                "x_label": curve.x_label,
                "y_label": curve.y_label,
                "over_ranks": curve.is_logarithmic,
                "lines": lines,
            }
        )
    return curves


def _build_agreement(findings: Findings, measures: Sequence[str]) -> dict[str, Any] | None:
    """Return tau, tau_AP and RBO as measures x measures."""
    table = findings.agreement
    if table is None:
        return None
    place = {name: number for number, name in enumerate(measures)}
    size = len(place)
    matrices: dict[str, list[list[float | None]]] = {
        name: [[1.0 if row == column else None for column in range(size)] for row in range(size)]
        for name in ("tau", "tau_ap", "rbo")
    }
    for row in table.iter_rows(named=True):
        for name, matrix in matrices.items():
            matrix[place[row["measure"]]][place[row["other"]]] = to_plain(row[name])
    return {**matrices, "persistence": PERSISTENCE}


def _build_overlap(findings: Findings) -> dict[str, Any] | None:
    overlap = findings.shared
    if overlap is None:
        return None
    return {
        "results": to_plain(overlap.results.round(6)),
        "characters": to_plain(overlap.characters.round(6)),
    }


def _build_document(
    document: ShownDocument, number: Mapping[str, int], titles: Mapping[str, str]
) -> dict[str, Any]:
    results: dict[str, list[list[Any]]] = {}
    for row in document.results.sort("rank", maintain_order=True).iter_rows(named=True):
        results.setdefault(str(number[row["run"]]), []).append([row[name] for name in _RESULT])
    return {
        "topic": document.topic,
        "title": titles.get(document.topic),
        "doc": document.doc,
        "size": document.size,
        "text": document.text,
        "judged": document.judged,
        "graded": document.graded,
        "highlights": [list(span) for span in document.highlights],
        "bep": document.bep,
        "blocks": [[block.start, block.end, block.kind, block.line] for block in document.blocks],
        "columns": list(_RESULT),
        "results": results,
    }


def _explain(findings: Findings, number: Mapping[str, int], command: str | None) -> dict[str, Any]:
    """Return the explanations of the shown topics, and the command and files that explain other scores."""
    places = {measure: place for place, measure in enumerate(findings.measures)}
    return {
        "before": command,
        "files": [findings.find_file(run) for run in findings.all_runs],
        "cells": [
            {
                "run": number[explanation.run],
                "topic": explanation.topic,
                "measure": places[explanation.measure],
                **_build_explanation(explanation),
            }
            for explanation in findings.explanations
        ],
    }


def _build_explanation(explanation: ScoreExplanation) -> dict[str, Any]:
    header, rows = explanation.tabulate(_EXPLAINED_RANKS)
    return {
        "header": header,
        "rows": [
            [round(value, 6) if isinstance(value, float) else value for value in to_plain(row)]
            for row in rows
        ],
        "about": dict(explanation.explain_columns()),
        "rest": explanation.describe_rest(_EXPLAINED_RANKS),
        "ranks": explanation.frame.height,
        "formula": explanation.formula,
        "sum": explanation.sum,
        "notes": explanation.notes,
    }


def _list_rejections(findings: Findings) -> list[dict[str, Any]]:
    """Return the rejections, one row per run and reason, with the rejected measures and curves."""
    curve_of = {point.name: curve.name for curve in findings.curves for point in curve.measures}
    evaluation = findings.evaluation
    measures = set(findings.measures) | {rejection.measure for rejection in evaluation.rejected}
    skipped: dict[tuple[str, str], dict[str, None]] = {}
    rejections: Sequence[Rejection] = (*evaluation.rejected, *findings.points.rejected)
    for rejection in rejections:
        name = rejection.measure
        label = name if name in measures else f"the curve {curve_of.get(name, name)}"
        skipped.setdefault((rejection.run, rejection.reason), {})[label] = None
    return [{"run": run, "what": list(names), "reason": reason} for (run, reason), names in skipped.items()]


def _describe_collection(findings: Findings) -> dict[str, Any] | None:
    collection = findings.collection
    if collection is None:
        return None
    return {
        "name": str(collection.folder),
        "documents": len(collection),
        "fingerprint": collection.fingerprint,
    }
