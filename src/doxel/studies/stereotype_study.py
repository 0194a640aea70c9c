"""Stereotypes: how measures score systems that know the assessments (source 003, section 4).

Five systems return the relevant elements, or elements near them.  Under a good measure the perfect system
wins; systems that return too much or too little have similar scores, which are higher for elements nearer
to the relevant ones.  The paper makes four observations; they are checked for every measure, over topics
and topic by topic.  An observation that does not hold is analysed: what the systems returned and how it was
graded; on which topics it holds; and whether it would hold if assessors had graded more of the parents and
biggest children.

A measure without its ``@`` is evaluated as its curve over ranks, averaged over the ranks up to the last
result of the perfect system.

The analysis describes the results of the systems and their grades (near misses): why an observation holds or
fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation import Evaluation
from doxel.evaluation.chunk_inputs import as_collection
from doxel.evaluation.inputs import as_assessments
from doxel.evaluation.options import check_drawing
from doxel.measures import Measure
from doxel.runs import Run
from doxel.studies.declare import Panel, StudyResult
from doxel.studies.near_misses import completed, returned
from doxel.studies.observations import OBSERVATIONS, observe
from doxel.studies.simulated_grades import simulated_grades
from doxel.studies.stereotype_scores import Asked, asked, evaluated, scores_of
from doxel.studies.stereotypes import simulate
from doxel.wording import pluralise

__all__ = ["FIVE", "MEASURES", "Stereotypes", "stereotypes"]

FIVE = ("perfect", "document", "parent", "ancestors", "biggest-child")
MEASURES = ("GR(model=inex2003)", "inex_eval(step=0.1)")
_SHARES = (0.25, 0.5, 0.75, 1.0)
_DRAWS = 3  # random choices of the near misses to grade


@dataclass(frozen=True, kw_only=True)
class Stereotypes(StudyResult):
    """The scores of stereotypical systems, and the observations about them.

    ``scores`` has one row per measure, topic and system; ``points`` the curves of all systems (run, topic,
    curve, x, y, at), averaged over topics when drawn.  ``observations`` has one row per observation and
    measure: ratio, outcome ("blamed", "wanted" or "neither"), expected (the paper's outcome; null if it
    gives none), holds, topics (with that outcome), of.  ``by_topic`` has the same topic by topic, and
    ``completion`` by the share of ungraded parents and biggest children that are given a grade (a mean over
    three random draws).  ``returned`` describes the results of the systems.
    """

    scores: pl.DataFrame
    observations: pl.DataFrame
    by_topic: pl.DataFrame
    completion: pl.DataFrame
    returned: pl.DataFrame
    points: Evaluation
    curves: tuple[str, ...]
    topics: int

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per measure and system: measure, system, mean."""
        defined = pl.col("score").filter(pl.col("score").is_finite())
        return self.scores.group_by("measure", "system", maintain_order=True).agg(mean=defined.mean())

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Scores, observations, the systems' results, and the observations by topic."""
        wide = self.means.pivot("system", index="measure", values="mean", maintain_order=True)
        ratios = self.by_topic.pivot(
            "topic", index=["observation", "measure"], values="ratio", maintain_order=True
        )
        return (
            Panel(
                "scores",
                f"Mean scores of the systems over {pluralise(self.topics, 'topic')}",
                self.scores,
                wide,
            ),
            Panel(
                "observations", "The paper's four observations", self.observations, _short(self.observations)
            ),
            Panel("returned", "Results of the systems: shares by grade, and the mean gain", self.returned),
            Panel(
                "completion",
                "The ratio behind each observation, if the given share of ungraded near misses had a grade",
                self.completion,
                _by_share(self.completion),
            ),
            Panel("topics", "The ratio behind each observation, topic by topic", self.by_topic, _few(ratios)),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The observations that hold as in the paper, and those that do not, with the reasons."""
        sentences = []
        for row in self.observations.filter(pl.col("expected").is_not_null()).iter_rows(named=True):
            observation = OBSERVATIONS[row["observation"] - 1]
            paper = observation.blames if row["expected"] == "blamed" else observation.wants
            ratio = f"{observation.one} has {_times(row['ratio'])} of {observation.other}"
            topics = f"in {row['topics']} of {row['of']} topics"
            label = f"Observation {observation.number}, {row['measure']}"
            if row["holds"]:
                sentences.append(f"{label}: {paper}. It holds ({ratio}; {topics}).")
            else:
                sentences.append(
                    f"{label}: in the paper, {paper}. It does not hold here: {ratio}; it holds {topics}. "
                    f"{self._why(row)}"
                )
        return tuple(sentences)

    def _why(self, row: Mapping[str, Any]) -> str:
        """Describe the results of the two systems, and the effect of complete grades."""
        observation = OBSERVATIONS[row["observation"] - 1]
        results = {system["system"]: system for system in self.returned.iter_rows(named=True)}
        descriptions = [
            _worth(results[name]) for name in (observation.one, observation.other) if name in results
        ]
        reason = f"{'; '.join(descriptions)}. " if descriptions else ""
        of_this = pl.col("observation") == row["observation"], pl.col("measure") == row["measure"]
        completions = self.completion.filter(*of_this, pl.col("share") > 0).sort("share")
        if not completions.height:
            return reason.strip()
        holding = completions.filter(pl.col("outcome") == row["expected"])
        if holding.height:
            first = holding.row(0, named=True)
            return (
                f"{reason}It would hold if {first['share']:.0%} of the ungraded parents and biggest "
                f"children had a grade (ratio {first['ratio']:.2f})."
            )
        ratios = ", ".join(
            f"{ratio:.2f} at {share:.0%}" for share, ratio in completions.select("share", "ratio").rows()
        )
        return (
            f"{reason}Grading more parents and biggest children would not change this: the ratio is {ratios}."
        )


def stereotypes(
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    simulate_grades: int = 0,
    seed: int = 0,
    **scoring: Any,
) -> Stereotypes:
    """Score the five systems and check the paper's observations.

    Parameters
    ----------
    assessments
        On the scale of 2002 for GR(model=inex2003); None with ``simulate_grades``.
    measures
        Any measures; the default are those of the paper.
    simulate_grades
        Number of topics to grade at random, for collections without assessments.
    """
    check_drawing(seed=seed)
    documents = as_collection(collection)
    if documents is None:
        raise InputError(
            "stereotypical systems need the elements of documents", wanted="a collection (-c)", found="none"
        )
    if simulate_grades:
        judged = simulated_grades(documents, topics=simulate_grades, seed=seed)
    else:
        judged = as_assessments(assessments, documents)
    runs = {system: simulate(system, judged, documents, seed=seed) for system in FIVE}
    requested = asked(measures or list(MEASURES), judged.scale)
    keywords = {name: value for name, value in scoring.items() if name not in {"on_error", "fol_end"}}
    evaluation = evaluated(runs, judged, documents, requested, keywords)
    scores = scores_of(evaluation, requested, runs)
    observed, by_topic = observe(scores)
    completion = [_shared(observed, 0.0)]
    if judged.scale == "2002":  # other scales do not define the grade of a near miss
        completions = [
            (_completed(share, runs, judged, documents, requested, keywords), share) for share in _SHARES
        ]
        completion += [
            _shared(observe(completed_scores)[0], share) for completed_scores, share in completions
        ]
    return Stereotypes(
        scores=scores,
        observations=observed,
        by_topic=by_topic,
        completion=pl.concat(completion),
        returned=returned(list(runs.values()), judged, documents),
        points=evaluation,
        curves=tuple(item.curve.name for item in requested if item.curve is not None),
        topics=scores.filter(pl.col("score").is_finite())["topic"].n_unique(),
        warnings=evaluation.warnings,
        rejected=evaluation.rejected,
        parameters={"seed": seed, **({"simulated topics": simulate_grades} if simulate_grades else {})},
    )


def _completed(
    share: float,
    runs: Mapping[str, Run],
    judged: Assessments,
    documents: Collection,
    wanted: Sequence[Asked],
    keywords: Mapping[str, Any],
) -> pl.DataFrame:
    """Return the scores with ``share`` of the ungraded near misses graded, as a mean over several draws."""
    draws = [
        scores_of(
            evaluated(
                runs, completed(judged, runs, share, seed=seed), documents, wanted, keywords, drawn=False
            ),
            wanted,
            runs,
        )
        for seed in range(_DRAWS if share < 1 else 1)
    ]
    key = ["measure", "topic", "system"]
    return pl.concat(draws).group_by(key, maintain_order=True).agg(pl.col("score").mean())


def _shared(observed: pl.DataFrame, share: float) -> pl.DataFrame:
    return observed.select(pl.lit(share).alias("share"), "observation", "measure", "ratio", "outcome")


def _by_share(completion: pl.DataFrame) -> pl.DataFrame:
    """Return the ratios with one column per share; an empty table if there is only one share."""
    wide = completion.with_columns(pl.format("{} %", (100 * pl.col("share")).cast(pl.Int64)).alias("share"))
    table = wide.pivot("share", index=["observation", "measure"], values="ratio", maintain_order=True)
    return table if completion["share"].n_unique() > 1 else table.clear()


def _short(observations: pl.DataFrame) -> pl.DataFrame:
    """Return the observations with the outcome in words."""
    words = [
        statement.blames if outcome == "blamed" else statement.wants if outcome == "wanted" else "neither"
        for statement, outcome in zip(
            (OBSERVATIONS[number - 1] for number in observations["observation"]),
            observations["outcome"],
            strict=True,
        )
    ]
    return observations.select(
        "observation",
        "measure",
        pl.Series("here", words),
        "ratio",
        as_in_paper="holds",
        topics=pl.format("{} of {}", "topics", "of"),
    )


def _few(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of topics, emptied if it has too many columns to read."""
    return table if len(table.columns) <= 12 else table.clear()


def _worth(system: Mapping[str, Any]) -> str:
    """Describe the gain of a system's results, and the share that is ungraded or gains nothing."""
    worthless, predicate = system["ungraded"], "are ungraded"
    if worthless is None:
        worthless, predicate = system["nothing"], "gain nothing"
    return (
        f"{system['system']} gains {system['gain']:.2f} per result, "
        f"and {worthless:.0%} of its results {predicate}"
    )


def _times(ratio: float) -> str:
    return "no defined multiple of the score" if np.isnan(ratio) else f"{ratio:.2f} times the score"
