"""Statistics of a pool: contributions of its runs, coverage by assessments, leaving one run out.

For each run: the documents it contributed, those that no other run contributed, and its overlap with the
other runs.  For the pool: the judged part of it, and the judged documents outside it.

Leaving one run out scores each run as if it had not been pooled (Zobel, SIGIR 1998).  The judged
documents that no other run contributed to the pool are removed from the assessments, and all runs are
scored again.  If the score of a run falls far, the assessments would have been unfair to it as a new run,
and may be unfair to new runs of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import remove_documents
from doxel.assessments.judged_pairs import grade_documents
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.analysis.run_overlap import find_run_overlap
from doxel.evaluation.evaluation_result import Evaluation, make_no_scores_error
from doxel.measures.measure_table import lower_is_better
from doxel.pooling.document_pool import Pool
from doxel.runs import Run

__all__ = ["PoolStatistics", "compute_pool_statistics", "find_unique_documents", "leave_one_out"]

_KEY = ["topic", "doc"]


@dataclass(frozen=True)
class PoolStatistics:
    """Statistics of a pool.

    ``runs`` has one row per run: run, topics, documents, unique (contributed by no other run), parts,
    unique_parts, reached (the deepest pooled rank); with assessments also judged, relevant and
    unique_relevant documents.

    ``overlap`` has one row per pair of runs: run, other, and the share of their pooled documents, parts
    and characters that both contributed, as means over topics.

    ``coverage`` has one row per topic, pooled topics first: topic, pooled, judged, relevant (among the
    pooled), judged_besides, relevant_besides (outside the pool); None without assessments.
    """

    runs: pl.DataFrame
    overlap: pl.DataFrame
    coverage: pl.DataFrame | None = None

    @property
    def nearest(self) -> pl.DataFrame:
        """One row per run: run, mean (share of documents in common with another run), nearest.

        The nearest run is the one with the highest share of common documents; documents, parts and
        characters are its shares.  Null for the only run of a pool.
        """
        reverse = self.overlap.select(pl.col("other").alias("run"), pl.col("run").alias("other"), "^[dpc].*$")
        both = pl.concat([self.overlap, reverse]).with_columns(pl.col(pl.Float64).fill_nan(None))
        most = pl.col("documents").arg_max()
        nearest = both.group_by("run").agg(
            mean=pl.col("documents").mean(),
            nearest=pl.col("other").get(most),
            documents=pl.col("documents").max(),
            parts=pl.col("parts").get(most),
            characters=pl.col("characters").get(most),
        )
        return self.runs.select("run").join(nearest, on="run", how="left", maintain_order="left")


def compute_pool_statistics(pool: Pool, assessments: Assessments | None = None) -> PoolStatistics:
    """Compute the statistics of a pool; ``assessments`` must use the document ids of the pool."""
    if not pool.contributions.height:
        raise InputError(
            "statistics of a pool", file=pool.file, wanted="its contributions", found="a blind pool"
        )
    judged = None if assessments is None else find_judged_documents(assessments)
    return PoolStatistics(
        runs=_count_contributions(pool, judged),
        overlap=_compare_runs(pool),
        coverage=None if judged is None else _count_coverage(pool, judged),
    )


def find_judged_documents(assessments: Assessments) -> pl.DataFrame:
    """Return the judged documents, each once: topic, doc, relevant."""
    judged = assessments.judged.select(*_KEY, relevant=grade_documents(assessments) > 0)
    return judged.group_by(_KEY, maintain_order=True).agg(pl.col("relevant").any())


def find_unique_documents(pool: Pool) -> pl.DataFrame:
    """Return the documents that only one run contributed: run, topic, doc."""
    pairs = pool.contributions.select("run", *_KEY).unique(maintain_order=True)
    return pairs.filter(pl.len().over(_KEY) == 1)


def _count_contributions(pool: Pool, judged: pl.DataFrame | None) -> pl.DataFrame:
    """Return one row per run, in the order of the contributions."""
    contributions = pool.contributions
    unique_docs = find_unique_documents(pool).with_columns(unique=pl.lit(value=True))
    docs = contributions.select("run", *_KEY).unique(maintain_order=True)
    docs = docs.join(unique_docs, on=["run", *_KEY], how="left").with_columns(
        pl.col("unique").fill_null(value=False)
    )
    parts = contributions.filter(pl.col("part").is_not_null()).select("run", *_KEY, "part").unique()
    parts = parts.with_columns(is_unique=pl.len().over(*_KEY, "part") == 1)
    counts = [pl.len().alias("documents"), pl.col("unique").sum()]
    if judged is not None:
        docs = docs.join(judged, on=_KEY, how="left")
        counts += [
            pl.col("relevant").is_not_null().sum().alias("judged"),
            pl.col("relevant").sum(),
            (pl.col("relevant") & pl.col("unique")).sum().alias("unique_relevant"),
        ]
    part_counts = parts.group_by("run").agg(parts=pl.len(), unique_parts=pl.col("is_unique").sum())
    runs = contributions.group_by("run", maintain_order=True).agg(
        topics=pl.col("topic").n_unique(), reached=pl.col("rank").max()
    )
    joined = runs.join(docs.group_by("run").agg(counts), on="run", how="left", maintain_order="left")
    joined = joined.join(part_counts, on="run", how="left", maintain_order="left")
    names = ["run", "topics", "documents", "unique", "parts", "unique_parts"]
    names += [] if judged is None else ["judged", "relevant", "unique_relevant"]
    return joined.select(*names, "reached").with_columns(pl.exclude("run").cast(pl.Int64).fill_null(0))


def _compare_runs(pool: Pool) -> pl.DataFrame:
    """Return one row per pair of runs."""
    documents = pool.contributions.select("run", *_KEY).unique(maintain_order=True)
    whole_documents = documents.with_columns(
        path=pl.lit(None, dtype=pl.String),
        start=pl.lit(None, dtype=pl.Int64),
        end=pl.lit(None, dtype=pl.Int64),
    )
    parts = pool.contributions.join(pool.parts, on=[*_KEY, "part"], maintain_order="left")
    by_documents = find_run_overlap(whole_documents, pool.runs)
    by_parts = find_run_overlap(parts.select("run", *_KEY, "path", "start", "end"), pool.runs)
    schema = {"run": pl.String, "other": pl.String}
    rows = [
        (
            run,
            other,
            float(by_documents.results[i, j]),
            float(by_parts.results[i, j]),
            float(by_parts.characters[i, j]),
        )
        for i, run in enumerate(pool.runs)
        for j, other in enumerate(pool.runs)
        if i < j
    ]
    shares = dict.fromkeys(("documents", "parts", "characters"), pl.Float64)
    return pl.DataFrame(rows, schema={**schema, **shares}, orient="row")


def _count_coverage(pool: Pool, judged: pl.DataFrame) -> pl.DataFrame:
    """Return one row per topic that is pooled or judged."""
    pooled = pool.documents.select(_KEY).with_columns(pooled=pl.lit(value=True))
    documents = pooled.join(judged, on=_KEY, how="full", coalesce=True, maintain_order="left_right")
    is_pooled = pl.col("pooled").is_not_null()
    is_judged = pl.col("relevant").is_not_null()
    is_relevant = pl.col("relevant").fill_null(value=False)
    return documents.group_by("topic", maintain_order=True).agg(
        pooled=is_pooled.sum().cast(pl.Int64),
        judged=(is_pooled & is_judged).sum().cast(pl.Int64),
        relevant=(is_pooled & is_relevant).sum().cast(pl.Int64),
        judged_besides=(~is_pooled & is_judged).sum().cast(pl.Int64),
        relevant_besides=(~is_pooled & is_relevant).sum().cast(pl.Int64),
    )


_LEAVE_ONE_OUT_SCHEMA = {
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
    unique_judged = find_unique_documents(pool).join(
        find_judged_documents(assessments), on=_KEY, maintain_order="left"
    )
    complete = evaluate(list(runs), assessments, list(measures), **scoring)
    if not complete.scores.height:
        raise make_no_scores_error("leaving one run out", complete.rejected)
    rows: list[dict[str, object]] = []
    for run in runs:
        own = unique_judged.filter(pl.col("run") == run.id)
        # a run without unique documents keeps exactly its score
        reduced = complete if not own.height else _evaluate_without(runs, assessments, own, measures, scoring)
        rows += _build_rows(run.id, complete, reduced, own)
        if progress is not None:
            progress()
    return pl.DataFrame(rows, schema=_LEAVE_ONE_OUT_SCHEMA, orient="row")


def _evaluate_without(
    runs: Sequence[Run],
    assessments: Assessments,
    own: pl.DataFrame,
    measures: Sequence[str],
    scoring: dict[str, Any],
) -> Evaluation | None:
    """Return the scores without some documents, or None if no other document was judged."""
    remaining = remove_documents(assessments, own)
    if not remaining.judged.height:
        return None
    # the documents of a run may be among those that were left out
    return evaluate(list(runs), remaining, list(measures), **{**scoring, "on_mismatch": "score"})


def _build_rows(
    run: str, complete: Evaluation, reduced: Evaluation | None, own: pl.DataFrame
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    own_means = complete.means.filter(pl.col("run") == run)
    for measure, score, topics in own_means.select("measure", "score", "topics").iter_rows():
        without, topics_left = _find_mean(reduced, run, measure)
        rows.append(
            {
                "run": run,
                "measure": measure,
                "judged": own.height,
                "relevant": int(own["relevant"].sum()),
                "score": score,
                "without": without,
                "change": without - score,
                "place": _find_place(complete, run, measure),
                "place_without": None if reduced is None else _find_place(reduced, run, measure),
                "topics": topics,
                "topics_left": topics_left,
            }
        )
    return rows


def _find_mean(evaluation: Evaluation | None, run: str, measure: str) -> tuple[float, int]:
    """Return the mean score of a run and its number of topics; NaN and 0 if there is none."""
    if evaluation is not None:
        means = evaluation.means.filter((pl.col("run") == run) & (pl.col("measure") == measure))
        if means.height:
            return means["score"][0], means["topics"][0]
    return float("nan"), 0


def _find_place(evaluation: Evaluation, run: str, measure: str) -> int | None:
    """Return the place of a run among all runs, by the mean of a measure; equal runs share a place.

    Runs with an undefined mean have no place and are not counted.
    """
    means = evaluation.means.filter((pl.col("measure") == measure) & pl.col("score").is_not_nan())
    place = pl.col("score").rank("min", descending=not lower_is_better(measure))
    places = means.with_columns(place=place).filter(pl.col("run") == run)["place"]
    return int(places[0]) if len(places) else None
