"""Score runs against assessments: runs x topics x measures, in one tidy table.

The assessments are prepared once.  Each run is read, resolved, ordered and scored on its own, so that
memory does not grow with the number of runs and runs can be spread over processes.  A scoring job holds
everything this needs and can be sent to another process.  Finally the scores of all runs are combined in one
table, with the warnings about them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel import executors
from doxel.assessments.assessment_spans import describe_resolution, resolve_assessments
from doxel.assessments.assessments import Assessments
from doxel.assessments.judged_pairs import JudgedPairs, lay_out_assessments
from doxel.assessments.listed_documents import ListedDocuments, lay_out_listed
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError, MeasureError
from doxel.evaluation.evaluation_result import (
    SCORES,
    Evaluation,
    Rejection,
    describe_infinite_topics,
    describe_undefined_topics,
    describe_unequal_topics,
)
from doxel.evaluation.inputs.chunk_tables import as_chunks
from doxel.evaluation.inputs.custom_functions import OwnModel, get_function_name, load_model
from doxel.evaluation.inputs.evaluation_options import check_limit, check_option, check_task
from doxel.evaluation.inputs.input_tables import (
    ChangedRun,
    RunSource,
    as_assessments,
    as_runs,
    read_source,
)
from doxel.evaluation.inputs.measure_sets import adapt_to_scale, expand_sets
from doxel.evaluation.inputs.requested_structure import RequestedStructure, restrict_to_structure
from doxel.evaluation.inputs.token_counts import load_tokeniser
from doxel.evaluation.recall_bases import RecallBases
from doxel.evaluation.run_scorer import DEFAULT_TASK, RunScorer, ScoringOptions
from doxel.evaluation.score_explanation import ScoreExplainer
from doxel.measures import Measure
from doxel.quantisation import find_quantisation
from doxel.runs import Run, read_run
from doxel.runs.result_order import order_results
from doxel.runs.result_spans import RUN_ALIGNMENTS, bound_ambiguous, is_ambiguous, resolve_run
from doxel.runs.run import name_runs
from doxel.topics.query_structure import SUBTASKS, Structure, find_subtask
from doxel.wording import quote_value

if TYPE_CHECKING:
    from doxel.files.archives import Paths
    from doxel.topics import Topics

__all__ = ["PreparedRun", "evaluate"]

_UNSET: Any = object()
_RECALL = "char_rec"
_MANY_RUNS = 40  # for fewer runs, starting processes takes longer than scoring


def evaluate(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None = None,
    topics: str | None = None,
    task: str | None = None,
    quant: str | None = None,
    limit: int | None = _UNSET,
    order: str = "rank",
    sizes: str | None = None,
    on_invalid: str = "reject",
    models: Sequence[str | Callable[..., Any]] = (),
    chunks: Any = None,
    tokenisers: Sequence[str | Callable[[str], Any]] = (),
    structure: str | None = None,
    topic_file: Topics | Paths | None = None,
    on_error: str = "raise",
    fol_end: bool = False,
    compat: str | None = None,
    min_grade: int | None = None,
    keep: int = 0,
    jobs: int | None = 1,
    cluster: str | None = None,
    progress: Callable[[], None] | None = None,
) -> Evaluation:
    """Score runs against assessments.

    Parameters
    ----------
    runs
        Files, ``Run`` objects, or plain data (frames, lists of dicts or of tuples); several in a list,
        or in a mapping that names them.
    assessments
        A file, a folder, an ``Assessments`` object, or plain data.
    measures
        Names such as ``"iP@0.01"``, lists of names, or names of sets; the default is the official set
        for each run's task.
    collection
        The documents, or their texts by id (``{"report": "All is well."}``).  Required if results or
        assessments are paths or quotations, or if a measure needs elements or tokens.
    topics
        ``"assessed"``: every assessed topic counts, and a topic missing from the run scores 0;
        ``"run"``: only the topics of the run count.  The default is assessed, and run with
        ``compat="trec_eval"``.
    task, quant, limit
        Defaults for measures that do not set these parameters.  Without them, the task is the one that
        the run declares, the quantisation is gen on the assessments' scale, and the limit is 1500 for the
        measures of INEX and none for the others.
    order
        How the results of a run are ordered: by ``"rank"``, by position in the ``"file"`` or by
        ``"score"``.
    sizes
        ``"declared"`` takes sizes from the assessments; ``"collection"`` recomputes them and is the
        default if there is a collection.
    models
        Custom user models for ``model=`` in GR, EPRUM and PRUM: functions ``name(results, targets)``, or
        ``"FILE.py:NAME"``.
    chunks
        All chunks of the chunking, for the ceilings omega and greedy: plain data with doc, start and
        end, or a file of JSON lines.
    tokenisers
        Custom tokenisers for ``tokens=`` in the token measures: functions from a text to the spans of
        its tokens, or ``"FILE.py:NAME"``.
    structure
        How strictly to interpret the structure of the topics' queries: ``"target=strict,support=vague"``
        (vague is the default for each), or a sub-task such as ``"SCAS"``.  Results that do not match the
        structure gain nothing.  By default a run that declares SCAS or another sub-task with structure is
        scored as that sub-task, if ``topic_file`` has the queries.
    topic_file
        The topics with their queries: one or several files, or a ``Topics`` object.
    on_invalid
        What to do with a run that violates a measure's requirements: ``"reject"`` it for this measure,
        or ``"repair"`` it.
    fol_end
        Whether the last column of 8-column runs is the end of a passage instead of its length.
    compat
        ``"trec_eval"`` or ``"inex_eval"``: the figures of that tool, under its names and rules.  Of the other
        options only topics, limit and min_grade (trec_eval), or topics, task and fol_end (inex_eval) apply.
    min_grade
        The lowest grade of a relevant document, with ``compat="trec_eval"``; 1 by default.
    keep
        Number of results per topic to keep in ``results``, with their relevant and new characters.
    jobs, cluster
        Number of processes, None for all cores if there are many runs; or the address of a Dask
        scheduler whose workers can read the files at the same paths.
    progress
        Called after each run.
    on_error
        What to do with a run that cannot be read: ``"raise"`` the error, or ``"skip"`` the run.

    Returns
    -------
    Evaluation
        ``scores`` and ``means``; ``rejected`` runs with the reasons; ``warnings``.

    Examples
    --------
    >>> gold = [("1", "report", 100, 200)]
    >>> retrieved = [("1", "report", 50, 150), ("1", "report", 100, 200)]
    >>> evaluate(retrieved, gold, ["char_rec@1,2", "char_prec@2"]).means["score"].round(3).to_list()
    [0.5, 1.0, 0.667]
    """
    if compat is not None:
        from doxel.evaluation.compat.other_tool import evaluate_like

        return evaluate_like(
            check_option("compat", compat),
            runs,
            assessments,
            measures,
            topics=topics if topics is None else check_option("topics", topics),
            task=check_task(task),
            limit=None if limit is _UNSET else check_limit(limit),
            min_grade=min_grade,
            fol_end=fol_end,
            skip_errors=check_option("on_error", on_error) == "skip",
            progress=progress,
        )
    if min_grade is not None:
        raise InputError("min_grade", wanted='compat="trec_eval", or rel= in a measure', found="no compat")
    options = ScoringOptions(
        topics=check_option("topics", "assessed" if topics is None else topics),
        task=check_task(task),
        order=check_option("order", order),
        on_invalid=check_option("on_invalid", on_invalid),
        defaults={} if limit is _UNSET else {"limit": check_limit(limit)},
        keep=keep,
    )
    # explanations read the inputs a second time
    runs, assessments, chunks = (
        list(data) if isinstance(data, Iterator) else data for data in (runs, assessments, chunks)
    )
    prepare = partial(
        _prepare_job,
        assessments,
        collection,
        options=options,
        measures=measures,
        quant=quant,
        sizes=sizes,
        structure=structure,
        topic_file=topic_file,
        models=models,
        chunks=chunks,
        tokenisers=tokenisers,
        fol_end=fol_end,
        skip_errors=check_option("on_error", on_error) == "skip",
    )
    job = prepare()
    scored = _score_runs(job, _list_sources(runs, job), jobs, cluster, progress)
    names = name_runs([(scored_run.run, scored_run.file) for scored_run in scored])
    parameters = {**job.options.selection, **job.basis.asked.parameters, **job.options.defaults}
    result = combine_scores(scored, notes=job.notes, parameters=parameters)
    return replace(result, explainer=ScoreExplainer(prepare, partial(_list_sources, runs), tuple(names)))


def _list_sources(runs: Any, job: ScoringJob) -> list[RunSource]:
    return list(as_runs(runs, job.collection))


def _prepare_job(
    assessments: Any,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None,
    *,
    options: ScoringOptions,
    measures: str | Measure | Sequence[str | Measure] | None,
    quant: str | None,
    sizes: str | None,
    structure: str | None,
    topic_file: Topics | Paths | None,
    models: Sequence[str | Callable[..., Any]],
    chunks: Any,
    tokenisers: Sequence[str | Callable[[str], Any]],
    fol_end: bool,
    skip_errors: bool,
) -> ScoringJob:
    """Prepare the assessments and all that runs share."""
    judged, documents = _load_assessments(assessments, as_collection(collection))
    if quant is not None:
        options = options.with_defaults(quant=find_quantisation(quant, judged.scale).name)
    declared = check_option("sizes", sizes or ("declared" if documents is None else "collection"))
    ground = ScoringGround(
        assessments=judged,
        collection=documents,
        sizes=declared,
        models={model.name: model for model in map(_load_own_model, models)},
        chunks=None if chunks is None else as_chunks(chunks, documents),
        tokenisers={tokeniser.name: tokeniser for tokeniser in map(load_tokeniser, tokenisers)},
    )
    basis = ground.build(structure, topic_file)
    return ScoringJob(
        ground=ground,
        basis=basis,
        structure=structure,
        measures=[adapt_to_scale(measure, judged.scale) for measure in expand_sets(measures, judged.scale)]
        if measures
        else None,
        options=options,
        collection=documents,
        fol_end=fol_end,
        skip_errors=skip_errors,
        notes=(*_note_assessments(judged, has_collection=documents is not None), *basis.asked.notes),
    )


def _load_assessments(source: Any, documents: Collection | None) -> tuple[Assessments, Collection | None]:
    """Return the assessments with their positions, and the documents they refer to.

    Without a collection, assessments that list elements supply the documents themselves.
    """
    judged = as_assessments(source, documents)
    if documents is None and judged.elements.height:
        judged, documents = lay_out_listed(judged)
    return (judged if documents is None else resolve_assessments(judged, documents)), documents


def _load_own_model(source: str | Callable[..., Any]) -> OwnModel:
    return (
        load_model(source)
        if isinstance(source, str)
        else OwnModel(get_function_name(source, "a user model"), source)
    )


def _note_assessments(judged: Assessments, *, has_collection: bool) -> tuple[str, ...]:
    """Return the notes about the assessments: rows skipped on reading, places missing in the collection."""
    if not has_collection:
        return judged.notes
    return (*judged.notes, *(f"assessments: {sentence}" for sentence in describe_resolution(judged)))


def _score_runs(
    job: ScoringJob,
    runs: Sequence[RunSource],
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[], None] | None,
) -> list[ScoredRun]:
    if jobs is None and cluster is None:
        jobs = executors.count_cores() if len(runs) >= _MANY_RUNS else 1
    scored: list[ScoredRun] = []
    # with one process, the next run is read while this one is scored
    for scored_run in executors.run_in_steps(job.prepare, job.score, runs, jobs=jobs, cluster=cluster):
        scored.append(scored_run)
        if progress is not None:
            progress()
    return scored


@dataclass(frozen=True)
class PreparedRun:
    """A run that has been read and laid out, with its scorer."""

    run: Run
    scorer: RunScorer
    bounds: tuple[RunScorer, RunScorer] | None = None  # without ambiguous texts, and with all their copies


@dataclass(frozen=True)
class ScoredRun:
    """The evaluation of one run, under the id from its file."""

    run: str
    file: str | None
    evaluation: Evaluation
    task: str | None = None


@dataclass(frozen=True)
class ScoringBasis:
    """The assessments under one interpretation of the queries' structure, laid out for scoring."""

    asked: RequestedStructure
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
        asked = restrict_to_structure(structure, topics, self.assessments, self.collection, sizes=self.sizes)
        assessed = lay_out_assessments(asked.assessments, declared_sizes=self.sizes == "declared")
        bases = RecallBases(
            asked.assessments,
            assessed,
            self.collection,
            self.models,
            chunks=self.chunks,
            tokenisers=self.tokenisers,
            constraints=asked.constraints,
        )
        return ScoringBasis(asked, assessed, bases)


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
    notes: tuple[str, ...] = ()  # about the assessments
    folder: Path = field(default_factory=Path.cwd)  # base of relative paths, also on workers
    _declared: dict[str, ScoringBasis | str] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the bases of declared sub-tasks, which other processes build again."""
        return {**self.__dict__, "_declared": {}}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def prepare(self, source: RunSource) -> PreparedRun | Rejection:
        """Read a run and lay it out; if it cannot be read, reject it or raise the error."""
        try:
            prepared = self.read(source)
        except InputError as error:
            if not self.skip_errors:
                raise
            return Rejection(_name_source(source), "all", str(error))
        return prepared

    def read(self, source: RunSource) -> PreparedRun:
        """Read a run, resolve its results in the collection and lay them out."""
        run = read_source(source, self._read)
        resolved = resolve_run(run, self.collection)
        basis, notes = self._choose_basis(run)
        run = replace(run, notes=(*run.notes, *notes))
        bounds = None
        if self.collection is not None and resolved.select(is_ambiguous().any()).item():
            fewest, most = bound_ambiguous(run, resolved, self.collection)
            bounds = (self._lay_out(run, fewest, basis), self._lay_out(run, most, basis))
        return PreparedRun(run, self._lay_out(run, resolved, basis), bounds)

    def _lay_out(self, run: Run, resolved: pl.DataFrame, basis: ScoringBasis) -> RunScorer:
        """Order the resolved results of a run and lay them out."""
        if isinstance(self.collection, ListedDocuments):
            resolved = self.collection.elements_only(resolved)
        resolved = basis.asked.mark(resolved, self.collection)
        results = order_results(resolved, by=self.options.order)
        return RunScorer(run.id, results, basis.assessed, basis.bases, self.options, declared_task=run.task)

    def _choose_basis(self, run: Run) -> tuple[ScoringBasis, tuple[str, ...]]:
        """Return the basis for a run, and the notes on the sub-task that it declares."""
        subtask = find_subtask(run.about.get("task"))
        if subtask is None:
            return self.basis, ()
        declared = SUBTASKS[subtask]
        if self.structure is not None:
            requested = Structure.parse(self.structure)
            differs = f"it declares {subtask} ({declared}), but is scored with {requested}, as requested"
            return self.basis, () if requested == declared else (differs,)
        if declared.is_vague:
            return self.basis, (f"it declares {subtask} and is scored so: structure is only a hint",)
        if subtask not in self._declared:
            try:
                self._declared[subtask] = self.ground.build(subtask, self.basis.asked.topics)
            except InputError as error:
                self._declared[subtask] = str(error)
        built = self._declared[subtask]
        if isinstance(built, str):
            return self.basis, (f"it declares {subtask}, but is scored without structure: {built}",)
        return built, (f"it declares {subtask} and is scored so: {declared}", *built.asked.notes)

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

    def score(self, prepared: PreparedRun | Rejection) -> ScoredRun:
        """Score a prepared run."""
        if isinstance(prepared, Rejection):
            return ScoredRun(prepared.run, None, Evaluation(SCORES.empty(), (prepared,)))
        run = prepared.run
        evaluation = prepared.scorer.score(self.measures)
        notes = (*(f"{run.id}: {note}" for note in run.notes), *evaluation.warnings)
        if prepared.bounds is not None:
            notes = (*notes, *self._describe_bounds(prepared.scorer, *prepared.bounds))
        task = self.options.task or find_subtask(run.about.get("task")) or run.task or DEFAULT_TASK
        return ScoredRun(run.id, run.file, replace(evaluation, warnings=notes), task)

    def _describe_bounds(self, scorer: RunScorer, fewest: RunScorer, most: RunScorer) -> list[str]:
        """Return how much the recall of a run depends on the places of its ambiguous texts."""
        wanted = [measure for measure in self.measures or () if measure.declaration.name == _RECALL]
        measures = wanted or expand_sets(_RECALL)
        columns = [bound.score(measures).means for bound in (scorer, fewest, most)]
        return [
            f"{run}: {measure} is {score:.4f}; {low:.4f} without the texts that occur at several places, "
            f"{high:.4f} if any of their places counts"
            for (run, measure, score), low, high in zip(
                columns[0].select("run", "measure", "score").iter_rows(),
                columns[1]["score"],
                columns[2]["score"],
                strict=True,
            )
        ]


def _name_source(source: RunSource) -> str:
    """Return the name to show for a run that could not be read."""
    if isinstance(source, ChangedRun):
        return _name_source(source.given)
    return source.id if isinstance(source, Run) else str(source)


def combine_scores(
    scored: Sequence[ScoredRun], *, notes: Sequence[str], parameters: Mapping[str, Any]
) -> Evaluation:
    """Combine the evaluations of single runs; ids that several runs share become ``id:file``.

    ``notes`` concern all runs and come first among the warnings.
    """
    tables: list[pl.DataFrame] = [SCORES.empty()]
    rejected: list[Rejection] = []
    warnings: list[str] = []
    results: list[pl.DataFrame] = []
    alignments: list[pl.DataFrame] = [RUN_ALIGNMENTS.empty()]
    answered: dict[str, tuple[str, ...]] = {}
    unscored: dict[tuple[str, str], None] = {}
    tasks: dict[str, str] = {}
    for scored_run, name in zip(
        scored, name_runs([(scored_run.run, scored_run.file) for scored_run in scored]), strict=True
    ):
        evaluation = scored_run.evaluation
        answered[name] = next(iter((evaluation.answered or {}).values()), ())
        if scored_run.task is not None:
            tasks[name] = scored_run.task
        tables.append(evaluation.scores.with_columns(run=pl.lit(name)))
        results += [] if evaluation.results is None else [evaluation.results.with_columns(run=pl.lit(name))]
        alignments.append(evaluation.alignments.with_columns(run=pl.lit(name)))
        unscored |= dict.fromkeys(evaluation.unscored)
        rejected += [replace(rejection, run=name) for rejection in evaluation.rejected]
        warnings += [
            f"{name}: {warning.removeprefix(f'{scored_run.run}: ')}" for warning in evaluation.warnings
        ]
    scores = pl.concat(tables)
    unequal = describe_unequal_topics(scores) if parameters.get("topics") == "run" else []
    undefined = describe_undefined_topics(scores, tuple(unscored))
    messages = (*notes, *unequal, *undefined, *describe_infinite_topics(scores), *warnings)
    return Evaluation(
        scores=scores,
        rejected=tuple(rejected),
        warnings=tuple(dict.fromkeys(messages)),
        parameters=parameters,
        results=pl.concat(results) if results else None,
        alignments=pl.concat(alignments),
        answered=answered,
        unscored=tuple(unscored),
        tasks=tasks,
    )
