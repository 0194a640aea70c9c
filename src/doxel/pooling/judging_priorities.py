"""The documents to judge next: those whose judgement shrinks the residuals of runs most.

The residual of a score is how far it would rise if the unjudged text among the results were relevant.  If a
document is judged and nothing in it is relevant, its part of the residual disappears.  The document with the
largest part, summed over runs and measures, comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from doxel.evaluation import Evaluation, evaluate
from doxel.evaluation.evaluation_result import make_no_scores_error
from doxel.measures import Measure
from doxel.tables import Column, Table

__all__ = ["DEFAULT_MEASURE", "NEXT_DOCUMENTS", "list_next_documents"]

DEFAULT_MEASURE = "char_prec@10"

NEXT_DOCUMENTS = Table(
    "documents to judge next",
    (
        Column("topic", pl.String, "the topic's id", required=True),
        Column("doc", pl.String, "the document's id", required=True),
        Column("shrink", pl.Float64, "the fall of the mean residual if nothing in it is relevant"),
        Column("runs", pl.UInt32, "number of runs that retrieve it within the cutoff"),
        Column("rank", pl.Int64, "the best rank at which a run retrieves it"),
        Column("characters", pl.Int64, "the most characters that a run retrieves of it"),
    ),
)


def list_next_documents(
    runs: Any,
    assessments: Any,
    measures: str | Measure | Sequence[str | Measure] = DEFAULT_MEASURE,
    *,
    documents: int | None = None,
    progress: Callable[[], None] | None = None,
    **scoring: Any,
) -> tuple[pl.DataFrame, Evaluation]:
    """Return the unjudged documents in the order in which to judge them, and the evaluation of the runs.

    The table has the columns of ``NEXT_DOCUMENTS``; ``shrink`` is the mean over all runs and measures that
    have scores.  Each measure needs a residual and a cutoff that counts results or documents.
    ``documents`` limits the number per topic; ``scoring`` are further options of ``doxel.evaluate``.

    >>> gold, run = [("1", "a", 0, 100)], [("1", "a", 0, 100), ("1", "z", 0, 300), ("1", "y", 0, 100)]
    >>> list_next_documents(run, gold, "char_prec@3")[0].select("doc", pl.col("shrink").round(3)).rows()
    [('z', 0.6), ('y', 0.2)]
    """
    evaluation = evaluate(runs, assessments, measures, residual=True, **scoring)
    explainer, means = evaluation.explainer, evaluation.means
    if explainer is None or not means.height:
        raise make_no_scores_error("documents to judge", evaluation.rejected)
    tables: list[pl.DataFrame] = []
    for run, measure, topics in means.select("run", "measure", "topics").iter_rows():
        owed = explainer.list_unjudged(run, measure)
        shrink = pl.col("fall") / max(topics, 1) / means.height
        tables.append(owed.drop_nulls("fall").with_columns(run=pl.lit(run), shrink=shrink))
        if progress is not None:
            progress()
    places = {topic: place for place, topic in enumerate(explainer.topics)}
    table = (
        pl.concat(tables)
        .group_by("topic", "doc", maintain_order=True)
        .agg(
            pl.col("shrink").sum(),
            pl.col("run").n_unique().alias("runs"),
            pl.col("rank").min(),
            pl.col("characters").max(),
        )
        .with_columns(place=pl.col("topic").replace_strict(places, return_dtype=pl.Int64))
        .sort("shrink", "place", "rank", "doc", descending=[True, False, False, False])
    )
    if documents is not None:
        table = table.filter(pl.int_range(pl.len()).over("topic") < documents)
    return NEXT_DOCUMENTS.fit(table), evaluation
