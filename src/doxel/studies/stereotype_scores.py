"""Scores of stereotypical systems: by measures, and by curves over ranks that are summed up in one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.documents import Collection
from doxel.errors import MeasureError
from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.sets import expand, on_scale
from doxel.measures import Measure
from doxel.measures.curves import Curve, curve, curve_of
from doxel.runs import Run

__all__ = ["Asked", "asked", "evaluated", "scores_of"]


@dataclass(frozen=True)
class Asked:
    """A measure, or a curve over ranks that is summed up."""

    name: str
    measure: Measure | None
    curve: Curve | None


def asked(measures: str | Measure | Sequence[str | Measure], scale: str) -> list[Asked]:
    """Return what names stand for: measures, or, for what lacks only its @, a curve over ranks."""
    several = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [found for one in several for found in _asked(one, scale)]


def _asked(wanted: str | Measure, scale: str) -> list[Asked]:
    try:
        measures = expand(wanted)
    except MeasureError:
        over = curve(str(wanted))
        if not over.over_ranks:
            raise
        return [Asked(over.name, None, over)]
    resolved = [on_scale(one, scale) for one in measures]
    return [Asked(one.name, one, curve_of(one)) for one in resolved]


def evaluated(
    runs: Mapping[str, Run],
    judged: Assessments,
    documents: Collection,
    wanted: Sequence[Asked],
    keywords: Mapping[str, Any],
    *,
    drawn: bool = True,
) -> Evaluation:
    """Score systems by measures and by the points of their curves.

    With ``drawn`` all points of all curves, else only those that are summed up.
    """
    measures = [one.measure for one in wanted if one.measure is not None]
    last = int(runs["perfect"].results.group_by("topic").len()["len"].to_numpy().max(initial=0))
    points = [
        measure
        for one in wanted
        if one.curve is not None
        for measure in one.curve.measures
        if drawn or (one.measure is None and measure.at <= last + 10)  # the next drawn rank lies in reach
    ]
    return evaluate(list(runs.values()), judged, [*measures, *points], collection=documents, **dict(keywords))


def scores_of(found: Evaluation, wanted: Sequence[Asked], runs: Mapping[str, Run]) -> pl.DataFrame:
    """Return one number a measure, topic and system: measure, topic, system, score."""
    frames = []
    for one in wanted:
        if one.measure is not None:
            part = found.scores.filter(pl.col("measure") == one.name).select("topic", "score", system="run")
        elif one.curve is not None:
            part = _summed(found.curve(one.curve.name), runs["perfect"])
        frames.append(part.select(pl.lit(one.name).alias("measure"), "topic", "system", "score"))
    return pl.concat(frames)


def _summed(points: pl.DataFrame, perfect: Run) -> pl.DataFrame:
    """Return the mean of each curve over the ranks down to the last result of the perfect system."""
    ends = dict(perfect.results.group_by("topic").len().iter_rows())
    rows = []
    for (topic, system), part in points.group_by("topic", "run", maintain_order=True):
        ranks = np.arange(1, ends.get(topic, 0) + 1)
        score = np.interp(ranks, part["x"], part["y"]).mean() if len(ranks) else float("nan")
        rows.append({"topic": topic, "system": system, "score": float(score)})
    return pl.DataFrame(rows, schema={"topic": pl.String, "system": pl.String, "score": pl.Float64})
