"""Estimate the size of pools by depth: documents, parts and characters to read."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from doxel.documents import Collection
from doxel.pooling.gathering import Offered
from doxel.pooling.making import within

__all__ = ["depths_up_to", "estimate"]

_KEY = ["topic", "doc"]


def depths_up_to(depth: int) -> list[int]:
    """Return round numbers below a depth, and the depth itself.

    >>> depths_up_to(30)
    [1, 2, 5, 10, 20, 30]
    """
    below = [digit * 10**power for power in range(len(str(depth))) for digit in (1, 2, 5)]
    return [*(number for number in below if number < depth), depth]


def estimate(
    offered: Offered,
    depths: Sequence[int],
    *,
    documents: int | None = None,
    collection: Collection | None = None,
) -> pl.DataFrame:
    """Return the sizes of pools, one row per depth.

    The columns are depth, topics, documents (in total), fewest, mean and most (documents per topic), parts
    (distinct elements and passages), characters (of the documents; null without a collection).
    """
    sizes = None
    if collection is not None:
        sizes = collection.documents.select("doc", pl.col("characters").cast(pl.Int64))
    return pl.DataFrame(
        [_row(within(offered.results, depth=depth, documents=documents), depth, sizes) for depth in depths],
        schema=_SCHEMA,
        orient="row",
    )


_SCHEMA = {
    "depth": pl.Int64,
    "topics": pl.Int64,
    "documents": pl.Int64,
    "fewest": pl.Int64,
    "mean": pl.Float64,
    "most": pl.Int64,
    "parts": pl.Int64,
    "characters": pl.Int64,
}


def _row(results: pl.DataFrame, depth: int, sizes: pl.DataFrame | None) -> tuple[int | float | None, ...]:
    pairs = results.select(_KEY).unique()
    has_place = pl.col("path").is_not_null() | pl.col("start").is_not_null()
    parts = results.filter(has_place).select(*_KEY, "path", "start", "end").n_unique()
    characters = None if sizes is None else int(pairs.join(sizes, on="doc")["characters"].sum())
    counts: list[int] = pairs.group_by("topic").len()["len"].to_list()
    fewest, most = (min(counts), max(counts)) if counts else (0, 0)
    mean = sum(counts) / len(counts) if counts else 0.0
    return depth, len(counts), pairs.height, fewest, mean, most, parts, characters
