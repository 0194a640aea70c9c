"""Score runs against assessments: runs x topics x measures, in one tidy table.

The assessments are prepared once.  Each run is read, resolved, ordered and scored on its own, so that
memory does not grow with the number of runs and runs can be spread over processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from doxel import executors
from doxel.assessments.assessment_spans import count_problems, describe_problems, resolve_assessments
from doxel.assessments.assessments import Assessments
from doxel.assessments.judged_pairs import lay_out_assessments
from doxel.assessments.listed_documents import lay_out_listed
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
from doxel.quantisation import find_quantisation

if TYPE_CHECKING:
    from doxel.files.archives import Paths
    from doxel.topics import Topics

__all__ = ["evaluate"]

_UNSET: Any = object()
_MANY_RUNS = 40  # for fewer runs, starting processes takes longer than scoring


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
        Names such as ``"iP@0.01"``, lists of names, or names of sets; the default is the official set
        for each run's task.
    collection
        The documents, or their texts by id (``{"report": "All is well."}``).  Required if results or
        assessments are paths or quotations, or if a measure needs elements or tokens.
    topics
        ``"assessed"``: every assessed topic counts, and a topic missing from the run scores 0;
        ``"run"``: only the topics of the run count.
    task, quant, limit
        Defaults for measures that do not set these parameters.  Without them, the task is the one that
        the run declares, the quantisation is gen on the assessments' scale, and the limit is 1500.
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
        structure gain nothing.
    topic_file
        The topics with their queries: one or several files, or a ``Topics`` object.
    on_invalid
        What to do with a run that violates a measure's requirements: ``"reject"`` it for this measure,
        or ``"repair"`` it.
    fol_end
        Whether the last column of 8-column runs is the end of a passage instead of its length.
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
        options = options.filled_in(quant=find_quantisation(quant, judged.scale).name)
    declared = checked_option("sizes", sizes or ("declared" if documents is None else "collection"))
    requested = asked(structure, topic_file, judged, documents, sizes=declared)
    assessed = lay_out_assessments(requested.assessments, declared_sizes=declared == "declared")
    job = Job(
        assessed=assessed,
        bases=Bases(
            requested.assessments,
            assessed,
            documents,
            {model.name: model for model in map(_own_model, models)},
            chunks=None if chunks is None else as_chunks(chunks, documents),
            tokenisers={tokeniser.name: tokeniser for tokeniser in map(named_tokeniser, tokenisers)},
            constraints=requested.constraints,
        ),
        asked=requested,
        measures=[on_scale(measure, judged.scale) for measure in expand(measures)] if measures else None,
        options=options,
        collection=documents,
        fol_end=fol_end,
        skip_errors=skip_errors,
    )
    scored = _scored(job, list(as_runs(runs, documents)), jobs, cluster, progress)
    notes = (*_notes(judged, has_collection=documents is not None), *requested.notes)
    return combine(
        scored, notes=notes, parameters={**options.said, **requested.parameters, **options.defaults}
    )


def _judged(source: Any, documents: Collection | None) -> tuple[Assessments, Collection | None]:
    """Return the assessments with their positions, and the documents they refer to.

    Without a collection, assessments that list elements supply the documents themselves.
    """
    judged = as_assessments(source, documents)
    if documents is None and judged.elements.height:
        judged, documents = lay_out_listed(judged)
    return (judged if documents is None else resolve_assessments(judged, documents)), documents


def _own_model(source: str | Callable[..., Any]) -> OwnModel:
    return (
        load_model(source) if isinstance(source, str) else OwnModel(name_of(source, "a user model"), source)
    )


def _notes(judged: Assessments, *, has_collection: bool) -> tuple[str, ...]:
    """Return the notes about the assessments: rows skipped on reading, places missing in the collection."""
    if not has_collection:
        return judged.notes
    return (
        *judged.notes,
        *(f"assessments: {sentence}" for sentence in describe_problems(count_problems(judged))),
    )


def _scored(
    job: Job,
    runs: Sequence[Given],
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[], None] | None,
) -> list[Scored]:
    if jobs is None and cluster is None:
        jobs = executors.count_cores() if len(runs) >= _MANY_RUNS else 1
    scored: list[Scored] = []
    # with one process, the next run is read while this one is scored
    for scored_run in executors.run_in_steps(job.prepare, job.score, runs, jobs=jobs, cluster=cluster):
        scored.append(scored_run)
        if progress is not None:
            progress()
    return scored
