"""Choose what to show first: the topics in which runs differ most, and the documents that explain why."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from doxel.measures.measure_table import lower_is_better

__all__ = ["differing_topics", "telling_documents"]


def differing_topics(scores: pl.DataFrame, measure: str, count: int) -> list[str]:
    """Return the topics with the largest deviation of scores between runs, largest first.

    For a single run these are the topics with its worst scores.
    """
    table = scores.filter(pl.col("measure") == measure, pl.col("score").is_not_nan())
    failure = pl.col("score").mean() if lower_is_better(measure) else -pl.col("score").mean()
    spread = table.group_by("topic", maintain_order=True).agg(spread=pl.col("score").std().fill_null(failure))
    return spread.sort("spread", descending=True, maintain_order=True)["topic"].head(count).to_list()


def telling_documents(results: pl.DataFrame, relevant: Mapping[str, int], count: int) -> list[str]:
    """Return the documents of a topic in which runs found the most different amounts of relevant text.

    ``results`` are the kept results of the topic; ``relevant`` has the relevant characters of its judged
    documents.  Text found at lower ranks counts less (discounted by the logarithm of the rank), because it
    changes scores less.  Ties are broken by the amount of relevant text, then by the best rank.
    """
    runs = results["run"].n_unique()
    by_run = results.group_by("doc", "run").agg(
        found=(pl.col("new_relevant") / (pl.col("rank") + 1).log(2)).sum(), rank=pl.col("rank").min()
    )
    by_doc = by_run.group_by("doc").agg(
        most=pl.col("found").max(),
        # a run that does not return the document finds no text in it
        least=pl.when(pl.len() < runs).then(0.0).otherwise(pl.col("found").min()),
        rank=pl.col("rank").min(),
    )
    sizes = pl.DataFrame(
        {"doc": list(relevant), "relevant": list(relevant.values())},
        schema={"doc": pl.String, "relevant": pl.Int64},
    )
    ordered = (
        by_doc.join(sizes, on="doc", how="full", coalesce=True)
        .with_columns(
            spread=(pl.col("most") - pl.col("least")).fill_null(0), relevant=pl.col("relevant").fill_null(0)
        )
        .sort(["spread", "relevant", "rank", "doc"], descending=[True, True, False, False], nulls_last=True)
    )
    return ordered["doc"].head(count).to_list()
