"""The data that claims are tested on: runs, assessments on several scales, and simulated systems.

A claim names the scales on which it can be tested; of several available assessments it uses those with the
most topics.  Without runs, the simulated systems take their place.  If the data lack something that a claim
needs, an ``InputError`` is raised: the claim cannot be asked.  Studies that several claims use are run once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.documents import Collection
from doxel.documents.structural_summary import LINK_TAGS
from doxel.errors import InputError
from doxel.evaluation import Evaluation
from doxel.evaluation.evaluation_result import Rejection, make_no_scores_error
from doxel.evaluation.inputs.input_tables import ChangedRun, RunSource
from doxel.evaluation.run_requirements import mark_disjoint
from doxel.recallbases.recall_base_table import recall_base
from doxel.runs import RESULTS, Run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import resolve_run
from doxel.studies.measure_agreement_study import MeasureAgreement, study_agreement
from doxel.studies.settings_study import SettingsStudy, study_settings
from doxel.studies.simulation import SYSTEMS, simulate_system
from doxel.studies.stereotype_study import FIVE, StereotypeStudy, study_stereotypes
from doxel.studies.study_data import StudyData
from doxel.studies.study_declaration import StudyResult
from doxel.wording import pluralise

__all__ = [
    "ANY_SCALE",
    "CLOSE_TO_EQUAL",
    "ClaimData",
    "Criterion",
    "Evidence",
    "average_by_run",
    "drop_overlap",
    "keep_elements",
    "keep_order",
    "name_scales",
    "reverse_first",
    "state_criterion",
    "swap_nested",
]

ANY_SCALE = ("2006", "2005", "2003", "2002")
_OVERLAP = "overlap@1500"
_FEWEST_RUNS = 3  # with two, tau can only be 1 or -1

CLOSE_TO_EQUAL = 1e-9

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Evidence:
    """Whether a criterion is met, its figures, and an analysis, which matters if it is not met."""

    holds: bool
    figures: Mapping[str, float]
    analysis: str = ""
    scale: str = ""


@dataclass(frozen=True)
class Criterion:
    """A criterion in words, the data it needs, and the function that decides it."""

    words: str
    needs: str
    decide: Callable[[ClaimData], Evidence] = field(repr=False)


@dataclass(frozen=True)
class ClaimData:
    """Runs, assessments by scale, documents, and the keywords of ``doxel.evaluate``.

    ``warnings`` and ``rejected`` collect those of all evaluations; ``memory`` keeps results for later claims.
    """

    runs: tuple[RunSource, ...]
    assessments: Mapping[str, Assessments]
    collection: Collection | None
    keywords: Mapping[str, Any]
    resamples: int = 1000
    seed: int = 0
    warnings: dict[str, None] = field(default_factory=dict)
    rejected: dict[Rejection, None] = field(default_factory=dict)
    memory: dict[object, Any] = field(default_factory=dict)

    def choose_assessments(self, scales: Sequence[str]) -> Assessments:
        """Return the assessments on one of the scales, those with the most topics."""
        suitable = [self.assessments[scale] for scale in scales if scale in self.assessments]
        if not suitable:
            raise InputError(
                "assessments",
                wanted=f"the scale of {' or '.join(scales)}",
                found=", ".join(sorted(self.assessments)) or "none",
            )
        return max(suitable, key=lambda judged: len(judged.topics))

    def require_collection(self) -> Collection:
        """Return the collection."""
        if self.collection is None:
            raise InputError("the elements of documents", wanted="a collection (-c)", found="none")
        return self.collection

    def require_links(self) -> Collection:
        """Return the collection, which must have link elements."""
        documents = self.require_collection()
        if not documents.tags() & set(LINK_TAGS):
            raise InputError("a collection", wanted="documents with link elements", found="none")
        return documents

    def require_structure(self) -> None:
        """Check that there are topics, whose queries may have structure."""
        if self.keywords.get("topic_file") is None:
            raise InputError("queries with structure", wanted="topics (-t)", found="none")

    def measure_overlap(self, data: StudyData) -> dict[str, float]:
        """Return the share of results that overlap others, by run; there must be some."""
        key = ("overlap", data.assessments.scale)
        overlap = self.remember(key, lambda: average_by_run(self.score(data, [_OVERLAP])[_OVERLAP]))
        if not any(overlap.values()):
            raise InputError("runs", wanted="at least one with overlapping results", found="none")
        return overlap

    def choose_runs(self, scales: Sequence[str], *, fewest: int = _FEWEST_RUNS) -> StudyData:
        """Return the runs with assessments on one of the scales; without runs, all simulated systems."""
        judged = self.choose_assessments(scales)
        runs: Sequence[RunSource] = self.runs
        if not runs:
            runs = [self._simulate(system, judged) for system in SYSTEMS]
        if len(runs) < fewest:
            raise InputError("runs", wanted=f"at least {fewest}", found=str(len(runs)))
        return StudyData(tuple(runs), judged, self.collection, self.keywords)

    def choose_systems(self, scales: Sequence[str]) -> StudyData:
        """Return the stereotypical systems of source 003 and two more, which show how overlap is rewarded.

        ``inside`` returns the relevant elements inside those of the perfect system; ``repeats`` returns them
        after those of the perfect system, and so repeats text that was returned before.
        """
        judged, documents = self.choose_assessments(scales), self.require_collection()
        runs = [self._simulate(system, judged) for system in FIVE]
        base = self.remember(("base", judged.scale), lambda: recall_base(judged, documents))
        return StudyData((*runs, *_add_inside(runs[0], base)), judged, documents, self.keywords)

    def _simulate(self, system: str, judged: Assessments) -> Run:
        documents = self.require_collection()
        key = ("system", system, judged.scale)
        return self.remember(key, lambda: simulate_system(system, judged, documents, seed=self.seed))

    def remember(self, key: object, make: Callable[[], Kept]) -> Kept:
        """Return the value of a key; make it at the first call."""
        if key not in self.memory:
            self.memory[key] = make()
            if isinstance(self.memory[key], StudyResult | Evaluation):
                self.warnings.update(dict.fromkeys(self.memory[key].warnings))
                self.rejected.update(dict.fromkeys(self.memory[key].rejected))
        value: Kept = self.memory[key]
        return value

    def compare_measures(self, measures: Sequence[str], scales: Sequence[str]) -> MeasureAgreement:
        """Return the agreement study of measures over the runs."""
        data = self.choose_runs(scales)
        return self.remember(
            ("agreement", tuple(measures), data.assessments.scale),
            lambda: study_agreement(data.runs, data.assessments, measures, **self._options),
        )

    def compare_settings(self, measure: str, a: str, b: str, scales: Sequence[str]) -> SettingsStudy:
        """Return the settings study of a measure over the runs."""
        data = self.choose_runs(scales)
        return self.remember(
            ("settings", measure, a, b, data.assessments.scale),
            lambda: study_settings(data.runs, data.assessments, measure, a=a, b=b, **self._options),
        )

    def study_stereotypes(self, measures: Sequence[str], scales: Sequence[str]) -> StereotypeStudy:
        """Return the study of stereotypical systems."""
        judged = self.choose_assessments(scales)
        keywords = {**self.keywords, "collection": self.require_collection(), "seed": self.seed}
        return self.remember(
            ("stereotypes", tuple(measures), judged.scale),
            lambda: study_stereotypes(judged, measures, **keywords),
        )

    @property
    def _options(self) -> dict[str, Any]:
        own = {"collection": self.collection, "resamples": self.resamples, "seed": self.seed}
        return {**self.keywords, **own}

    def score(self, data: StudyData, measures: Sequence[str], **options: Any) -> dict[str, pl.DataFrame]:
        """Return the defined scores by each measure as requested: run, topic, score."""
        evaluation = data.score(data.measures(measures), **options)
        self.warnings.update(dict.fromkeys(evaluation.warnings))
        self.rejected.update(dict.fromkeys(evaluation.rejected))
        defined = evaluation.scores.filter(pl.col("score").is_finite())
        frames = {
            measure: defined.filter(pl.col("measure") == data.measures(measure)[0].name).drop("measure")
            for measure in measures
        }
        if not all(frame.height for frame in frames.values()):
            raise make_no_scores_error("scores", evaluation.rejected)
        return frames

    def change_runs(self, data: StudyData, change: Callable[[Collection | None, Run], Run]) -> StudyData:
        """Return the runs with a change, made when they are read."""
        apply = partial(change, self.collection)
        return replace(data, runs=tuple(ChangedRun(run, apply) for run in data.runs))


def state_criterion(words: str, needs: str) -> Callable[[Callable[[ClaimData], Evidence]], Criterion]:
    """Return a decorator that makes a criterion of the function that decides it."""
    return partial(Criterion, words, needs)


def name_scales(scales: Sequence[str]) -> str:
    """Name the assessments that a criterion can be decided on."""
    kinds = {"2006": "highlights", "2005": "2005 grades", "2003": "2003-04 grades", "2002": "2002 grades"}
    return " or ".join(kinds[scale] for scale in scales)


def average_by_run(scores: pl.DataFrame) -> dict[str, float]:
    """Return the mean score of each run."""
    return dict(scores.group_by("run", maintain_order=True).agg(pl.col("score").mean()).iter_rows())


def _add_inside(perfect: Run, base: pl.DataFrame) -> tuple[Run, Run]:
    """Return the systems ``inside`` and ``repeats``."""
    key = ["topic", "doc", "path"]
    outer = perfect.results.select("topic", "doc", outer="path")
    pairs = base.select(key).join(outer, on=["topic", "doc"], how="inner", maintain_order="left")
    within = pl.col("path").str.starts_with(pl.col("outer") + "/")
    inside = pairs.filter(within).select(key).unique(maintain_order=True)
    if not inside.height:
        raise InputError("assessments", wanted="relevant elements inside others", found="none")
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic")
    # below all scores of the perfect system, whose ties stay as they are
    inside = inside.with_columns(rsv=-rank.cast(pl.Float64))
    lists = {"inside": inside, "repeats": pl.concat([perfect.results.select(*key, "rsv"), inside])}
    runs = [
        Run(name, RESULTS.fit(results.with_columns(rank=rank)), task="thorough")
        for name, results in lists.items()
    ]
    return runs[0], runs[1]


def _order(results: pl.DataFrame) -> pl.DataFrame:
    """Return results in order; without rsv, so that none are tied."""
    ordered = order_results(results)
    return ordered.with_columns(rank="position", rsv=pl.lit(None, dtype=pl.Float64))


def keep_order(documents: Collection | None, run: Run) -> Run:
    """Return a run without ties, in the same order."""
    del documents
    return replace(run, results=RESULTS.fit(_order(RESULTS.fit(run.results))))


def keep_elements(documents: Collection | None, run: Run) -> Run:
    """Return a run without the results that are not elements of a document."""
    is_element = resolve_run(run, documents)["element"].is_not_null()
    return replace(run, results=RESULTS.fit(run.results).filter(is_element))


def reverse_first(count: int, documents: Collection | None, run: Run) -> Run:
    """Return a run with the first ``count`` results of each topic in reverse order."""
    del documents
    last = pl.min_horizontal(pl.len().over("topic").cast(pl.Int64), pl.lit(count))
    reverse = pl.when(pl.col("rank") <= last).then(last + 1 - pl.col("rank")).otherwise("rank")
    ordered = _order(RESULTS.fit(run.results))
    return replace(run, results=RESULTS.fit(ordered.with_columns(rank=reverse)))


def swap_nested(documents: Collection | None, run: Run) -> Run:
    """Return a run in which neighbours in the ranking, one of them inside the other, are exchanged."""
    ordered = _order_spans(documents, run)
    start, end = ordered["from"].to_numpy(), ordered["to"].to_numpy()
    topic, doc = (ordered[name].rle_id().to_numpy() for name in ("topic", "place"))
    inside = ((start[1:] >= start[:-1]) & (end[1:] <= end[:-1])) | (
        (start[1:] <= start[:-1]) & (end[1:] >= end[:-1])
    )
    nested = inside & (topic[1:] == topic[:-1]) & (doc[1:] == doc[:-1]) & (end[1:] > start[1:])
    # of a chain of nested neighbours, every second pair is exchanged
    number = np.arange(len(nested))
    begins = np.maximum.accumulate(np.where(np.insert(~nested, 0, values=True)[:-1], number, 0))
    first = np.flatnonzero(nested & ((number - begins) % 2 == 0))
    rank = ordered["rank"].to_numpy().copy()
    rank[first], rank[first + 1] = rank[first + 1], rank[first]
    note = f"{pluralise(len(first), 'pair')} of nested neighbours exchanged"
    results = RESULTS.fit(ordered.with_columns(rank=pl.Series(rank)))
    return replace(run, results=results, notes=(*run.notes, note))


def drop_overlap(documents: Collection | None, run: Run) -> Run:
    """Return a run without overlap: of two overlapping results, the better-ranked one stays."""
    ordered = _order_spans(documents, run).with_row_index("row")
    is_kept = np.ones(ordered.height, dtype=bool)
    for part in ordered.select("topic", "place", "from", "to", "row").partition_by("topic", "place"):
        is_kept[part["row"].to_numpy()] = mark_disjoint(part["from"].to_numpy(), part["to"].to_numpy())
    return replace(run, results=RESULTS.fit(ordered.filter(pl.Series(is_kept))))


def _order_spans(documents: Collection | None, run: Run) -> pl.DataFrame:
    """Return the results in order, with the span of each as place, from and to; unknown spans are empty."""
    resolved = resolve_run(run, documents)
    spans = {
        "place": resolved["doc"],
        "from": resolved["start"].fill_null(0),
        "to": resolved["end"].fill_null(0),
    }
    return _order(RESULTS.fit(run.results).with_columns(**spans))
