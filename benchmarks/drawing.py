"""Pictures of growth: ``python -m benchmarks.drawing growth.json FOLDER``.

The cost of the command's start is subtracted, and all values are relative to the smallest size, so that
series of different sizes and costs can be compared.  A line parallel to the grey one grows in proportion.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxel.errors import DoxelError
from doxel.reports.matplotlib_pictures import MARKERS, render_figure
from doxel.reports.picture_data import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LEAST", "draw"]

LEAST = {"seconds": 1e-3, "megabytes": 10.0, "disk": 1e-3}  # what is less above the start is noise

_PANELS = {"seconds": "processor time above the start", "megabytes": "peak memory above the start"}
_WIDTH, _HEIGHT = 6.8, 3.1  # inches: the two columns of a page


def draw(points: Path, folder: Path) -> list[Path]:
    """Draw the points of a file; return the pictures, none without matplotlib."""
    series = json.loads(points.read_text("utf-8"))
    pictures = [folder / "growth.svg", folder / "growth.png"]
    try:
        for picture in pictures:
            picture.write_bytes(render_figure(lambda figure: _compose(figure, series), picture.suffix[1:]))
    except DoxelError:
        return []
    return pictures


def _compose(figure: Figure, series: dict[str, dict[str, Any]]) -> None:
    figure.set_size_inches(_WIDTH, _HEIGHT)
    below, above = 0.95 / _HEIGHT, 0.3 / _HEIGHT
    for number, (quantity, title) in enumerate(_PANELS.items()):
        box = (0.07 + 0.5 * number, below, 0.41, 1 - below - above)
        axes = figure.add_axes(box)
        _panel(axes, series, quantity)
        axes.set_title(title, loc="left", weight="bold", size=7.5, pad=5)
    figure.legend(
        handles=axes.get_lines()[1:],
        loc="lower left",
        bbox_to_anchor=(0.06, 0.01),
        ncols=3,
        frameon=False,
        handlelength=2.6,
        columnspacing=1.6,
        labelspacing=0.45,
    )


def _panel(axes: Axes, series: dict[str, dict[str, Any]], quantity: str) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    most = max(len(line["points"]) for line in series.values())
    steps = [2.0**step for step in range(most)]
    axes.plot(steps, steps, color="#c4c4c4", linewidth=3, solid_capstyle="round")
    for number, (name, growth) in enumerate(series.items()):
        size, cost = (np.array([point[key] for point in growth["points"]]) for key in ("size", quantity))
        cost = np.maximum(cost - growth["start"][quantity], LEAST[quantity])
        axes.plot(
            size / size[0],
            cost / cost[0],
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            markerfacecolor="white",
            linewidth=1.2,
            label=name.replace(", ", ": "),
        )
    for axis, scale in ((axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)):
        scale("log", base=2)
        axis.set_major_locator(FixedLocator(steps))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}×"))
    axes.set_ylim(2**-0.35, steps[-1] * 1.15)
    axes.set_xlabel("size, against the smallest", labelpad=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(length=2.5, pad=2)


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]), Path(sys.argv[2])):
        print(path)
