"""Leaving one run out: what its score would be had it not been pooled (Zobel, SIGIR 1998).

For each run the judged documents that no other run had brought into the pool are taken from the
assessments, and all runs are scored again.  A run that falls far would have been treated unjustly as a
newcomer, and so may whoever comes later with the same idea.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.selecting import without_documents
from doxel.evaluation import evaluate
from doxel.evaluation.evaluation import Evaluation, no_scores
from doxel.measures.table import lower_is_better
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

    ``runs`` are those of the pool, under the same ids; ``assessments`` must name documents as the pool
    does; ``scoring`` are options of :func:`doxel.evaluate`, such as the collection.

    Returns one row a run and measure: run, measure, judged and relevant (documents that it alone had
    contributed), score, without (its score without these), change (their difference), place and
    place_without (among all runs, from 1), topics and topics_left (averaged over, with and without).  A
    measure that refuses the run has no row.
    """
    alone = unique_documents(pool).join(judged_documents(assessments), on=_KEY, maintain_order="left")
    whole = evaluate(list(runs), assessments, list(measures), **scoring)
    if not whole.scores.height:
        raise no_scores("leaving one run out", whole.rejected)
    rows: list[dict[str, object]] = []
    for run in runs:
        own = alone.filter(pl.col("run") == run.id)
        # a run that brought in nothing of its own keeps its score, to the last bit
        left = whole if not own.height else _left(runs, assessments, own, measures, scoring)
        rows += _rows(run.id, whole, left, own)
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
    """Return the scores without some documents; None where nothing was judged but these."""
    reduced = without_documents(assessments, own)
    return evaluate(list(runs), reduced, list(measures), **scoring) if reduced.judged.height else None


def _rows(run: str, whole: Evaluation, left: Evaluation | None, own: pl.DataFrame) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    own_means = whole.means.filter(pl.col("run") == run)
    for measure, score, topics in own_means.select("measure", "score", "topics").iter_rows():
        without, topics_left = _mean(left, run, measure)
        rows.append(
            {
                "run": run,
                "measure": measure,
                "judged": own.height,
                "relevant": int(own["relevant"].sum()),
                "score": score,
                "without": without,
                "change": without - score,
                "place": _place(whole, run, measure),
                "place_without": None if left is None else _place(left, run, measure),
                "topics": topics,
                "topics_left": topics_left,
            }
        )
    return rows


def _mean(left: Evaluation | None, run: str, measure: str) -> tuple[float, int]:
    """Return the mean of a run, and of how many topics; NaN and 0 where there is none."""
    if left is not None:
        found = left.means.filter((pl.col("run") == run) & (pl.col("measure") == measure))
        if found.height:
            return found["score"][0], found["topics"][0]
    return float("nan"), 0


def _place(evaluation: Evaluation, run: str, measure: str) -> int | None:
    """Return the place of a run among all, by the mean of a measure; those that are equal share a place.

    What is undefined has no place, and takes none.
    """
    means = evaluation.means.filter((pl.col("measure") == measure) & pl.col("score").is_not_nan())
    place = pl.col("score").rank("min", descending=not lower_is_better(measure))
    found = means.with_columns(place=place).filter(pl.col("run") == run)["place"]
    return int(found[0]) if len(found) else None
