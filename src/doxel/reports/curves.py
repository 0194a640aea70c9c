"""Curves of runs: averaged over topics with an interval, or topic by topic; as data and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from doxel.errors import InputError
from doxel.evaluation.evaluation import Evaluation
from doxel.files import atomic_write
from doxel.measures.curves import Curve, curve
from doxel.reports.pictures import Picture, mean_picture, topic_picture
from doxel.reports.tables import csv_table
from doxel.statistics.resampling import bootstrap_interval

__all__ = ["CURVE_FORMATS", "mean_curves", "write_curves"]

Floats = npt.NDArray[np.float64]

CURVE_FORMATS = ("csv", "parquet", "svg", "png", "pdf", "gnuplot")
_MEANS = {
    "run": pl.String,
    "curve": pl.String,
    "x": pl.Float64,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "topics": pl.UInt32,
    "undefined": pl.UInt32,
    "at": pl.Float64,
}


def mean_curves(
    points: pl.DataFrame, *, level: float = 0.95, resamples: int = 1000, seed: int = 0
) -> pl.DataFrame:
    """Average curves over topics: run, curve, x, mean, low, high, topics, undefined, at.

    Parameters
    ----------
    points
        What ``Curve.of`` or ``Evaluation.curve`` returns: run, topic, curve, x, y, at.  It holds the topics
        that the evaluation counts; undefined ones (NaN) are left out here, and counted.
    level, resamples, seed
        Of the interval, a bootstrap of topics at every point.  All runs see the same resamples.
    """
    rows: list[pl.DataFrame] = [pl.DataFrame(schema=_MEANS)]
    for (run, name), part in points.partition_by("run", "curve", as_dict=True, maintain_order=True).items():
        cutoffs = np.unique(part["at"].to_numpy())
        y, x = (_by_topic(part, axis, len(cutoffs)) for axis in ("y", "x"))
        defined = ~np.isnan(y)
        low, high = _intervals(y, level=level, resamples=resamples, seed=seed)
        rows.append(
            pl.DataFrame(
                {
                    "run": [run] * len(cutoffs),
                    "curve": [name] * len(cutoffs),
                    "x": _mean(x),
                    "mean": _mean(y),
                    "low": low,
                    "high": high,
                    "topics": defined.sum(axis=0),
                    "undefined": (~defined).sum(axis=0),
                    "at": cutoffs,
                },
                schema=_MEANS,
            )
        )
    return pl.concat(rows)


def _by_topic(part: pl.DataFrame, axis: str, width: int) -> Floats:
    """Return one axis of a run's curve as topics x cutoffs; a curve has all its cutoffs in every topic."""
    ordered = part.with_row_index("row").sort(pl.col("row").min().over("topic"), "at")
    values: Floats = ordered[axis].to_numpy().reshape(-1, width)
    return values


def _mean(values: Floats) -> Floats:
    """Return the means of columns over what is defined; NaN where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    means: Floats = np.full(values.shape[1], np.nan)
    np.divide(np.where(there, values, 0.0).sum(axis=0), count, out=means, where=count > 0)
    return means


def _intervals(y: Floats, *, level: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """Return the interval at each cutoff, over the topics that are defined there."""
    low, high = np.full(y.shape[1], np.nan), np.full(y.shape[1], np.nan)
    patterns, which = np.unique(~np.isnan(y), axis=1, return_inverse=True)
    for number, defined in enumerate(patterns.T):
        columns = np.flatnonzero(which.ravel() == number)
        if defined.any():
            scores = y[np.ix_(defined, columns)]
            low[columns], high[columns] = bootstrap_interval(
                scores, level=level, resamples=resamples, seed=seed
            )
    return low, high


def write_curves(
    evaluation: Evaluation,
    curves: Sequence[str | Curve],
    folder: str | Path,
    formats: Sequence[str] = CURVE_FORMATS,
    topics: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, list[Path]]:
    """Write curves of an evaluation to files of a folder, and return the files of each curve.

    A curve that no run has (all were refused) has no files.

    Parameters
    ----------
    evaluation
        It must have had the measures of the curves among its own.
    curves
        Curves or their names.
    folder
        Made where it is not there.  Files are called by the curve: ``epgr.svg``, ``nxCG-alpha-1.csv``.
    formats
        ``csv`` and ``parquet`` for data; ``svg``, ``png`` and ``pdf`` for pictures; ``gnuplot`` for a
        ``.dat`` and a ``.gp``.
    topics
        Draw these topics one by one (``epgr.topic-7.svg``) and not their mean.
    level, resamples, seed
        Of the interval around the mean.
    """
    for one in formats:
        if one not in CURVE_FORMATS:
            raise InputError("a format of curves", wanted=" or ".join(CURVE_FORMATS), found=repr(one))
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    written: dict[str, list[Path]] = {}
    stems: set[str] = set()
    for wanted in (one if isinstance(one, Curve) else curve(one) for one in curves):
        points = evaluation.curve(wanted.name)
        base = out / _free(wanted.stem, stems)
        if not points.height:
            written[wanted.name] = []
        elif topics is None:
            means = mean_curves(points, level=level, resamples=resamples, seed=seed)
            picture = mean_picture(wanted, means, level=level)
            written[wanted.name] = [*_data(means, base, formats), *_drawn(picture, base, formats)]
        else:
            written[wanted.name] = _single_topics(wanted, points, topics, base, formats)
    return written


def _single_topics(
    wanted: Curve, points: pl.DataFrame, topics: Sequence[str], base: Path, formats: Sequence[str]
) -> list[Path]:
    known = set(points["topic"].unique())
    unknown = [topic for topic in topics if topic not in known]
    if unknown:
        raise InputError("a topic to draw", wanted="one that was evaluated", found=", ".join(unknown))
    chosen = points.filter(pl.col("topic").is_in(list(topics)))
    written = _data(chosen, base.with_name(f"{base.name}.topics"), formats)
    stems: set[str] = set()
    for topic in topics:
        stem = _free(f"{base.name}.topic-{_safe(topic)}", stems)
        written += _drawn(topic_picture(wanted, chosen, topic), base.with_name(stem), formats)
    return written


def _safe(name: str) -> str:
    """Return a name as it can stand in the name of a file."""
    return "".join(letter if letter.isalnum() or letter in "_.-" else "-" for letter in name)[:80]


def _free(stem: str, taken: set[str]) -> str:
    """Return a name that no other curve has taken; file systems may not mind the case of letters."""
    found, number = stem, 1
    while found.lower() in taken:
        number += 1
        found = f"{stem}-{number}"
    taken.add(found.lower())
    return found


def _data(table: pl.DataFrame, base: Path, formats: Sequence[str]) -> list[Path]:
    written = []
    if "csv" in formats:
        written.append(_write(base, ".csv", csv_table(table).encode()))
    if "parquet" in formats:
        path = _suffixed(base, ".parquet")
        with atomic_write(path) as stream:
            table.write_parquet(stream)
        written.append(path)
    return written


def _drawn(picture: Picture, base: Path, formats: Sequence[str]) -> list[Path]:
    from doxel.reports.gnuplot import gnuplot_files
    from doxel.reports.plots import draw

    written = [_write(base, f".{one}", draw(picture, one)) for one in ("svg", "png", "pdf") if one in formats]
    if "gnuplot" in formats:
        data, script = gnuplot_files(picture, base.name)
        written += [_write(base, ".dat", data.encode()), _write(base, ".gp", script.encode())]
    return written


def _write(base: Path, suffix: str, content: bytes) -> Path:
    path = _suffixed(base, suffix)
    with atomic_write(path) as stream:
        stream.write(content)
    return path


def _suffixed(base: Path, suffix: str) -> Path:
    return base.with_name(base.name + suffix)  # with_suffix would cut a name such as topic-1.2
