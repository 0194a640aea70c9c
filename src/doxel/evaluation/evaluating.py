"""Scoring: runs x topics x measures, into one tidy table.

The assessments are laid out once; each run is read, resolved, ordered and scored on its own, so that
memory does not grow with the number of runs and runs can be spread over processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from doxel import executors
from doxel.assessments.assessed import lay_out
from doxel.assessments.assessments import Assessments
from doxel.assessments.listed import lay_out_listed
from doxel.assessments.resolve import problems, resolve, unfound
from doxel.documents import Collection
from doxel.evaluation.asked import asked
from doxel.evaluation.bases import Bases
from doxel.evaluation.chunk_inputs import as_chunks, as_collection
from doxel.evaluation.combining import combine
from doxel.evaluation.evaluation import Evaluation
from doxel.evaluation.inputs import Given, as_assessments, as_runs
from doxel.evaluation.jobs import Job, Scored
from doxel.evaluation.options import checked_limit, checked_option, checked_task
from doxel.evaluation.own_functions import name_of
from doxel.evaluation.own_models import OwnModel, load_model
from doxel.evaluation.scoring import Options
from doxel.evaluation.sets import expand, on_scale
from doxel.evaluation.tokens import named_tokeniser
from doxel.measures import Measure
from doxel.quantisation import quantisation

if TYPE_CHECKING:
    from doxel.files.sets import Paths
    from doxel.topics import Topics

__all__ = ["evaluate"]

_UNSET: Any = object()
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
    judged, documents = _judged(assessments, as_collection(collection))
    if quant is not None:
        options = options.filled_in(quant=quantisation(quant, judged.scale).name)
    declared = checked_option("sizes", sizes or ("declared" if documents is None else "collection"))
    wished = asked(structure, topic_file, judged, documents, sizes=declared)
    assessed = lay_out(wished.assessments, declared_sizes=declared == "declared")
    job = Job(
        assessed=assessed,
        bases=Bases(
            wished.assessments,
            assessed,
            documents,
            {one.name: one for one in map(_own_model, models)},
            chunks=None if chunks is None else as_chunks(chunks, documents),
            tokenisers={one.name: one for one in map(named_tokeniser, tokenisers)},
            constraints=wished.constraints,
        ),
        asked=wished,
        measures=[on_scale(one, judged.scale) for one in expand(measures)] if measures else None,
        options=options,
        collection=documents,
        fol_end=fol_end,
        skip_errors=skip_errors,
    )
    scored = _scored(job, list(as_runs(runs, documents)), jobs, cluster, progress)
    notes = (*_notes(judged, found_in_collection=documents is not None), *wished.notes)
    return combine(scored, notes=notes, parameters={**options.said, **wished.parameters, **options.defaults})


def _judged(given: Any, documents: Collection | None) -> tuple[Assessments, Collection | None]:
    """Return assessments, found in the documents, and these; without any, those that they list themselves."""
    judged = as_assessments(given, documents)
    if documents is None and judged.elements.height:
        judged, documents = lay_out_listed(judged)
    return (judged if documents is None else resolve(judged, documents)), documents


def _own_model(given: str | Callable[..., Any]) -> OwnModel:
    return load_model(given) if isinstance(given, str) else OwnModel(name_of(given, "a user model"), given)


def _notes(judged: Assessments, *, found_in_collection: bool) -> tuple[str, ...]:
    """Say what reading the assessments left out, and what of them is not in the collection."""
    if not found_in_collection:
        return judged.notes
    return (*judged.notes, *(f"assessments: {sentence}" for sentence in unfound(problems(judged))))


def _scored(
    job: Job,
    runs: Sequence[Given],
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[], None] | None,
) -> list[Scored]:
    if jobs is None and cluster is None:
        jobs = executors.available_cores() if len(runs) >= _MANY_RUNS else 1
    scored: list[Scored] = []
    # in one process a run is read while the one before it is scored
    for one in executors.run_in_steps(job.prepare, job.score, runs, jobs=jobs, cluster=cluster):
        scored.append(one)
        if progress is not None:
            progress()
    return scored
