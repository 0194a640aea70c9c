"""Score runs against assessments: runs x topics x measures, in one tidy table.

The assessments are prepared once.  Each run is read, resolved, ordered and scored on its own, so that
memory does not grow with the number of runs and runs can be spread over processes (see *scoring_job*).
Finally the scores of all runs are combined in one table, with the warnings about them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from doxel import executors
from doxel.arguments import check_arguments
from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import Assessments
from doxel.assessments.listed_documents import lay_out_listed
from doxel.checks.score_warnings import (
    check_codes,
    check_scored_assessments,
    hide_warnings,
    issue_warnings,
    note_reading,
)
from doxel.documents import Collection
from doxel.documents.collection import as_collection
from doxel.errors import InputError
from doxel.evaluation.assessor_ranges import add_assessor_ranges
from doxel.evaluation.evaluation_result import (
    Evaluation,
    ScoredRun,
    combine_scores,
    refuse_guesses,
)
from doxel.evaluation.evaluation_warnings import note_relevant_only
from doxel.evaluation.inputs.chunk_tables import as_chunks
from doxel.evaluation.inputs.custom_functions import collect_models
from doxel.evaluation.inputs.evaluation_options import check_limit, check_option, check_task
from doxel.evaluation.inputs.input_tables import (
    RunSource,
    as_assessments,
    as_runs,
)
from doxel.evaluation.inputs.measure_sets import adapt_to_scale, expand_sets, has_unknown_names
from doxel.evaluation.inputs.token_counts import load_tokeniser
from doxel.evaluation.run_scorer import ScoringOptions
from doxel.evaluation.saved_results import ScoredInputs
from doxel.evaluation.score_explanation import ScoreExplainer
from doxel.evaluation.score_exports import InputSources
from doxel.evaluation.scoring_job import ScoringGround, ScoringJob
from doxel.measures import Measure
from doxel.quantisation import find_quantisation
from doxel.runs.run import name_runs
from doxel.usermodels import CUSTOM_MODELS

if TYPE_CHECKING:
    import polars as pl

    from doxel.files.archives import Paths
    from doxel.topics import Topics

__all__ = ["MANY_RUNS", "evaluate"]

_UNSET: Any = object()
MANY_RUNS = 320  # for fewer runs, one process may be as fast: it reads a run while it scores another


@check_arguments
def evaluate(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[Any] | None = None,
    *,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None = None,
    topics: str | None = None,
    task: str | None = None,
    quant: str | None = None,
    limit: int | None = _UNSET,
    order: str = "rank",
    sizes: str | None = None,
    on_invalid: str = "reject",
    unjudged: str | None = None,
    residual: bool = False,
    assessors: Sequence[Any] = (),
    models: Sequence[str | Callable[..., Any]] = (),
    chunks: Any = None,
    tokenisers: Sequence[str | Callable[[str], Any]] = (),
    structure: str | None = None,
    topic_file: Topics | Paths | None = None,
    on_error: str = "raise",
    on_mismatch: str = "error",
    no_guessing: bool = False,
    silence: str | Sequence[str] = (),
    fol_end: bool = False,
    passage_ids: bool = False,
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
        Names such as ``"iP@0.01"``, lists of names, or names of sets; measures of your own, which
        :func:`doxel.measure` declares, by name or as ``"FILE.py:NAME"``, whose code is executed; measures of
        ir_measures.  The default is the official set for each run's task.
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
        ``"FILE.py:NAME"``.  Functions that :func:`doxel.user_model` marks need not be named here.
    chunks
        All chunks of the chunking, for the reference choices omega and greedy: plain data with doc,
        start and end, or a file of JSON lines.
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
    unjudged
        What to do with results in documents that were not judged for their topic, for measures that do not
        set it: count them as ``"nonrelevant"`` (the default), or ``"remove"`` them before all cuts.
    residual
        Add to every score how far it could rise if the unjudged text among the results that the measure reads
        were relevant: columns optimistic and residual.
    assessors
        Judgements of the same topics by further assessors, each in any form that ``assessments`` takes, such
        as an export of one assessor's assignments.  Scores then have the range over all assessors of a topic:
        columns assessors_low and assessors_high.
    fol_end
        Whether the last column of 8-column runs is the end of a passage instead of its length.
    passage_ids
        Whether ids are those of passages: ``doc:start-end`` is a span, ``doc#passage`` its document.
    compat
        ``"trec_eval"``, ``"inex_eval"``, ``"bioasq"`` or ``"locomo"``: the figures of that tool, under its
        names and rules.  Of the other options only topics, limit and min_grade (trec_eval), or topics, task
        and fol_end (inex_eval) apply.
    min_grade
        The lowest grade of a relevant document, with ``compat="trec_eval"``; 1 by default.
    keep
        Number of results per topic to keep in ``results``, with their relevant and new characters.
    jobs, cluster
        Number of processes, None for as many as save time, at most one per core; or the address
        of a Dask scheduler whose workers can read the files at the same paths.
    progress
        Called after each run.
    on_error
        What to do with a run that cannot be read or is refused: ``"raise"`` the error, or ``"skip"`` it.
    on_mismatch
        What to do with a run whose topics or documents are not in the assessments, so that all scores
        would be 0: refuse it with an ``"error"``, or ``"score"`` it.
    no_guessing
        Refuse runs whose scores would rest on a guess.
    silence
        The codes of warnings to hide, such as ``"R402"``.

    Returns
    -------
    Evaluation
        ``scores`` and ``means``; ``rejected`` runs with the reasons; ``warnings``, each with its code.
        Those that change a score are also issued as ``DoxelWarning``.

    Examples
    --------
    >>> gold = [("1", "report", 100, 200)]
    >>> retrieved = [("1", "report", 50, 150), ("1", "report", 100, 200)]
    >>> evaluate(retrieved, gold, ["char_rec@1,2", "char_prec@2"]).means["score"].round(3).to_list()
    [0.5, 1.0, 0.667]
    """
    options = ScoringOptions(
        topics=check_option("topics", "assessed" if topics is None else topics),
        task=check_task(task),
        order=check_option("order", order),
        on_invalid=check_option("on_invalid", on_invalid),
        defaults=_collect_defaults(limit, unjudged),
        keep=keep,
        on_mismatch=check_option("on_mismatch", on_mismatch),
        silence=check_codes([silence] if isinstance(silence, str) else silence),
        no_guessing=no_guessing,
        passage_ids=passage_ids,
        residual=residual,
    )
    skip_errors = check_option("on_error", on_error) == "skip"
    if compat is not None:
        result = _load_other_tools().evaluate_like(
            check_option("compat", compat),
            runs,
            assessments,
            measures,
            topics=topics,
            task=options.task,
            limit=options.defaults.get("limit"),
            min_grade=min_grade,
            fol_end=fol_end,
            skip_errors=skip_errors,
            progress=progress,
        )
        return _report_warnings(result, options, skip_errors=skip_errors)
    if min_grade is not None:
        raise InputError("min_grade", wanted='compat="trec_eval", or rel= in a measure', found="no compat")
    runs, assessments, chunks = map(_list_items, (runs, assessments, chunks))
    official = None
    if measures is not None and has_unknown_names(measures):
        official, measures = _load_campaign_scorers().score_campaigns(
            measures, runs, assessments, skip_errors=skip_errors
        )
    if official is not None and measures is None:
        return _report_warnings(official, options, skip_errors=skip_errors)
    prepare_for = partial(
        _prepare_job,
        collection=collection,
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
        skip_errors=skip_errors,
    )
    result = _score_measures(prepare_for, runs, assessments, assessors, jobs, cluster, progress)
    if official is not None:
        result = _load_campaign_scorers().join_evaluations(result, official)
    return _report_warnings(result, options, skip_errors=skip_errors)


def _list_items(data: Any) -> Any:
    """Return the items of an iterator as a list, because explanations read the inputs a second time."""
    return list(data) if isinstance(data, Iterator) else data


def _load_other_tools() -> Any:
    """Return the evaluators of other tools, which most evaluations do not need."""
    from doxel.evaluation.compat import other_tool

    return other_tool


def _load_campaign_scorers() -> Any:
    """Return the evaluators of campaigns, which most evaluations do not need."""
    from doxel.evaluation.compat.campaigns import campaign_scorers

    return campaign_scorers


def _collect_defaults(limit: Any, unjudged: str | None) -> dict[str, Any]:
    """Return the parameters that measures take from the options, if these are set."""
    limits = {} if limit is _UNSET else {"limit": check_limit(limit)}
    return limits if unjudged is None else {**limits, "unjudged": check_option("unjudged", unjudged)}


def _score_measures(
    prepare_for: partial[ScoringJob],
    runs: Any,
    assessments: Any,
    assessors: Sequence[Any],
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[], None] | None,
) -> Evaluation:
    """Return the scores of doxel's measures, with the inputs, from which they can be explained."""
    prepare = partial(prepare_for, assessments)
    job = prepare()
    scored = _score_runs(job, _list_sources(runs, job), jobs, cluster, progress)
    names = name_runs([(scored_run.run, scored_run.file) for scored_run in scored])
    score = partial(_score_alone, runs, jobs, cluster)
    result = _add_assessors(_combine_runs(job, scored), assessors, prepare_for, score)
    collection, topic_file, chunks = map(prepare_for.keywords.get, ("collection", "topic_file", "chunks"))
    return replace(
        result,
        explainer=ScoreExplainer(prepare, partial(_list_sources, runs), tuple(names)),
        inputs=job.inputs,
        sources=InputSources(runs, assessments, collection, topic_file, chunks, job.functions),
    )


def _add_assessors(
    result: Evaluation,
    assessors: Sequence[Any],
    prepare_for: partial[ScoringJob],
    score: Callable[[ScoringJob], pl.DataFrame],
) -> Evaluation:
    """Return a result with the range of its scores over further assessors, if there are any."""
    if not isinstance(assessors, list | tuple):
        found = type(assessors).__name__
        raise InputError("assessors", wanted="a list with the judgements of each assessor", found=found)
    if not assessors:
        return result
    measures = (
        prepare_for.keywords["measures"] or result.scores["measure"].unique(maintain_order=True).to_list()
    )
    options = prepare_for.keywords["options"].for_other_assessors
    jobs = [
        prepare_for(judgements, options=options, measures=measures, skip_errors=True)
        for judgements in assessors
    ]
    return add_assessor_ranges(result, [score(job) for job in jobs])


def _score_alone(runs: Any, jobs: int | None, cluster: str | None, job: ScoringJob) -> pl.DataFrame:
    """Return only the scores of runs."""
    return combine_scores(_score_runs(job, _list_sources(runs, job), jobs, cluster, None)).scores


def _combine_runs(job: ScoringJob, scored: Sequence[ScoredRun]) -> Evaluation:
    """Return the scores of all runs, with the notes on unjudged text that concern all of them."""
    residual = {"residual": True} if job.options.residual else {}
    constraints = job.basis.structure.constraints
    parameters = {
        **job.options.selection,
        **({} if constraints is None else {"structure": str(constraints.structure)}),
        **job.options.defaults,
        **residual,
    }
    result = combine_scores(scored, notes=job.notes, parameters=parameters)
    notes = note_relevant_only(result.warnings, job.basis.assessed, residual=job.options.residual)
    return replace(result, warnings=(*result.warnings, *notes))


def _report_warnings(result: Evaluation, options: ScoringOptions, *, skip_errors: bool) -> Evaluation:
    """Refuse guesses and hide warnings as requested; issue the others to the caller of ``evaluate``."""
    if options.no_guessing:
        result = refuse_guesses(result, options.silence, skip_errors=skip_errors)
    result = replace(result, warnings=hide_warnings(result.warnings, options.silence))
    # four frames: this function, evaluate, its argument check, and the caller to blame
    issue_warnings(result.warnings, level=4)
    return result


def _list_measure_files(measures: Sequence[Measure]) -> list[str]:
    """Return the addresses FILE.py:NAME of the measures that come from files."""
    files = [getattr(measure.declaration.origin, "file", "") for measure in measures]
    return list(dict.fromkeys(filter(None, files)))


def _list_sources(runs: Any, job: ScoringJob) -> list[RunSource]:
    if job.ground.chunks is not None and isinstance(runs, list) and not runs:
        runs = {"run": []}  # reference choices are of a chunking, and need no run
    return list(as_runs(runs, job.collection, job.ground.assessments, passage_ids=job.options.passage_ids))


def _prepare_job(
    assessments: Any,
    *,
    collection: Collection | Mapping[str, str] | str | os.PathLike[str] | None,
    options: ScoringOptions,
    measures: str | Measure | Sequence[Any] | None,
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
    """Prepare the assessments and everything else that the runs share."""
    assessed, judged, documents = _load_assessments(
        assessments,
        None if collection is None else as_collection(collection),
        passage_ids=options.passage_ids,
    )
    if quant is not None:
        options = options.with_defaults(quant=find_quantisation(quant, judged.scale).name)
    declared = check_option("sizes", sizes or ("declared" if documents is None else "collection"))
    ground = ScoringGround(
        assessments=judged,
        collection=documents,
        sizes=declared,
        models=collect_models(models) if models or CUSTOM_MODELS else {},
        chunks=None if chunks is None else as_chunks(chunks, documents),
        tokenisers={tokeniser.name: tokeniser for tokeniser in map(load_tokeniser, tokenisers)},
    )
    basis = ground.build(structure, topic_file)
    notes = [
        *(note_reading(note) for note in judged.notes),
        *check_scored_assessments(assessed, judged, basis.assessed, documents),
    ]
    listed = () if measures is None or (isinstance(measures, str) and not measures) else measures
    requested = expand_sets(listed, judged.scale)
    return ScoringJob(
        ground=ground,
        basis=basis,
        structure=structure,
        measures=[adapt_to_scale(measure, judged.scale) for measure in requested] or None,
        options=options,
        collection=documents,
        fol_end=fol_end,
        skip_errors=skip_errors,
        notes=(*notes, *basis.structure.notes),
        inputs=ScoredInputs(assessed, documents, basis.structure.topics),
        functions=(*models, *tokenisers, *_list_measure_files(requested)),
    )


def _load_assessments(
    source: Any, documents: Collection | None, *, passage_ids: bool
) -> tuple[Assessments, Assessments, Collection | None]:
    """Return the assessments as given and with their positions, and the documents they refer to.

    Without a collection, assessments that list elements supply the documents themselves.
    """
    assessments = as_assessments(source, documents, passage_ids=passage_ids)
    if documents is None and assessments.elements.height:
        assessments, documents = lay_out_listed(assessments)
    judged = assessments if documents is None else resolve_assessments(assessments, documents)
    return assessments, judged, documents


def _score_runs(
    job: ScoringJob,
    runs: Sequence[RunSource],
    jobs: int | None,
    cluster: str | None,
    progress: Callable[[], None] | None,
) -> list[ScoredRun]:
    if jobs is None and cluster is None:
        jobs = executors.count_cores() if len(runs) >= MANY_RUNS else 1
    steps: Iterator[ScoredRun] = map(job.score, map(job.prepare, runs))
    if len(runs) > 1 or jobs != 1 or cluster is not None:
        # with one process, the next run is read while this one is scored
        steps = executors.run_in_steps(job.prepare, job.score, runs, jobs=jobs, cluster=cluster)
    scored: list[ScoredRun] = []
    for scored_run in steps:
        scored.append(scored_run)
        if progress is not None:
            progress()
    return scored
