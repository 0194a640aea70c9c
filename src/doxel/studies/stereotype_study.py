"""Stereotypes: what measures say of systems that know the assessments (source 003, section 4).

Five systems return the relevant elements, or what is near them.  Under a good measure the perfect one
wins, and those that return too much or too little come out near each other, the nearer the better.  The
paper makes four observations; they are checked for every measure, over topics and topic by topic.
Where one does not come out as in the paper, it is analysed: what the systems returned and how it was
graded; on which topics it comes out; and whether it would, had assessors graded more of the parents and
biggest children.

A measure that lacks its ``@`` stands for its curve over ranks, and is summed up by its mean over the ranks
down to the one at which the perfect system ends.
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
from doxel.wording import counted

__all__ = ["FIVE", "MEASURES", "Stereotypes", "stereotypes"]

FIVE = ("perfect", "document", "parent", "ancestors", "biggest-child")
MEASURES = ("GR(model=inex2003)", "inex_eval(step=0.1)")
_SHARES = (0.25, 0.5, 0.75, 1.0)
_DRAWS = 3  # of which near misses get a grade


@dataclass(frozen=True, kw_only=True)
class Stereotypes(StudyResult):
    """Stereotypical systems under measures.

    ``scores`` has one row a measure, topic and system; ``points`` the curves of all systems (run, topic,
    curve, x, y, at), averaged over topics when drawn.  ``observations`` has one row an observation and
    measure: ratio, outcome ("blamed", "wanted" or "neither"), expected (what the paper found; null where
    it says nothing), holds, topics (with that outcome), of.  ``by_topic`` has the same topic by topic, and
    ``completion`` by the share of ungraded parents and biggest children that are given a grade (a mean of
    three draws of which).
    ``returned`` says what the systems returned.
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
        """One row a measure and system: measure, system, mean."""
        defined = pl.col("score").filter(pl.col("score").is_finite())
        return self.scores.group_by("measure", "system", maintain_order=True).agg(mean=defined.mean())

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """Scores, observations, what was returned, and the observations by topic."""
        wide = self.means.pivot("system", index="measure", values="mean", maintain_order=True)
        ratios = self.by_topic.pivot(
            "topic", index=["observation", "measure"], values="ratio", maintain_order=True
        )
        return (
            Panel(
                "scores",
                f"Mean scores of the systems over {counted(self.topics, 'topic')}",
                self.scores,
                wide,
            ),
            Panel(
                "observations", "The paper's four observations", self.observations, _short(self.observations)
            ),
            Panel("returned", "What the systems return: shares by grade, and the mean gain", self.returned),
            Panel(
                "completion",
                "The ratio behind each observation, had so many of the ungraded near misses a grade",
                self.completion,
                _by_share(self.completion),
            ),
            Panel("topics", "The ratio behind each observation, topic by topic", self.by_topic, _few(ratios)),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """Which observations come out as in the paper; those that do not, with the reasons."""
        said = []
        for row in self.observations.filter(pl.col("expected").is_not_null()).iter_rows(named=True):
            one = OBSERVATIONS[row["observation"] - 1]
            paper = one.blames if row["expected"] == "blamed" else one.wants
            ratio = f"{one.one} has {_times(row['ratio'])} of {one.other}"
            where = f"in {row['topics']} of {row['of']} topics"
            if row["holds"]:
                said.append(
                    f"Observation {one.number}, {row['measure']}: {paper}. It is so ({ratio}; {where})."
                )
            else:
                said.append(
                    f"Observation {one.number}, {row['measure']}: the paper says that {paper}. Not here: "
                    f"{ratio}; as in the paper {where}. {self._why(row)}"
                )
        return tuple(said)

    def _why(self, row: Mapping[str, Any]) -> str:
        """Say what the two systems returned, and what complete grades would change."""
        one = OBSERVATIONS[row["observation"] - 1]
        known = {system["system"]: system for system in self.returned.iter_rows(named=True)}
        parts = [_worth(known[name]) for name in (one.one, one.other) if name in known]
        why = f"{'; '.join(parts)}. " if parts else ""
        of_this = pl.col("observation") == row["observation"], pl.col("measure") == row["measure"]
        later = self.completion.filter(*of_this, pl.col("share") > 0).sort("share")
        if not later.height:
            return why.strip()
        held = later.filter(pl.col("outcome") == row["expected"])
        if held.height:
            first = held.row(0, named=True)
            return (
                f"{why}It would be as in the paper if {first['share']:.0%} of the parents and biggest "
                f"children that nobody graded had a grade (ratio {first['ratio']:.2f})."
            )
        shown = ", ".join(
            f"{ratio:.2f} at {share:.0%}" for share, ratio in later.select("share", "ratio").rows()
        )
        return f"{why}Grades for the parents and biggest children that have none would not do: {shown}."


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
        On the scale of 2002 where GR(model=inex2003) is asked for; None with ``simulate_grades``.
    measures
        Any; those of the paper where none are named.
    simulate_grades
        Grade so many topics at random, for collections that nobody has assessed.
    """
    check_drawing(seed=seed)
    documents = as_collection(collection)
    if documents is None:
        raise InputError("stereotypical systems return elements", wanted="a collection (-c)", found="none")
    if simulate_grades:
        judged = simulated_grades(documents, topics=simulate_grades, seed=seed)
    else:
        judged = as_assessments(assessments, documents)
    runs = {system: simulate(system, judged, documents, seed=seed) for system in FIVE}
    wanted = asked(measures or list(MEASURES), judged.scale)
    keywords = {name: value for name, value in scoring.items() if name not in {"on_error", "fol_end"}}
    found = evaluated(runs, judged, documents, wanted, keywords)
    scores = scores_of(found, wanted, runs)
    observed, by_topic = observe(scores)
    completion = [_shared(observed, 0.0)]
    if judged.scale == "2002":  # other scales do not say what a near miss is worth
        again = [(_completed(share, runs, judged, documents, wanted, keywords), share) for share in _SHARES]
        completion += [_shared(observe(more)[0], share) for more, share in again]
    return Stereotypes(
        scores=scores,
        observations=observed,
        by_topic=by_topic,
        completion=pl.concat(completion),
        returned=returned(list(runs.values()), judged, documents),
        points=found,
        curves=tuple(one.curve.name for one in wanted if one.curve is not None),
        topics=scores.filter(pl.col("score").is_finite())["topic"].n_unique(),
        warnings=found.warnings,
        rejected=found.rejected,
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
    """Return the scores with so many more near misses graded, the mean of a few draws of which ones."""
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
    """Return the ratios with one column a share; nothing where there is only what was graded."""
    wide = completion.with_columns(pl.format("{} %", (100 * pl.col("share")).cast(pl.Int64)).alias("share"))
    table = wide.pivot("share", index=["observation", "measure"], values="ratio", maintain_order=True)
    return table if completion["share"].n_unique() > 1 else table.clear()


def _short(observations: pl.DataFrame) -> pl.DataFrame:
    """Return the observations with what the paper says in words."""
    words = [
        one.blames if outcome == "blamed" else one.wants if outcome == "wanted" else "neither"
        for one, outcome in zip(
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
    """Return a table of topics only while it can be read."""
    return table if len(table.columns) <= 12 else table.clear()


def _worth(system: Mapping[str, Any]) -> str:
    """Say what the results of a system gain, and how many of them nobody graded, or gain nothing."""
    bare, words = system["ungraded"], "was never graded"
    if bare is None:
        bare, words = system["nothing"], "gains nothing"
    return f"{system['system']} gains {system['gain']:.2f} a result, {bare:.0%} of what it returns {words}"


def _times(ratio: float) -> str:
    return "no measurable part" if np.isnan(ratio) else f"{ratio:.2f} times the score"
