"""Pictures of curves for gnuplot: a ``.dat`` file with the numbers and a ``.gp`` script that draws them.

``gnuplot epgr.gp`` writes ``epgr.gnuplot.svg``; ``gnuplot -e "out='epgr.png'" epgr.gp`` writes another file,
in the format of its suffix (svg, png or pdf).
"""

from __future__ import annotations

import numpy as np

from doxel.reports.matplotlib_pictures import names_at_ends, place_names
from doxel.reports.picture_data import COLOURS, Picture, PictureLine
from doxel.wording import put_on_one_line

__all__ = ["render_gnuplot"]

_SCALES = {"one": 1.0, "two": 7 / 3.4}  # the width of a picture, in columns of a paper
_DASHES = (1, 2, 3, 4)
_POINTS = (6, 4, 12, 8, 10, 5, 7, 13, 9)
_LONGEST_NAME = {"one": 18, "two": 40}  # characters of a name at the end of a line
_LABEL_LINE, _AROUND = 17, 90  # points: the height of such a name; above and below the axes
_SCRIPT = """\
# {title}: {note}
if (!exists("out")) out = {out}
kind = out[strlen(out)-2:]
if (kind eq "png") {{
  set terminal pngcairo size {pixels_wide},{pixels} fontscale 1.6 linewidth 2
}} else {{
  if (kind eq "pdf") {{
    set terminal pdfcairo size {inches_wide}in,{inches}in fontscale 0.45 linewidth 1.5
  }} else {{
    set terminal svg size {wide},{points} font "sans,11"
  }}
}}
set encoding utf8
set output out
set datafile missing "nan"
set title {heading} noenhanced
set xlabel {x_label} noenhanced offset 0,0.5
set ylabel {y_label} noenhanced
set border 3 lc rgb "#222222"
set tics nomirror
set grid ytics lt 1 lw 0.5 lc rgb "#d9d9d9"
{names}
{axis}
set yrange [0:{top}]
set style fill transparent solid 0.13 noborder
plot {plots}
"""


def render_gnuplot(picture: Picture, stem: str, *, width: str = "one") -> tuple[str, str]:
    """Return the content of ``stem.dat`` and ``stem.gp``, for one or two columns of a paper.

    The data have one block per run, in the order of the legend, with the columns x, mean, low, high,
    or x and y for a single topic; the blocks of runs that are drawn in grey come last.  Many lines, and
    those of a picture for two columns, are named at their ends instead of in a legend.
    """
    return _format_data(picture), _format_script(picture, stem, width)


def _format_data(picture: Picture) -> str:
    blocks = []
    for line in (*picture.lines, *picture.others):
        columns = [line.x, line.y]
        names = ["x", "y"]
        if line.low is not None and line.high is not None:
            columns += [line.low, line.high]
            names = ["x", "mean", "low", "high"]
        rows = [" ".join(repr(value) for value in row) for row in np.column_stack(columns).tolist()]
        blocks.append("\n".join([f"# {put_on_one_line(line.name)}", f"# {' '.join(names)}", *rows]))
    heading = f"# {put_on_one_line(picture.title)}: {put_on_one_line(picture.note)}\n"
    return heading + "\n\n\n".join(blocks) + "\n"  # two empty lines end a block


def _format_script(picture: Picture, stem: str, width: str) -> str:
    scale = _SCALES[width]
    height = round(320 * scale**0.5)
    if names_at_ends(picture, width):
        height = max(height, _LABEL_LINE * len(picture.lines) + _AROUND)
        names = "\n".join(_label_ends(picture, height, _LONGEST_NAME[width]))
    else:
        height += 18 * -(-len(picture.lines) // 2)
        names = "set key below left Left reverse noenhanced maxcols 2 height 1.5"
    return _SCRIPT.format(
        title=put_on_one_line(picture.title),
        note=put_on_one_line(picture.note),
        out=_quote(f"{stem}.gnuplot.svg"),
        names=names,
        wide=round(510 * scale),
        pixels_wide=round(1020 * scale),
        inches_wide=f"{3.4 * scale:g}",
        pixels=2 * height,
        points=height,
        inches=f"{height / 150:.2f}",
        heading=_quote(f"{picture.title}: {picture.note}"),
        x_label=_quote(picture.x_label),
        y_label=_quote(picture.y_label),
        axis=_format_axis(picture),
        top=repr(picture.top),
        plots=", \\\n  ".join(_list_plots(picture, stem)) or "0 notitle",
    )


def _label_ends(picture: Picture, height: int, longest: int) -> list[str]:
    """Return the commands that write the name of each line beside its right end, with a sample point."""
    names = [
        line.name if len(line.name) <= longest else f"{line.name[: longest - 1]}…" for line in picture.lines
    ]
    commands = ["set key off", f"set rmargin {max(map(len, names), default=0) + 5}"]
    ends = [_find_end(line, picture) for line in picture.lines]
    shares = [min(y / picture.top, 1.0) for _, y in ends]
    places = place_names(picture, shares, _LABEL_LINE / (height - _AROUND))
    for number, ((x, y), place, name) in enumerate(zip(ends, places.tolist(), names, strict=True)):
        colour, point = _quote(_get_colour(number)), _POINTS[number % len(_POINTS)]
        commands += [
            (
                f"set arrow from first {x!r},first {y!r} to graph 1.02,graph {place:.4f} nohead back lw 0.5 "
                'lc rgb "#bdbdbd"'
            ),
            (
                f"set label {_quote(name)} at graph 1.03,graph {place:.4f} left noenhanced tc rgb {colour} "
                f"point lc rgb {colour} pt {point} ps 0.7 offset 1,0"
            ),
        ]
    return commands


def _find_end(line: PictureLine, picture: Picture) -> tuple[float, float]:
    """Return the last point of a line that is drawn."""
    is_drawn = np.isfinite(line.x) & np.isfinite(line.y) & (line.x <= picture.right)
    rows = np.flatnonzero(is_drawn)
    return (float(line.x[rows[-1]]), float(line.y[rows[-1]])) if len(rows) else (picture.right, 0.0)


def _format_axis(picture: Picture) -> str:
    if not picture.ranks:
        return f"set xrange [0:{picture.right!r}]"
    first = min((float(np.min(line.x)) for line in picture.lines if len(line.x)), default=1.0)
    # a logarithmic axis cannot show rank 0
    left_end = 1.0 if first < 1 else first
    return f"set logscale x\nset xrange [{left_end!r}:{picture.right!r}]"


def _list_plots(picture: Picture, stem: str) -> list[str]:
    data = _quote(f"{stem}.dat")
    blocks = list(enumerate(picture.lines))
    bands = [
        f"{data} index {number} using 1:3:4 with filledcurves lc rgb {_quote(_get_colour(number))} notitle"
        for number, line in blocks
        if picture.has_bands and line.low is not None
    ]
    first = len(picture.lines)
    behind = [
        f'{data} index {first + number} using 1:2 with lines dt 1 lw 0.7 lc rgb "#bdbdbd" notitle'
        for number in range(len(picture.others))
    ]
    return behind + bands + [_format_line(data, number, line) for number, line in blocks]


def _format_line(data: str, number: int, line: PictureLine) -> str:
    every = max(1, len(line.x) // 8)
    return (
        f"{data} index {number} using 1:2 with linespoints dt {_DASHES[number % len(_DASHES)]} "
        f"lw 1.5 lc rgb {_quote(_get_colour(number))} pt {_POINTS[number % len(_POINTS)]} ps 0.7 "
        f"pi {every} title {_quote(line.name)}"
    )


def _get_colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _quote(text: str) -> str:
    """Return a string literal for gnuplot: in single quotes nothing is expanded or run.

    >>> _quote("Ann's `run`")
    "'Ann''s `run`'"
    """
    return "'" + put_on_one_line(text).replace("'", "''") + "'"
