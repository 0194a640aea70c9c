"""Writes the results of ``doxel evalj``: one text file per run and metric, and optionally its graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from doxel._version import __version__
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.evaluation.compat.evalj.evalj_configuration import Metric, MetricBlock
from doxel.evaluation.compat.evalj.evalj_runner import EvaljOutcome
from doxel.evaluation.evaluation_result import select_rows
from doxel.files import write_folder
from doxel.reports.gnuplot_pictures import render_gnuplot
from doxel.reports.output_files import add_suffix, claim_name, make_safe_name, write_content
from doxel.reports.picture_data import Picture, PictureLine
from doxel.reports.score_tables import format_tsv_lines
from doxel.wording import format_level, pluralise

__all__ = ["write_evalj_files"]

_LEVEL = 0.95


def write_evalj_files(outcome: EvaljOutcome, *, per_topic: bool, gnuplot: bool, jfree: bool) -> list[Path]:
    """Write ``RUN.METRIC.txt`` for each run and metric, and its graph as ``.dat`` and ``.gp`` or ``.png``.

    The folder changes only when all files are complete.
    """
    with write_folder(outcome.results) as out:
        paths = _write_all(outcome, out, per_topic=per_topic, gnuplot=gnuplot, jfree=jfree)
    return [outcome.results / path.relative_to(out) for path in paths]


def _write_all(
    outcome: EvaljOutcome, out: Path, *, per_topic: bool, gnuplot: bool, jfree: bool
) -> list[Path]:
    table = select_rows(outcome.scored, per_topic=per_topic)
    paths: list[Path] = []
    for run, stem in _name_runs(table):
        of_run = table.filter(pl.col("run") == run)
        for metric in outcome.plan.metrics:
            base = out / f"{stem}.{metric.file_name}"
            text = _format_text(metric, of_run, outcome)
            if text is None:
                continue
            paths.append(write_content(add_suffix(base, "txt"), text))
            picture = _build_picture(metric, run, outcome) if gnuplot or jfree else None
            if picture is not None:
                paths += _write_graph(picture, base, gnuplot=gnuplot, jfree=jfree)
    return paths


def _name_runs(table: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the runs, each with a unique name that is valid in file names."""
    stems: set[str] = set()
    for run in table["run"].unique(maintain_order=True):
        yield run, claim_name(make_safe_name(run.lstrip("."), 120) or "run", stems)


def _format_text(metric: Metric, of_run: pl.DataFrame, outcome: EvaljOutcome) -> str | None:
    """Return one block per setting, with the lines of ``doxel evaluate -f tsv``; None without scores."""
    averaged = (
        "all assessed topics" if outcome.scored.parameters.get("topics") == "assessed" else "the run's topics"
    )
    lines = [f"# {metric.name}, averages over {averaged} (doxel {__version__})", "run\ttopic\tmeasure\tscore"]
    empty = len(lines)
    for block in metric.blocks:
        names = [measure.name for measure in block.measures]
        scores = of_run.filter(pl.col("measure").is_in(names))
        if scores.height:
            lines += ["", f"# {block.label}", *format_tsv_lines(scores)]
    return "\n".join(lines) + "\n" if len(lines) > empty else None


def _build_picture(metric: Metric, run: str, outcome: EvaljOutcome) -> Picture | None:
    """Return the graph of a run, with one line per setting of the metric."""
    lines: list[PictureLine] = []
    curve = next((block.curve for block in metric.blocks if block.curve is not None), None)
    scores = outcome.drawn.scores.filter(pl.col("run") == run)
    topics = 0
    for block in metric.blocks:
        if block.curve is None:
            continue
        means = average_curves(block.curve.of(scores), level=_LEVEL)
        if means.height:
            topics = max(topics, int(means["topics"].to_numpy().max()))
            columns = (means[name].to_numpy() for name in ("x", "mean", "low", "high"))
            lines.append(PictureLine(_choose_label(metric, block, run), *columns))
    if curve is None or not lines:
        return None
    note = f"mean of {pluralise(topics, 'topic')}, {format_level(_LEVEL)} interval"
    return Picture(
        f"{run}: {metric.name}", note, curve.x_label, curve.y_label, curve.over_ranks, tuple(lines)
    )


def _choose_label(metric: Metric, block: MetricBlock, run: str) -> str:
    return block.label if len(metric.blocks) > 1 else run


def _write_graph(picture: Picture, base: Path, *, gnuplot: bool, jfree: bool) -> list[Path]:
    paths = []
    if gnuplot:
        data, script = render_gnuplot(picture, base.name)
        paths += [
            write_content(add_suffix(base, "dat"), data),
            write_content(add_suffix(base, "gp"), script),
        ]
    if jfree:
        from doxel.reports.matplotlib_pictures import draw

        paths.append(write_content(add_suffix(base, "png"), draw(picture, "png")))
    return paths
