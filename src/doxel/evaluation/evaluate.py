"""Scoring: runs x topics x measures, into one tidy table.

Each run is read, resolved, ordered and laid out once; the expensive parts of what measures see (their
views) are computed once and shared.  Runs are independent, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.evaluation import ranked as ranking
from doxel.evaluation.assessed import Assessed, lay_out
from doxel.evaluation.building import build, depends_on
from doxel.evaluation.evaluation import Evaluation, Rejection
from doxel.evaluation.ranked import Ranked
from doxel.evaluation.requirements import lacks, repair
from doxel.measures import Measure, parse
from doxel.measures.declare import View
from doxel.measures.parameters import DEPENDS
from doxel.runs import Run

__all__ = ["Options", "evaluate"]


@dataclass(frozen=True)
class Options:
    """How to score, apart from what the measures themselves say."""

    topics: str = "assessed"
    task: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)  # for what a measure leaves unwritten
    on_invalid: str = "reject"


def evaluate(runs: Sequence[Run], assessments: Assessments, measures: Sequence[str | Measure]) -> Evaluation:
    """Score runs against assessments."""
    wanted = [
        one for given in measures for one in (parse(given) if isinstance(given, str) else [given.check()])
    ]
    assessed = lay_out(assessments, declared_sizes=True)
    scored = [_RunScorer(run, assessed, Options()).score(wanted) for run in runs]
    return Evaluation(
        scores=pl.concat([one.scores for one in scored]),
        rejected=tuple(rejection for one in scored for rejection in one.rejected),
        warnings=tuple(warning for one in scored for warning in one.warnings),
    )


class _RunScorer:
    """Scores one run: lays it out, and shares views between measures."""

    def __init__(self, run: Run, assessed: Assessed, options: Options) -> None:
        self._run, self._assessed, self._options = run, assessed, options
        self._ranked = ranking.lay_out(run.results, assessed)
        self._views: dict[Any, View] = {}
        self._fitting: dict[tuple[str, ...], tuple[Ranked, str | None]] = {}
        self._warnings: list[str] = []

    def score(self, measures: Sequence[Measure]) -> Evaluation:
        """Return the scores of all measures that the run admits."""
        frames: list[pl.DataFrame] = []
        rejected: list[Rejection] = []
        self._warn_of_unassessed_topics()
        for measure in measures:
            parameters = self._settle(measure)
            ranked, reason = self._fit(measure.declaration.requires(parameters))
            if reason is not None:
                rejected.append(Rejection(self._run.id, measure.name, reason))
                continue
            scores = measure.compute(self._view(measure.declaration.view, ranked, parameters), parameters)
            frames.append(self._frame(measure, scores))
        scores = pl.concat(frames) if frames else _no_scores()
        return Evaluation(scores, tuple(rejected), tuple(self._warnings))

    def _settle(self, measure: Measure) -> dict[str, Any]:
        """Return all parameters of a measure for this run."""
        task = self._options.task or self._run.task or "focused"
        parameters = measure.settled({"task": task, **self._options.defaults})
        if parameters.get("alpha") is DEPENDS:
            parameters["alpha"] = 0 if parameters["task"] == "thorough" else 1
        return parameters

    def _fit(self, required: tuple[str, ...]) -> tuple[Ranked, str | None]:
        """Return the run as a measure may see it, or the reason why it may not."""
        if required not in self._fitting:
            ranked, reason = self._ranked, lacks(self._ranked, required)
            if reason is not None and self._options.on_invalid == "repair":
                ranked, done = repair(ranked, required)
                self._warnings.extend(f"{self._run.id}: repaired: {what}" for what in done)
                reason = None
            self._fitting[required] = (ranked, reason)
        return self._fitting[required]

    def _view(self, view: type[View], ranked: Ranked, parameters: Mapping[str, Any]) -> View:
        key = (view, id(ranked), tuple(sorted(depends_on(view, parameters).items())))
        if key not in self._views:
            self._views[key] = build(view, ranked, parameters)
        return self._views[key]

    def _frame(self, measure: Measure, scores: np.ndarray) -> pl.DataFrame:
        topics = pl.Series("topic", self._assessed.topics, dtype=pl.String)
        frame = pl.DataFrame({"topic": topics, "score": scores})
        if self._options.topics == "run":
            frame = frame.filter(pl.Series(self._ranked.length > 0))
        return frame.select(
            run=pl.lit(self._run.id), topic="topic", measure=pl.lit(measure.name), score="score"
        )

    def _warn_of_unassessed_topics(self) -> None:
        unknown = self._run.results.filter(~pl.col("topic").is_in(self._assessed.topics))
        if unknown.height:
            topics = unknown["topic"].n_unique()
            self._warnings.append(
                f"{self._run.id}: {topics:,} topics were never assessed; {unknown.height:,} results ignored"
            )


def _no_scores() -> pl.DataFrame:
    return pl.DataFrame(
        schema={"run": pl.String, "topic": pl.String, "measure": pl.String, "score": pl.Float64}
    )
