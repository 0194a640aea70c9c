"""Writes a report to a folder: the page, and its data as CSV, LaTeX, Parquet and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from doxel.errors import MissingExtraError
from doxel.evaluation.analysis.findings import (
    Findings,
    ReportSettings,
    SourceFile,
    examine_result,
    hash_source_files,
)
from doxel.evaluation.analysis.run_overlap import RunOverlap
from doxel.evaluation.evaluation_result import Evaluation
from doxel.files import write_folder
from doxel.reports.curve_files import CURVE_FORMATS, write_mean_curves
from doxel.reports.matplotlib_pictures import PICTURE_FORMATS, check_width
from doxel.reports.output_files import make_safe_name, write_content, write_frame
from doxel.reports.report_data import build_report_data, select_task
from doxel.reports.report_page import render_report
from doxel.reports.score_tables import format_comparison, format_leaderboard

__all__ = ["WrittenReport", "report_result", "write_report"]

_PAGE = "index.html"


class WrittenReport:
    """The files of a report: its page, all files, and notes about files that could not be written."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.files: list[Path] = []
        self.notes: list[str] = []


def write_report(
    findings: Findings,
    folder: str | Path,
    *,
    title: str = "Report",
    files: Iterable[SourceFile] = (),
    topic_titles: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    explain_command: str | None = None,
) -> WrittenReport:
    """Write the page of a report and its data files; files of an earlier report are replaced.

    The folder appears, or changes, only when all files are complete.  ``index.html`` is made from
    ``report.json`` alone.
    """
    check_width(findings.settings.width)
    report = build_report_data(
        findings,
        title=title,
        files=files,
        topic_titles=topic_titles,
        options=options,
        explain_command=explain_command,
    )
    report_files = WrittenReport(Path(folder) / _PAGE)
    with write_folder(folder, last=_PAGE) as out:
        report_files.files += _write_tables(findings, report, out)
        for task, part in findings.tasks.items():
            runs = part.choose_drawn_runs(elsewhere=findings.runs)
            _write_curves(part, out / "curves" / make_safe_name(task), runs, report_files)
        if not findings.tasks:
            _write_curves(findings, out / "curves", findings.choose_drawn_runs(), report_files)
        text = json.dumps(report, ensure_ascii=True, allow_nan=False, indent=None, separators=(",", ":"))
        report_files.files += [
            write_content(out / "report.json", text + "\n"),
            write_content(out / _PAGE, render_report(report)),
        ]
        report_files.files = [Path(folder) / path.relative_to(out) for path in report_files.files]
    return report_files


def report_result(
    evaluation: Evaluation,
    folder: str | Path,
    *,
    title: str = "Report",
    show: Sequence[str] | None = None,
    **settings: Any,
) -> Path:
    """Write the report of runs that are already scored; return its page.

    ``show`` are the topics whose documents are shown; ``settings`` are further fields of
    ``ReportSettings``: baseline, test, correction, level, curves, depth ...
    """
    report_settings = ReportSettings(show=None if show is None else tuple(show), **settings)
    findings = examine_result(evaluation, report_settings)
    runs = [file for run in findings.runs if (file := findings.find_file(run)) is not None]
    return write_report(
        findings,
        folder,
        title=title,
        files=hash_source_files("run", runs),
        topic_titles=None if evaluation.inputs is None else evaluation.inputs.topic_texts,
    ).page


def _write_tables(findings: Findings, report: Mapping[str, Any], out: Path) -> list[Path]:
    """Write the tables of the page as files."""
    paths = write_frame(out / "scores", findings.evaluation.scores)
    means = findings.evaluation.means.join(
        findings.intervals, on=["run", "measure"], how="left", maintain_order="left"
    )
    paths += write_frame(out / "means", means.with_columns(pl.col("low", "high").fill_null(float("nan"))))
    parts = list(findings.tasks.values()) or [findings]
    reports = [select_task(report, task) for task in report["tasks"]] or [dict(report)]
    boards = [_add_heading(format_leaderboard(part), part) for part in reports]
    paths.append(write_content(out / "leaderboard.tex", "\n".join(boards)))
    comparisons = [
        comparison.full_table
        for part in parts
        for comparison in part.comparisons.values()
        if comparison.baseline is not None
    ]
    if comparisons:
        paths += write_frame(out / "differences", pl.concat(comparisons))
        tables = [_add_heading(table, part) for part in reports if (table := _format_main_comparison(part))]
        if tables:
            paths.append(write_content(out / "differences.tex", "\n".join(tables)))
    agreements = [
        part.agreement if not findings.tasks else part.agreement.insert_column(0, pl.lit(task).alias("task"))
        for task, part in zip(findings.tasks or [""], parts, strict=True)
        if part.agreement is not None
    ]
    if agreements:
        paths += write_frame(out / "agreement", pl.concat(agreements))
    if findings.shared is not None:
        paths += write_frame(out / "overlap", _build_overlap_table(findings.shared))
    return paths


def _add_heading(table: str, report: Mapping[str, Any]) -> str:
    """Return a LaTeX table, with the task of its runs in a comment if there are several tasks."""
    return f"% {report['task']}\n{table}" if "task" in report else table


def _format_main_comparison(report: Mapping[str, Any]) -> str | None:
    """Return the table of tests by the main measure, or by the first measure that has one."""
    tables = [format_comparison(report, place) for place in range(len(report["measures"]))]
    return tables[report["main"]] or next((table for table in tables if table is not None), None)


def _build_overlap_table(shared: RunOverlap) -> pl.DataFrame:
    count = len(shared.runs)
    return pl.DataFrame(
        {
            "run": [run for run in shared.runs for _ in range(count)],
            "other": [*shared.runs] * count,
            "results": shared.results.ravel(),
            "characters": shared.characters.ravel(),
        }
    )


def _write_curves(
    findings: Findings, folder: Path, runs: tuple[list[str], list[str]], report_files: WrittenReport
) -> None:
    """Write curves as data and pictures; without matplotlib write only data and add a note."""
    if not findings.curves:
        return
    curves, means, settings = findings.curves, findings.mean_curves, findings.settings
    options: dict[str, Any] = {
        "level": settings.level,
        "runs": runs[0],
        "others": runs[1],
        "width": settings.width,
    }
    try:
        paths = write_mean_curves(curves, means, folder, **options)
    except MissingExtraError as error:
        report_files.notes.append(f"the pictures of curves were not written: {error}")
        others = [name for name in CURVE_FORMATS if name not in PICTURE_FORMATS]
        paths = write_mean_curves(curves, means, folder, others, **options)
    for of_curve in paths.values():
        report_files.files += of_curve
