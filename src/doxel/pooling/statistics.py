"""What a pool says of its runs, and what assessments say of the pool.

Of the runs: how much each brought in, what no other would have brought, and how far they agree.  Of the
pool: how much of it was judged, and how much was judged besides.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.whole_documents import document_grades
from doxel.errors import InputError
from doxel.evaluation.shared import Shared, shared
from doxel.pooling.pool import Pool

__all__ = ["PoolStatistics", "judged_documents", "pool_statistics", "unique_documents"]

_KEY = ["topic", "doc"]


@dataclass(frozen=True)
class PoolStatistics:
    """Statistics of a pool.

    ``runs`` has one row a run: run, topics, documents, unique (that no other run contributed), parts,
    unique_parts, reached (the deepest rank that was pooled); with assessments also judged, relevant and
    unique_relevant documents.

    ``overlap`` has one row a pair of runs: run, other, and the shares of all pooled documents, parts and
    characters of either that are of both, as means over topics.

    ``coverage`` has one row a topic, the pooled ones first: topic, pooled, judged, relevant (among the
    pooled), judged_besides, relevant_besides; None without assessments.
    """

    runs: pl.DataFrame
    overlap: pl.DataFrame
    coverage: pl.DataFrame | None = None

    @property
    def nearest(self) -> pl.DataFrame:
        """One row a run: run, mean (share of documents that it has in common with another run), nearest.

        The nearest is the run that it shares most documents with; documents, parts and characters say
        how many.  Without another run, nothing.
        """
        turned = self.overlap.select(pl.col("other").alias("run"), pl.col("run").alias("other"), "^[dpc].*$")
        both = pl.concat([self.overlap, turned]).with_columns(pl.col(pl.Float64).fill_nan(None))
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
    """Describe a pool; ``assessments`` must name documents as the pool does."""
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
    graded = assessments.judged.select(*_KEY, relevant=document_grades(assessments) > 0)
    return graded.group_by(_KEY, maintain_order=True).agg(pl.col("relevant").any())


def unique_documents(pool: Pool) -> pl.DataFrame:
    """Return the documents that one run alone contributed: run, topic, doc."""
    pairs = pool.contributions.select("run", *_KEY).unique(maintain_order=True)
    return pairs.filter(pl.len().over(_KEY) == 1)


def _runs(pool: Pool, judged: pl.DataFrame | None) -> pl.DataFrame:
    """Return one row a run, in the order of the contributions."""
    of = pool.contributions
    unique_docs = unique_documents(pool).with_columns(unique=pl.lit(value=True))
    docs = of.select("run", *_KEY).unique(maintain_order=True)
    docs = docs.join(unique_docs, on=["run", *_KEY], how="left").with_columns(
        pl.col("unique").fill_null(value=False)
    )
    parts = of.filter(pl.col("part").is_not_null()).select("run", *_KEY, "part").unique()
    parts = parts.with_columns(alone=pl.len().over(*_KEY, "part") == 1)
    counted = [pl.len().alias("documents"), pl.col("unique").sum()]
    if judged is not None:
        docs = docs.join(judged, on=_KEY, how="left")
        counted += [
            pl.col("relevant").is_not_null().sum().alias("judged"),
            pl.col("relevant").sum(),
            (pl.col("relevant") & pl.col("unique")).sum().alias("unique_relevant"),
        ]
    of_parts = parts.group_by("run").agg(parts=pl.len(), unique_parts=pl.col("alone").sum())
    of_runs = of.group_by("run", maintain_order=True).agg(
        topics=pl.col("topic").n_unique(), reached=pl.col("rank").max()
    )
    joined = of_runs.join(docs.group_by("run").agg(counted), on="run", how="left", maintain_order="left")
    joined = joined.join(of_parts, on="run", how="left", maintain_order="left")
    names = ["run", "topics", "documents", "unique", "parts", "unique_parts"]
    names += [] if judged is None else ["judged", "relevant", "unique_relevant"]
    return joined.select(*names, "reached").with_columns(pl.exclude("run").cast(pl.Int64).fill_null(0))


def _overlap(pool: Pool) -> pl.DataFrame:
    """Return one row a pair of runs."""
    whole = pool.contributions.select("run", *_KEY).unique(maintain_order=True)
    nowhere = whole.with_columns(
        path=pl.lit(None, dtype=pl.String),
        start=pl.lit(None, dtype=pl.Int64),
        end=pl.lit(None, dtype=pl.Int64),
    )
    located = pool.contributions.join(pool.parts, on=[*_KEY, "part"], maintain_order="left")
    by_documents, by_parts = shared(nowhere, pool.runs), _shared_parts(located, pool.runs)
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


def _shared_parts(located: pl.DataFrame, runs: list[str]) -> Shared:
    return shared(located.select("run", *_KEY, "path", "start", "end"), runs)


def _coverage(pool: Pool, judged: pl.DataFrame) -> pl.DataFrame:
    """Return one row a topic that is pooled or judged."""
    pooled = pool.documents.select(_KEY).with_columns(pooled=pl.lit(value=True))
    together = pooled.join(judged, on=_KEY, how="full", coalesce=True, maintain_order="left_right")
    inside = pl.col("pooled").is_not_null()
    known = pl.col("relevant").is_not_null()
    relevant = pl.col("relevant").fill_null(value=False)
    return together.group_by("topic", maintain_order=True).agg(
        pooled=inside.sum().cast(pl.Int64),
        judged=(inside & known).sum().cast(pl.Int64),
        relevant=(inside & relevant).sum().cast(pl.Int64),
        judged_besides=(~inside & known).sum().cast(pl.Int64),
        relevant_besides=(~inside & relevant).sum().cast(pl.Int64),
    )
