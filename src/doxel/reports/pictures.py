"""The data of a picture of curves, for any drawing library: lines with bands, axes and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.measures.curves import Curve
from doxel.spans import Floats

__all__ = ["BANDS_UP_TO", "COLOURS", "Line", "Picture", "mean_picture", "topic_picture"]


# Okabe and Ito's colours, distinct for people with any colour vision, without the yellow that is
# invisible on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
BANDS_UP_TO = 6  # runs: more bands would hide each other and the lines


@dataclass(frozen=True)
class Line:
    """The line of a run, with an optional band around it."""

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


@dataclass(frozen=True)
class Picture:
    """A picture of a curve; ``ranks`` for a logarithmic axis of ranks."""

    title: str
    note: str
    x_label: str
    y_label: str
    ranks: bool
    lines: tuple[Line, ...]

    @property
    def has_bands(self) -> bool:
        """Whether bands are drawn."""
        return len(self.lines) <= BANDS_UP_TO and any(line.low is not None for line in self.lines)

    @property
    def right(self) -> float:
        """The right end of the x axis: 1 for recall, or the last rank at which any line changes."""
        if not self.ranks:
            return max([1.0, *(float(np.nanmax(line.x)) for line in self.lines if len(line.x))])
        return max([10.0, *(_last_move(line) for line in self.lines)])

    @property
    def top(self) -> float:
        """The upper end of the y axis: slightly above the highest value drawn."""
        inside = [
            (line.high if self.has_bands and line.high is not None else line.y)[line.x <= self.right]
            for line in self.lines
        ]
        drawn = np.concatenate(inside) if inside else np.zeros(0)
        highest = float(np.nanmax(drawn, initial=0.0)) if not np.isnan(drawn).all() else 0.0
        if highest <= 0:
            return 1.0
        return 1.02 if 0.85 <= highest <= 1.0 else highest * 1.08


def _last_move(line: Line) -> float:
    """Return the last rank at which a line changes."""
    if len(line.x) < 2:
        return 0.0
    moves = np.flatnonzero(np.abs(np.diff(line.y)) > 1e-9)
    return float(line.x[moves[-1] + 1]) if len(moves) else 0.0


def mean_picture(curve: Curve, means: pl.DataFrame, *, level: float) -> Picture:
    """Return the picture of means over topics, from the columns run, x, mean, low, high, topics."""
    lines = [
        Line(run, *(part[name].to_numpy() for name in ("x", "mean", "low", "high")))
        for run, part in _runs(means)
    ]
    counts = means["topics"].to_list()
    fewest, most = min(counts, default=0), max(counts, default=0)
    topics = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    note = f"mean of {topics} topic{'' if most == 1 else 's'}"
    if len(lines) <= BANDS_UP_TO:
        note += f", {level:.0%} interval"
    return _picture(curve, note, lines)


def topic_picture(curve: Curve, points: pl.DataFrame, topic: str) -> Picture:
    """Return the picture of one topic, from the columns run, topic, x, y."""
    selected = points.filter(pl.col("topic") == topic)
    lines = [Line(run, part["x"].to_numpy(), part["y"].to_numpy()) for run, part in _runs(selected)]
    return _picture(curve, f"topic {topic}", lines)


def _runs(table: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    parts = table.partition_by("run", as_dict=True, maintain_order=True)
    return [(str(key[0]), part) for key, part in parts.items()]


def _picture(curve: Curve, note: str, lines: Sequence[Line]) -> Picture:
    return Picture(curve.name, note, curve.x_label, curve.y_label, curve.over_ranks, tuple(lines))
