"""The pictures of studies: matrices, scatter plots and curves, in the style of all pictures.

Each cell of a matrix shows its number, and its shade darkens with the value, so that a matrix can be read in
grey and without the shades; the marks of a scatter plot differ in form as well as in colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.measures.curves import curve
from doxel.reports.matplotlib_pictures import MARKERS, draw, draw_legend, fit_text, render_figure
from doxel.reports.picture_data import COLOURS, Picture, PictureLine, build_mean_picture
from doxel.spans import Floats
from doxel.studies import (
    ClaimsStudy,
    HolesStudy,
    IdealBaseStudy,
    MeasureAgreement,
    PowerStudy,
    SettingsStudy,
    StereotypeStudy,
    StructuralRelevanceStudy,
    StudyResult,
)
from doxel.wording import pluralise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Matrix", "Scatter", "StudyPicture", "build_study_pictures", "draw_study"]

_WIDTH = 3.4  # inches: a column of a paper
_CELL, _NAMES, _LEFT = 0.27, 1.45, 0.44
_LINE = 0.145
_COLUMNS = 2  # of the legend
_DARK = 0.55  # share of the scale above which numbers are white


def draw_study(picture: StudyPicture, file_format: str, *, dots: int = 200) -> bytes:
    """Return a picture as svg, png or pdf; ``dots`` is the resolution of a png, in dots per inch."""
    if isinstance(picture, Picture):
        return draw(picture, file_format, dots=dots)
    if isinstance(picture, Matrix):
        matrix = picture
        return render_figure(lambda figure: _draw_matrix(figure, matrix), file_format, dots=dots)
    scatter = picture
    return render_figure(lambda figure: _draw_scatter(figure, scatter), file_format, dots=dots)


def _draw_matrix(figure: Figure, picture: Matrix) -> None:
    """Draw a matrix, with row names at the left; columns equal to the rows are labelled with numbers."""
    same = picture.rows == picture.columns
    rows, columns = len(picture.rows), len(picture.columns)
    cell = min(_CELL, (_WIDTH - _NAMES - 0.1) / max(1, columns))
    above = 0.5 if same else 1.4
    height = above + rows * _CELL + 0.08
    figure.set_size_inches(_WIDTH, height)
    axes = figure.add_axes((_NAMES / _WIDTH, 0.08 / height, columns * cell / _WIDTH, rows * _CELL / height))
    scaled = (picture.values - picture.low) / (picture.high - picture.low)
    for row in range(rows):
        for column in range(columns):
            _draw_cell(axes, picture, row, column, float(scaled[row, column]))
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    names = [f"{number}  {name}" if same else name for number, name in enumerate(picture.rows, 1)]
    axes.set_yticks(np.arange(rows) + 0.5, [fit_text(name, _NAMES - 0.1) for name in names], size=6.5)
    labels = [str(number + 1) if same else fit_text(name, 1.1) for number, name in enumerate(picture.columns)]
    axes.set_xticks(np.arange(columns) + 0.5, labels, size=6.5, rotation=0 if same else 90)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=2)
    for spine in axes.spines.values():
        spine.set_visible(False)
    _draw_heading(figure, picture.title, picture.note, height)


def _draw_cell(axes: Axes, picture: Matrix, row: int, column: int, scaled: float) -> None:
    from matplotlib.patches import Rectangle

    value = picture.values[row, column]
    is_finite = bool(np.isfinite(value))
    shade = min(max(scaled, 0.0), 1.0) if is_finite else 0.0
    # from white to the blue of the first line, with steadily falling lightness
    blue = np.array([0x00, 0x72, 0xB2]) / 255
    colour = tuple((1 - shade) + shade * blue)
    axes.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.8))
    text = f"{value:.{picture.decimals}f}" if is_finite else "–"
    ink = "white" if shade > _DARK else "#222222"
    axes.text(column + 0.5, row + 0.52, text, ha="center", va="center", size=5.6, color=ink)


def _draw_scatter(figure: Figure, picture: Scatter) -> None:
    lines = -(-len(picture.names) // _COLUMNS)
    below = 0.42 + lines * _LINE + 0.08
    height = 0.3 + 2.1 + below
    figure.set_size_inches(_WIDTH, height)
    axes = figure.add_axes((_LEFT / _WIDTH, below / height, (_WIDTH - 0.6) / _WIDTH, 2.1 / height))
    coordinates = [picture.x, picture.y, picture.behind.ravel()]
    highest = max([0.05, *(float(np.nanmax(values)) for values in coordinates if len(values))]) * 1.06
    axes.plot([0, highest], [0, highest], color="#bbbbbb", linewidth=0.7, linestyle=(0, (4, 2)))
    if len(picture.behind):
        axes.plot(picture.behind[:, 0], picture.behind[:, 1], ".", color="#bbbbbb", markersize=2.2)
    marks = [
        axes.plot(
            [x],
            [y],
            MARKERS[number % len(MARKERS)],
            color=COLOURS[number % len(COLOURS)],
            markersize=5.5,
            markeredgecolor="white",
            markeredgewidth=0.5,
            clip_on=False,
        )[0]
        for number, (x, y) in enumerate(zip(picture.x, picture.y, strict=True))
    ]
    axes.set_xlim(0, highest)
    axes.set_ylim(0, highest)
    axes.set_xlabel(fit_text(picture.x_label, 2.7), labelpad=2)
    axes.set_ylabel(fit_text(picture.y_label, 1.9), labelpad=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2)
    if marks:
        draw_legend(
            figure, marks, [fit_text(name, 1.2) for name in picture.names], columns=_COLUMNS, sample=1.2
        )
    _draw_heading(figure, picture.title, picture.note, height)


def _draw_heading(figure: Figure, title: str, note: str, height: float) -> None:
    up = 1 - 0.15 / height
    room = 2.3 if note else 2.85
    figure.text(0.1 / _WIDTH, up, fit_text(title, room), va="baseline", weight="bold")
    figure.text(1 - 0.1 / _WIDTH, up, note, va="baseline", ha="right", size=6.5, color="#555555")


@dataclass(frozen=True)
class Matrix:
    """A matrix of numbers, darker for higher values; ``low`` and ``high`` are the ends of the scale."""

    title: str
    note: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    low: float
    high: float
    decimals: int = 2


@dataclass(frozen=True)
class Scatter:
    """A scatter plot with one mark per run, and pale dots behind for the topics."""

    title: str
    note: str
    x_label: str
    y_label: str
    names: tuple[str, ...]
    x: Floats
    y: Floats
    behind: Floats  # points x 2


StudyPicture = Picture | Matrix | Scatter


def build_study_pictures(result: StudyResult) -> dict[str, StudyPicture]:
    """Return the pictures of a study, by file name."""
    makers: tuple[tuple[type[StudyResult], Callable[[Any], dict[str, StudyPicture]]], ...] = (
        (StereotypeStudy, _build_stereotypes),
        (MeasureAgreement, _build_taus),
        (IdealBaseStudy, _build_ideal_base),
        (StructuralRelevanceStudy, _build_structural),
        (SettingsStudy, _build_settings),
        (PowerStudy, _build_power),
        (HolesStudy, _build_holes),
        (ClaimsStudy, _build_claims),
    )
    return next((make(result) for kind, make in makers if isinstance(result, kind)), {})


def _build_stereotypes(result: StereotypeStudy) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {}
    for name in result.curves:
        declaration = curve(name)
        points = result.points.curve(name)
        if points.height:
            pictures[declaration.stem] = build_mean_picture(declaration, average_curves(points), level=0.95)
    return pictures


def _build_taus(result: MeasureAgreement) -> dict[str, StudyPicture]:
    names = tuple(result.rankings["ranking"].unique(maintain_order=True))
    place = {name: number for number, name in enumerate(names)}
    values = np.eye(len(names))
    for ranking, other, tau in result.pairs.select("ranking", "other", "tau").iter_rows():
        values[place[ranking], place[other]] = tau
    note = pluralise(result.topics, "topic")
    return {"tau": Matrix("Kendall's tau", note, names, names, values, -1.0, 1.0)}


def _build_ideal_base(result: IdealBaseStudy) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {}
    bases = tuple(result.scores["base"].unique(maintain_order=True))
    for number, (key, part) in enumerate(result.scores.group_by("measure", maintain_order=True), 1):
        wide = part.pivot("base", index="run", values="rank", maintain_order=True)
        ranks = wide.select(bases).to_numpy().astype(np.float64)
        title = f"{key[0]}: the place of each run"
        # the first place is the darkest
        pictures[f"places-{number}"] = Matrix(
            title, "", tuple(wide["run"]), bases, ranks, float(len(ranks)) + 1, 1.0, 0
        )
    return pictures


def _build_structural(result: StructuralRelevanceStudy) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {
        "runs": Scatter(
            title=f"{result.one} against {result.other}",
            note=f"tau {result.tau:.2f}",
            x_label=result.other,
            y_label=result.one,
            names=tuple(result.runs["run"]),
            x=result.runs["other"].to_numpy(),
            y=result.runs["one"].to_numpy(),
            behind=result.scores.select("other", "one").to_numpy(),
        )
    }
    if result.topic is None:
        return pictures
    for name, label in (("one", result.one), ("other", result.other)):
        part = result.ranks.filter(pl.col("measure") == label)
        bare = label.rpartition("@")[0]
        lines = _build_lines(part, "run", "rank", "score")
        pictures[f"topic-{name}"] = Picture(bare, f"topic {result.topic}", "rank", bare, False, lines)
    return pictures


def _build_settings(result: SettingsStudy) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {}
    for number, (key, part) in enumerate(result.runs.group_by("measure", maintain_order=True), 1):
        pictures[f"runs-{number}"] = Scatter(
            title=str(key[0]),
            note="",
            x_label=f"A: {result.a}",
            y_label=f"B: {result.b}",
            names=tuple(part["run"]),
            x=part["a"].to_numpy(),
            y=part["b"].to_numpy(),
            behind=np.zeros((0, 2)),
        )
    return pictures


def _build_power(result: PowerStudy) -> dict[str, StudyPicture]:
    note = pluralise(max(result.power["topics"].to_list(), default=0), "topic")
    pairs = _build_lines(result.pairs, "measure", "place", "p")
    sizes = _build_lines(result.stability, "measure", "size", "swaps") if result.stability.height else ()
    curves = {
        "asl": Picture("Achieved significance", note, "pairs of runs, by p", "p", False, pairs),
        "stability": Picture("Swaps", note, "topics in each sample", "pairs that swap", False, sizes),
    }
    return {name: picture for name, picture in curves.items() if picture.lines}


def _build_holes(result: HolesStudy) -> dict[str, StudyPicture]:
    survival = result.survival.filter(pl.col("unjudged") == "nonrelevant").sort("measure", "share")
    note = f"{pluralise(result.parameters['trials'], 'trial')} per share"
    taus = _build_lines(survival.filter(pl.col("tau").is_not_nan()), "measure", "share", "tau")
    kept_shares = _build_lines(survival.filter(pl.col("kept").is_not_nan()), "measure", "share", "kept")
    label = "share of the judged documents"
    curves = {
        "tau": Picture("Rankings of runs", note, label, "tau with all judgements", False, taus),
        "kept": Picture("Significant differences", note, label, "share that is kept", False, kept_shares),
    }
    return {name: picture for name, picture in curves.items() if picture.lines}


def _build_claims(result: ClaimsStudy) -> dict[str, StudyPicture]:
    values = result.counts.drop("source").to_numpy().astype(np.float64)
    rows, columns = tuple(result.counts["source"]), tuple(result.counts.columns[1:])
    note = pluralise(result.claims.height, "claim")
    return {"counts": Matrix("Claims by source", note, rows, columns, values, 0.0, values.max(), 0)}


def _build_lines(table: pl.DataFrame, name: str, x: str, y: str) -> tuple[PictureLine, ...]:
    parts: Sequence[pl.DataFrame] = table.partition_by(name, maintain_order=True)
    return tuple(
        PictureLine(str(part[name][0]), part[x].to_numpy().astype(np.float64), part[y].to_numpy())
        for part in parts
    )
