"""Writes curves of runs as data and pictures: means over topics with intervals, or single topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from doxel.errors import InputError
from doxel.evaluation.analysis.mean_curves import average_curves
from doxel.evaluation.evaluation_result import Evaluation
from doxel.measures.curves import Curve, curve
from doxel.reports.output_files import add_suffix, claim_name, make_safe_name, write_content, write_frame
from doxel.reports.picture_data import Picture, build_mean_picture, build_topic_picture

__all__ = ["CURVE_FORMATS", "write_curves", "write_mean_curves"]

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
    """Write the curves of an evaluation to a folder, and return the files of each curve.

    A curve without runs (all were rejected) has no files.

    Parameters
    ----------
    evaluation
        It must include the measures of the curves.
    curves
        Curves or their names.
    folder
        Created if needed.  Files are named after the curve: ``epgr.svg``, ``nxCG-alpha-1.csv``.
    formats
        ``csv`` and ``parquet`` for data; ``svg``, ``png`` and ``pdf`` for pictures; ``gnuplot`` for a
        ``.dat`` and a ``.gp``.
    topics
        Draw each of these topics (``epgr.topic-7.svg``) instead of the mean.
    level, resamples, seed
        Parameters of the interval around the mean.
    """
    declarations = [entry if isinstance(entry, Curve) else curve(entry) for entry in curves]
    points = {entry.name: evaluation.curve(entry.name) for entry in declarations}
    if topics is None:
        means = {
            name: average_curves(table, level=level, resamples=resamples, seed=seed)
            for name, table in points.items()
        }
        return write_mean_curves(declarations, means, folder, formats, level=level)
    return {
        entry.name: _write_topics(entry, points[entry.name], topics, base, formats)
        for entry, base in _name_files(declarations, folder, formats)
    }


def write_mean_curves(
    curves: Sequence[Curve],
    means: Mapping[str, pl.DataFrame],
    folder: str | Path,
    formats: Sequence[str] = CURVE_FORMATS,
    *,
    level: float = 0.95,
    runs: Sequence[str] | None = None,
    others: Sequence[str] = (),
    width: str = "one",
) -> dict[str, list[Path]]:
    """Write curves from means that are already computed, by curve name; see :func:`write_curves`.

    The pictures show ``runs`` in colour, by default all, and ``others`` in grey; the data have all runs.
    ``width`` is that of the pictures: for ``"one"`` or ``"two"`` columns.
    """
    paths: dict[str, list[Path]] = {}
    for entry, base in _name_files(curves, folder, formats):
        table = means[entry.name]
        picture = build_mean_picture(entry, table, level=level, runs=runs, others=others)
        paths[entry.name] = _write_data(table, base, formats) if table.height else []
        if picture.lines:
            paths[entry.name] += _write_pictures(picture, base, formats, width=width)
    return paths


def _name_files(
    curves: Sequence[Curve], folder: str | Path, formats: Sequence[str]
) -> list[tuple[Curve, Path]]:
    """Return each curve with its file name without suffix; create the folder."""
    for name in formats:
        if name not in CURVE_FORMATS:
            raise InputError("curve format", wanted=" or ".join(CURVE_FORMATS), found=repr(name))
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    stems: set[str] = set()
    return [(entry, out / claim_name(entry.stem, stems)) for entry in curves]


def _write_topics(
    shape: Curve, points: pl.DataFrame, topics: Sequence[str], base: Path, formats: Sequence[str]
) -> list[Path]:
    if not points.height:
        return []
    evaluated = set(points["topic"].unique())
    unknown_topics = [topic for topic in topics if topic not in evaluated]
    if unknown_topics:
        raise InputError(
            "topics of curves", wanted="topics that were evaluated", found=", ".join(unknown_topics)
        )
    selected = points.filter(pl.col("topic").is_in(list(topics)))
    paths = _write_data(selected, base.with_name(f"{base.name}.topics"), formats)
    stems: set[str] = set()
    for topic in topics:
        stem = claim_name(f"{base.name}.topic-{make_safe_name(topic)}", stems)
        paths += _write_pictures(build_topic_picture(shape, selected, topic), base.with_name(stem), formats)
    return paths


def _write_data(table: pl.DataFrame, base: Path, formats: Sequence[str]) -> list[Path]:
    return write_frame(base, table, [name for name in ("csv", "parquet") if name in formats])


def _write_pictures(
    picture: Picture, base: Path, formats: Sequence[str], *, width: str = "one"
) -> list[Path]:
    from doxel.reports.gnuplot_pictures import render_gnuplot
    from doxel.reports.matplotlib_pictures import PICTURE_FORMATS, draw

    paths = [
        write_content(add_suffix(base, name), draw(picture, name, width=width))
        for name in PICTURE_FORMATS
        if name in formats
    ]
    if "gnuplot" in formats:
        data, script = render_gnuplot(picture, base.name, width=width)
        paths += [
            write_content(add_suffix(base, "dat"), data),
            write_content(add_suffix(base, "gp"), script),
        ]
    return paths
