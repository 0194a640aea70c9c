"""Stereotypes: how measures score systems that know the assessments (source 003, section 4).

Five systems return the relevant elements, or elements near them.  Under a good measure the perfect system
wins; systems that return too much or too little have similar scores, which are higher for elements nearer
to the relevant ones.  The paper makes four observations; they are checked for every measure, over topics
and topic by topic.  An observation that does not hold is analysed: what the systems returned and how it was
graded; on which topics it holds; and whether it would hold if assessors had graded more of the parents and
biggest children.

A measure without its ``@`` is evaluated as its curve over ranks, averaged over the ranks up to the last
result of the perfect system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError, MeasureError
from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.evaluation.inputs.input_tables import as_assessments
from doxel.evaluation.inputs.measure_sets import adapt_to_scale, expand_sets
from doxel.measures import Measure
from doxel.measures.curves import Curve, curve, find_curve
from doxel.recallbases.recall_base_table import recall_base
from doxel.runs import Run
from doxel.studies.simulation import generate_grades, simulate_system
from doxel.studies.stereotype_observations import OBSERVATIONS, observe
from doxel.studies.study_declaration import Panel, StudyResult
from doxel.wording import format_share, pluralise

__all__ = ["FIVE", "MEASURES", "StereotypeStudy", "complete_grades", "describe_results", "study_stereotypes"]

FIVE = ("perfect", "document", "parent", "ancestors", "biggest-child")
MEASURES = ("GR(model=inex2003)", "inex_eval(step=0.1)")
_SHARES = (0.25, 0.5, 0.75, 1.0)
_DRAWS = 3  # random choices of the near misses to grade


@dataclass(frozen=True, kw_only=True)
class StereotypeStudy(StudyResult):
    """The scores of stereotypical systems, and the observations about them.

    ``scores`` has one row per measure, topic and system; ``points`` the curves of all systems (run, topic,
    curve, x, y, at), averaged over topics when drawn.  ``observations`` has one row per observation and
    measure: ratio, outcome ("blamed", "wanted" or "neither"), expected (the paper's outcome; null if it
    gives none), holds, topics (with that outcome), of.  ``by_topic`` has the same topic by topic, and
    ``completion`` by the share of ungraded parents and biggest children that are given a grade (a mean over
    three random draws).  ``describe_results`` describes the results of the systems.
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
                "observations",
                "The paper's four observations",
                self.observations,
                _shorten_observations(self.observations),
            ),
            Panel("returned", "Results of the systems: shares by grade, and the mean gain", self.returned),
            Panel(
                "completion",
                "The ratio behind each observation, if the given share of ungraded near misses had a grade",
                self.completion,
                _pivot_shares(self.completion),
            ),
            Panel(
                "topics",
                "The ratio behind each observation, topic by topic",
                self.by_topic,
                _clear_if_wide(ratios),
            ),
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """The observations that hold as in the paper, and those that do not, with the reasons."""
        sentences = []
        for row in self.observations.filter(pl.col("expected").is_not_null()).iter_rows(named=True):
            observation = OBSERVATIONS[row["observation"] - 1]
            paper = observation.blames if row["expected"] == "blamed" else observation.wants
            ratio = f"{observation.one} has {_format_ratio(row['ratio'])} of {observation.other}"
            topics = f"in {row['topics']} of {row['of']} topics"
            label = f"Observation {observation.number}, {row['measure']}"
            if row["holds"]:
                sentences.append(f"{label}: {paper}. It holds ({ratio}; {topics}).")
            else:
                sentences.append(
                    f"{label}: in the paper, {paper}. It does not hold here: {ratio}; it holds {topics}. "
                    f"{self._explain_failure(row)}"
                )
        return tuple(sentences)

    def _explain_failure(self, row: Mapping[str, Any]) -> str:
        """Describe the results of the two systems, and the effect of complete grades."""
        observation = OBSERVATIONS[row["observation"] - 1]
        results = {system["system"]: system for system in self.returned.iter_rows(named=True)}
        descriptions = [
            _describe_worth(results[name]) for name in (observation.one, observation.other) if name in results
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


def study_stereotypes(
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Any = None,
    simulate_grades: int = 0,
    seed: int = 0,
    **scoring: Any,
) -> StereotypeStudy:
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
    check_resampling(seed=seed)
    documents = as_collection(collection)
    if documents is None:
        raise InputError(
            "stereotypical systems need the elements of documents", wanted="a collection (-c)", found="none"
        )
    if simulate_grades:
        judged = generate_grades(documents, topics=simulate_grades, seed=seed)
    else:
        judged = as_assessments(assessments, documents)
    runs = {system: simulate_system(system, judged, documents, seed=seed) for system in FIVE}
    requested = parse_studied_measures(measures or list(MEASURES), judged.scale)
    keywords = {name: value for name, value in scoring.items() if name not in {"on_error", "fol_end"}}
    evaluation = evaluate_systems(runs, judged, documents, requested, keywords)
    scores = tabulate_scores(evaluation, requested, runs)
    observed, by_topic = observe(scores)
    completion = [_select_ratios(observed, 0.0)]
    if judged.scale == "2002":  # other scales do not define the grade of a near miss
        completions = [
            (_score_completed(share, runs, judged, documents, requested, keywords), share)
            for share in _SHARES
        ]
        completion += [
            _select_ratios(observe(completed_scores)[0], share) for completed_scores, share in completions
        ]
    return StereotypeStudy(
        scores=scores,
        observations=observed,
        by_topic=by_topic,
        completion=pl.concat(completion),
        returned=describe_results(list(runs.values()), judged, documents),
        points=evaluation,
        curves=tuple(item.curve.name for item in requested if item.curve is not None),
        topics=scores.filter(pl.col("score").is_finite())["topic"].n_unique(),
        warnings=evaluation.warnings,
        rejected=evaluation.rejected,
        parameters={"seed": seed, **({"simulated topics": simulate_grades} if simulate_grades else {})},
    )


def _score_completed(
    share: float,
    runs: Mapping[str, Run],
    judged: Assessments,
    documents: Collection,
    studied_measures: Sequence[StudiedMeasure],
    keywords: Mapping[str, Any],
) -> pl.DataFrame:
    """Return the scores with ``share`` of the ungraded near misses graded, as a mean over several draws."""
    draws = [
        tabulate_scores(
            evaluate_systems(
                runs,
                complete_grades(judged, runs, share, seed=seed),
                documents,
                studied_measures,
                keywords,
                drawn=False,
            ),
            studied_measures,
            runs,
        )
        for seed in range(_DRAWS if share < 1 else 1)
    ]
    key = ["measure", "topic", "system"]
    return pl.concat(draws).group_by(key, maintain_order=True).agg(pl.col("score").mean())


def _select_ratios(observed: pl.DataFrame, share: float) -> pl.DataFrame:
    return observed.select(pl.lit(share).alias("share"), "observation", "measure", "ratio", "outcome")


def _pivot_shares(completion: pl.DataFrame) -> pl.DataFrame:
    """Return the ratios with one column per share; an empty table if there is only one share."""
    wide = completion.with_columns(pl.format("{} %", (100 * pl.col("share")).cast(pl.Int64)).alias("share"))
    table = wide.pivot("share", index=["observation", "measure"], values="ratio", maintain_order=True)
    return table if completion["share"].n_unique() > 1 else table.clear()


def _shorten_observations(observations: pl.DataFrame) -> pl.DataFrame:
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


def _clear_if_wide(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of topics, emptied if it has too many columns to read."""
    return table if len(table.columns) <= 12 else table.clear()


def _describe_worth(system: Mapping[str, Any]) -> str:
    """Describe the gain of a system's results, and the share that is ungraded or gains nothing."""
    worthless, predicate = system["ungraded"], "are ungraded"
    if worthless is None:
        worthless, predicate = system["nothing"], "gain nothing"
    return (
        f"{system['system']} gains {system['gain']:.2f} per result, "
        f"and {format_share(worthless)} of its results {predicate}"
    )


def _format_ratio(ratio: float) -> str:
    return "no defined multiple of the score" if np.isnan(ratio) else f"{ratio:.2f} times the score"


@dataclass(frozen=True)
class StudiedMeasure:
    """A measure, or a curve over ranks that is averaged."""

    name: str
    measure: Measure | None
    curve: Curve | None


def parse_studied_measures(
    measures: str | Measure | Sequence[str | Measure], scale: str
) -> list[StudiedMeasure]:
    """Parse measures; a measure that lacks only its @ becomes a curve over ranks."""
    requests = [measures] if isinstance(measures, str | Measure) else list(measures)
    return [item for request in requests for item in _parse_studied_measure(request, scale)]


def _parse_studied_measure(request: str | Measure, scale: str) -> list[StudiedMeasure]:
    try:
        measures = expand_sets(request, scale)
    except MeasureError:
        rank_curve = curve(str(request))
        if not rank_curve.over_ranks:
            raise
        return [StudiedMeasure(rank_curve.name, None, rank_curve)]
    scaled_measures = [adapt_to_scale(measure, scale) for measure in measures]
    return [StudiedMeasure(measure.name, measure, find_curve(measure)) for measure in scaled_measures]


def evaluate_systems(
    runs: Mapping[str, Run],
    judged: Assessments,
    documents: Collection,
    studied_measures: Sequence[StudiedMeasure],
    keywords: Mapping[str, Any],
    *,
    drawn: bool = True,
) -> Evaluation:
    """Score systems by measures and by the points of their curves.

    With ``drawn``, all points of all curves are evaluated, else only those that are averaged.
    """
    measures = [item.measure for item in studied_measures if item.measure is not None]
    last = int(runs["perfect"].results.group_by("topic").len()["len"].to_numpy().max(initial=0))
    points = [
        measure
        for item in studied_measures
        if item.curve is not None
        for measure in item.curve.measures
        # 10 more ranks include the next point of the curve, for interpolation
        if drawn or (item.measure is None and measure.at <= last + 10)
    ]
    options = {**keywords, "on_mismatch": "score"}  # a simulated system may return nothing that was judged
    return evaluate(list(runs.values()), judged, [*measures, *points], collection=documents, **options)


def tabulate_scores(
    evaluation: Evaluation, studied_measures: Sequence[StudiedMeasure], runs: Mapping[str, Run]
) -> pl.DataFrame:
    """Return one score per measure, topic and system: measure, topic, system, score."""
    frames = []
    for item in studied_measures:
        if item.measure is not None:
            part = evaluation.scores.filter(pl.col("measure") == item.name).select(
                "topic", "score", system="run"
            )
        elif item.curve is not None:
            part = _average_curves(evaluation.curve(item.curve.name), runs["perfect"])
        frames.append(part.select(pl.lit(item.name).alias("measure"), "topic", "system", "score"))
    return pl.concat(frames)


def _average_curves(points: pl.DataFrame, perfect: Run) -> pl.DataFrame:
    """Return the mean of each curve over the ranks up to the last result of the perfect system."""
    ends = dict(perfect.results.group_by("topic").len().iter_rows())
    rows = []
    for (topic, system), part in points.group_by("topic", "run", maintain_order=True):
        ranks = np.arange(1, ends.get(topic, 0) + 1)
        score = np.interp(ranks, part["x"], part["y"]).mean() if len(ranks) else float("nan")
        rows.append({"topic": topic, "system": system, "score": float(score)})
    return pl.DataFrame(rows, schema={"topic": pl.String, "system": pl.String, "score": pl.Float64})


_KEY = ("topic", "doc", "path")
_COVERAGES = {"E": "exact", "L": "too large", "S": "too small"}
_RETURNED = {
    "system": pl.String,
    "results": pl.Int64,
    **dict.fromkeys((*_COVERAGES.values(), "ungraded", "nothing", "gain"), pl.Float64),
}


def describe_results(
    runs: Sequence[Run], assessments: Assessments, collection: Collection, *, quant: str = "gen"
) -> pl.DataFrame:
    """Describe the results of each system: their number, shares by coverage, ungraded share and gain.

    ``nothing`` is the share that gains nothing.  Only the scale of 2002 has coverage; on other scales its
    shares are null.
    """
    gains = recall_base(assessments, collection, quant=quant).select(*_KEY, "gain")
    grades = assessments.elements.select(*_KEY, "coverage").unique(_KEY, maintain_order=True)
    rows = []
    for run in runs:
        graded = (
            run.results.select(*_KEY)
            .join(grades, on=_KEY, how="left", maintain_order="left")
            .join(gains, on=_KEY, how="left", maintain_order="left")
        )
        shares = {
            name: _compute_share(graded, pl.col("coverage") == letter) for letter, name in _COVERAGES.items()
        }
        shares["ungraded"] = _compute_share(graded, pl.col("coverage").is_null())
        rows.append(
            {
                "system": run.id,
                "results": graded.height,
                **(shares if assessments.scale == "2002" else dict.fromkeys(shares)),
                "nothing": _compute_share(graded, pl.col("gain").is_null()),
                "gain": graded["gain"].fill_null(0.0).mean(),
            }
        )
    return pl.DataFrame(rows, schema=_RETURNED)


def _compute_share(table: pl.DataFrame, condition: pl.Expr) -> float:
    share: float = table.select(condition.fill_null(value=False).mean()).item()
    return share


def complete_grades(
    assessments: Assessments, runs: Mapping[str, Run], share: float = 1.0, *, seed: int = 0
) -> Assessments:
    """Return assessments of 2002 in which more parents and biggest children of exact elements are graded.

    Existing grades stay.  Of the ungraded elements, ``share`` get a grade: a parent is too large, a biggest
    child too small; both are as relevant as the exact element.  With the same seed, a smaller share is a
    subset of a larger one.
    """
    exact = assessments.elements.filter(pl.col("coverage") == "E")
    parent = pl.col("path").str.replace(r"/[^/]*$", "")
    near_misses = [
        exact.select("topic", "doc", "relevance", path=parent, coverage=pl.lit("L")),
        runs["biggest-child"]
        .results.select("topic", "doc", "path", parent.alias("above"))
        .join(
            exact.select("topic", "doc", "relevance", above="path"),
            on=["topic", "doc", "above"],
            how="inner",
            maintain_order="left",
        )
        .select("topic", "doc", "relevance", "path", coverage=pl.lit("S")),
    ]
    candidates = (
        pl.concat(near_misses)
        .filter(pl.col("path") != "")
        .sort("relevance", descending=True, maintain_order=True)
    )
    missing = candidates.unique(_KEY, keep="first", maintain_order=True).join(
        assessments.elements, on=_KEY, how="anti", maintain_order="left"
    )
    order = np.random.default_rng(seed).permutation(missing.height)
    additions = missing[np.sort(order[: round(share * missing.height)])]
    existing = ELEMENTS.fit(assessments.elements)
    # the new rows have not been resolved in the collection yet
    together = pl.concat([existing, ELEMENTS.fit(additions)]).with_columns(
        element=pl.lit(None, dtype=pl.Int64)
    )
    return replace(assessments, elements=ELEMENTS.fit(together))
