"""Score one run: lay out its results once and share views between measures.

On request the first results of each topic are kept, with their relevant and new characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from doxel.assessments.judged_pairs import JudgedPairs
from doxel.checks.score_checks import LACKING_DATA
from doxel.checks.score_warnings import (
    ScoreWarning,
    count_lost_results,
    describe_placements,
    warn_of_outside,
)
from doxel.errors import InputError, UnscoredRunError
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection
from doxel.evaluation.evaluation_warnings import (
    counts_characters,
    describe_removed_results,
    describe_short_results,
    describe_topic_mismatches,
    describe_unjudged_documents,
    describe_unjudged_text,
)
from doxel.evaluation.inputs.measure_sets import choose_default_set
from doxel.evaluation.ranked_run import RankedRun, lay_out_run
from doxel.evaluation.recall_bases import RecallBases
from doxel.evaluation.residuals import (
    assume_relevant,
    cut_to_rank,
    find_lowest_grade,
    find_residual_kind,
    list_unjudged_documents,
)
from doxel.evaluation.result_budgets import Budget, spend_budget
from doxel.evaluation.run_requirements import find_violation, repair_run, require_something_to_find
from doxel.evaluation.score_explanation import ScoreExplanation, explain_score
from doxel.evaluation.views.aspect_view_builders import list_shown_aspects
from doxel.evaluation.views.view_builders import build_view, select_view_parameters
from doxel.measures import Measure
from doxel.measures.declaration import NO_OVERLAP, View
from doxel.measures.measure_parameters import DEPENDS
from doxel.measures.measure_table import join_measure_names
from doxel.measures.text_views import ValuedText
from doxel.runs.result_spans import list_alignments
from doxel.spans import Booleans, Floats, Ints
from doxel.tables import Column, Table
from doxel.usermodels import find_model
from doxel.wording import join_words, pluralise

__all__ = ["DEFAULT_TASK", "KEPT_RESULTS", "RunScorer", "ScoringOptions"]

DEFAULT_TASK = "focused"  # of runs that declare none
_MISMATCHES = ("R403", "R406")  # no topic, or no document, of the run is in the assessments


@dataclass(frozen=True)
class ScoringOptions:
    """Scoring options that are not parameters of measures."""

    topics: str = "assessed"
    task: str | None = None
    order: str = "rank"
    on_invalid: str = "reject"
    defaults: Mapping[str, Any] = field(default_factory=dict)  # for parameters that a measure does not set
    keep: int = 0  # results per topic to keep in the evaluation
    on_mismatch: str = "error"
    silence: frozenset[str] = frozenset()  # the codes of warnings to hide
    no_guessing: bool = False
    passage_ids: bool = False  # ids are those of passages
    residual: bool = False  # also compute how far scores could rise

    def with_defaults(self, **defaults: Any) -> ScoringOptions:
        """Return the options with additional defaults."""
        return replace(self, defaults={**self.defaults, **defaults})

    @property
    def for_other_assessors(self) -> ScoringOptions:
        """The options for scoring under the judgements of another assessor: scores only."""
        return replace(self, on_mismatch="score", residual=False, keep=0)

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
        # runs whose unjudged text is taken as relevant, and the topics that have such text
        self._hopeful: dict[Any, tuple[RankedRun, Booleans]] = {}
        self._alignments = list_alignments(results)
        self._notes = self._check_results(results)

    def score(self, measures: Sequence[Measure] | None, *, residual: bool = False) -> Evaluation:
        """Return the scores of all measures that accept the run; the default is the set for its task.

        ``residual``: with residuals, even if the options do not ask for them.
        """
        has_residuals = residual or self._options.residual
        measures = self._choose_measures() if measures is None else measures
        scored: dict[str, Floats] = {}
        optimistic: dict[str, Floats] = {}
        rejected: list[Rejection] = []
        unscored: list[tuple[str, str]] = []
        lacking: dict[str, list[str]] = {}
        errors: list[InputError] = []
        for measure in measures:
            parameters = self._settle_parameters(measure)
            try:
                ranked, reason = self._fit(measure, parameters)
                if reason is not None:
                    rejected.append(Rejection(self._run, measure.name, reason))
                    continue
                view = self._view(measure.declaration.view, ranked, parameters)
                if ranked.bases.scale == "documents":
                    require_something_to_find(ranked, view, parameters)
                scores = measure.compute(view, parameters)
            except InputError as error:  # it needs data that were not given, but other measures may not
                errors.append(error)
                lacking.setdefault(str(error), []).append(measure.name)
                rejected.append(Rejection(self._run, measure.name, str(error), LACKING_DATA))
                continue
            scored[measure.name] = scores
            if has_residuals:
                optimistic[measure.name] = self._score_optimistically(measure, ranked, parameters, scores)
            unscored += self._note_gaps(measure, parameters, view.find_defined(parameters) & np.isnan(scores))
            self._note_limit(measure, parameters)
            self._note_near_misses(parameters)
            self._note_passages(measure, ranked, parameters)
        if errors and not scored:
            raise errors[0]
        for reason, names in lacking.items():
            self._note(LACKING_DATA, f"{join_measure_names(names)} not computed: {reason}")
        if scored:
            self._note_forbidden_overlap()
            self._note_short_results([measure for measure in measures if measure.name in scored])
            self._notes += [note.name_run(self._run) for note in describe_unjudged_text(self._ranked)]
        first = self.list_results(self._options.keep) if self._options.keep else None
        is_listed = self._assessed.has_aspects and self._ranked.has_sizes
        topics = pl.Series(self._assessed.topics, dtype=pl.String)
        return Evaluation(
            self._frame(scored, optimistic if has_residuals else None),
            tuple(rejected),
            tuple(self._notes),
            results=first,
            aspects=list_shown_aspects(self._run, self._ranked) if is_listed else None,
            unscored=tuple(unscored),
            answered={self._run: tuple(topics.filter(pl.Series(self._ranked.length > 0)))},
            alignments=self._alignments,
        )

    def _choose_measures(self) -> Sequence[Measure]:
        """Return the set for the run's task, and note which it is."""
        overlapping, bases = not self._ranked.seen.is_all_new, self._ranked.bases
        measures, note = choose_default_set(
            bases.format, self._declared_task, overlapping=overlapping, scale=bases.scale
        )
        self._note("S101", note)
        return measures

    def _note_forbidden_overlap(self) -> None:
        """Note that a run of the focused task overlaps itself, which the task does not allow."""
        is_asked = self._declared_task == "focused" and self._options.on_invalid != "repair"
        if not is_asked or not self._ranked.has_sizes:
            return
        reason = find_violation(self._ranked, (NO_OVERLAP,))
        if reason is not None:
            self._note("S110", f"the focused task allows no overlap, but {reason}")

    def _note_short_results(self, measures: Sequence[Measure]) -> None:
        """Note results without characters, if measures count characters."""
        if not self._ranked.has_short_results:
            return
        models = self._ranked.bases.models
        counting = [
            measure.name
            for measure in measures
            if counts_characters(measure, self._settle_parameters(measure), models)
        ]
        if warning := describe_short_results(self._ranked, counting):
            self._note(warning.code, warning.sentence)

    def explain(self, measure: Measure, topic: str) -> ScoreExplanation:
        """Explain the score of one topic; raise an error if the measure rejects the run."""
        parameters, ranked = self._require_fit(measure)
        view = self._view(measure.declaration.view, ranked, parameters)
        place = self._assessed.topics.index(topic)
        return explain_score(self._run, measure, parameters, view=view, ranked=ranked, topic=place)

    def _require_fit(self, measure: Measure) -> tuple[dict[str, Any], RankedRun]:
        """Return the parameters of a measure and the run cut for it; raise an error if it rejects the run."""
        parameters = self._settle_parameters(measure)
        ranked, reason = self._fit(measure, parameters)
        if reason is not None:
            raise InputError(
                f"{measure.name} does not accept the run {self._run}",
                wanted="a run that meets its requirements, or on_invalid=repair",
                found=reason,
            )
        return parameters, ranked

    def list_unjudged(self, measure: Measure) -> pl.DataFrame:
        """Return the unjudged documents among the results that a measure reads: topic, doc, rank ...

        ``characters`` were retrieved of a document; ``fall`` is how far the optimistic score of its topic
        falls if nothing in it is relevant.
        """
        parameters, ranked = self._require_fit(measure)
        kind = find_residual_kind(measure, parameters, has_elements=ranked.bases.has_elements)
        if not kind or measure.rank_cutoff is None:
            wanted = "a measure with a residual and a cutoff in results or documents, such as char_prec@10"
            raise InputError("documents to judge", wanted=wanted, found=measure.name)
        view = measure.declaration.view
        return list_unjudged_documents(
            cut_to_rank(ranked, measure),
            find_lowest_grade(measure, parameters),
            lambda run: measure.compute(build_view(view, run, parameters), parameters),
        )

    def list_results(self, depth: int) -> pl.DataFrame:
        """Return the first ``depth`` results of each topic."""
        return collect_first_results(self._run, self._ranked, depth)

    def _note(self, code: str, message: str, *, topics: int | None = None) -> None:
        """Add a warning about the run, unless it has been added before."""
        note = ScoreWarning(message, code, run=self._run, topics=topics)
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
            sentence = f"{measure}: no score for {where} ({join_words(topics)}): {reason}"
            self._note("S104", sentence, topics=len(topics))
        return [(topic, measure.name) for topic in topics]

    def _note_limit(self, measure: Measure, parameters: Mapping[str, Any]) -> None:
        """Note the results that are removed, and the results, or articles, past the limit."""
        limit, ranked = parameters.get("limit"), self._drop_unjudged(parameters)
        if ranked is not self._ranked:
            removed = describe_removed_results(self._ranked)
            self._note(removed.code, removed.sentence, topics=removed.topics)
        if limit is None:
            return
        by = measure.declaration.view.limited_by
        length = ranked.length if by == "results" else ranked.count_articles()
        if (length > limit).any():
            past = pluralise(int(np.maximum(length - limit, 0).sum()), by.removesuffix("s"))
            topics = int((length > limit).sum())
            where = f"in {pluralise(topics, 'topic')}"
            is_requested = "limit" in measure.written or "limit" in self._options.defaults
            sentence = f"limit={limit}: {past} past the first {limit:,} of a topic not scored, {where}"
            self._note("S105" if is_requested else "R301", sentence, topics=topics)

    def _note_near_misses(self, parameters: Mapping[str, Any]) -> None:
        """Note near misses that count as much as the target itself."""
        name = parameters.get("model")
        model = None if name is None or name in self._ranked.bases.models else find_model(name)
        for relative, own in () if model is None else model.near_misses:
            if (parameters["p"] if own is None else own) == 1:
                self._note(
                    "S106",
                    f"the user model {name} gives a near miss ({relative}) probability 1: "
                    "it earns as much as the target itself",
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
                "S108",
                "there are no elements, so gains are computed from bare spans; "
                "quant, alpha, overlap, cap and the ideal recall base have no effect",
            )
            return
        quant = bases.quantisation(parameters["quant"])
        passages = int((ranked.found & ~ranked.is_element).sum())
        if not passages or (quant.is_specificity and not from_text):
            return
        subject = pluralise(passages, "result is a passage and gains", "results are passages and gain")
        grades = "in HiXEval from grades, which are" if from_text else f"under {quant.name}, which is"
        self._note("S107", f"{subject} nothing {grades} defined for elements only")

    def _settle_parameters(self, measure: Measure) -> dict[str, Any]:
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
        cuts = {name: parameters.get(name) for name in ("limit", "article_chars")}
        candidates = self._drop_unjudged(parameters)
        key = (id(candidates), by, *cuts.values(), *requirements)
        if key not in self._fitting:
            ranked = candidates.limit_results(by=by, **cuts)
            reason = find_violation(ranked, requirements) if requirements else None
            if reason is not None and self._options.on_invalid == "repair":
                ranked, repairs = repair_run(ranked, requirements)
                for repair in repairs:
                    self._note("S109", f"repaired: {repair}")
                reason = None
            self._fitting[key] = (ranked, reason)
        ranked, reason = self._fitting[key]
        if reason is not None or all(parameters.get(name) is None for name in ("budget", "chars")):
            return ranked, reason
        budget = Budget.of(parameters)
        if (*key, budget) not in self._fitting:
            self._fitting[*key, budget] = (spend_budget(ranked, budget), None)
        return self._fitting[*key, budget]

    def _drop_unjudged(self, parameters: Mapping[str, Any]) -> RankedRun:
        """Return the run, without the results in unjudged documents if the parameters remove them."""
        return self._ranked.without_unjudged if parameters.get("unjudged") == "remove" else self._ranked

    def _score_optimistically(
        self, measure: Measure, ranked: RankedRun, parameters: Mapping[str, Any], scores: Floats
    ) -> Floats:
        """Return the scores as if all unjudged text that the measure reads were relevant.

        NaN where the score is undefined, and for measures without a residual.
        """
        if not find_residual_kind(measure, parameters, has_elements=ranked.bases.has_elements):
            return np.full(len(scores), np.nan)
        grade, by = find_lowest_grade(measure, parameters), measure.declaration.view.ranks
        key = (id(ranked), measure.rank_cutoff, by, grade)
        if key not in self._hopeful:
            read = cut_to_rank(ranked, measure)
            hopeful = assume_relevant(read, ~read.is_judged & read.is_on_target, grade)
            is_hopeful = np.zeros(len(scores), dtype=bool)
            is_hopeful[hopeful.topic[hopeful.document_pair >= len(ranked.assessed.topic)]] = True
            self._hopeful[key] = (hopeful, is_hopeful)
        hopeful, is_hopeful = self._hopeful[key]
        if not is_hopeful.any():
            return scores
        view = self._view(measure.declaration.view, hopeful, parameters)
        return np.where(is_hopeful & ~np.isnan(scores), measure.compute(view, parameters), scores)

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

    def _frame(self, scored: Mapping[str, Floats], optimistic: Mapping[str, Floats] | None) -> pl.DataFrame:
        """Return the scores as a table, ordered by measure, then topic; with residuals if they are known."""
        counts = self._is_counted
        topics = pl.Series(self._assessed.topics, dtype=pl.String).filter(pl.Series(counts))
        measure = np.repeat(np.arange(len(scored)), len(topics))
        scores = np.concatenate([values[counts] for values in scored.values()]) if scored else np.zeros(0)
        frame = pl.DataFrame(
            {
                "run": pl.repeat(self._run, len(scores), eager=True),
                "topic": topics.gather(np.tile(np.arange(len(topics)), len(scored))),
                "measure": pl.Series(list(scored), dtype=pl.String).gather(measure),
                "score": scores,
            },
            schema=SCORES.schema,
        )
        if optimistic is None:
            return frame
        values = [values[counts] for values in optimistic.values()]
        hopes = pl.Series(np.concatenate(values) if values else np.zeros(0))
        return frame.with_columns(optimistic=hopes, residual=hopes - frame["score"])

    def _check_results(self, results: pl.DataFrame) -> list[ScoreWarning]:
        """List the results that will not be scored, with the reason; refuse a run with other ids."""
        is_empty = (self._ranked.length == 0) & self._assessed.has_relevant
        empty_topics = int(is_empty.sum()) if self._options.topics == "assessed" else 0
        is_chunking = self._ranked.bases.has_chunks
        notes = describe_topic_mismatches(
            results, self._assessed.topics, empty_topics, needs_no_results=is_chunking
        )
        if len(self._ranked.document_pair) and (self._ranked.document_pair < 0).all():
            returned, judged = self._ranked.columns["doc"], self._assessed.pairs["doc"]
            topics = int((self._ranked.length > 0).sum())
            is_known = self._ranked.is_known
            notes.append(describe_unjudged_documents(returned, judged, topics=topics, is_known=is_known))
        notes += count_lost_results(results, self._assessed.topics)
        notes += describe_placements(results, self._assessed.topics)
        if results["number"].null_count() == results.height:  # no collection
            notes += self._compare_with_declared_sizes()
        if off_target := int((self._ranked.document_pair > self._ranked.pair).sum()):
            sentence = pluralise(
                off_target,
                "result in a judged document is off target: "
                "it does not match the structure of its query and gains nothing",
                "results in judged documents are off target: "
                "they do not match the structure of their query and gain nothing",
            )
            notes.append(ScoreWarning(sentence, "R206"))
        for note in notes if self._options.on_mismatch == "error" else ():
            if note.code in _MISMATCHES:
                advice = "to score it anyway: --on-mismatch score, in Python on_mismatch='score'"
                raise UnscoredRunError(
                    f"{self._run}: {note.sentence}; {advice}", run=self._run, code=note.code
                )
        return [note.name_run(self._run) for note in notes]

    def _compare_with_declared_sizes(self) -> list[ScoreWarning]:
        """Count the results that end after the end of their document, by the sizes in the assessments."""
        ranked, sizes = self._ranked, self._assessed.document_size
        rows = np.flatnonzero(ranked.found & (ranked.document_pair >= 0))
        size = sizes[ranked.document_pair[rows]]
        outside = rows[(size >= 0) & (ranked.end[rows] > size)]
        topics = len(np.unique(ranked.topic[outside]))
        return [warn_of_outside(len(outside), topics)] if len(outside) else []


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
