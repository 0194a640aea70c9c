"""The data of a picture of curves, for any drawing library: lines with bands, axes and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from doxel.chunking import ChunkComparison
from doxel.measures.curves import Curve
from doxel.spans import Floats
from doxel.wording import pluralise

__all__ = [
    "BANDS_UP_TO",
    "COLOURS",
    "Picture",
    "PictureLine",
    "build_chunk_picture",
    "build_mean_picture",
    "build_topic_picture",
]

# Okabe and Ito's colours, distinct for people with any colour vision, without the yellow that is
# invisible on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
BANDS_UP_TO = 6  # runs: more bands would hide each other and the lines


@dataclass(frozen=True)
class PictureLine:
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
    lines: tuple[PictureLine, ...]

    @property
    def has_bands(self) -> bool:
        """Whether bands are drawn."""
        return len(self.lines) <= BANDS_UP_TO and any(line.low is not None for line in self.lines)

    @property
    def right(self) -> float:
        """The right end of the x axis: 1 for recall, or the last rank at which any line changes."""
        if not self.ranks:
            return max([1.0, *(float(np.nanmax(line.x)) for line in self.lines if len(line.x))])
        return max([10.0, *(_find_last_change(line) for line in self.lines)])

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


def _find_last_change(line: PictureLine) -> float:
    """Return the last rank at which a line changes."""
    if len(line.x) < 2:
        return 0.0
    moves = np.flatnonzero(np.abs(np.diff(line.y)) > 1e-9)
    return float(line.x[moves[-1] + 1]) if len(moves) else 0.0


def build_mean_picture(curve: Curve, means: pl.DataFrame, *, level: float) -> Picture:
    """Return the picture of means over topics, from the columns run, x, mean, low, high, topics."""
    lines = [
        PictureLine(run, *(part[name].to_numpy() for name in ("x", "mean", "low", "high")))
        for run, part in _split_runs(means)
    ]
    counts = means["topics"].to_list()
    fewest, most = min(counts, default=0), max(counts, default=0)
    topics = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    note = f"mean of {topics} topic{'' if most == 1 else 's'}"
    if len(lines) <= BANDS_UP_TO:
        note += f", {level:.0%} interval"
    return _build_picture(curve, note, lines)


def build_topic_picture(curve: Curve, points: pl.DataFrame, topic: str) -> Picture:
    """Return the picture of one topic, from the columns run, topic, x, y."""
    selected = points.filter(pl.col("topic") == topic)
    lines = [
        PictureLine(run, part["x"].to_numpy(), part["y"].to_numpy()) for run, part in _split_runs(selected)
    ]
    return _build_picture(curve, f"topic {topic}", lines)


def _split_runs(table: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    parts = table.partition_by("run", as_dict=True, maintain_order=True)
    return [(str(key[0]), part) for key, part in parts.items()]


def _build_picture(curve: Curve, note: str, lines: Sequence[PictureLine]) -> Picture:
    return Picture(curve.name, note, curve.x_label, curve.y_label, curve.over_ranks, tuple(lines))


_KIND_LABELS = {"rec": "recall", "prec": "precision", "iou": "intersection over union"}


def build_chunk_picture(comparison: ChunkComparison, kind: str = "rec") -> Picture:
    """Return the picture of the score of the best k chunks against their size, one line per chunking."""
    parts = comparison.curve.partition_by("chunking", maintain_order=True)
    return Picture(
        title=f"greedy_{kind} against context size",
        note=f"mean of {pluralise(comparison.topics, 'topic')}",
        x_label="characters in the context",
        y_label=f"{_KIND_LABELS[kind]} at best",
        ranks=False,
        lines=tuple(
            PictureLine(part["chunking"][0], part["characters"].to_numpy(), part[kind].to_numpy())
            for part in parts
        ),
    )
