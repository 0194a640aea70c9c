"""The data of a study, and their scores under one or several settings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.chunk_inputs import as_collection
from doxel.evaluation.comparison import by_topic
from doxel.evaluation.evaluation import Rejection, no_scores
from doxel.evaluation.inputs import ChangedRun, Given, as_assessments, as_runs
from doxel.evaluation.sets import expand, on_scale
from doxel.measures import Measure
from doxel.measures.measure_table import lower_is_better
from doxel.runs import Run
from doxel.runs.conforming_results import find_conforming_results
from doxel.runs.result_spans import resolve_run
from doxel.spans import Floats
from doxel.studies.fewer_grades import fewer_grades
from doxel.studies.setting import Setting
from doxel.topics.query_structure import Constraints, build_constraints
from doxel.wording import pluralise

__all__ = ["Cube", "Material", "Scored", "gather"]


@dataclass(frozen=True)
class Cube:
    """Scores as an array of rankings x topics x runs, NaN where there is no score.

    A ranking is a measure, or a measure under a setting; ``signs`` is -1 for measures of which lower is
    better, else 1.
    """

    rankings: tuple[str, ...]
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: Floats
    signs: Floats

    @property
    def means(self) -> Floats:
        """The means over topics, rankings x runs: over the defined scores, NaN if there are none."""
        is_defined = np.isfinite(self.values)
        count = is_defined.sum(axis=1)
        means: Floats = np.full(count.shape, np.nan)
        np.divide(np.where(is_defined, self.values, 0.0).sum(axis=1), count, out=means, where=count > 0)
        return means

    @property
    def merits(self) -> Floats:
        """The means, with the sign changed if lower is better: here higher is always better."""
        return self.signs[:, None] * self.means

    def only(self, rankings: Sequence[str]) -> Cube:
        """Return the given rankings, in the given order; missing ones are left out."""
        layers = [self.rankings.index(name) for name in rankings if name in self.rankings]
        labels = tuple(self.rankings[layer] for layer in layers)
        return replace(self, rankings=labels, values=self.values[layers], signs=self.signs[layers])


@dataclass(frozen=True)
class Scored:
    """Scores under settings: setting, run, topic, measure, score; measures by their requested names."""

    scores: pl.DataFrame
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    warnings: tuple[str, ...]
    rejected: tuple[Rejection, ...]

    @property
    def means(self) -> pl.DataFrame:
        """One row per setting, measure and run: setting, measure, run, mean, topics."""
        defined = pl.col("score").filter(pl.col("score").is_finite())
        return self.scores.group_by("setting", "measure", "run", maintain_order=True).agg(
            mean=defined.mean().fill_null(float("nan")), topics=defined.len()
        )

    def cube(self) -> Cube:
        """Return the scores of all rankings, over the same topics and runs."""
        topics = tuple(self.scores["topic"].unique(maintain_order=True))
        runs = tuple(self.scores["run"].unique(maintain_order=True))
        place = {topic: number for number, topic in enumerate(topics)}
        labels, layers, signs = [], [], []
        for measure in self.measures:
            for setting in self.settings:
                part = self.scores.filter(pl.col("measure") == measure, pl.col("setting") == setting)
                if not part.height:
                    continue
                labels.append(self.ranking(measure, setting))
                signs.append(-1.0 if lower_is_better(measure) else 1.0)
                part_topics, values = by_topic(part, runs)
                layer = np.full((len(topics), len(runs)), np.nan)
                layer[[place[topic] for topic in part_topics]] = values
                layers.append(layer)
        stacked = np.stack(layers) if layers else np.zeros((0, len(topics), len(runs)))
        return Cube(tuple(labels), topics, runs, stacked, np.array(signs))

    def ranking(self, measure: str, setting: str) -> str:
        """Return the label of the ranking of runs by a measure under a setting."""
        return measure if len(self.settings) == 1 else f"{measure} [{setting}]"


@dataclass(frozen=True)
class Material:
    """Runs, assessments and documents, and the keyword arguments of the evaluation.

    Run files are read one by one when they are scored, because there may be many.
    """

    runs: tuple[Given, ...]
    assessments: Assessments
    collection: Collection | None
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def measures(self, wanted: str | Measure | Sequence[str | Measure]) -> list[Measure]:
        """Return the requested measures, with quantisations named in full for the assessments' scale."""
        return [on_scale(measure, self.assessments.scale) for measure in expand(wanted)]

    def score(self, measures: Sequence[Measure], **more: Any) -> Evaluation:
        """Score the runs; a run that cannot be read is left out and reported."""
        evaluation = evaluate(
            list(self.runs),
            self.assessments,
            list(measures),
            collection=self.collection,
            **{**self.keywords, **more},
        )
        reasons = [rejection.reason for rejection in evaluation.rejected if rejection.measure == "all"]
        if len(reasons) == len(self.runs):
            raise InputError("no run could be read; the error for the first: " + reasons[0])
        return evaluation

    def under(self, settings: Sequence[Setting], measures: Sequence[Measure]) -> Scored:
        """Score the runs by measures under each of several settings."""
        labels = [setting.label for setting in settings]
        if len(set(labels)) < len(labels):
            raise InputError("settings", wanted="each once", found=", ".join(labels))
        rejected: list[Rejection] = []
        frames: dict[str, pl.DataFrame] = {}
        warnings: dict[str, tuple[str, ...]] = {}
        for alike in _alike(settings):
            evaluation, names = self._together(alike, measures)
            rejected += evaluation.rejected
            for setting in alike:
                label = setting.label
                frames[label] = _renamed(evaluation.scores, names[label], label)
                warnings[label] = evaluation.warnings
        scores = pl.concat([frames[label] for label in labels])
        if not scores.height:
            raise no_scores("a study", rejected)
        return Scored(
            scores=scores,
            settings=tuple(labels),
            measures=tuple(measure.name for measure in measures),
            warnings=_said_once(labels, [warnings[label] for label in labels]),
            rejected=tuple(dict.fromkeys(rejected)),
        )

    def _together(
        self, alike: Sequence[Setting], measures: Sequence[Measure]
    ) -> tuple[Evaluation, dict[str, dict[str, list[str]]]]:
        """Score under settings that differ only in parameters, in one evaluation, which shares its work.

        Also return, for each setting, the requested measures behind each scored measure.
        """
        changed = self.changed(alike[0])
        names: dict[str, dict[str, list[str]]] = {}
        all_measures: dict[Measure, None] = {}
        for setting in alike:
            applied = [on_scale(measure, changed.assessments.scale) for measure in setting.applied(measures)]
            all_measures.update(dict.fromkeys(applied))
            requested_by_name = names.setdefault(setting.label, {})
            for requested, scored in zip(measures, applied, strict=True):
                requested_by_name.setdefault(scored.name, []).append(requested.name)
        return changed.score(list(all_measures), **alike[0].options), names

    def changed(self, setting: Setting) -> Material:
        """Return the data with the assessments and runs of a setting."""
        changes, data = setting.own, self
        if "assessments" in changes:
            data = replace(data, assessments=as_assessments(changes["assessments"], self.collection))
        if "grades" in changes:
            data = replace(data, assessments=fewer_grades(data.assessments, changes["grades"]))
        if "hints" in changes:
            data = replace(data, runs=self.hinted(self.runs, changes["hints"]))
        return data

    def hinted(self, runs: tuple[Given, ...], hints: str) -> tuple[Given, ...]:
        """Return the runs without results that do not match the structure of their topics."""
        constraints = build_constraints("target=strict" if hints == "strict" else hints, self._topic_file)
        if constraints is None:
            return runs
        change = partial(_on_target, constraints, self.collection)
        return tuple(ChangedRun(run, change) for run in runs)

    @property
    def _topic_file(self) -> Any:
        return self.keywords.get("topic_file")


def gather(
    runs: Any,
    assessments: Any,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None,
    keywords: Mapping[str, Any],
) -> Material:
    """Load the data of a study."""
    documents = as_collection(collection)
    sources = tuple(as_runs(runs, documents))
    if not sources or (isinstance(runs, Sequence) and not runs):
        raise InputError("a study", wanted="runs", found="none")
    options = {name: value for name, value in keywords.items() if name != "progress"}
    return Material(sources, as_assessments(assessments, documents), documents, options)


def _on_target(constraints: Constraints, documents: Collection | None, run: Run) -> Run:
    """Return a run without results that do not match the structure of their topics."""
    is_matching = find_conforming_results(resolve_run(run, documents), constraints, documents)
    results = run.results.filter(is_matching.fill_null(value=True))
    subject = pluralise(run.results.height - results.height, "result is", "results are")
    note = f"{subject} left out because of the structure of the topics"
    return replace(run, results=results, notes=(*run.notes, note))


def _alike(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Group settings that differ only in parameters of measures."""
    groups: dict[tuple[object, ...], list[Setting]] = {}
    for setting in settings:
        key = (tuple(sorted(setting.options.items())), tuple(sorted(setting.own.items())))
        groups.setdefault(key, []).append(setting)
    return list(groups.values())


def _said_once(labels: Sequence[str], warnings: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the warnings common to all settings, then those of single settings with their labels."""
    everywhere = [message for message in warnings[0] if all(message in messages for messages in warnings)]
    single = [
        f"{label}: {message}"
        for label, messages in zip(labels, warnings, strict=True)
        for message in messages
        if message not in everywhere
    ]
    return tuple(dict.fromkeys([*everywhere, *single]))


def _renamed(scores: pl.DataFrame, names: Mapping[str, Sequence[str]], label: str) -> pl.DataFrame:
    """Return scores under the requested names of the measures."""
    pairs = [
        (scored, requested) for scored, requested_names in names.items() for requested in requested_names
    ]
    table = pl.DataFrame(pairs, schema={"measure": pl.String, "asked": pl.String}, orient="row")
    joined = scores.join(table, on="measure", how="inner", maintain_order="left")
    return joined.select(pl.lit(label).alias("setting"), "run", "topic", measure="asked", score="score")
