"""Leave one run out: score each run as if it had not been pooled (Zobel, SIGIR 1998).

For each run, the judged documents that no other run contributed to the pool are removed from the
assessments, and all runs are scored again.  If the score of a run falls far, the assessments would have
been unfair to it as a new run, and may be unfair to new runs of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import remove_documents
from doxel.evaluation import evaluate
from doxel.evaluation.evaluation import Evaluation, no_scores
from doxel.measures.measure_table import lower_is_better
from doxel.pooling.pool import Pool
from doxel.pooling.statistics import judged_documents, unique_documents
from doxel.runs import Run

__all__ = ["leave_one_out"]

_KEY = ["topic", "doc"]
_SCHEMA = {
    "run": pl.String,
    "measure": pl.String,
    "judged": pl.Int64,
    "relevant": pl.Int64,
    "score": pl.Float64,
    "without": pl.Float64,
    "change": pl.Float64,
    "place": pl.Int64,
    "place_without": pl.Int64,
    "topics": pl.Int64,
    "topics_left": pl.Int64,
}


def leave_one_out(
    runs: Sequence[Run],
    pool: Pool,
    assessments: Assessments,
    measures: Sequence[str],
    *,
    progress: Callable[[], None] | None = None,
    **scoring: Any,
) -> pl.DataFrame:
    """Score each run with the assessments as they would be without it.

    ``runs`` are the runs of the pool, with the same ids; ``assessments`` must use the document ids of the
    pool; ``scoring`` are options of :func:`doxel.evaluate`, such as the collection.

    Returns one row per run and measure: run, measure, judged and relevant (documents that only this run
    contributed), score, without (its score without these documents), change (their difference), place and
    place_without (among all runs, from 1), topics and topics_left (the number of topics of the two
    means).  A measure that cannot score the run has no row.
    """
    unique_judged = unique_documents(pool).join(judged_documents(assessments), on=_KEY, maintain_order="left")
    complete = evaluate(list(runs), assessments, list(measures), **scoring)
    if not complete.scores.height:
        raise no_scores("leaving one run out", complete.rejected)
    rows: list[dict[str, object]] = []
    for run in runs:
        own = unique_judged.filter(pl.col("run") == run.id)
        # a run without unique documents keeps exactly its score
        reduced = complete if not own.height else _left(runs, assessments, own, measures, scoring)
        rows += _rows(run.id, complete, reduced, own)
        if progress is not None:
            progress()
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _left(
    runs: Sequence[Run],
    assessments: Assessments,
    own: pl.DataFrame,
    measures: Sequence[str],
    scoring: dict[str, Any],
) -> Evaluation | None:
    """Return the scores without some documents, or None if no other document was judged."""
    remaining = remove_documents(assessments, own)
    return evaluate(list(runs), remaining, list(measures), **scoring) if remaining.judged.height else None


def _rows(
    run: str, complete: Evaluation, reduced: Evaluation | None, own: pl.DataFrame
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    own_means = complete.means.filter(pl.col("run") == run)
    for measure, score, topics in own_means.select("measure", "score", "topics").iter_rows():
        without, topics_left = _mean(reduced, run, measure)
        rows.append(
            {
                "run": run,
                "measure": measure,
                "judged": own.height,
                "relevant": int(own["relevant"].sum()),
                "score": score,
                "without": without,
                "change": without - score,
                "place": _place(complete, run, measure),
                "place_without": None if reduced is None else _place(reduced, run, measure),
                "topics": topics,
                "topics_left": topics_left,
            }
        )
    return rows


def _mean(evaluation: Evaluation | None, run: str, measure: str) -> tuple[float, int]:
    """Return the mean score of a run and its number of topics; NaN and 0 if there is none."""
    if evaluation is not None:
        means = evaluation.means.filter((pl.col("run") == run) & (pl.col("measure") == measure))
        if means.height:
            return means["score"][0], means["topics"][0]
    return float("nan"), 0


def _place(evaluation: Evaluation, run: str, measure: str) -> int | None:
    """Return the place of a run among all runs, by the mean of a measure; equal runs share a place.

    Runs with an undefined mean have no place and are not counted.
    """
    means = evaluation.means.filter((pl.col("measure") == measure) & pl.col("score").is_not_nan())
    place = pl.col("score").rank("min", descending=not lower_is_better(measure))
    places = means.with_columns(place=place).filter(pl.col("run") == run)["place"]
    return int(places[0]) if len(places) else None
