"""Statistics of a pool: the contributions of its runs, and its coverage by assessments.

For each run: the documents it contributed, those that no other run contributed, and its overlap with the
other runs.  For the pool: the judged part of it, and the judged documents outside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.judged_pairs import grade_documents
from doxel.errors import InputError
from doxel.evaluation.shared import shared
from doxel.pooling.pool import Pool

__all__ = ["PoolStatistics", "judged_documents", "pool_statistics", "unique_documents"]

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


def pool_statistics(pool: Pool, assessments: Assessments | None = None) -> PoolStatistics:
    """Compute the statistics of a pool; ``assessments`` must use the document ids of the pool."""
    if not pool.contributions.height:
        raise InputError(
            "statistics of a pool", file=pool.file, wanted="its contributions", found="a blind pool"
        )
    judged = None if assessments is None else judged_documents(assessments)
    return PoolStatistics(
        runs=_runs(pool, judged),
        overlap=_overlap(pool),
        coverage=None if judged is None else _coverage(pool, judged),
    )


def judged_documents(assessments: Assessments) -> pl.DataFrame:
    """Return the judged documents, each once: topic, doc, relevant."""
    judged = assessments.judged.select(*_KEY, relevant=grade_documents(assessments) > 0)
    return judged.group_by(_KEY, maintain_order=True).agg(pl.col("relevant").any())


def unique_documents(pool: Pool) -> pl.DataFrame:
    """Return the documents that only one run contributed: run, topic, doc."""
    pairs = pool.contributions.select("run", *_KEY).unique(maintain_order=True)
    return pairs.filter(pl.len().over(_KEY) == 1)


def _runs(pool: Pool, judged: pl.DataFrame | None) -> pl.DataFrame:
    """Return one row per run, in the order of the contributions."""
    contributions = pool.contributions
    unique_docs = unique_documents(pool).with_columns(unique=pl.lit(value=True))
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


def _overlap(pool: Pool) -> pl.DataFrame:
    """Return one row per pair of runs."""
    documents = pool.contributions.select("run", *_KEY).unique(maintain_order=True)
    whole_documents = documents.with_columns(
        path=pl.lit(None, dtype=pl.String),
        start=pl.lit(None, dtype=pl.Int64),
        end=pl.lit(None, dtype=pl.Int64),
    )
    parts = pool.contributions.join(pool.parts, on=[*_KEY, "part"], maintain_order="left")
    by_documents = shared(whole_documents, pool.runs)
    by_parts = shared(parts.select("run", *_KEY, "path", "start", "end"), pool.runs)
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


def _coverage(pool: Pool, judged: pl.DataFrame) -> pl.DataFrame:
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
