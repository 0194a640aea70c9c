"""The data of a study, its settings, and the scores under one or several settings.

A setting is written ``quant=strict; overlap=off``, optionally with a label:
``without links: exclude_tags=links``.  An empty setting changes nothing.

- Any parameter of a measure is applied to the measures that have it: quant, overlap, alpha, tie,
  construction, exclude_tags, task, limit ...
- ``topics``, ``order``, ``sizes``, ``on_invalid`` and ``structure`` are options of the evaluation.
- ``assessments`` names other assessments.
- ``grades=1`` keeps one grade of exhaustivity above zero (in 2002 of relevance), ``grades=2`` two
  (source 004, section 2.3); ``specificity_grades=2`` does the same for specificity (2003-04).
- ``hints=strict`` turns a CO run into a CO+S run: results that do not match the topic's structure are
  removed from the run; relevance does not change.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.checks.score_checks import LACKING_DATA
from doxel.checks.score_warnings import ScoreWarning
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError
from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.analysis.run_comparison import pivot_by_topic
from doxel.evaluation.evaluation_result import Rejection, make_no_scores_error
from doxel.evaluation.inputs.evaluation_options import check_resampling
from doxel.evaluation.inputs.input_tables import ChangedRun, RunSource, as_assessments, as_runs
from doxel.evaluation.inputs.measure_sets import adapt_to_scale, expand_sets
from doxel.measures import Measure
from doxel.measures.measure_table import lower_is_better
from doxel.runs import Run
from doxel.runs.conforming_results import find_conforming_results
from doxel.runs.result_spans import resolve_run
from doxel.spans import Floats
from doxel.statistics.multiple_comparisons import correct_p_values
from doxel.statistics.significance import apply_paired_test, compare_all_pairs
from doxel.topics.query_structure import Constraints, build_constraints
from doxel.wording import pluralise

__all__ = [
    "AS_IT_IS",
    "SURE",
    "Cube",
    "Setting",
    "SettingScores",
    "SignificancePlan",
    "StudyData",
    "load_study_data",
    "parse_setting",
    "reduce_grades",
]


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

    def select(self, rankings: Sequence[str]) -> Cube:
        """Return the given rankings, in the given order; missing ones are left out."""
        layers = [self.rankings.index(name) for name in rankings if name in self.rankings]
        labels = tuple(self.rankings[layer] for layer in layers)
        return replace(self, rankings=labels, values=self.values[layers], signs=self.signs[layers])


@dataclass(frozen=True)
class SettingScores:
    """Scores under settings: setting, run, topic, measure, score; measures by their requested names."""

    scores: pl.DataFrame
    settings: tuple[str, ...]
    measures: tuple[str, ...]
    warnings: tuple[ScoreWarning, ...]
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
                part_topics, values = pivot_by_topic(part, runs)
                layer = np.full((len(topics), len(runs)), np.nan)
                layer[[place[topic] for topic in part_topics]] = values
                layers.append(layer)
        stacked = np.stack(layers) if layers else np.zeros((0, len(topics), len(runs)))
        return Cube(tuple(labels), topics, runs, stacked, np.array(signs))

    def ranking(self, measure: str, setting: str) -> str:
        """Return the label of the ranking of runs by a measure under a setting."""
        return measure if len(self.settings) == 1 else f"{measure} [{setting}]"


@dataclass(frozen=True)
class StudyData:
    """Runs, assessments and documents, and the keyword arguments of the evaluation.

    Run files are read one by one when they are scored, because there may be many.
    """

    runs: tuple[RunSource, ...]
    assessments: Assessments
    collection: Collection | None
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def measures(self, wanted: str | Measure | Sequence[str | Measure]) -> list[Measure]:
        """Return the requested measures, with quantisations named in full for the assessments' scale."""
        return [
            adapt_to_scale(measure, self.assessments.scale)
            for measure in expand_sets(wanted, self.assessments.scale)
        ]

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
        for rejection in evaluation.rejected:
            if rejection.code == LACKING_DATA:
                raise InputError(rejection.reason)
        return evaluation

    def score_under(self, settings: Sequence[Setting], measures: Sequence[Measure]) -> SettingScores:
        """Score the runs by measures under each of several settings."""
        labels = [setting.label for setting in settings]
        if len(set(labels)) < len(labels):
            raise InputError("settings", wanted="each once", found=", ".join(labels))
        rejected: list[Rejection] = []
        frames: dict[str, pl.DataFrame] = {}
        warnings: dict[str, tuple[ScoreWarning, ...]] = {}
        for alike in _group_settings(settings):
            evaluation, names = self._score_together(alike, measures)
            rejected += evaluation.rejected
            for setting in alike:
                label = setting.label
                frames[label] = _rename_measures(evaluation.scores, names[label], label)
                warnings[label] = evaluation.warnings
        scores = pl.concat([frames[label] for label in labels])
        if not scores.height:
            raise make_no_scores_error("a study", rejected)
        return SettingScores(
            scores=scores,
            settings=tuple(labels),
            measures=tuple(measure.name for measure in measures),
            warnings=_merge_warnings(labels, [warnings[label] for label in labels]),
            rejected=tuple(dict.fromkeys(rejected)),
        )

    def _score_together(
        self, alike: Sequence[Setting], measures: Sequence[Measure]
    ) -> tuple[Evaluation, dict[str, dict[str, list[str]]]]:
        """Score under settings that differ only in parameters, in one evaluation, which shares its work.

        Also return, for each setting, the requested measures behind each scored measure.
        """
        changed = self.apply_setting(alike[0])
        names: dict[str, dict[str, list[str]]] = {}
        all_measures: dict[Measure, None] = {}
        for setting in alike:
            applied = [
                adapt_to_scale(measure, changed.assessments.scale) for measure in setting.apply_to(measures)
            ]
            all_measures.update(dict.fromkeys(applied))
            requested_by_name = names.setdefault(setting.label, {})
            for requested, scored in zip(measures, applied, strict=True):
                requested_by_name.setdefault(scored.name, []).append(requested.name)
        return changed.score(list(all_measures), **alike[0].options), names

    def apply_setting(self, setting: Setting) -> StudyData:
        """Return the data with the assessments and runs of a setting."""
        changes, data = setting.own, self
        if "assessments" in changes:
            data = replace(data, assessments=as_assessments(changes["assessments"], self.collection))
        if "grades" in changes:
            data = replace(data, assessments=reduce_grades(data.assessments, changes["grades"]))
        if "specificity_grades" in changes:
            reduced = reduce_grades(data.assessments, changes["specificity_grades"], "specificity")
            data = replace(data, assessments=reduced)
        if "hints" in changes:
            data = replace(data, runs=self.apply_hints(self.runs, changes["hints"]))
        return data

    def apply_hints(self, runs: tuple[RunSource, ...], hints: str) -> tuple[RunSource, ...]:
        """Return the runs without results that do not match the structure of their topics."""
        constraints = build_constraints("target=strict" if hints == "strict" else hints, self._topic_file)
        if constraints is None:
            return runs
        change = partial(_drop_off_target, constraints, self.collection)
        return tuple(ChangedRun(run, change) for run in runs)

    @property
    def _topic_file(self) -> Any:
        return self.keywords.get("topic_file")


def load_study_data(
    runs: Any,
    assessments: Any,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None,
    keywords: Mapping[str, Any],
) -> StudyData:
    """Load the data of a study."""
    documents = as_collection(collection)
    sources = tuple(as_runs(runs, documents))
    options = {name: value for name, value in keywords.items() if name != "progress"}
    return StudyData(sources, as_assessments(assessments, documents), documents, options)


def _drop_off_target(constraints: Constraints, documents: Collection | None, run: Run) -> Run:
    """Return a run without results that do not match the structure of their topics."""
    is_matching = find_conforming_results(resolve_run(run, documents), constraints, documents)
    results = run.results.filter(is_matching.fill_null(value=True))
    subject = pluralise(run.results.height - results.height, "result is", "results are")
    note = f"{subject} left out because of the structure of the topics"
    return replace(run, results=results, notes=(*run.notes, note))


def _group_settings(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Group settings that differ only in parameters of measures."""
    groups: dict[tuple[object, ...], list[Setting]] = {}
    for setting in settings:
        key = (tuple(sorted(setting.options.items())), tuple(sorted(setting.own.items())))
        groups.setdefault(key, []).append(setting)
    return list(groups.values())


def _merge_warnings(
    labels: Sequence[str], warnings: Sequence[tuple[ScoreWarning, ...]]
) -> tuple[ScoreWarning, ...]:
    """Return the warnings common to all settings, then those of single settings with their labels."""
    everywhere = [message for message in warnings[0] if all(message in messages for messages in warnings)]
    single = [
        message.with_label(label)
        for label, messages in zip(labels, warnings, strict=True)
        for message in messages
        if message not in everywhere
    ]
    return tuple(dict.fromkeys([*everywhere, *single]))


def _rename_measures(scores: pl.DataFrame, names: Mapping[str, Sequence[str]], label: str) -> pl.DataFrame:
    """Return scores under the requested names of the measures."""
    pairs = [
        (scored, requested) for scored, requested_names in names.items() for requested in requested_names
    ]
    table = pl.DataFrame(pairs, schema={"measure": pl.String, "asked": pl.String}, orient="row")
    joined = scores.join(table, on="measure", how="inner", maintain_order="left")
    return joined.select(pl.lit(label).alias("setting"), "run", "topic", measure="asked", score="score")


_EVALUATION = ("topics", "order", "sizes", "on_invalid", "structure")
_OWN = ("assessments", "grades", "specificity_grades", "hints")
AS_IT_IS = "as it is"


@dataclass(frozen=True)
class Setting:
    """Changes by name, and a label."""

    label: str
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, str]:
        """The changes that are keywords of ``doxel.evaluate``."""
        return {name: value for name, value in self.changes.items() if name in _EVALUATION}

    @property
    def own(self) -> dict[str, str]:
        """The changes to the data, made before scoring: assessments, grades and hints."""
        return {name: value for name, value in self.changes.items() if name in _OWN}

    @property
    def parameters(self) -> dict[str, str]:
        """The changes to parameters of measures."""
        return {name: value for name, value in self.changes.items() if name not in {*_EVALUATION, *_OWN}}

    def apply_to(self, measures: Sequence[Measure]) -> list[Measure]:
        """Return the measures under the setting, in order; raise an error for a change without effect."""
        declared = [measure.declaration.parameters for measure in measures]
        for name in self.parameters:
            if not any(name in parameters for parameters in declared):
                available = sorted({parameter for parameters in declared for parameter in parameters})
                raise InputError(
                    f"the setting {self.label!r} changes {name!r}",
                    wanted=f"one of {', '.join([*_EVALUATION, *_OWN])}, or a parameter of a measure: "
                    + ", ".join(available),
                )
        return [
            measure(**{name: value for name, value in self.parameters.items() if name in parameters}).check()
            for measure, parameters in zip(measures, declared, strict=True)
        ]


def parse_setting(source: str | Setting) -> Setting:
    """Parse a setting.

    >>> parse_setting("quant=strict; overlap=off").changes
    {'quant': 'strict', 'overlap': 'off'}
    >>> parse_setting("no links: exclude_tags=links").label, parse_setting("").label
    ('no links', 'as it is')
    >>> parse_setting("quant")
    Traceback (most recent call last):
    doxel.errors.InputError: a setting: wanted changes such as quant=strict; overlap=off, found 'quant'
    """
    if isinstance(source, Setting):
        return source
    match = re.fullmatch(r"\s*(?:([^=;:]+):)?(.*)", source, re.DOTALL)
    label, rest = (match[1], match[2]) if match is not None else (None, source)
    changes: dict[str, str] = {}
    for part in (piece.strip() for piece in rest.split(";")):
        if not part or part == AS_IT_IS:
            continue
        name, equals, value = (side.strip() for side in part.partition("="))
        if not (name and equals and value) or name in changes:
            raise InputError(
                "a setting", wanted="changes such as quant=strict; overlap=off", found=repr(part)
            )
        changes[name] = value.strip("\"'")
    canonical = "; ".join(f"{name}={value}" for name, value in changes.items())
    return Setting((label or "").strip() or canonical or AS_IT_IS, changes)


# by dimension and scale: the column, and its grades above zero, lowest first
_GRADED = {
    ("exhaustivity", "2002"): ("relevance", ("1", "2", "3")),
    ("exhaustivity", "2003"): ("exhaustivity", ("1", "2", "3")),
    ("exhaustivity", "2005"): ("exhaustivity", ("1", "2")),
    ("specificity", "2003"): ("specificity", ("1", "2", "3")),
}


def reduce_grades(
    assessments: Assessments, levels: int | str, dimension: str = "exhaustivity"
) -> Assessments:
    """Return assessments with ``levels`` grades of a dimension above zero (in 2002 of relevance).

    The lowest grades stay distinct and all higher ones become the highest: with two levels of three, fairly
    exhaustive becomes highly exhaustive.  "Too small" is not a grade and stays.
    """
    if (dimension, assessments.scale) not in _GRADED:
        years = [scale for name, scale in _GRADED if name == dimension]
        raise InputError(
            "grades",
            wanted=f"assessments with grades of {dimension}: the scale {' or '.join(years)}",
            found=f"the scale {assessments.scale}",
        )
    column, grades = _GRADED[dimension, assessments.scale]
    if str(levels) not in {str(number) for number in range(1, len(grades) + 1)}:
        raise InputError("grades", wanted=f"a number from 1 to {len(grades)}", found=repr(levels))
    distinct = grades[: int(levels) - 1]
    becomes = {grade: grade if grade in distinct else grades[-1] for grade in grades}
    return replace(assessments, elements=assessments.elements.with_columns(pl.col(column).replace(becomes)))


SURE = 0.05  # significance level


@dataclass(frozen=True)
class SignificancePlan:
    """A test, the correction for multiple comparisons, and the settings of its random resamples."""

    test: str = "randomisation"
    correction: str = "holm"
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_resampling(resamples=self.resamples, seed=self.seed)
        correct_p_values([], self.correction)

    def p(self, scores: Floats, other: Floats) -> float:
        """Return the p-value for two runs, or one run under two settings, over topics that both have."""
        return apply_paired_test(self.test, scores, other, resamples=self.resamples, seed=self.seed)

    def p_of_pairs(self, scores: Floats) -> Floats:
        """Return the p-values of all pairs of runs; ``scores`` are topics x runs."""
        return compare_all_pairs(self.test, scores, resamples=self.resamples, seed=self.seed)
