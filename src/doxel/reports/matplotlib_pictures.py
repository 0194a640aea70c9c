"""Pictures of curves drawn with matplotlib: PNG, SVG and PDF, sized for a column of a paper.

Lines differ in colour, dash and marker, so that they are distinct in grey too; the legend is below the axes
and covers nothing.  The same picture gives the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from doxel.errors import InputError, MissingExtraError
from doxel.reports.picture_data import COLOURS, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["MARKERS", "PICTURE_FORMATS", "draw", "draw_legend", "fit_text", "render_figure"]

PICTURE_FORMATS = ("svg", "png", "pdf")
_WIDTH, _HEIGHT = 3.4, 2.5  # inches: the width of a column, and the height without the legend
_LINE = 0.145  # inches: the height of a line of the legend
_NAME_OF_TWO, _NAME_OF_ONE = 0.98, 2.45  # inches: the width of a name in a legend of two columns and of one
_HEADING, _BOLD = 2.75, 1.14  # inches: the width of the heading; the factor for bold letters
_HEADING_LINE, _MOST_LINES = 0.15, 4  # inches: the height of a line of the heading; the most lines of a title
_DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))
MARKERS = "osD^vPX<>"
_INK, _PALE = "#222222", "#d9d9d9"
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.linewidth": 0.6,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "text.color": _INK,
    "text.parse_math": False,  # a run's name may contain a dollar sign
    "text.usetex": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "doxel",
    "pdf.fonttype": 42,  # publishers reject type 3 fonts
    "path.simplify": True,
}
# without dates and versions, so that the bytes are the same on every day and machine
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "doxel"},
    "png": {"Software": "doxel"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "doxel", "Producer": "doxel"},
}


def draw(picture: Picture, file_format: str, *, dots: int = 200) -> bytes:
    """Return a picture as svg, png or pdf; ``dots`` is the resolution of a png, in dots per inch."""
    return render_figure(lambda figure: _compose(figure, picture), file_format, dots=dots)


def render_figure(compose: Callable[[Figure], None], file_format: str, *, dots: int = 200) -> bytes:
    """Return the figure that ``compose`` draws, in the style of all pictures, as bytes."""
    if file_format not in PICTURE_FORMATS:
        raise InputError("picture format", wanted=" or ".join(PICTURE_FORMATS), found=repr(file_format))
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("drawing curves", "plots") from error
    with mpl.rc_context():
        mpl.rcdefaults()  # ignore the settings of the user
        mpl.rcParams.update(_STYLE)
        figure = Figure()
        FigureCanvasAgg(figure)
        compose(figure)
        written = io.BytesIO()
        figure.savefig(written, format=file_format, dpi=dots, metadata=_METADATA[file_format])
    return written.getvalue()


def _compose(figure: Figure, picture: Picture) -> None:
    """Draw the axes and the legend below them; the height depends on the number of runs."""
    columns = 2 if all(_measure_width(line.name) <= _NAME_OF_TWO for line in picture.lines) else 1
    rows = -(-len(picture.lines) // columns)
    below = 0.42 + rows * _LINE + 0.06
    heading = _break_heading(picture)
    above = 0.1 + _HEADING_LINE * len(heading)
    height = above + (_HEIGHT - 0.7) + below
    figure.set_size_inches(_WIDTH, height)
    axes = figure.add_axes(
        (0.44 / _WIDTH, below / height, (_WIDTH - 0.60) / _WIDTH, (_HEIGHT - 0.7) / height)
    )
    _draw_lines(axes, picture)
    _draw_axes(axes, picture)
    for number, (title, note) in enumerate(heading):
        up = 1 - (0.15 + _HEADING_LINE * number) / height
        figure.text(0.44 / _WIDTH, up, title, va="baseline", weight="bold")
        figure.text(1 - 0.16 / _WIDTH, up, note, va="baseline", ha="right", size=6.5, color="#555555")
    names = [fit_text(line.name, _NAME_OF_ONE) for line in picture.lines]
    draw_legend(figure, axes.get_lines(), names, columns=columns, sample=3.2)


def draw_legend(
    figure: Figure, marks: Sequence[Line2D], names: Sequence[str], *, columns: int, sample: float
) -> None:
    """Draw the legend below the axes; ``sample`` is the width of each line sample, in letters."""
    legend = figure.legend(
        handles=marks,
        labels=["run"] * len(marks),
        loc="lower left",
        bbox_to_anchor=(0.38 / _WIDTH, 0.02),
        ncols=columns,
        frameon=False,
        handlelength=sample,
        columnspacing=1.4,
        labelspacing=0.35,
        borderpad=0.0,
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)  # set afterwards, because legends skip names that begin with _


def _break_heading(picture: Picture) -> list[tuple[str, str]]:
    """Return the lines above the axes, left and right: the title, and the note where it fits."""
    lines = [""]
    for part in re.split(r"(?<=,) ", " ".join(picture.title.split())):
        longer = f"{lines[-1]} {part}".strip()
        if lines[-1] and _measure_width(longer) * _BOLD > _HEADING:
            lines.append(part)
        else:
            lines[-1] = longer
    heading = [(fit_text(line, _HEADING / _BOLD), "") for line in lines[:_MOST_LINES]]
    note = fit_text(picture.note, _HEADING)
    if _measure_width(heading[-1][0]) * _BOLD + _measure_width(note) <= _HEADING:
        return [*heading[:-1], (heading[-1][0], note)]
    return [*heading, ("", note)]


def _draw_lines(axes: Axes, picture: Picture) -> None:
    for number, line in enumerate(picture.lines):
        colour = COLOURS[number % len(COLOURS)]
        if picture.has_bands and line.low is not None and line.high is not None:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.13, linewidth=0)
        is_finite = np.isfinite(line.x) & np.isfinite(line.y)
        axes.plot(
            line.x[is_finite],
            line.y[is_finite],
            color=colour,
            linestyle=_DASHES[number % len(_DASHES)],
            linewidth=1.2,
            marker=MARKERS[number % len(MARKERS)],
            markersize=3.2,
            markeredgewidth=0.6,
            markerfacecolor="white",
            # the marks of different lines are shifted, or they would hide each other
            markevery=(0.03 + 0.035 * (number % 5), 0.22) if is_finite.any() else None,
            clip_on=True,
        )


def _draw_axes(axes: Axes, picture: Picture) -> None:
    if picture.ranks:
        _draw_rank_axis(axes, picture)
    else:
        axes.set_xlim(0, picture.right)
    axes.set_ylim(0, picture.top)
    axes.set_xlabel(picture.x_label, labelpad=2)
    axes.set_ylabel(picture.y_label, labelpad=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_PALE, linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2)
    axes.tick_params(which="minor", length=1.5)


def _draw_rank_axis(axes: Axes, picture: Picture) -> None:
    """Make the x axis logarithmic, as most changes are at the first ranks; it may start at rank 0."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    first = min((float(np.min(line.x)) for line in picture.lines if len(line.x)), default=1.0)
    if first < 1:
        axes.set_xscale("symlog", linthresh=1, linscale=0.4)
    else:
        axes.set_xscale("log")
    axes.set_xlim(min(first, 1.0), picture.right)
    ticks = [tick for tick in (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if first <= tick <= picture.right]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def fit_text(text: str, inches: float) -> str:
    """Return a text on one line, shortened to fit a width."""
    plain = " ".join(text.split())
    if _measure_width(plain) <= inches:
        return plain
    while plain and _measure_width(plain + "…") > inches:
        plain = plain[: len(plain) * 19 // 20]
    return plain + "…"


@lru_cache(maxsize=4096)  # the same names are measured for every format and curve
def _measure_width(name: str) -> float:
    """Return the width of a text in the font of the legend, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family=_STYLE["font.family"], size=_STYLE["font.size"])
    plain = " ".join(name.split())
    return float(TextPath((0, 0), plain, prop=font).get_extents().x1) / 72 if plain else 0.0
