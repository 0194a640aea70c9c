"""Score stereotypical systems, by measures and by curves over ranks that are averaged to one number."""

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
from doxel.measures.curves import Curve, curve, find_curve
from doxel.runs import Run

__all__ = ["Asked", "asked", "evaluated", "scores_of"]


@dataclass(frozen=True)
class Asked:
    """A measure, or a curve over ranks that is averaged."""

    name: str
    measure: Measure | None
    curve: Curve | None


def asked(measures: str | Measure | Sequence[str | Measure], scale: str) -> list[Asked]:
    """Parse measures; a measure that lacks only its @ becomes a curve over ranks."""
    requests = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [item for request in requests for item in _asked(request, scale)]


def _asked(wanted: str | Measure, scale: str) -> list[Asked]:
    try:
        measures = expand(wanted)
    except MeasureError:
        rank_curve = curve(str(wanted))
        if not rank_curve.over_ranks:
            raise
        return [Asked(rank_curve.name, None, rank_curve)]
    resolved = [on_scale(measure, scale) for measure in measures]
    return [Asked(measure.name, measure, find_curve(measure)) for measure in resolved]


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

    With ``drawn``, all points of all curves are evaluated, else only those that are averaged.
    """
    measures = [item.measure for item in wanted if item.measure is not None]
    last = int(runs["perfect"].results.group_by("topic").len()["len"].to_numpy().max(initial=0))
    points = [
        measure
        for item in wanted
        if item.curve is not None
        for measure in item.curve.measures
        # 10 more ranks include the next point of the curve, for interpolation
        if drawn or (item.measure is None and measure.at <= last + 10)
    ]
    return evaluate(list(runs.values()), judged, [*measures, *points], collection=documents, **dict(keywords))


def scores_of(evaluation: Evaluation, wanted: Sequence[Asked], runs: Mapping[str, Run]) -> pl.DataFrame:
    """Return one score per measure, topic and system: measure, topic, system, score."""
    frames = []
    for item in wanted:
        if item.measure is not None:
            part = evaluation.scores.filter(pl.col("measure") == item.name).select(
                "topic", "score", system="run"
            )
        elif item.curve is not None:
            part = _summed(evaluation.curve(item.curve.name), runs["perfect"])
        frames.append(part.select(pl.lit(item.name).alias("measure"), "topic", "system", "score"))
    return pl.concat(frames)


def _summed(points: pl.DataFrame, perfect: Run) -> pl.DataFrame:
    """Return the mean of each curve over the ranks up to the last result of the perfect system."""
    ends = dict(perfect.results.group_by("topic").len().iter_rows())
    rows = []
    for (topic, system), part in points.group_by("topic", "run", maintain_order=True):
        ranks = np.arange(1, ends.get(topic, 0) + 1)
        score = np.interp(ranks, part["x"], part["y"]).mean() if len(ranks) else float("nan")
        rows.append({"topic": topic, "system": system, "score": float(score)})
    return pl.DataFrame(rows, schema={"topic": pl.String, "system": pl.String, "score": pl.Float64})
