"""A scoring job: everything a process needs to read and score runs against prepared assessments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.judged_pairs import JudgedPairs, lay_out_assessments
from doxel.assessments.listed_documents import ListedDocuments
from doxel.checks.check_declaration import Effect
from doxel.checks.check_subjects import CheckContext, CheckedRun
from doxel.checks.score_warnings import ScoreWarning, check_scored_run, note_reading
from doxel.documents import Collection
from doxel.errors import InputError, MeasureError, UnscoredRunError
from doxel.evaluation.evaluation_result import Rejection, ScoredRun, report_rejection
from doxel.evaluation.inputs.custom_functions import OwnModel
from doxel.evaluation.inputs.input_tables import ChangedRun, RunSource, match_foreign_names, read_source
from doxel.evaluation.inputs.measure_sets import adapt_to_scale, expand_sets
from doxel.evaluation.inputs.requested_structure import RequestedStructure, restrict_to_structure
from doxel.evaluation.recall_bases import RecallBases
from doxel.evaluation.run_scorer import DEFAULT_TASK, RunScorer, ScoringOptions
from doxel.evaluation.saved_results import ScoredInputs
from doxel.measures import Measure
from doxel.runs import Run, read_run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import bound_ambiguous, is_ambiguous, resolve_run
from doxel.runs.run import find_subtask
from doxel.topics.query_structure import SUBTASKS, Structure
from doxel.wording import join_words, pluralise, quote_value

if TYPE_CHECKING:
    from doxel.files.archives import Paths
    from doxel.topics import Topics

__all__ = ["PreparedRun", "ScoringBasis", "ScoringGround", "ScoringJob"]

_RECALL = "char_rec"
_AMBIGUOUS = "R106"


@dataclass(frozen=True)
class PreparedRun:
    """A run that has been read and laid out, with its scorer."""

    run: Run
    scorer: RunScorer
    subtask: str | None  # the sub-task for queries with structure that the run declares
    bounds: tuple[RunScorer, RunScorer] | None = None  # without ambiguous texts, and with all their copies
    ambiguous: int = 0  # texts at several places


@dataclass(frozen=True)
class ScoringBasis:
    """The assessments under one interpretation of the queries' structure, laid out for scoring."""

    structure: RequestedStructure
    assessed: JudgedPairs
    bases: RecallBases


@dataclass(frozen=True)
class ScoringGround:
    """The inputs from which the basis of each interpretation is built."""

    assessments: Assessments
    collection: Collection | None
    sizes: str
    models: Mapping[str, OwnModel]
    chunks: Any
    tokenisers: Mapping[str, Any]

    def build(self, structure: str | None, topics: Topics | Paths | None) -> ScoringBasis:
        """Build the basis of an interpretation of the queries of topics."""
        requested = RequestedStructure(self.assessments)
        if structure is not None or topics is not None:
            requested = restrict_to_structure(
                structure, topics, self.assessments, self.collection, sizes=self.sizes
            )
        assessed = lay_out_assessments(requested.assessments, declared_sizes=self.sizes == "declared")
        bases = RecallBases(
            requested.assessments,
            assessed,
            self.collection,
            self.models,
            chunks=self.chunks,
            tokenisers=self.tokenisers,
            constraints=requested.constraints,
        )
        return ScoringBasis(requested, assessed, bases)


@dataclass(frozen=True)
class ScoringJob:
    """Everything a process needs to score runs."""

    ground: ScoringGround
    basis: ScoringBasis  # of the requested structure
    structure: str | None  # None: as each run declares
    measures: list[Measure] | None
    options: ScoringOptions
    collection: Collection | None
    fol_end: bool
    skip_errors: bool
    notes: tuple[ScoreWarning, ...] = ()  # about the assessments
    inputs: ScoredInputs | None = None
    functions: tuple[Any, ...] = ()  # custom functions, as they were given
    folder: Path = field(default_factory=Path.cwd)  # base of relative paths, also on workers
    _declared: dict[str, ScoringBasis | str] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the bases of declared sub-tasks, which other processes build again, and the inputs."""
        return {**self.__dict__, "_declared": {}, "inputs": None, "functions": ()}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def prepare(self, source: RunSource) -> PreparedRun | Rejection:
        """Read a run and lay it out; if it cannot be read or is refused, reject it or raise the error."""
        try:
            return self.read(source)
        except InputError as error:
            if not self.skip_errors:
                raise
            if isinstance(error, UnscoredRunError):
                return Rejection(error.run, "all", str(error).removeprefix(f"{error.run}: "), error.code)
            return Rejection(_name_source(source), "all", str(error))

    def read(self, source: RunSource) -> PreparedRun:
        """Read a run, resolve its results in the collection and lay them out."""
        run = match_foreign_names(read_source(source, self._read), self.collection, self.ground.assessments)
        resolved = resolve_run(run, self.collection)
        task = run.about.get("task")
        subtask = None if task is None else find_subtask(task)
        basis, notes = (self.basis, ()) if subtask is None else self._choose_basis(subtask)
        marked, results = self._order(resolved, basis)
        checked = CheckedRun(run, marked, CheckContext(self.collection), self.options.order)
        vars(checked)["results"] = results  # already ordered
        notes = (*notes, *self._note_whole_documents(run), *check_scored_run(checked))
        run = replace(run, notes=(*run.notes, *notes))
        scorer = self._lay_out(run, results, basis, self.options)
        if self.collection is None or not resolved.select(is_ambiguous().any()).item():
            return PreparedRun(run, scorer, subtask)
        is_assessed = pl.col("topic").is_in(list(basis.assessed.topics))
        ambiguous = resolved.select((is_ambiguous() & is_assessed).sum()).item()
        lenient = replace(self.options, on_mismatch="score")
        fewest, most = (
            self._lay_out(run, self._order(bound, basis)[1], basis, lenient)
            for bound in bound_ambiguous(run, resolved, self.collection)
        )
        return PreparedRun(run, scorer, subtask, (fewest, most), ambiguous)

    def _order(self, resolved: pl.DataFrame, basis: ScoringBasis) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Mark the results that match the requested structure; return them in file order, and ranked."""
        if isinstance(self.collection, ListedDocuments):
            resolved = self.collection.elements_only(resolved)
        constraints = basis.structure.constraints
        if constraints is not None:
            from doxel.runs.conforming_results import find_conforming_results

            is_conforming = find_conforming_results(resolved, constraints, self.collection)
            resolved = resolved.with_columns(is_conforming)
        return resolved, order_results(resolved, by=self.options.order)

    @staticmethod
    def _lay_out(run: Run, results: pl.DataFrame, basis: ScoringBasis, options: ScoringOptions) -> RunScorer:
        return RunScorer(run.id, results, basis.assessed, basis.bases, options, declared_task=run.task)

    def _choose_basis(self, subtask: str) -> tuple[ScoringBasis, tuple[ScoreWarning, ...]]:
        """Return the basis for a run that declares a sub-task, and the warnings about that."""
        declared = SUBTASKS[subtask]
        if self.structure is not None:
            requested = Structure.parse(self.structure)
            differs = f"it declares {subtask} ({declared}), but is scored with {requested}, as requested"
            return self.basis, () if requested == declared else (ScoreWarning(differs, "S111"),)
        if declared.is_vague:
            hint = f"it declares {subtask} and is scored as such: structure is only a hint"
            return self.basis, (ScoreWarning(hint, "S111"),)
        if subtask not in self._declared:
            try:
                self._declared[subtask] = self.ground.build(subtask, self.basis.structure.topics)
            except InputError as error:
                self._declared[subtask] = str(error)
        built = self._declared[subtask]
        if isinstance(built, str):
            ignored = f"it declares {subtask}, but is scored without structure: {built}"
            return self.basis, (ScoreWarning(ignored, "S112"),)
        applied = ScoreWarning(f"it declares {subtask} and is scored as such: {declared}", "S111")
        return built, (applied, *built.structure.notes)

    def find_measure(self, name: str | Measure) -> Measure:
        """Return the one measure with a name, on the scale of the assessments."""
        measures = expand_sets(name, self.basis.bases.scale)
        if len(measures) != 1:
            raise MeasureError(f"{quote_value(str(name))}: wanted one measure, found {len(measures)}")
        return adapt_to_scale(measures[0], self.basis.bases.scale)

    def _read(self, source: str | os.PathLike[str]) -> Run:
        is_elsewhere = Path.cwd() != self.folder
        run = read_run(self.folder / source if is_elsewhere else source, fol_end=self.fol_end)
        return replace(run, file=os.fspath(source)) if is_elsewhere else run

    def _note_whole_documents(self, run: Run) -> list[ScoreWarning]:
        """Warn if results have no place, although the run has texts under names that nothing reads."""
        places = run.results.select("start", "path", "text")
        if not run.unread_texts or self.ground.assessments.scale == "documents":
            return []
        if any(places[name].null_count() < places.height for name in places.columns):
            return []
        names = join_words([quote_value(name, 40) for name in run.unread_texts], most=3)
        sentence = (
            f"results have neither offsets nor a text, so each counts as its whole document; {names} was not "
            f"read: if it is the text, call it 'text'"
        )
        return [ScoreWarning(sentence, "S126")]

    def score(self, prepared: PreparedRun | Rejection) -> ScoredRun:
        """Score a prepared run."""
        if isinstance(prepared, Rejection):
            return report_rejection(prepared)
        run = prepared.run
        evaluation = prepared.scorer.score(self.measures)
        notes = (*(note_reading(note).name_run(run.id) for note in run.notes), *evaluation.warnings)
        if prepared.bounds is not None and self.ground.assessments.scale != "documents":
            notes = (*notes, *self._describe_bounds(prepared, *prepared.bounds))
        task = self.options.task or prepared.subtask or run.task or DEFAULT_TASK
        return ScoredRun(run.id, run.file, replace(evaluation, warnings=notes), task)

    def _describe_bounds(
        self, prepared: PreparedRun, fewest: RunScorer, most: RunScorer
    ) -> list[ScoreWarning]:
        """Return how much the recall of a run depends on the places of its ambiguous texts.

        If the warning that the first place was used is silenced, the bounds are only a note.
        """
        wanted = [measure for measure in self.measures or () if measure.declaration.name == _RECALL]
        measures = wanted or expand_sets(_RECALL)
        columns = [bound.score(measures).means for bound in (prepared.scorer, fewest, most)]
        bounds = zip(columns[0]["measure"], *(column["score"] for column in columns), strict=True)
        figures = [(measure, *(f"{score:.4f}" for score in scores)) for measure, *scores in bounds]
        ranges = [
            f"{measure} may be anything from {low} to {high} (scored as {score})"
            for measure, score, low, high in figures
            if low != high
        ]
        if not ranges:
            return []
        texts = pluralise(
            prepared.ambiguous, "text occurs at several places", "texts occur at several places"
        )
        sentence = f"{', '.join(ranges)}, because {texts}: add start and end to settle it"
        effect: Effect | None = "none" if _AMBIGUOUS in self.options.silence else None
        return [ScoreWarning(sentence, "S118", run=prepared.run.id, effect=effect)]


def _name_source(source: RunSource) -> str:
    """Return the name to show for a run that could not be read."""
    if isinstance(source, ChangedRun):
        return _name_source(source.original)
    return source.id if isinstance(source, Run) else str(source)
