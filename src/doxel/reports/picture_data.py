"""The data of a picture of curves, for any drawing library: lines with bands, axes and colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from doxel.chunking import ChunkComparison
from doxel.evaluation.analysis.run_comparison import Comparison
from doxel.measures.curves import Curve
from doxel.measures.measure_table import lower_is_better
from doxel.spans import Floats
from doxel.statistics.multiple_comparisons import shorten_letters
from doxel.wording import format_level, pluralise

__all__ = [
    "BANDS_UP_TO",
    "COLOURS",
    "MeanPicture",
    "MeanRow",
    "Picture",
    "PictureLine",
    "build_chunk_picture",
    "build_comparison_picture",
    "build_mean_picture",
    "build_topic_picture",
    "select_lines",
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
    """A picture of a curve; ``ranks`` for a logarithmic axis, of ranks or budgets.

    ``others`` are drawn in grey behind the lines, without names.
    """

    title: str
    note: str
    x_label: str
    y_label: str
    ranks: bool
    lines: tuple[PictureLine, ...]
    others: tuple[PictureLine, ...] = ()

    @property
    def has_bands(self) -> bool:
        """Whether bands are drawn."""
        return len(self.lines) <= BANDS_UP_TO and any(line.low is not None for line in self.lines)

    @cached_property  # needed for each line of each format
    def right(self) -> float:
        """The right end of the x axis: 1 for recall, or the last rank or budget at which any line changes."""
        if not self.ranks:
            visible_lines = [line for line in (*self.lines, *self.others) if len(line.x)]
            return max([1.0, *(float(np.nanmax(line.x)) for line in visible_lines)])
        lines = (*self.lines, *self.others)
        first = min((float(np.min(line.x)) for line in lines if len(line.x)), default=1.0)
        return max([10.0 * max(first, 1.0), *(_find_last_change(line) for line in lines)])

    @cached_property
    def top(self) -> float:
        """The upper end of the y axis: slightly above the highest value drawn."""
        inside = [
            (line.high if self.has_bands and line.high is not None else line.y)[line.x <= self.right]
            for line in self.lines
        ]
        inside += [line.y[line.x <= self.right] for line in self.others]
        values = np.concatenate(inside) if inside else np.zeros(0)
        highest = float(np.nanmax(values, initial=0.0)) if not np.isnan(values).all() else 0.0
        if highest <= 0:
            return 1.0
        return 1.02 if 0.85 <= highest <= 1.0 else highest * 1.08


def _find_last_change(line: PictureLine) -> float:
    """Return the last rank at which a line changes."""
    if len(line.x) < 2:
        return 0.0
    moves = np.flatnonzero(np.abs(np.diff(line.y)) > 1e-9)
    return float(line.x[moves[-1] + 1]) if len(moves) else 0.0


@dataclass(frozen=True)
class MeanRow:
    """The mean of a run with its interval, and a mark beside it, such as group letters."""

    name: str
    mean: float
    low: float
    high: float
    mark: str = ""


@dataclass(frozen=True)
class MeanPicture:
    """A picture of means with intervals, one row per run; ``baseline`` is the mean to compare with."""

    title: str
    note: str
    rows: tuple[MeanRow, ...]
    baseline: float | None = None


def build_mean_picture(
    curve: Curve,
    means: pl.DataFrame,
    *,
    level: float,
    runs: Sequence[str] | None = None,
    others: Sequence[str] = (),
) -> Picture:
    """Return the picture of means over topics, from the columns run, x, mean, low, high, topics.

    ``runs`` are drawn in colour, by default all of them, and ``others`` in grey.
    """
    if runs is not None:
        means = means.filter(pl.col("run").is_in([*runs, *others]))
    lines = [
        PictureLine(run, *(part[name].to_numpy() for name in ("x", "mean", "low", "high")))
        for run, part in _split_runs(means)
    ]
    counts = means["topics"].to_list()
    fewest, most = min(counts, default=0), max(counts, default=0)
    topics = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    note = f"mean of {topics} topic{'' if most == 1 else 's'}"
    return select_lines(_build_picture(curve, note, lines), runs, others, level=level)


def select_lines(
    picture: Picture, runs: Sequence[str] | None = None, others: Sequence[str] = (), *, level: float
) -> Picture:
    """Return a picture with the lines of ``runs`` in colour, by default all, and of ``others`` in grey.

    The note gives the number of grey lines, and the confidence level of the intervals.
    """
    lines = {line.name: line for line in picture.lines}
    visible_lines = [lines[run] for run in (lines if runs is None else runs) if run in lines]
    behind = [lines[run] for run in others if run in lines]
    interval = f", {format_level(level)} interval" if len(visible_lines) <= BANDS_UP_TO else ""
    grey = f"; grey: {pluralise(len(behind), 'other run')}" if behind else ""
    return replace(
        picture, note=f"{picture.note}{interval}{grey}", lines=tuple(visible_lines), others=tuple(behind)
    )


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
    return Picture(curve.name, note, curve.x_label, curve.y_label, curve.is_logarithmic, tuple(lines))


def build_comparison_picture(comparison: Comparison, runs: Sequence[str] | None = None) -> MeanPicture:
    """Return the picture of compared runs, the best first, with group letters if the test gives them.

    ``runs`` are the runs to show, by default all.
    """
    groups = comparison.groups if comparison.test == "tukey" else [""] * len(comparison.runs)
    letters = dict(zip(comparison.runs, map(shorten_letters, groups), strict=True))
    rows = [
        MeanRow(name, mean, low, high, letters[name])
        for name, mean, low, high in comparison.means.select("run", "mean", "low", "high").iter_rows()
    ]
    means = {row.name: row.mean for row in rows}
    sign = 1 if lower_is_better(comparison.measure) else -1
    visible_rows = [row for row in rows if runs is None or row.name in runs]
    topics, level = pluralise(len(comparison.topics), "topic"), format_level(comparison.level)
    return MeanPicture(
        title=comparison.measure,
        note=f"mean of {topics}, {level} interval",
        rows=tuple(sorted(visible_rows, key=lambda row: sign * row.mean)),
        baseline=None if comparison.baseline is None else means[comparison.baseline],
    )


_KIND_LABELS = {"rec": "recall", "prec": "precision", "iou": "intersection over union"}


def build_chunk_picture(comparison: ChunkComparison, kind: str = "rec", *, budgets: bool = False) -> Picture:
    """Return the picture of the score of k greedily chosen chunks against their size.

    It has one line per chunking.  With ``budgets``, the score is that of the chunks that a budget pays for.
    The note names the figures as maxima only where all of them are.
    """
    if budgets:
        return _build_budget_picture(comparison, kind)
    parts = comparison.curve.partition_by("chunking", maintain_order=True)
    is_maximum = kind == "rec" and bool(comparison.table["disjoint"].all())
    nature = "the maximum of k chunks" if is_maximum else "a reference choice that knows the gold, no maximum"
    return Picture(
        title=f"greedy_{kind}, a reference choice, against context size",
        note=f"mean of {pluralise(comparison.topics, 'topic')}; {nature}",
        x_label="characters in the context",
        y_label=f"{_KIND_LABELS[kind]} of the reference choice",
        ranks=False,
        lines=tuple(
            PictureLine(part["chunking"][0], part["characters"].to_numpy(), part[kind].to_numpy())
            for part in parts
        ),
    )


def _build_budget_picture(comparison: ChunkComparison, kind: str) -> Picture:
    """Return the picture of the greedy choice within budgets; cutting a chunk may beat k whole ones."""
    unit = "characters" if comparison.unit == "chars" else comparison.unit
    return Picture(
        title=f"greedy {kind}, a reference choice, within a budget",
        note=f"mean of {pluralise(comparison.topics, 'topic')}; the last chunk is cut; no maximum",
        x_label=f"budget: {unit} in the context",
        y_label=f"{_KIND_LABELS[kind]} of the reference choice",
        ranks=True,
        lines=tuple(
            PictureLine(part["chunking"][0], part["budget"].to_numpy().astype(float), part[kind].to_numpy())
            for part in comparison.budgets.partition_by("chunking", maintain_order=True)
        ),
    )
