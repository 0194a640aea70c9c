"""Scoring: runs x topics x measures, into one tidy table.

The assessments are laid out once; each run is read, resolved, ordered and scored on its own, so that
memory does not grow with the number of runs and runs can be spread over processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from doxel import executors
from doxel.assessments.assessed import Assessed, lay_out
from doxel.assessments.assessments import Assessments
from doxel.assessments.listed import ListedDocuments, lay_out_listed
from doxel.assessments.resolve import problems, unfound
from doxel.assessments.resolve import resolve as resolve_assessments
from doxel.documents import Collection
from doxel.errors import InputError
from doxel.evaluation.asked import Asked, asked
from doxel.evaluation.bases import Bases
from doxel.evaluation.chunk_inputs import as_chunks, as_collection
from doxel.evaluation.evaluation import SCORES, Evaluation, Rejection
from doxel.evaluation.inputs import NamedFile, as_assessments, as_runs
from doxel.evaluation.naming import run_names
from doxel.evaluation.options import checked_limit, checked_option, checked_task
from doxel.evaluation.own_functions import name_of
from doxel.evaluation.own_models import OwnModel, load_model
from doxel.evaluation.scoring import Options, RunScorer
from doxel.evaluation.sets import expand
from doxel.evaluation.tokens import named_tokeniser
from doxel.measures import Measure
from doxel.measures.names import shown_names
from doxel.quantisation import quantisation
from doxel.runs import Run, read_run
from doxel.runs.order import order as in_order
from doxel.runs.resolve import resolve as resolve_run
from doxel.wording import counted, listed

if TYPE_CHECKING:
    from doxel.files.sets import Paths
    from doxel.topics import Topics

__all__ = ["evaluate"]

_UNSET: Any = object()
_Given = Run | NamedFile | str | os.PathLike[str]
_MANY_RUNS = 40  # starting processes takes longer than scoring fewer


def evaluate(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None = None,
    topics: str = "assessed",
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
        Names such as ``"iP@0.01"``, lists of them, names of sets; without any, the official set of
        each run's task.
    collection
        The documents, or their texts by id (``{"report": "All is well."}``); needed where results or
        assessments are paths or quotations, or where a measure needs elements or tokens.
    topics
        ``"assessed"``: every assessed topic counts, one that a run lacks scores 0; ``"run"``: only the
        topics of the run.
    task, quant, limit
        For measures that do not name them; the task is else what the run declares, the quantisation
        gen of the assessments' scale, the limit 1500.
    order
        ``"rank"``, ``"file"`` or ``"score"``: what the ranking of a run is taken from.
    sizes
        ``"declared"`` takes sizes from the assessments, ``"collection"`` (the default with one)
        recomputes them.
    models
        User models of one's own, for ``model=`` in GR, EPRUM and PRUM: functions
        ``name(results, targets)``, or ``"FILE.py:NAME"``.
    chunks
        All chunks that there are to retrieve, for the ceilings omega and greedy: plain data with doc,
        start and end, or a file of JSON lines.
    tokenisers
        For ``tokens=`` in the token measures: functions from a text to the spans of its tokens, or
        ``"FILE.py:NAME"``.
    structure
        How the structure of the topics' queries is taken: ``"target=strict,support=vague"``, what is left
        out being vague, or a sub-task such as ``"SCAS"``.  What does not conform gains nothing.
    topic_file
        The topics with these queries: a file, several, or a ``Topics`` object.
    on_invalid
        ``"reject"`` a run that lacks what a measure requires, or ``"repair"`` it.
    fol_end
        The last column of 8-column runs is an end, not a length.
    keep
        So many results of each topic are kept in ``results``, with the characters that measures count.
    jobs, cluster
        Processes to spread runs over, None for all cores, if it pays; or the address of a Dask scheduler,
        whose workers read the files at the same paths.
    progress
        Called after each run.
    on_error
        ``"raise"`` the error of a run that cannot be read, or ``"skip"`` the run.

    Returns
    -------
    Evaluation
        ``scores``, ``means``, and what was rejected and why.

    Examples
    --------
    >>> gold = [("1", "report", 100, 200)]
    >>> retrieved = [("1", "report", 50, 150), ("1", "report", 100, 200)]
    >>> evaluate(retrieved, gold, ["char_rec@1,2", "char_prec@2"]).means["score"].round(3).to_list()
    [0.5, 1.0, 0.667]
    """
    options = Options(
        topics=checked_option("topics", topics),
        task=checked_task(task),
        order=checked_option("order", order),
        on_invalid=checked_option("on_invalid", on_invalid),
        defaults={} if limit is _UNSET else {"limit": checked_limit(limit)},
        keep=keep,
    )
    skip_errors = checked_option("on_error", on_error) == "skip"
    documents = as_collection(collection)
    judged = as_assessments(assessments, documents)
    if documents is None and judged.elements.height:
        judged, documents = lay_out_listed(judged)
    if documents is not None:
        judged = resolve_assessments(judged, documents)
    wanted = None if not measures else expand([measures] if isinstance(measures, str | Measure) else measures)
    if wanted is not None:
        wanted = [_resolved(one, judged.scale) for one in wanted]
    if quant is not None:
        options = replace(
            options, defaults={**options.defaults, "quant": quantisation(quant, judged.scale).name}
        )
    declared = checked_option("sizes", sizes or ("declared" if documents is None else "collection"))
    wished = asked(structure, topic_file, judged, documents, sizes=declared)
    lost = _notes(judged, found_in_collection=documents is not None)
    judged = wished.assessments
    assessed = lay_out(judged, declared_sizes=declared == "declared")
    job = _Job(
        assessed=assessed,
        bases=Bases(
            judged,
            assessed,
            documents,
            {one.name: one for one in map(_own_model, models)},
            chunks=None if chunks is None else as_chunks(chunks, documents),
            tokenisers={one.name: one for one in map(named_tokeniser, tokenisers)},
            constraints=wished.constraints,
        ),
        asked=wished,
        measures=wanted,
        options=options,
        collection=documents,
        fol_end=fol_end,
        skip_errors=skip_errors,
        notes=(*lost, *wished.notes),
    )
    scored: list[_Scored] = []
    given = list(as_runs(runs, documents))
    if jobs is None and cluster is None:
        jobs = executors.available_cores() if len(given) >= _MANY_RUNS else 1
    # in one process a run is read while the one before it is scored
    for one in executors.run_in_steps(job.prepare, job.score, given, jobs=jobs, cluster=cluster):
        scored.append(one)
        if progress is not None:
            progress()
    return _combine(scored, job)


def _own_model(given: str | Callable[..., Any]) -> OwnModel:
    return load_model(given) if isinstance(given, str) else OwnModel(name_of(given, "a user model"), given)


def _resolved(measure: Measure, scale: str) -> Measure:
    """Return a measure with the canonical name of its quantisation."""
    written = measure.written.get("quant")
    return measure if written is None else measure(quant=quantisation(written, scale).name)


@dataclass(frozen=True)
class _Prepared:
    """A run that is read and laid out, with what will score it."""

    run: Run
    scorer: RunScorer


@dataclass(frozen=True)
class _Scored:
    run: str
    file: str | None
    evaluation: Evaluation


@dataclass(frozen=True)
class _Job:
    """What every process needs to score runs."""

    assessed: Assessed
    bases: Bases
    asked: Asked
    measures: list[Measure] | None
    options: Options
    collection: Collection | None
    fol_end: bool
    skip_errors: bool
    notes: tuple[str, ...]
    folder: Path = field(default_factory=Path.cwd)  # where relative paths begin, wherever a worker is

    def _read(self, given: _Given) -> Run:
        if isinstance(given, Run):
            return given
        if isinstance(given, NamedFile):
            return replace(self._read(given.path), id=given.name)
        away = Path.cwd() != self.folder
        run = read_run(self.folder / given if away else given, fol_end=self.fol_end)
        return replace(run, file=os.fspath(given)) if away else run

    def prepare(self, given: _Given) -> _Prepared | Rejection:
        """Read a run, find its results in the collection, order them and lay them out."""
        try:
            run = self._read(given)
            found = resolve_run(run, self.collection)
            if isinstance(self.collection, ListedDocuments):
                found = self.collection.elements_only(found)
            found = self.asked.mark(found, self.collection)
            results = in_order(found, by=self.options.order)
        except InputError as error:
            if not self.skip_errors:
                raise
            return Rejection(_name(given), "all", str(error))
        scorer = RunScorer(run.id, results, self.assessed, self.bases, self.options, declared_task=run.task)
        return _Prepared(run, scorer)

    def score(self, prepared: _Prepared | Rejection) -> _Scored:
        """Score a run that is prepared."""
        if isinstance(prepared, Rejection):
            return _Scored(prepared.run, None, Evaluation(SCORES.empty(), (prepared,)))
        run = prepared.run
        found = prepared.scorer.score(self.measures)
        notes = (*(f"{run.id}: {note}" for note in run.notes), *found.warnings)
        return _Scored(run.id, run.file, replace(found, warnings=notes))


def _name(given: _Given) -> str:
    """Return what to call a run that could not be read."""
    if isinstance(given, Run):
        return given.id
    return given.name if isinstance(given, NamedFile) else str(given)


def _notes(judged: Assessments, *, found_in_collection: bool) -> tuple[str, ...]:
    """Say what reading the assessments left out, and what of them is not in the collection."""
    if not found_in_collection:
        return judged.notes
    return (*judged.notes, *(f"assessments: {sentence}" for sentence in unfound(problems(judged))))


def _undefined_topics(scores: pl.DataFrame) -> list[str]:
    """Say for which measures which topics have nothing to find."""
    empty = scores.filter(pl.col("score").is_nan()).select("topic", "measure").unique(maintain_order=True)
    by_topics = (
        empty.group_by("measure", maintain_order=True)
        .agg("topic")
        .group_by("topic", maintain_order=True)
        .agg("measure")
    )
    measures = scores["measure"].n_unique()
    said = []
    for topics, names in by_topics.iter_rows():
        for_what = "" if len(names) == measures else f" for {shown_names(names)}"
        which = counted(len(topics), "assessed topic has", "assessed topics have")
        said.append(f"{which} nothing to find{for_what} ({listed(topics)}): undefined")
    return said


def _infinite_topics(scores: pl.DataFrame) -> list[str]:
    """Say which scores are infinite, such as the reading that never finds enough."""
    never = scores.filter(pl.col("score").is_infinite()).group_by("run", "measure", maintain_order=True)
    return [
        f"{run}: {measure} is infinite for {counted(len(topics), 'topic')} ({listed(topics)}), which "
        f"{'is' if len(topics) == 1 else 'are'} left out of the mean"
        for run, measure, topics in never.agg("topic").iter_rows()
    ]


def _combine(scored: list[_Scored], job: _Job) -> Evaluation:
    """Put the runs into one table; ids that several runs share become ``id:file``."""
    tables: list[pl.DataFrame] = [SCORES.empty()]
    rejected: list[Rejection] = []
    warnings: list[str] = []
    kept: list[pl.DataFrame] = []
    for one, name in zip(scored, run_names([(one.run, one.file) for one in scored]), strict=True):
        found = one.evaluation
        tables.append(found.scores.with_columns(run=pl.lit(name)))
        kept += [] if found.results is None else [found.results.with_columns(run=pl.lit(name))]
        rejected += [replace(rejection, run=name) for rejection in found.rejected]
        warnings += [f"{name}: {warning.removeprefix(f'{one.run}: ')}" for warning in found.warnings]
    scores = pl.concat(tables)
    return Evaluation(
        scores=scores,
        rejected=tuple(rejected),
        warnings=tuple(
            dict.fromkeys([*job.notes, *_undefined_topics(scores), *_infinite_topics(scores), *warnings])
        ),
        parameters={
            "topics": job.options.topics,
            "task": job.options.task,
            "order": job.options.order,
            "on_invalid": job.options.on_invalid,
            **job.asked.parameters,
            **job.options.defaults,
        },
        results=pl.concat(kept) if kept else None,
    )
