"""Draws the matrices and scatter plots of studies, in the style of all pictures.

Each cell of a matrix shows its number, and its shade darkens with the value, so that a matrix can be read in
grey and without the shades; the marks of a scatter plot differ in form as well as in colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxel.reports.pictures import COLOURS, Picture
from doxel.reports.plots import MARKERS, draw, fitted, put_legend, rendered
from doxel.reports.study_pictures import Matrix, Scatter, StudyPicture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_study"]

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
        return rendered(lambda figure: _matrix(figure, matrix), file_format, dots=dots)
    scatter = picture
    return rendered(lambda figure: _scatter(figure, scatter), file_format, dots=dots)


def _matrix(figure: Figure, picture: Matrix) -> None:
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
            _cell(axes, picture, row, column, float(scaled[row, column]))
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    names = [f"{number}  {name}" if same else name for number, name in enumerate(picture.rows, 1)]
    axes.set_yticks(np.arange(rows) + 0.5, [fitted(name, _NAMES - 0.1) for name in names], size=6.5)
    labels = [str(number + 1) if same else fitted(name, 1.1) for number, name in enumerate(picture.columns)]
    axes.set_xticks(np.arange(columns) + 0.5, labels, size=6.5, rotation=0 if same else 90)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=2)
    for spine in axes.spines.values():
        spine.set_visible(False)
    _heading(figure, picture.title, picture.note, height)


def _cell(axes: Axes, picture: Matrix, row: int, column: int, scaled: float) -> None:
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


def _scatter(figure: Figure, picture: Scatter) -> None:
    lines = -(-len(picture.names) // _COLUMNS)
    below = 0.42 + lines * _LINE + 0.08
    height = 0.3 + 2.1 + below
    figure.set_size_inches(_WIDTH, height)
    axes = figure.add_axes((_LEFT / _WIDTH, below / height, (_WIDTH - 0.6) / _WIDTH, 2.1 / height))
    drawn = [picture.x, picture.y, picture.behind.ravel()]
    highest = max([0.05, *(float(np.nanmax(values)) for values in drawn if len(values))]) * 1.06
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
    axes.set_xlabel(fitted(picture.x_label, 2.7), labelpad=2)
    axes.set_ylabel(fitted(picture.y_label, 1.9), labelpad=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2)
    if marks:
        put_legend(figure, marks, [fitted(name, 1.2) for name in picture.names], columns=_COLUMNS, sample=1.2)
    _heading(figure, picture.title, picture.note, height)


def _heading(figure: Figure, title: str, note: str, height: float) -> None:
    up = 1 - 0.15 / height
    room = 2.3 if note else 2.85
    figure.text(0.1 / _WIDTH, up, fitted(title, room), va="baseline", weight="bold")
    figure.text(1 - 0.1 / _WIDTH, up, note, va="baseline", ha="right", size=6.5, color="#555555")
