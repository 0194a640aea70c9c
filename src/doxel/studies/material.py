"""What studies score: the same runs and assessments, under one setting after the other."""

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
from doxel.measures.table import lower_is_better
from doxel.runs import Run
from doxel.runs.on_target import on_target
from doxel.runs.resolve import resolve
from doxel.spans import Floats
from doxel.studies.fewer_grades import fewer_grades
from doxel.studies.setting import Setting
from doxel.topics.structure import Constraints, constraints_of
from doxel.wording import counted

__all__ = ["Cube", "Material", "Scored", "gather"]


@dataclass(frozen=True)
class Cube:
    """Scores as an array of rankings x topics x runs, NaN where there is none.

    A ranking is a measure, or a measure under a setting; ``signs`` holds -1 for those of which less is
    better, else 1.
    """

    rankings: tuple[str, ...]
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: Floats
    signs: Floats

    @property
    def means(self) -> Floats:
        """The means over topics, rankings x runs: over what is defined, NaN where nothing is."""
        there = np.isfinite(self.values)
        count = there.sum(axis=1)
        means: Floats = np.full(count.shape, np.nan)
        np.divide(np.where(there, self.values, 0.0).sum(axis=1), count, out=means, where=count > 0)
        return means

    @property
    def merits(self) -> Floats:
        """The means, turned where less is better: here more always is."""
        return self.signs[:, None] * self.means

    def only(self, rankings: Sequence[str]) -> Cube:
        """Return some of the rankings, in the order given; those that there are not are left out."""
        layers = [self.rankings.index(name) for name in rankings if name in self.rankings]
        kept = tuple(self.rankings[layer] for layer in layers)
        return replace(self, rankings=kept, values=self.values[layers], signs=self.signs[layers])


@dataclass(frozen=True)
class Scored:
    """Scores under settings: setting, run, topic, measure, score; measures by the names asked for."""

    scores: pl.DataFrame
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    warnings: tuple[str, ...]
    rejected: tuple[Rejection, ...]

    @property
    def means(self) -> pl.DataFrame:
        """One row a setting, measure and run: setting, measure, run, mean, topics."""
        defined = pl.col("score").filter(pl.col("score").is_finite())
        return self.scores.group_by("setting", "measure", "run", maintain_order=True).agg(
            mean=defined.mean().fill_null(float("nan")), topics=defined.len()
        )

    def cube(self) -> Cube:
        """Return the scores of all rankings that there are, over the same topics and runs."""
        topics = tuple(self.scores["topic"].unique(maintain_order=True))
        runs = tuple(self.scores["run"].unique(maintain_order=True))
        place = {topic: number for number, topic in enumerate(topics)}
        labels, layers, signs = [], [], []
        for measure in self.measures:
            for one in self.settings:
                part = self.scores.filter(pl.col("measure") == measure, pl.col("setting") == one)
                if not part.height:
                    continue
                labels.append(self.ranking(measure, one))
                signs.append(-1.0 if lower_is_better(measure) else 1.0)
                known, values = by_topic(part, runs)
                layer = np.full((len(topics), len(runs)), np.nan)
                layer[[place[topic] for topic in known]] = values
                layers.append(layer)
        stacked = np.stack(layers) if layers else np.zeros((0, len(topics), len(runs)))
        return Cube(tuple(labels), topics, runs, stacked, np.array(signs))

    def ranking(self, measure: str, setting: str) -> str:
        """Return what the ranking of runs by a measure under a setting is called."""
        return measure if len(self.settings) == 1 else f"{measure} [{setting}]"


@dataclass(frozen=True)
class Material:
    """Runs, assessments and documents, and the keywords of the evaluation.

    Runs that are files are read where they are scored, one after the other: there may be many.
    """

    runs: tuple[Given, ...]
    assessments: Assessments
    collection: Collection | None
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def measures(self, wanted: str | Measure | Sequence[str | Measure]) -> list[Measure]:
        """Return the measures that are asked for, their quantisations by the names of the scale."""
        return [on_scale(one, self.assessments.scale) for one in expand(wanted)]

    def score(self, measures: Sequence[Measure], **more: Any) -> Evaluation:
        """Score the runs as they are; of several one that cannot be read is left out, and said."""
        found = evaluate(
            list(self.runs),
            self.assessments,
            list(measures),
            collection=self.collection,
            **{**self.keywords, **more},
        )
        unread = [one.reason for one in found.rejected if one.measure == "all"]
        if len(unread) == len(self.runs):
            raise InputError("no run could be read; the first: " + unread[0])
        return found

    def under(self, settings: Sequence[Setting], measures: Sequence[Measure]) -> Scored:
        """Score the runs by measures under each of several settings."""
        labels = [one.label for one in settings]
        if len(set(labels)) < len(labels):
            raise InputError("settings", wanted="each once", found=", ".join(labels))
        rejected: list[Rejection] = []
        frames: dict[str, pl.DataFrame] = {}
        warnings: dict[str, tuple[str, ...]] = {}
        for alike in _alike(settings):
            found, names = self._together(alike, measures)
            rejected += found.rejected
            for one in alike:
                frames[one.label] = _renamed(found.scores, names[one.label], one.label)
                warnings[one.label] = found.warnings
        scores = pl.concat([frames[label] for label in labels])
        if not scores.height:
            raise no_scores("a study", rejected)
        return Scored(
            scores=scores,
            settings=tuple(labels),
            measures=tuple(one.name for one in measures),
            warnings=_said_once(labels, [warnings[label] for label in labels]),
            rejected=tuple(dict.fromkeys(rejected)),
        )

    def _together(
        self, alike: Sequence[Setting], measures: Sequence[Measure]
    ) -> tuple[Evaluation, dict[str, dict[str, list[str]]]]:
        """Score under settings that differ in parameters only, in one evaluation, which shares its work.

        Also return for each setting which measures that were asked for stand behind each scored one.
        """
        changed = self.changed(alike[0])
        names: dict[str, dict[str, list[str]]] = {}
        every: dict[Measure, None] = {}
        for one in alike:
            applied = [on_scale(measure, changed.assessments.scale) for measure in one.applied(measures)]
            every.update(dict.fromkeys(applied))
            named = names.setdefault(one.label, {})
            for asked, scored in zip(measures, applied, strict=True):
                named.setdefault(scored.name, []).append(asked.name)
        return changed.score(list(every), **alike[0].options), names

    def changed(self, one: Setting) -> Material:
        """Return the material with the assessments and runs of a setting."""
        own, changed = one.own, self
        if "assessments" in own:
            changed = replace(changed, assessments=as_assessments(own["assessments"], self.collection))
        if "grades" in own:
            changed = replace(changed, assessments=fewer_grades(changed.assessments, own["grades"]))
        if "hints" in own:
            changed = replace(changed, runs=self.hinted(self.runs, own["hints"]))
        return changed

    def hinted(self, runs: tuple[Given, ...], hints: str) -> tuple[Given, ...]:
        """Return runs without what their topics' structure does not ask for."""
        constraints = constraints_of("target=strict" if hints == "strict" else hints, self._topic_file)
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
    """Return what a study is about."""
    documents = as_collection(collection)
    given = tuple(as_runs(runs, documents))
    if not given or (isinstance(runs, Sequence) and not runs):
        raise InputError("a study", wanted="runs", found="none")
    rest = {name: value for name, value in keywords.items() if name != "progress"}
    return Material(given, as_assessments(assessments, documents), documents, rest)


def _on_target(constraints: Constraints, documents: Collection | None, run: Run) -> Run:
    """Return a run without what its topics' structure does not ask for."""
    kept = on_target(resolve(run, documents), constraints, documents)
    left = run.results.filter(kept.fill_null(value=True))
    others = counted(run.results.height - left.height, "result is", "results are")
    note = f"{others} not what the topics ask for: left out"
    return replace(run, results=left, notes=(*run.notes, note))


def _alike(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Put settings together that differ in nothing but parameters of measures."""
    groups: dict[tuple[object, ...], list[Setting]] = {}
    for one in settings:
        key = (tuple(sorted(one.options.items())), tuple(sorted(one.own.items())))
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _said_once(labels: Sequence[str], warnings: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what was said under all settings, and then what was said under some, with their labels."""
    everywhere = [one for one in warnings[0] if all(one in several for several in warnings)]
    single = [
        f"{label}: {one}"
        for label, several in zip(labels, warnings, strict=True)
        for one in several
        if one not in everywhere
    ]
    return tuple(dict.fromkeys([*everywhere, *single]))


def _renamed(scores: pl.DataFrame, names: Mapping[str, Sequence[str]], label: str) -> pl.DataFrame:
    """Return scores under the names of the measures that were asked for."""
    pairs = [(scored, asked) for scored, several in names.items() for asked in several]
    table = pl.DataFrame(pairs, schema={"measure": pl.String, "asked": pl.String}, orient="row")
    joined = scores.join(table, on="measure", how="inner", maintain_order="left")
    return joined.select(pl.lit(label).alias("setting"), "run", "topic", measure="asked", score="score")
