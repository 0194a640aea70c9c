"""Score one run: lay out its results once and share views between measures.

On request the first results of each topic are kept, with their relevant and new characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from doxel.alignment.aligner import describe_guesses
from doxel.assessments.judged_pairs import JudgedPairs
from doxel.errors import InputError
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection, describe_topic_mismatches
from doxel.evaluation.inputs.measure_sets import choose_default_set
from doxel.evaluation.ranked_run import RankedRun, lay_out_run
from doxel.evaluation.recall_bases import RecallBases
from doxel.evaluation.run_requirements import find_violation, repair_run
from doxel.evaluation.score_explanation import ScoreExplanation, explain_score
from doxel.evaluation.views.view_builders import build_view, select_view_parameters
from doxel.measures import Measure
from doxel.measures.declaration import DEPENDS, NO_OVERLAP, View
from doxel.measures.text_views import ValuedText
from doxel.runs.result_spans import explode_pieces, list_alignments
from doxel.spans import Booleans, Floats, Ints
from doxel.tables import Column, Table
from doxel.usermodels import find_model
from doxel.wording import join_words, pluralise

__all__ = ["DEFAULT_TASK", "KEPT_RESULTS", "RunScorer", "ScoringOptions"]

DEFAULT_TASK = "focused"  # of runs that declare none


@dataclass(frozen=True)
class ScoringOptions:
    """Scoring options that are not parameters of measures."""

    topics: str = "assessed"
    task: str | None = None
    order: str = "rank"
    on_invalid: str = "reject"
    defaults: Mapping[str, Any] = field(default_factory=dict)  # for parameters that a measure does not set
    keep: int = 0  # results per topic to keep in the evaluation

    def with_defaults(self, **defaults: Any) -> ScoringOptions:
        """Return the options with additional defaults."""
        return replace(self, defaults={**self.defaults, **defaults})

    @property
    def selection(self) -> dict[str, str | None]:
        """The options to show with the scores; the defaults are shown separately."""
        return {name: getattr(self, name) for name in ("topics", "task", "order", "on_invalid")}


class RunScorer:
    """Scores one run; ``results`` are resolved to spans and sorted by rank."""

    def __init__(
        self,
        run: str,
        results: pl.DataFrame,
        assessed: JudgedPairs,
        bases: RecallBases,
        options: ScoringOptions,
        *,
        declared_task: str | None,
    ) -> None:
        self._run, self._assessed, self._options = run, assessed, options
        self._declared_task = options.task or declared_task
        self._ranked = lay_out_run(results, assessed, bases, order=options.order)
        self._views: dict[Any, View] = {}
        self._fitting: dict[Any, tuple[RankedRun, str | None]] = {}
        self._alignments = list_alignments(results)
        self._notes = self._remarks(results)

    def score(self, measures: Sequence[Measure] | None) -> Evaluation:
        """Return the scores of all measures that accept the run; the default is the set for its task."""
        if measures is None:
            overlapping = not self._ranked.seen.is_all_new
            measures, note = choose_default_set(
                self._ranked.bases.format, self._declared_task, overlapping=overlapping
            )
            self._notes.append(f"{self._run}: {note}")
        scored: dict[str, Floats] = {}
        rejected: list[Rejection] = []
        unscored: list[tuple[str, str]] = []
        for measure in measures:
            parameters = self._settle(measure)
            ranked, reason = self._fit(measure, parameters)
            if reason is not None:
                rejected.append(Rejection(self._run, measure.name, reason))
                continue
            view = self._view(measure.declaration.view, ranked, parameters)
            scores = scored[measure.name] = measure.compute(view, parameters)
            unscored += self._note_gaps(measure, parameters, view.defined & np.isnan(scores))
            self._note_limit(measure, parameters.get("limit"))
            self._note_near_misses(parameters)
            self._note_passages(measure, ranked, parameters)
        if scored:
            self._note_forbidden_overlap()
        first = (
            collect_first_results(self._run, self._ranked, self._options.keep) if self._options.keep else None
        )
        topics = pl.Series(self._assessed.topics, dtype=pl.String)
        return Evaluation(
            self._frame(scored),
            tuple(rejected),
            tuple(self._notes),
            results=first,
            unscored=tuple(unscored),
            answered={self._run: tuple(topics.filter(pl.Series(self._ranked.length > 0)))},
            alignments=self._alignments,
        )

    def _note_forbidden_overlap(self) -> None:
        """Note that a run of the focused task overlaps itself, which the task does not allow."""
        is_asked = self._declared_task == "focused" and self._options.on_invalid != "repair"
        if not is_asked or not self._ranked.has_sizes:
            return
        reason = find_violation(self._ranked, (NO_OVERLAP,))
        if reason is not None:
            self._note(f"the focused task allows no overlap, but {reason}")

    def explain(self, measure: Measure, topic: str) -> ScoreExplanation:
        """Return how the score of one topic comes about; an error if the measure rejects the run."""
        parameters = self._settle(measure)
        ranked, reason = self._fit(measure, parameters)
        if reason is not None:
            raise InputError(
                f"{measure.name} does not accept the run {self._run}",
                wanted="a run that meets its requirements, or on_invalid=repair",
                found=reason,
            )
        view = self._view(measure.declaration.view, ranked, parameters)
        place = self._assessed.topics.index(topic)
        return explain_score(self._run, measure, parameters, view=view, ranked=ranked, topic=place)

    def _note(self, message: str) -> None:
        """Add a note about the run, unless it has been added before."""
        note = f"{self._run}: {message}"
        if note not in self._notes:
            self._notes.append(note)

    def _note_gaps(
        self, measure: Measure, parameters: Mapping[str, Any], is_gap: Booleans
    ) -> list[tuple[str, str]]:
        """Note the topics that have something to find but no score; return them with the measure."""
        topics = [self._assessed.topics[number] for number in np.flatnonzero(is_gap & self._is_counted)]
        if topics:
            reason = measure.declaration.view.explain_gap(parameters)
            where = pluralise(len(topics), "topic")
            self._note(f"{measure}: no score for {where} ({join_words(topics)}): {reason}")
        return [(topic, measure.name) for topic in topics]

    def _note_limit(self, measure: Measure, limit: int | None) -> None:
        """Note the results, or articles, past the limit."""
        if limit is None:
            return
        by = measure.declaration.view.limited_by
        length = self._ranked.length if by == "results" else self._ranked.count_articles()
        if (length > limit).any():
            past = pluralise(int(np.maximum(length - limit, 0).sum()), by.removesuffix("s"))
            topics = pluralise(int((length > limit).sum()), "topic")
            self._note(f"limit={limit}: {past} past the first {limit:,} of a topic not scored, in {topics}")

    def _note_near_misses(self, parameters: Mapping[str, Any]) -> None:
        """Note near misses that lead to a target as surely as the target itself."""
        name = parameters.get("model", "identity")
        model = None if name in self._ranked.bases.models else find_model(name)
        for relative, own in () if model is None else model.near_misses:
            if (parameters["p"] if own is None else own) == 1:
                self._note(
                    f"the user model {name} gives a near miss ({relative}) probability 1: "
                    "it earns as much as the target itself"
                )

    def _note_passages(self, measure: Measure, ranked: RankedRun, parameters: Mapping[str, Any]) -> None:
        """Note passages that gain nothing because grades belong to elements only."""
        if "quant" not in parameters or parameters.get("model", "identity") != "identity":
            return
        bases, from_text = ranked.bases, measure.declaration.view is ValuedText
        if from_text and not bases.has_only_grades:
            return
        if not bases.has_elements:
            self._note(
                "there are no elements, so gains are computed from bare spans; "
                "quant, alpha, overlap, cap and the ideal recall base have no effect"
            )
            return
        quant = bases.quantisation(parameters["quant"])
        passages = int((ranked.found & ~ranked.is_element).sum())
        if not passages or (quant.is_specificity and not from_text):
            return
        subject = pluralise(passages, "result is a passage and gains", "results are passages and gain")
        grades = "in HiXEval from grades, which are" if from_text else f"under {quant.name}, which is"
        self._note(f"{subject} nothing {grades} defined for elements only")

    def _settle(self, measure: Measure) -> dict[str, Any]:
        """Return the value of every parameter of a measure for this run."""
        task = self._declared_task or DEFAULT_TASK
        parameters = measure.resolve_parameters({"task": task, **self._options.defaults})
        if parameters.get("alpha") is DEPENDS:
            parameters["alpha"] = 0 if parameters["task"] == "thorough" else 1
        if parameters.get("overlap") is DEPENDS:
            parameters["overlap"] = "on"
        if parameters.get("base") is DEPENDS:
            is_full = parameters["task"] == "thorough" and parameters["model"] == "identity"
            parameters["base"] = "full" if is_full else "ideal"
        if parameters.get("quant") is DEPENDS:
            parameters["quant"] = "gen"
        return parameters

    def _fit(self, measure: Measure, parameters: Mapping[str, Any]) -> tuple[RankedRun, str | None]:
        """Return the run as cut for a measure, and the reason if the measure rejects it."""
        requirements = measure.declaration.requires(parameters)
        by = measure.declaration.view.limited_by
        cuts = {name: parameters.get(name) for name in ("limit", "chars", "article_chars")}
        key = (by, *cuts.values(), *requirements)
        if key not in self._fitting:
            ranked = self._ranked.listed(by=by, **cuts)
            reason = find_violation(ranked, requirements) if requirements else None
            if reason is not None and self._options.on_invalid == "repair":
                ranked, repairs = repair_run(ranked, requirements)
                self._notes.extend(
                    note
                    for repair_note in repairs
                    if (note := f"{self._run}: repaired: {repair_note}") not in self._notes
                )
                reason = None
            self._fitting[key] = (ranked, reason)
        return self._fitting[key]

    def _view(self, view: type[View], ranked: RankedRun, parameters: Mapping[str, Any]) -> View:
        key = (view, id(ranked), tuple(sorted(select_view_parameters(view, parameters).items())))
        if key not in self._views:
            self._views[key] = build_view(view, ranked, parameters)
        return self._views[key]

    @property
    def _is_counted(self) -> Booleans:
        """Whether each assessed topic counts for this run."""
        is_in_run = self._ranked.length > 0
        return is_in_run if self._options.topics == "run" else np.ones_like(is_in_run)

    def _frame(self, scored: Mapping[str, Floats]) -> pl.DataFrame:
        """Return the scores as a table, ordered by measure, then topic."""
        counts = self._is_counted
        topics = pl.Series(self._assessed.topics, dtype=pl.String).filter(pl.Series(counts))
        measure = np.repeat(np.arange(len(scored)), len(topics))
        scores = np.concatenate([values[counts] for values in scored.values()]) if scored else np.zeros(0)
        return pl.DataFrame(
            {
                "run": pl.repeat(self._run, len(scores), eager=True),
                "topic": topics.gather(np.tile(np.arange(len(topics)), len(scored))),
                "measure": pl.Series(list(scored), dtype=pl.String).gather(measure),
                "score": scores,
            },
            schema=SCORES.schema,
        )

    def _remarks(self, results: pl.DataFrame) -> list[str]:
        """List the results that will not be scored, with the reason."""
        empty_topics = int((self._ranked.length == 0).sum()) if self._options.topics == "assessed" else 0
        notes = describe_topic_mismatches(results, self._assessed.topics, empty_topics)
        if len(self._ranked.document_pair) and (self._ranked.document_pair < 0).all():
            returned, judged = (
                table["doc"].unique(maintain_order=True) for table in (results, self._assessed.pairs)
            )
            notes.append(
                "none of its documents was judged for its topic: "
                f"the run has documents {join_words(returned.to_list(), 3)}, "
                f"the assessments have {join_words(judged.to_list(), 3)}; do the ids match?"
            )
        if missing := int((~self._ranked.found).sum()) - self._ranked.unplaced:
            notes.append(
                pluralise(
                    missing,
                    "result was not found in the collection; "
                    "it keeps its rank and counts as retrieving nothing",
                    "results were not found in the collection; "
                    "they keep their rank and count as retrieving nothing",
                )
            )
        notes += describe_guesses(explode_pieces(results))
        if off_target := int((self._ranked.document_pair > self._ranked.pair).sum()):
            notes.append(
                pluralise(
                    off_target,
                    "result in a judged document is off target: "
                    "it does not match the structure of its query and gains nothing",
                    "results in judged documents are off target: "
                    "they do not match the structure of their query and gain nothing",
                )
            )
        return [f"{self._run}: {note}" for note in notes]


KEPT_RESULTS = Table(
    "kept results",
    (
        Column("run", pl.String, "the run's id", required=True),
        Column("topic", pl.String, "the topic's id", required=True),
        Column("rank", pl.Int64, "the rank, from 1, in the order used for scoring", required=True),
        Column("doc", pl.String, "the document", required=True),
        Column("path", pl.String, "the element's path, if the run has it"),
        Column("start", pl.Int64, "offset of the first character; null if the result was not found"),
        Column("end", pl.Int64, "offset after the last character; equal to start for an entry point"),
        Column("relevant", pl.Int64, "its relevant characters"),
        Column("new", pl.Int64, "its characters that no earlier result of the topic contains"),
        Column("new_relevant", pl.Int64, "its new characters that are relevant"),
    ),
)


def collect_first_results(run: str, ranked: RankedRun, depth: int) -> pl.DataFrame:
    """Return the first ``depth`` results of each topic of one run.

    The counts are the arrays that measures over characters add up.  They are null for a run with results
    that need a collection to be located, if there is no collection.
    """
    rows = np.flatnonzero(ranked.position < depth)
    is_found = ranked.found[rows]
    columns = ranked.columns[ranked.source[rows]]
    counts: dict[str, Ints] = {}
    if not ranked.unplaced:
        counts = {
            "relevant": ranked.relevant[rows],
            "new": ranked.seen.new_size[rows],
            "new_relevant": ranked.new_relevant[rows],
        }
    frame = pl.DataFrame(
        {
            "topic": columns["topic"],
            "rank": ranked.position[rows] + 1,
            "doc": columns["doc"],
            "path": columns["path"],
            "start": ranked.start[rows],
            "end": ranked.end[rows],
            "found": is_found,
            **counts,
        }
    ).with_columns(
        pl.lit(run).alias("run"),
        pl.when("found").then("start").alias("start"),
        pl.when("found").then("end").alias("end"),
    )
    return KEPT_RESULTS.fit(frame)
