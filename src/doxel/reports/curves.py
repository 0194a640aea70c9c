"""Curves of runs as files: averaged over topics with an interval, or topic by topic; data and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from doxel.errors import InputError
from doxel.evaluation.evaluation import Evaluation
from doxel.evaluation.mean_curves import mean_curves
from doxel.measures.curves import Curve, curve
from doxel.reports.files import free_name, safe_name, suffixed, write_content, write_frame
from doxel.reports.pictures import Picture, mean_picture, topic_picture

__all__ = ["CURVE_FORMATS", "mean_curves", "write_curves", "write_mean_curves"]

CURVE_FORMATS = ("csv", "parquet", "svg", "png", "pdf", "gnuplot")


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
    chosen = [one if isinstance(one, Curve) else curve(one) for one in curves]
    points = {one.name: evaluation.curve(one.name) for one in chosen}
    if topics is None:
        means = {
            name: mean_curves(table, level=level, resamples=resamples, seed=seed)
            for name, table in points.items()
        }
        return write_mean_curves(chosen, means, folder, formats, level=level)
    return {
        one.name: _single_topics(one, points[one.name], topics, base, formats)
        for one, base in _bases(chosen, folder, formats)
    }


def write_mean_curves(
    curves: Sequence[Curve],
    means: Mapping[str, pl.DataFrame],
    folder: str | Path,
    formats: Sequence[str] = CURVE_FORMATS,
    *,
    level: float = 0.95,
) -> dict[str, list[Path]]:
    """Write curves whose means, by their names, are known; see :func:`write_curves`."""
    written: dict[str, list[Path]] = {}
    for one, base in _bases(curves, folder, formats):
        table = means[one.name]
        picture = mean_picture(one, table, level=level)
        written[one.name] = (
            [*_data(table, base, formats), *_drawn(picture, base, formats)] if table.height else []
        )
    return written


def _bases(curves: Sequence[Curve], folder: str | Path, formats: Sequence[str]) -> list[tuple[Curve, Path]]:
    """Return curves with the names of their files, but for the suffixes; make the folder."""
    for one in formats:
        if one not in CURVE_FORMATS:
            raise InputError("a format of curves", wanted=" or ".join(CURVE_FORMATS), found=repr(one))
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    return [(one, out / free_name(one.stem, taken)) for one in curves]


def _single_topics(
    wanted: Curve, points: pl.DataFrame, topics: Sequence[str], base: Path, formats: Sequence[str]
) -> list[Path]:
    if not points.height:
        return []
    known = set(points["topic"].unique())
    unknown = [topic for topic in topics if topic not in known]
    if unknown:
        raise InputError("a topic to draw", wanted="one that was evaluated", found=", ".join(unknown))
    chosen = points.filter(pl.col("topic").is_in(list(topics)))
    written = _data(chosen, base.with_name(f"{base.name}.topics"), formats)
    taken: set[str] = set()
    for topic in topics:
        stem = free_name(f"{base.name}.topic-{safe_name(topic)}", taken)
        written += _drawn(topic_picture(wanted, chosen, topic), base.with_name(stem), formats)
    return written


def _data(table: pl.DataFrame, base: Path, formats: Sequence[str]) -> list[Path]:
    return write_frame(base, table, [one for one in ("csv", "parquet") if one in formats])


def _drawn(picture: Picture, base: Path, formats: Sequence[str]) -> list[Path]:
    from doxel.reports.gnuplot import gnuplot_files
    from doxel.reports.plots import PICTURE_FORMATS, draw

    written = [
        write_content(suffixed(base, one), draw(picture, one)) for one in PICTURE_FORMATS if one in formats
    ]
    if "gnuplot" in formats:
        data, script = gnuplot_files(picture, base.name)
        written += [write_content(suffixed(base, "dat"), data), write_content(suffixed(base, "gp"), script)]
    return written
