"""The pictures of studies: matrices, scatter plots and curves, in the style of all pictures.

Each cell of a matrix shows its number, and its shade darkens with the value, so that a matrix can be read in
grey and without the shades; the marks of a scatter plot differ in form as well as in colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.evaluation.mean_curves import mean_curves
from doxel.measures.curves import curve
from doxel.reports.pictures import Line, Picture, mean_picture
from doxel.spans import Floats
from doxel.studies import (
    Agreement,
    IdealBase,
    Power,
    SettingsStudy,
    Stereotypes,
    StructuralRelevance,
    StudyResult,
)
from doxel.wording import pluralise

__all__ = ["Matrix", "Scatter", "StudyPicture", "study_pictures"]


@dataclass(frozen=True)
class Matrix:
    """A matrix of numbers, darker for higher values; ``low`` and ``high`` are the ends of the scale."""

    title: str
    note: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Floats
    low: float
    high: float
    decimals: int = 2


@dataclass(frozen=True)
class Scatter:
    """A scatter plot with one mark per run, and pale dots behind for the topics."""

    title: str
    note: str
    x_label: str
    y_label: str
    names: tuple[str, ...]
    x: Floats
    y: Floats
    behind: Floats  # points x 2


StudyPicture = Picture | Matrix | Scatter


def study_pictures(result: StudyResult) -> dict[str, StudyPicture]:
    """Return the pictures of a study, by file name."""
    makers: tuple[tuple[type[StudyResult], Callable[[Any], dict[str, StudyPicture]]], ...] = (
        (Stereotypes, _stereotypes),
        (Agreement, _taus),
        (IdealBase, _ideal_base),
        (StructuralRelevance, _structural),
        (SettingsStudy, _settings),
        (Power, _power),
    )
    return next((make(result) for kind, make in makers if isinstance(result, kind)), {})


def _stereotypes(result: Stereotypes) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {}
    for name in result.curves:
        declared = curve(name)
        points = result.points.curve(name)
        if points.height:
            pictures[declared.stem] = mean_picture(declared, mean_curves(points), level=0.95)
    return pictures


def _taus(result: Agreement) -> dict[str, StudyPicture]:
    names = tuple(result.rankings["ranking"].unique(maintain_order=True))
    place = {name: number for number, name in enumerate(names)}
    values = np.eye(len(names))
    for ranking, other, tau in result.pairs.select("ranking", "other", "tau").iter_rows():
        values[place[ranking], place[other]] = tau
    note = pluralise(result.topics, "topic")
    return {"tau": Matrix("Kendall's tau", note, names, names, values, -1.0, 1.0)}


def _ideal_base(result: IdealBase) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {}
    bases = tuple(result.scores["base"].unique(maintain_order=True))
    for number, (key, part) in enumerate(result.scores.group_by("measure", maintain_order=True), 1):
        wide = part.pivot("base", index="run", values="rank", maintain_order=True)
        ranks = wide.select(bases).to_numpy().astype(np.float64)
        title = f"{key[0]}: the place of each run"
        # the first place is the darkest
        pictures[f"places-{number}"] = Matrix(
            title, "", tuple(wide["run"]), bases, ranks, float(len(ranks)) + 1, 1.0, 0
        )
    return pictures


def _structural(result: StructuralRelevance) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {
        "runs": Scatter(
            title=f"{result.one} against {result.other}",
            note=f"tau {result.tau:.2f}",
            x_label=result.other,
            y_label=result.one,
            names=tuple(result.runs["run"]),
            x=result.runs["other"].to_numpy(),
            y=result.runs["one"].to_numpy(),
            behind=result.scores.select("other", "one").to_numpy(),
        )
    }
    if result.topic is None:
        return pictures
    for name, label in (("one", result.one), ("other", result.other)):
        part = result.ranks.filter(pl.col("measure") == label)
        bare = label.rpartition("@")[0]
        lines = _lines(part, "run", "rank", "score")
        pictures[f"topic-{name}"] = Picture(bare, f"topic {result.topic}", "rank", bare, False, lines)
    return pictures


def _settings(result: SettingsStudy) -> dict[str, StudyPicture]:
    pictures: dict[str, StudyPicture] = {}
    for number, (key, part) in enumerate(result.runs.group_by("measure", maintain_order=True), 1):
        pictures[f"runs-{number}"] = Scatter(
            title=str(key[0]),
            note="",
            x_label=f"A: {result.a}",
            y_label=f"B: {result.b}",
            names=tuple(part["run"]),
            x=part["a"].to_numpy(),
            y=part["b"].to_numpy(),
            behind=np.zeros((0, 2)),
        )
    return pictures


def _power(result: Power) -> dict[str, StudyPicture]:
    note = pluralise(max(result.power["topics"].to_list(), default=0), "topic")
    pairs = _lines(result.pairs, "measure", "place", "p")
    sizes = _lines(result.stability, "measure", "size", "swaps") if result.stability.height else ()
    curves = {
        "asl": Picture("Achieved significance", note, "pairs of runs, by p", "p", False, pairs),
        "stability": Picture("Swaps", note, "topics in each sample", "pairs that swap", False, sizes),
    }
    return {name: picture for name, picture in curves.items() if picture.lines}


def _lines(table: pl.DataFrame, name: str, x: str, y: str) -> tuple[Line, ...]:
    parts: Sequence[pl.DataFrame] = table.partition_by(name, maintain_order=True)
    return tuple(
        Line(str(part[name][0]), part[x].to_numpy().astype(np.float64), part[y].to_numpy()) for part in parts
    )
