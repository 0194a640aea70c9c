"""Writes the results of ``doxel evalj``: one text file per run and metric, and optionally its graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from doxel._version import __version__
from doxel.evaluation.evalj.plan import Block, Metric
from doxel.evaluation.evalj.running import Outcome
from doxel.evaluation.mean_curves import mean_curves
from doxel.reports.files import free_name, safe_name, suffixed, write_content
from doxel.reports.gnuplot import gnuplot_files
from doxel.reports.pictures import Line, Picture
from doxel.reports.tables import rows, tsv_lines
from doxel.wording import pluralise

__all__ = ["write_evalj"]

_LEVEL = 0.95


def write_evalj(outcome: Outcome, *, per_topic: bool, gnuplot: bool, jfree: bool) -> list[Path]:
    """Write ``RUN.METRIC.txt`` for each run and metric, and its graph as ``.dat`` and ``.gp`` or ``.png``."""
    outcome.results.mkdir(parents=True, exist_ok=True)
    table = rows(outcome.scored, per_topic=per_topic)
    written: list[Path] = []
    for run, stem in _stems(table):
        of_run = table.filter(pl.col("run") == run)
        for metric in outcome.plan.metrics:
            base = outcome.results / f"{stem}.{metric.file_name}"
            text = _text(metric, of_run, outcome)
            if text is None:
                continue
            written.append(write_content(suffixed(base, "txt"), text))
            picture = _picture(metric, run, outcome) if gnuplot or jfree else None
            if picture is not None:
                written += _graph(picture, base, gnuplot=gnuplot, jfree=jfree)
    return written


def _stems(table: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the runs, each with a unique name that is valid in file names."""
    taken: set[str] = set()
    for run in table["run"].unique(maintain_order=True):
        yield run, free_name(safe_name(run.lstrip("."), 120) or "run", taken)


def _text(metric: Metric, of_run: pl.DataFrame, outcome: Outcome) -> str | None:
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
            lines += ["", f"# {block.label}", *tsv_lines(scores)]
    return "\n".join(lines) + "\n" if len(lines) > empty else None


def _picture(metric: Metric, run: str, outcome: Outcome) -> Picture | None:
    """Return the graph of a run, with one line per setting of the metric."""
    lines: list[Line] = []
    drawn = next((block.curve for block in metric.blocks if block.curve is not None), None)
    scores = outcome.drawn.scores.filter(pl.col("run") == run)
    topics = 0
    for block in metric.blocks:
        if block.curve is None:
            continue
        means = mean_curves(block.curve.of(scores), level=_LEVEL)
        if means.height:
            topics = max(topics, int(means["topics"].to_numpy().max()))
            columns = (means[name].to_numpy() for name in ("x", "mean", "low", "high"))
            lines.append(Line(_label(metric, block, run), *columns))
    if drawn is None or not lines:
        return None
    note = f"mean of {pluralise(topics, 'topic')}, {_LEVEL:.0%} interval"
    return Picture(
        f"{run}: {metric.name}", note, drawn.x_label, drawn.y_label, drawn.over_ranks, tuple(lines)
    )


def _label(metric: Metric, block: Block, run: str) -> str:
    return block.label if len(metric.blocks) > 1 else run


def _graph(picture: Picture, base: Path, *, gnuplot: bool, jfree: bool) -> list[Path]:
    written = []
    if gnuplot:
        data, script = gnuplot_files(picture, base.name)
        written += [write_content(suffixed(base, "dat"), data), write_content(suffixed(base, "gp"), script)]
    if jfree:
        from doxel.reports.plots import draw

        written.append(write_content(suffixed(base, "png"), draw(picture, "png")))
    return written
