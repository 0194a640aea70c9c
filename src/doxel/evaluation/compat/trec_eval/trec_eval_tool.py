"""Evaluate runs of whole documents as trec_eval does, and print its output.

Documents are ranked by descending score, equal scores by descending document id; the rank column is ignored.
Every result counts.  Topics that the run lacks are left out or, with ``topics="assessed"``, score 0 (the
tool's -c, as in version 10); topics without relevant documents score 0 and count in the means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.checks.check_subjects import CheckContext, CheckedRun
from doxel.checks.score_warnings import ScoreWarning, check_scored_run, note_reading
from doxel.errors import InputError, UnscoredRunError
from doxel.evaluation.compat.trec_eval.trec_eval_figures import (
    RankedTopic,
    compute_topic_figures,
    summarise_figures,
)
from doxel.evaluation.compat.trec_eval.trec_eval_measures import DEFAULT_SET, TrecFigure, parse_trec_figures
from doxel.evaluation.evaluation_result import SCORES, Evaluation, Rejection
from doxel.evaluation.evaluation_warnings import (
    describe_topic_mismatches,
    describe_unequal_topics,
    describe_unjudged_documents,
)
from doxel.evaluation.inputs.input_tables import as_assessments, as_runs, read_source
from doxel.runs.column_runs import read_trec_lines
from doxel.runs.run import Run, name_runs
from doxel.runs.run_files import read_run
from doxel.wording import join_words, pluralise

__all__ = ["evaluate_like_trec_eval", "render_trec_eval_output"]

_LARGEST_GRADE = 1_000_000  # the library reserves memory for every grade up to the highest


def evaluate_like_trec_eval(
    runs: Any,
    assessments: Any,
    measures: str | Iterable[str] | None = None,
    *,
    topics: str = "run",
    min_grade: int = 1,
    limit: int | None = None,
    skip_errors: bool = False,
    progress: Callable[[], None] | None = None,
) -> Evaluation:
    """Return the figures of trec_eval for runs of whole documents.

    Parameters
    ----------
    runs, assessments
        As for :func:`doxel.evaluate`; files of runs are read as the tool reads them.  The assessments are
        grades of documents.
    measures
        The tool's measures (see ``trec_eval_measures``); the default is its official set.
    topics
        ``"run"``: the assessed topics of the run; ``"assessed"``: all assessed topics (-c).
    min_grade
        The lowest grade of a relevant document (-l).
    limit
        The number of documents per topic that count (-M), None for all.
    skip_errors
        Whether to list a run that cannot be read as rejected, instead of raising the error.
    progress
        Called after each run.

    Returns
    -------
    Evaluation
        Scores under the tool's names, topics in the order of their ids.
    """
    if isinstance(min_grade, bool) or not isinstance(min_grade, int) or min_grade < 1:
        raise InputError("min_grade", wanted="a whole number from 1", found=repr(min_grade))
    figures = parse_trec_figures(measures or DEFAULT_SET)
    grades, notes = _collect_grades(as_assessments(assessments))
    tables: list[tuple[str, str | None, pl.DataFrame, pl.DataFrame]] = []
    answered: list[tuple[str, ...]] = []
    warnings: list[tuple[int, ScoreWarning]] = []
    rejected: list[Rejection] = []
    for source in as_runs(runs):
        try:
            run = read_source(source, partial(read_run, reader=read_trec_lines))
            ranked = _rank_topics(run, grades, topics=topics, min_grade=min_grade, limit=limit)
        except InputError as error:
            if not skip_errors:
                raise
            code = error.code if isinstance(error, UnscoredRunError) else None
            rejected.append(Rejection(str(getattr(source, "id", source)), "all", str(error), code))
            continue
        finally:
            if progress is not None:
                progress()
        checked = CheckedRun.of(run, CheckContext(), "score")
        run_warnings = (*check_scored_run(checked), *_describe_topics(run, ranked, grades))
        warnings += [(len(tables), note) for note in (*map(note_reading, run.notes), *run_warnings)]
        tables.append((run.id, run.file, *_score_topics(ranked, figures)))
        answered.append(tuple(topic.topic for topic in ranked if len(topic.documents)))
    names = name_runs([(run_id, file) for run_id, file, _, _ in tables])
    named = [pl.lit(name).alias("run") for name in names]
    scores = [table.insert_column(0, name) for name, (_, _, table, _) in zip(named, tables, strict=True)]
    overall = [table.insert_column(0, name) for name, (_, _, _, table) in zip(named, tables, strict=True)]
    table = pl.concat([SCORES.empty(), *scores])
    named_warnings = [note.name_run(names[number]) for number, note in warnings]
    messages = [*notes, *_describe_missing_scores(figures), *describe_unequal_topics(table), *named_warnings]
    parameters = {"compat": "trec_eval", "topics": topics, "min_grade": min_grade, "limit": limit}
    return Evaluation(
        scores=table,
        rejected=tuple(rejected),
        warnings=tuple(dict.fromkeys(messages)),
        parameters={**parameters, "measures": [figure.name for figure in figures]},
        overall=pl.concat([SCORES.empty().drop("topic"), *overall]),
        answered=dict(zip(names, answered, strict=True)),
    )


def _describe_missing_scores(figures: Sequence[TrecFigure]) -> list[ScoreWarning]:
    """Return a note if nothing but the names of the runs was requested."""
    if any(figure.measure != "runid" for figure in figures):
        return []
    sentence = "runid is the name of a run, which only -f trec prints; there is no score without a measure"
    return [ScoreWarning(sentence, "S114")]


def _collect_grades(assessments: Assessments) -> tuple[dict[str, dict[str, int]], list[ScoreWarning]]:
    """Return the grades by topic and document, topics in the order of their ids, and notes on the grades."""
    if assessments.scale != "documents":
        raise InputError(
            "trec_eval scores whole documents",
            file=assessments.file,
            wanted="grades of documents: topic 0 doc grade",
            found=f"assessments of format {assessments.format or assessments.scale}",
        )
    judged = assessments.judged.select("topic", "doc", "grade").with_columns(pl.col("grade").fill_null(0.0))
    fractions = judged.filter(pl.col("grade") % 1 != 0).height
    highest = judged.filter(pl.col("grade") > _LARGEST_GRADE).head(1)
    if highest.height:
        topic, doc, grade = highest.row(0)
        raise InputError(
            f"topic {topic}, document {doc}: the grade",
            file=assessments.file,
            wanted=f"at most {_LARGEST_GRADE:,}",
            found=f"{grade:.0f}",
        )
    grades: dict[str, dict[str, int]] = {}
    whole = judged.with_columns(pl.col("grade").clip(lower_bound=-1e6).cast(pl.Int64)).sort(
        "topic", maintain_order=True
    )
    for topic, doc, grade in whole.iter_rows():
        grades.setdefault(topic, {})[doc] = grade
    notes = [note_reading(note) for note in assessments.notes]
    if fractions:
        cut = pluralise(fractions, "grade has a fraction, which is", "grades have fractions, which are")
        notes.append(ScoreWarning(f"assessments: {cut} cut off, as by trec_eval", "S114"))
    return grades, notes


def _rank_topics(
    run: Run, grades: dict[str, dict[str, int]], *, topics: str, min_grade: int, limit: int | None
) -> list[RankedTopic]:
    """Return the assessed topics of a run, in the order of their ids, with their documents in order."""
    results = run.results.filter(pl.col("topic").is_in(list(grades)))
    if not results.height:
        raise UnscoredRunError(
            "no topic has both results and assessments",
            run=run.id,
            code="R403",
            file=run.file,
            wanted=f"topics such as {join_words(list(grades), 3)}",
            found=join_words(run.topics, 3),
        )
    _check_results(run, results)
    ordered = results.sort("topic", "rsv", "doc", descending=[False, True, True])
    if limit is not None:
        ordered = ordered.filter(pl.int_range(pl.len()).over("topic") < limit)
    documents = dict(ordered.group_by("topic", maintain_order=True).agg("doc").iter_rows())
    return [
        RankedTopic(topic, documents.get(topic, ()), judged, min_grade)
        for topic, judged in grades.items()
        if topics == "assessed" or topic in documents
    ]


def _check_results(run: Run, results: pl.DataFrame) -> None:
    unscored = results.filter(pl.col("rsv").is_null() | pl.col("rsv").is_nan()).head(1)
    if unscored.height:
        row = unscored.row(0, named=True)
        raise InputError(
            f"topic {row['topic']}, document {row['doc']}: trec_eval ranks by score",
            file=run.file,
            line=row["line"],
            wanted="a score for every result",
            found="none",
        )
    repeats = results.filter(~pl.struct("topic", "doc").is_first_distinct()).head(1)
    if repeats.height:
        row = repeats.row(0, named=True)
        raise InputError(
            f"topic {row['topic']} lists document {row['doc']} twice",
            file=run.file,
            line=row["line"],
            wanted="each document once, as in trec_eval ('doxel convert --to trec' makes such runs)",
        )


def _describe_topics(
    run: Run, ranked: Sequence[RankedTopic], grades: dict[str, dict[str, int]]
) -> list[ScoreWarning]:
    lacking = sum(not len(topic.documents) for topic in ranked)
    notes = describe_topic_mismatches(run.results, list(grades), lacking)
    if not any(topic.grades.keys() & set(topic.documents) for topic in ranked):
        judged = pl.Series([document for documents in grades.values() for document in documents])
        answered = sum(bool(topic.documents) for topic in ranked)
        notes.append(describe_unjudged_documents(run.results["doc"], judged, topics=answered))
    empty = [topic.topic for topic in ranked if not topic.relevant]
    if empty:
        subject = pluralise(len(empty), "topic has", "topics have")
        sentence = (
            f"{subject} no relevant document ({join_words(empty)}) and "
            f"{'counts' if len(empty) == 1 else 'count'} as 0 in the means, as in trec_eval"
        )
        notes.append(ScoreWarning(sentence, "S114", topics=len(empty)))
    return notes


def _score_topics(
    ranked: Sequence[RankedTopic], figures: Sequence[TrecFigure]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the figures per topic, ordered by figure, and those over all topics."""
    by_topic = compute_topic_figures(ranked, figures)
    overall = summarise_figures(by_topic, figures)
    rows = [
        (topic, figure.name, scores[figure.name])
        for figure in figures
        if not figure.is_overall
        for topic, scores in by_topic.items()
    ]
    types = {"topic": pl.String, "measure": pl.String, "score": pl.Float64}
    return (
        pl.DataFrame(rows, schema=types, orient="row"),
        pl.DataFrame(
            list(overall.items()), schema={name: types[name] for name in ("measure", "score")}, orient="row"
        ),
    )


def render_trec_eval_output(evaluation: Evaluation, *, per_topic: bool) -> str:
    """Return the tool's output for the runs of an evaluation, one after the other.

    ``per_topic`` adds the figures of each topic before those over all topics (-q).
    """
    figures = sorted(parse_trec_figures(evaluation.parameters["measures"]), key=lambda figure: figure.place)
    lines: list[str] = []
    means = evaluation.means.select("run", "measure", "score")
    for run in evaluation.answered or ():
        scores = evaluation.scores.filter(pl.col("run") == run)
        by_topic: dict[str, dict[str, float]] = {}
        for _, topic, measure, score in scores.iter_rows():
            by_topic.setdefault(topic, {})[measure] = score
        overall = dict(means.filter(pl.col("run") == run).select("measure", "score").iter_rows())
        for topic, values in by_topic.items() if per_topic else ():
            lines += [
                _format_line(figure, topic, values[figure.name])
                for figure in figures
                if figure.name in values
            ]
        lines += [
            f"{'runid':<22}\tall\t{run}"
            if figure.name == "runid"
            else _format_line(figure, "all", overall[figure.name])
            for figure in figures
        ]
    return "\n".join([*lines, ""])


def _format_line(figure: TrecFigure, topic: str, value: float) -> str:
    number = f"{value:.0f}" if figure.is_count else f"{value:6.4f}"
    return f"{figure.name:<22}\t{topic}\t{number}"
