"""A report on disk: the page, and beside it the same as CSV, LaTeX, Parquet and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from doxel.errors import InputError, MissingExtraError
from doxel.evaluation.comparison import Comparison
from doxel.evaluation.findings import Findings
from doxel.evaluation.provenance import SourceFile
from doxel.files import atomic_write
from doxel.reports.curves import CURVE_FORMATS, write_curves
from doxel.reports.gathering import gather
from doxel.reports.latex import comparison_table, leaderboard_table
from doxel.reports.page import render
from doxel.reports.tables import csv_table

__all__ = ["WrittenReport", "write_report"]

_PICTURES = ("svg", "png", "pdf")


class WrittenReport:
    """Where a report is: its page, all its files, and what could not be written."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.files: list[Path] = []
        self.notes: list[str] = []

    def write(self, path: Path, content: str | bytes) -> None:
        """Write one more file, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        self.files.append(path)

    def write_frame(self, path: Path, frame: pl.DataFrame) -> None:
        """Write a table as CSV and as Parquet."""
        self.write(path.with_suffix(".csv"), csv_table(frame))
        with atomic_write(path.with_suffix(".parquet")) as stream:
            frame.write_parquet(stream)
        self.files.append(path.with_suffix(".parquet"))


def write_report(
    findings: Findings,
    folder: str | Path,
    *,
    title: str = "Report",
    files: Iterable[SourceFile] = (),
    topic_titles: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> WrittenReport:
    """Write the page of findings and the files beside it; what is there from an earlier time is replaced.

    ``index.html`` is made from ``report.json`` alone, and written last.
    """
    out = Path(folder)
    if out.exists() and not out.is_dir():
        raise InputError("the report", file=str(out), wanted="a folder to write to", found="a file")
    out.mkdir(parents=True, exist_ok=True)
    report = gather(findings, title=title, files=files, topic_titles=topic_titles, options=options)
    written = WrittenReport(out / "index.html")
    _tables(findings, report, out, written)
    _curves(findings, out / "curves", written)
    text = json.dumps(report, ensure_ascii=True, allow_nan=False, indent=None, separators=(",", ":"))
    written.write(out / "report.json", text + "\n")
    written.write(written.page, render(report))
    return written


def _tables(findings: Findings, report: Mapping[str, Any], out: Path, written: WrittenReport) -> None:
    written.write_frame(out / "scores", findings.evaluation.scores)
    means = findings.evaluation.means.join(
        findings.intervals, on=["run", "measure"], how="left", maintain_order="left"
    )
    written.write_frame(out / "means", means.with_columns(pl.col("low", "high").fill_null(float("nan"))))
    written.write(out / "leaderboard.tex", leaderboard_table(report))
    compared = [_described(one) for one in findings.comparisons.values() if one.baseline is not None]
    if compared:
        written.write_frame(out / "differences", pl.concat(compared))
        main = report["measures"][report["main"]]
        tables = [(name, comparison_table(report, place)) for place, name in enumerate(report["measures"])]
        found = {name: table for name, table in tables if table is not None}
        if found:
            written.write(out / "differences.tex", found.get(main) or next(iter(found.values())))
    if findings.agreement is not None:
        written.write_frame(out / "agreement", findings.agreement)
    if findings.shared is not None:
        written.write_frame(out / "overlap", _overlap(findings))


def _described(compared: Comparison) -> pl.DataFrame:
    """Return the pairs of a comparison with all that a table must say about itself."""
    said = {name.replace(" ", "_"): value for name, value in compared.settings.items() if name != "measure"}
    return compared.pairs.select(
        pl.lit(compared.measure).alias("measure"),
        pl.all(),
        *(pl.lit(value).alias(name) for name, value in said.items()),
    )


def _overlap(findings: Findings) -> pl.DataFrame:
    shared = findings.shared
    runs = findings.all_runs
    rows = [
        {
            "run": one,
            "other": other,
            "results": float(shared.results[i, j]),
            "characters": float(shared.characters[i, j]),
        }
        for i, one in enumerate(runs)
        for j, other in enumerate(runs)
        if shared is not None
    ]
    return pl.DataFrame(rows)


def _curves(findings: Findings, folder: Path, written: WrittenReport) -> None:
    """Write curves as data and pictures; without matplotlib as data only, and say so."""
    if not findings.curves:
        return
    level, seed = findings.settings.level, findings.settings.seed
    try:
        paths = write_curves(findings.points, findings.curves, folder, level=level, seed=seed)
    except MissingExtraError as error:
        written.notes.append(f"no pictures of curves beside the page: {error}")
        others = [one for one in CURVE_FORMATS if one not in _PICTURES]
        paths = write_curves(findings.points, findings.curves, folder, others, level=level, seed=seed)
    for of_curve in paths.values():
        written.files += of_curve
