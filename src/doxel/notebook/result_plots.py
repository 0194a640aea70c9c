"""Pictures of an evaluation for a notebook: curves, budget curves, and differences topic by topic."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from doxel.arguments import check_arguments
from doxel.errors import InputError, MeasureError
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.evaluation.analysis.run_comparison import compute_mean_intervals
from doxel.evaluation.analysis.run_selection import choose_drawn_runs, choose_runs, rank_runs
from doxel.evaluation.evaluation_result import Evaluation
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.files.outputs import write_atomically
from doxel.measures import Measure
from doxel.measures.curves import CURVES, Curve, curve, find_curve
from doxel.measures.measure_table import parse_measure
from doxel.notebook.topic_differences import RunDifference, find_differences
from doxel.reports.matplotlib_pictures import (
    PICTURE_FORMATS,
    WIDTHS,
    check_width,
    draw,
    draw_means,
    fit_text,
    render_figure,
)
from doxel.reports.picture_data import (
    COLOURS,
    MeanPicture,
    MeanRow,
    Picture,
    PictureLine,
    build_mean_picture,
    select_lines,
)
from doxel.wording import format_level, pluralise, quote_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BUDGETS", "ResultPicture", "plot_result"]

BUDGETS = (250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000)
"""The numbers of characters of a budget curve; a fifth of them for words and tokens."""
_NOUNS = {"chars": "characters", "words": "words", "tokens": "tokens"}

_BETTER, _WORSE = COLOURS[0], COLOURS[1]
_NAMED_TOPICS = 40  # more names would overlap


@dataclass(frozen=True)
class ResultPicture:
    """A picture that notebooks show; ``save`` writes it as PNG, SVG or PDF.

    ``render`` returns the bytes of a format.
    """

    title: str
    render: Callable[[str], bytes]

    @cached_property
    def _png(self) -> bytes:
        return self.render("png")

    def __repr__(self) -> str:
        return f"<picture: {self.title}; save it with .save('picture.svg')>"

    def _repr_png_(self) -> bytes:
        return self._png

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture; its format is the suffix of the file."""
        file_format = Path(path).suffix.removeprefix(".").lower()
        if file_format not in PICTURE_FORMATS:
            wanted = " or ".join(f".{name}" for name in PICTURE_FORMATS)
            raise InputError("a picture", file=os.fspath(path), wanted=f"a name that ends in {wanted}")
        content = self.render(file_format)
        with write_atomically(path) as stream:
            stream.write(content)


@check_arguments
def plot_result(
    evaluation: Evaluation,
    kind: str | None = None,
    *,
    measure: str | None = None,
    runs: str | Sequence[str] | None = None,
    baseline: str | None = None,
    budgets: Sequence[int] | None = None,
    unit: str = "chars",
    level: float = 0.95,
    width: str = "one",
) -> ResultPicture:
    """Return a picture of an evaluation.

    Parameters
    ----------
    evaluation
        The scores of the runs.
    kind
        ``"means"`` (the mean of each run with its interval), ``"topics"`` (the difference of two ``runs``
        topic by topic), ``"budget"`` (the mean of a measure such as char_rec when only that much text is
        read), or the name of a curve, such as ``char_rec/budget(fit="skip")``; the default is the curve of
        the first measure that has one.  Scores that a curve needs are computed now.
    measure
        The measure of the picture, and the one by which runs are the best; by default the first.
    runs
        Names of runs, patterns such as ``"bm25*"``, ``"best:5"`` and ``"baseline"``.  By default all; of more
        than eight lines, the best seven and the baseline are coloured and the others grey.
    baseline
        The run that ``"baseline"`` means; by default the first.
    budgets
        The budgets of a budget curve, in the ``unit``.
    unit
        What a budget counts: ``"chars"``, ``"words"`` or ``"tokens"``.
    level
        Confidence level of the intervals.
    width
        For ``"one"`` or ``"two"`` columns of a paper: 3.4 or 7 inches.
    """
    check_width(width)
    check_resampling(level=level)
    names = evaluation.scores["run"].unique(maintain_order=True).to_list()
    if baseline is not None and baseline not in names:
        raise InputError("the baseline", wanted=f"one of {', '.join(names)}", found=repr(baseline))
    if kind == "topics":
        return _plot_topics(evaluation, measure, runs, width)
    ranking = measure if measure in evaluation.scores["measure"] else None
    if kind == "means":
        return _plot_means(evaluation, measure, runs, baseline=baseline, level=level, width=width)
    shape = None if kind == "budget" else _choose_curve(evaluation, kind or measure)
    visible_runs, behind = choose_drawn_runs(evaluation, runs, measure=ranking, baseline=baseline)
    selection = evaluation.select_runs([*visible_runs, *behind])
    if shape is None:
        everything = _build_budget_picture(selection, measure or "char_rec", budgets, unit, level)
        picture = select_lines(everything, visible_runs, behind, level=level)
    else:
        means = average_curves(shape.of(_complete_scores(selection, shape.measures)), level=level)
        picture = build_mean_picture(shape, means, level=level, runs=visible_runs, others=behind)
    return ResultPicture(picture.title, lambda file_format: draw(picture, file_format, width=width))


def _choose_curve(evaluation: Evaluation, name: str | None) -> Curve:
    if name is not None:
        try:
            return (find_curve(parse_measure(name)[0]) if "@" in name else None) or curve(name)
        except MeasureError:
            curve_names = ", ".join(shape.name for shape in CURVES)
            wanted = f'"means", "budget", "topics", or a curve: {curve_names}, or a measure with a cutoff'
            raise InputError("a picture", wanted=wanted, found=quote_value(name)) from None
    measures = [
        parse_measure(measure)[0] for measure in evaluation.scores["measure"].unique(maintain_order=True)
    ]
    shapes = [shape for shape in map(find_curve, measures) if shape is not None]
    if not shapes:
        wanted = 'the name of a curve, "means", "topics" or "budget"'
        raise InputError("a picture", wanted=wanted, found="no curve")
    return shapes[0]


def _plot_means(
    evaluation: Evaluation,
    measure: str | None,
    runs: str | Sequence[str] | None,
    *,
    baseline: str | None,
    level: float,
    width: str,
) -> ResultPicture:
    """Return the picture of the means by a measure, the best run first."""
    measures = evaluation.scores["measure"].unique(maintain_order=True).to_list()
    name = measures[0] if measure is None else measure
    if name not in measures:
        raise InputError("a picture of means", wanted=f"one of {', '.join(measures)}", found=repr(name))
    visible_runs = choose_runs(evaluation, runs, measure=name, baseline=baseline) if runs else None
    means = evaluation.means.filter(measure=name)
    intervals = compute_mean_intervals(evaluation.scores.filter(measure=name), level=level)
    table = means.join(intervals, on=["run", "measure"], how="left", maintain_order="left")
    rows = {row["run"]: row for row in table.iter_rows(named=True)}
    ranked_runs = [run for run in rank_runs(evaluation, name) if visible_runs is None or run in visible_runs]
    topics = max((count for count in means["topics"] if count is not None), default=0)
    picture = MeanPicture(
        title=name,
        note=f"mean of {pluralise(topics, 'topic')}, {format_level(level)} interval",
        rows=tuple(
            MeanRow(run, *(rows[run][column] for column in ("score", "low", "high"))) for run in ranked_runs
        ),
        baseline=None if baseline is None else rows[baseline]["score"],
    )
    return ResultPicture(name, lambda file_format: draw_means(picture, file_format, width=width))


def _build_budget_picture(
    evaluation: Evaluation, name: str, budgets: Sequence[int] | None, unit: str, level: float
) -> Picture:
    base = parse_measure(name)[0]
    if unit not in _NOUNS:
        raise InputError("the unit of a budget", wanted=" or ".join(_NOUNS), found=repr(unit))
    unit_parameter = "chars" if unit == "chars" else "budget"
    if unit_parameter not in base.declaration.parameters:
        raise InputError(
            "a budget curve", wanted=f"a measure with the parameter {unit_parameter}", found=name
        )
    if budgets is None:
        budgets = BUDGETS if unit == "chars" else [budget // 5 for budget in BUDGETS]
    by_budget = {
        (base(chars=budget) if unit == "chars" else base(budget=budget, unit=unit)).name: float(budget)
        for budget in sorted({int(budget) for budget in budgets})
    }
    scores = _complete_scores(evaluation, [parse_measure(measure)[0] for measure in by_budget])
    numbers = pl.DataFrame({"measure": list(by_budget), "at": list(by_budget.values())})
    points = scores.join(numbers, on="measure", maintain_order="left").select(
        "run", "topic", pl.lit(base.name).alias("curve"), x="at", y="score", at="at"
    )
    means = average_curves(points, level=level)
    lines = [
        PictureLine(str(run), *(part[column].to_numpy() for column in ("x", "mean", "low", "high")))
        for (run,), part in means.partition_by("run", as_dict=True, maintain_order=True).items()
    ]
    title = f"{base.name} within a budget"
    return Picture(title, "mean over topics", f"{_NOUNS[unit]} read", base.name, False, tuple(lines))


def _complete_scores(evaluation: Evaluation, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the scores of all runs by the given measures; those that were not evaluated are computed."""
    names = [measure.name for measure in measures]
    scores = evaluation.scores.filter(pl.col("measure").is_in(names))
    if scores["measure"].n_unique() == len(set(names)):
        return scores
    if evaluation.explainer is None:
        raise InputError(
            "a picture of measures that were not evaluated",
            wanted="a result of doxel.evaluate, made in this process, or these measures in the saved result",
            found="scores alone",
        )
    runs = evaluation.scores["run"].unique(maintain_order=True)
    return pl.concat([evaluation.explainer.score(run, measures) for run in runs])


def _plot_topics(
    evaluation: Evaluation, measure: str | None, runs: str | Sequence[str] | None, width: str
) -> ResultPicture:
    chosen_runs = evaluation.scores["run"].unique(maintain_order=True).head(2).to_list()
    if runs is not None:
        known_runs = set(evaluation.scores["run"])
        # two names keep their order: the second is shown against the first
        are_names = not isinstance(runs, str) and known_runs.issuperset(runs)
        chosen_runs = list(runs) if are_names else choose_runs(evaluation, runs, measure=measure)
    if len(chosen_runs) != 2:
        raise InputError("differences topic by topic", wanted="two runs", found=f"{len(chosen_runs)}")
    difference = find_differences(evaluation, *chosen_runs, measure=measure, count=0)
    if not difference.table.height:
        raise InputError(
            "differences topic by topic", wanted="topics with a score in both runs", found="none"
        )
    title = f"{difference.measure}: {difference.other} against {difference.run}"
    return ResultPicture(
        title,
        partial(render_figure, lambda figure: _compose_topics(figure, difference, title, WIDTHS[width])),
    )


def _compose_topics(figure: Figure, difference: RunDifference, title: str, least: float) -> None:
    """Draw one bar per topic, the largest gain first."""
    table = difference.table.sort("gain", descending=True, maintain_order=True)
    gains, places = table["gain"].to_numpy(), np.arange(table.height)
    width = min(WIDTHS["two"], max(least, 0.16 * table.height + 0.8))
    figure.set_size_inches(width, 2.8)
    axes = figure.add_axes((0.5 / width, 0.24, 1 - 0.62 / width, 0.58))
    axes.bar(places, gains, color=[_BETTER if gain > 0 else _WORSE for gain in gains], width=0.8)
    axes.axhline(0, color="#222222", linewidth=0.6)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.set_ylabel("gain", labelpad=3)
    axes.set_xlim(-0.6, table.height - 0.4)
    if table.height <= _NAMED_TOPICS:
        axes.set_xticks(places, [fit_text(topic, 0.6) for topic in table["topic"]], rotation=90, size=6)
    else:
        axes.set_xticks([])
    axes.set_xlabel("topics", labelpad=3)
    axes.tick_params(length=2)
    counts = f"{difference.gained.height} better, {difference.lost.height} worse"
    figure.text(0.5 / width, 0.93, fit_text(title, (width - 0.7) / 1.14), weight="bold")
    figure.text(0.5 / width, 0.87, counts, size=6.5, color="#555555")
