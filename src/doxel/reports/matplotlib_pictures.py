"""Pictures of curves and means drawn with matplotlib: PNG, SVG and PDF, for one or two columns of a paper.

Lines differ in colour, dash and marker, so that they are distinct in grey too.  Up to six lines in one column
are named in a legend below the axes; more lines, and those of a picture for two columns, have their names at
their right ends.  The same picture gives the same bytes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from doxel.errors import InputError, MissingExtraError
from doxel.measures.curves import BUDGETS
from doxel.reports.picture_data import COLOURS, MeanPicture, Picture, PictureLine
from doxel.spans import Floats
from doxel.wording import put_on_one_line, quote_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath

__all__ = [
    "MARKERS",
    "PICTURE_FORMATS",
    "WIDTHS",
    "check_width",
    "draw",
    "draw_legend",
    "draw_means",
    "fit_text",
    "names_at_ends",
    "place_names",
    "render_figure",
    "spread_labels",
]

PICTURE_FORMATS = ("svg", "png", "pdf")
WIDTHS = {"one": 3.4, "two": 7.0}
"""The width of a picture for one column and for two columns of a paper, in inches."""

_WIDTH, _HEIGHT = WIDTHS["one"], 2.5  # inches: the width of a column, and the height without the legend
_LEGEND_UP_TO = 6  # lines that a legend names; more have their names at their ends
_AXES_HEIGHT = {"one": _HEIGHT - 0.7, "two": 2.9}  # inches
_LABEL = {"one": 0.95, "two": 1.9}  # inches: the longest name at the end of a line
_LABEL_LINE, _SAMPLE, _LEADER = 0.125, 0.2, 0.14  # inches: the height of a name; the widths before it
_LINE = 0.145  # inches: the height of a line of the legend
_NAME_OF_TWO, _NAME_OF_ONE = 0.98, 2.45  # inches: the width of a name in a legend of two columns and of one
_MARGIN, _BOLD = 0.65, 1.14  # inches: the picture without the heading; the factor for bold letters
_HEADING_LINE, _MOST_LINES = 0.15, 4  # inches: the height of a line of the heading; the most lines of a title
_DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))
MARKERS = "osD^vPX<>"
_INK, _PALE, _GREY = "#222222", "#d9d9d9", "#bdbdbd"
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


def draw(picture: Picture, file_format: str, *, dots: int = 200, width: str = "one") -> bytes:
    """Return a picture as svg, png or pdf, for one or two columns.

    ``dots`` is the resolution of a png, in dots per inch.
    """
    check_width(width)
    return render_figure(lambda figure: _compose(figure, picture, width), file_format, dots=dots)


def draw_means(picture: MeanPicture, file_format: str, *, dots: int = 200, width: str = "one") -> bytes:
    """Return a picture of means with intervals, as :func:`draw` does."""
    check_width(width)
    return render_figure(lambda figure: _compose_means(figure, picture, width), file_format, dots=dots)


def check_width(width: object) -> None:
    """Raise an error if a width is not the name of one."""
    if width not in WIDTHS:
        wanted = " or ".join(f'"{name}"' for name in WIDTHS)
        raise InputError("the width of a picture", wanted=f"{wanted} (columns)", found=quote_value(width))


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
        stream = io.BytesIO()
        figure.savefig(stream, format=file_format, dpi=dots, metadata=_METADATA[file_format])
    return stream.getvalue()


def _compose(figure: Figure, picture: Picture, width: str) -> None:
    """Draw the axes, and the names of the lines below them or at their ends."""
    if names_at_ends(picture, width):
        _compose_with_labels(figure, picture, width)
    else:
        _compose_with_legend(figure, picture)


def _compose_with_legend(figure: Figure, picture: Picture) -> None:
    """Draw the axes and the legend below them; the height depends on the number of runs."""
    columns = 2 if all(_measure_width(line.name) <= _NAME_OF_TWO for line in picture.lines) else 1
    rows = -(-len(picture.lines) // columns)
    below = 0.42 + rows * _LINE + 0.06
    axes = _place_axes(figure, picture, (_WIDTH, _HEIGHT - 0.7), below=below, right=0.16)
    lines = _draw_lines(axes, picture)
    _draw_axes(axes, picture)
    names = [fit_text(line.name, _NAME_OF_ONE) for line in picture.lines]
    draw_legend(figure, lines, names, columns=columns, sample=3.2)


def _place_axes(
    figure: Figure,
    picture: Picture | MeanPicture,
    size: tuple[float, float],
    *,
    below: float,
    right: float,
    left: float = 0.44,
) -> Axes:
    """Write the heading and return the axes below it.

    ``size`` is the width of the picture and the height of the axes; the others are margins, all in inches.
    """
    width, axes_height = size
    heading = _break_heading(picture.title, picture.note, width - _MARGIN)
    above = 0.1 + _HEADING_LINE * len(heading)
    height = above + axes_height + below
    figure.set_size_inches(width, height)
    for number, (title, note) in enumerate(heading):
        up = 1 - (0.15 + _HEADING_LINE * number) / height
        figure.text(0.44 / width, up, title, va="baseline", weight="bold")
        figure.text(1 - 0.16 / width, up, note, va="baseline", ha="right", size=6.5, color="#555555")
    return figure.add_axes(
        (left / width, below / height, (width - left - right) / width, axes_height / height)
    )


def _compose_with_labels(figure: Figure, picture: Picture, width: str) -> None:
    """Draw the axes with the name of each line at its right end; many names make the picture higher."""
    names = [fit_text(line.name, _LABEL[width]) for line in picture.lines]
    widest = max(map(_measure_width, names), default=0.0)
    axes_height = max(_AXES_HEIGHT[width], _LABEL_LINE * len(names))
    right = _LEADER + _SAMPLE + 0.1 + widest
    axes = _place_axes(figure, picture, (WIDTHS[width], axes_height), below=0.42, right=right)
    marks = _draw_lines(axes, picture)
    _draw_axes(axes, picture)
    ends = [_find_end(axes, line, picture) for line in picture.lines]
    distance = _LABEL_LINE / axes_height
    places = place_names(picture, [y for _, y in ends], distance)
    inch = 1 / (WIDTHS[width] - 0.44 - right)  # in units of the axes
    for (x, y), place, mark, name in zip(ends, places, marks, names, strict=True):
        start = 1 + _LEADER * inch
        corners = ([x, 1.0, start], [y, y, place]) if x < 1 else ([1.0, start], [y, place])
        axes.plot(*corners, transform=axes.transAxes, color=_PALE, linewidth=0.5, clip_on=False, zorder=0.5)
        axes.plot(
            [start, start + _SAMPLE * inch / 2, start + _SAMPLE * inch],
            [place] * 3,
            transform=axes.transAxes,
            color=mark.get_color(),
            linestyle=mark.get_linestyle(),
            linewidth=1.2,
            marker=mark.get_marker(),
            markersize=3.2,
            markeredgewidth=0.6,
            markerfacecolor="white",
            markevery=[1],
            clip_on=False,
        )
        left = start + (_SAMPLE + 0.04) * inch
        axes.text(left, place, name, transform=axes.transAxes, va="center_baseline", clip_on=False)


def _find_end(axes: Axes, line: PictureLine, picture: Picture) -> tuple[float, float]:
    """Return the right end of a line as shares of the axes."""
    is_drawn = np.isfinite(line.x) & np.isfinite(line.y) & (line.x <= picture.right)
    if not is_drawn.any():
        return 1.0, 0.0
    last = int(np.flatnonzero(is_drawn)[-1])
    point = axes.transData.transform((line.x[last], line.y[last]))
    x, y = axes.transAxes.inverted().transform(point)
    return min(float(x), 1.0), min(float(y), 1.0)


def names_at_ends(picture: Picture, width: str) -> bool:
    """Return whether lines are named at their ends, not in a legend."""
    return width != "one" or len(picture.lines) > _LEGEND_UP_TO


def place_names(picture: Picture, ends: Sequence[float], distance: float) -> Floats:
    """Return the heights of the names, given those at which the lines end, all as shares of the axes.

    Lines that end together are named in the order of their means: the better one first.
    """
    heights = [_average_height(line, picture) for line in picture.lines]
    wanted = [round(end / distance) + 0.5 * mean for end, mean in zip(ends, heights, strict=True)]
    return spread_labels(np.array(wanted) * distance, distance)


def _average_height(line: PictureLine, picture: Picture) -> float:
    """Return the mean of a line as a share of the axes, between 0 and 1."""
    is_drawn = np.isfinite(line.y) & (line.x <= picture.right)
    return min(float(line.y[is_drawn].mean()) / picture.top, 1.0) if is_drawn.any() else 0.0


def spread_labels(places: Floats, distance: float) -> Floats:
    """Return places of labels between 0 and 1, at least ``distance`` apart, that move as little as possible.

    The order of the labels stays; if they do not fit, they divide the axis.

    >>> spread_labels(np.array([0.5, 0.5, 0.9]), 0.25).round(9).tolist()
    [0.375, 0.625, 0.875]
    """
    count = len(places)
    if not count:
        return places
    distance = min(distance, 1 / count)
    order = np.argsort(places, kind="stable")
    targets = places[order] - distance * np.arange(count)
    blocks: list[list[float]] = []  # sum and size: neighbours that would overlap share their mean
    for value in targets:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
            total, size = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += size
    means = np.concatenate([np.full(int(size), total / size) for total, size in blocks])
    inside = np.clip(means, distance / 2, 1 - distance / 2 - distance * (count - 1))
    spread = np.empty(count)
    spread[order] = inside + distance * np.arange(count)
    return spread


def _compose_means(figure: Figure, picture: MeanPicture, width: str) -> None:
    """Draw one row per run, the first on top: its name, its mean and its interval."""
    names = [fit_text(row.name, _LABEL[width] + 0.25) for row in picture.rows]
    left = 0.2 + max(map(_measure_width, names), default=0.3)
    marks = [fit_text(row.mark, 0.6) for row in picture.rows]
    right = 0.16 + max(map(_measure_width, marks), default=0.0)
    axes_height = 0.16 * len(names) + 0.1
    axes = _place_axes(
        figure, picture, (WIDTHS[width], axes_height), below=0.3, right=right, left=max(left, 0.44)
    )
    places = np.arange(len(names))[::-1]
    if picture.baseline is not None:
        axes.axvline(picture.baseline, color=_GREY, linewidth=0.7, linestyle=(0, (4, 2)))
    for place, row, mark in zip(places, picture.rows, marks, strict=True):
        if np.isfinite([row.low, row.high]).all():
            axes.plot([row.low, row.high], [place, place], color=COLOURS[0], linewidth=1.1)
        axes.plot([row.mean], [place], "o", color=COLOURS[0], markersize=3.2)
        axes.text(
            1.02, place, mark, transform=axes.get_yaxis_transform(), va="center_baseline", clip_on=False
        )
    axes.set_yticks(places, names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color=_PALE, linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2)
    axes.tick_params(axis="y", length=0)


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


def _break_heading(title: str, note: str, room: float) -> list[tuple[str, str]]:
    """Return the lines above the axes, left and right: the title, and the note where it fits."""
    lines = [""]
    for part in re.split(r"(?<=,) ", " ".join(title.split())):
        longer = f"{lines[-1]} {part}".strip()
        if lines[-1] and _measure_width(longer) * _BOLD > room:
            lines.append(part)
        else:
            lines[-1] = longer
    heading = [(fit_text(line, room / _BOLD), "") for line in lines[:_MOST_LINES]]
    note = fit_text(note, room)
    if _measure_width(heading[-1][0]) * _BOLD + _measure_width(note) <= room:
        return [*heading[:-1], (heading[-1][0], note)]
    return [*heading, ("", note)]


def _draw_lines(axes: Axes, picture: Picture) -> list[Line2D]:
    """Draw the lines of a picture, and return those that have names."""
    for line in picture.others:
        axes.plot(line.x, line.y, color=_GREY, linewidth=0.6, zorder=1)
    lines: list[Line2D] = []
    for number, line in enumerate(picture.lines):
        colour = COLOURS[number % len(COLOURS)]
        if picture.has_bands and line.low is not None and line.high is not None:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.13, linewidth=0)
        is_finite = np.isfinite(line.x) & np.isfinite(line.y)
        lines += axes.plot(
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
    return lines


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
    axes.set_xlim(first, picture.right)
    ticks = [tick for tick in (0, 1, 2, 5, *BUDGETS) if first <= tick <= picture.right]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(
        # budgets in full would touch each other
        FuncFormatter(
            lambda value, _: f"{value / 1000:g}k" if first > 1 and value >= 1000 else f"{value:.0f}"
        )
    )
    axes.xaxis.set_minor_formatter(NullFormatter())


def fit_text(text: str, inches: float) -> str:
    """Return a text on one line, shortened to fit a width."""
    plain = put_on_one_line(text)
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
    plain = "".join(letter for letter in put_on_one_line(name) if letter.isprintable() and letter != "\u2800")
    if not plain:  # matplotlib cannot outline letters without ink, such as a zero-width space
        return 0.0
    return float(_select_last_outlines(TextPath((0, 0), plain, prop=font)).get_extents().x1) / 72


def _select_last_outlines(text: TextPath) -> Path:
    """Return the outlines that may reach the right edge of a text: the extents of all take far longer."""
    from matplotlib.path import Path

    codes, points = np.asarray(text.codes), np.asarray(text.vertices)
    start = np.flatnonzero(codes == Path.MOVETO)
    # a curve does not leave the hull of its points, so the others end before the last of the first points
    is_last = np.maximum.reduceat(points[:, 0], start) >= points[start, 0].max()
    is_selected = np.repeat(is_last, np.diff(start, append=len(points)))
    return Path(points[is_selected], codes[is_selected])
