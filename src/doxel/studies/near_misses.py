"""What stereotypical systems return, and how assessors graded it: why an observation holds or fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS
from doxel.documents import Collection
from doxel.recallbases.table import recall_base
from doxel.runs import Run

__all__ = ["completed", "returned"]

_KEY = ("topic", "doc", "path")
_COVERAGES = {"E": "exact", "L": "too large", "S": "too small", "N": "none"}


def returned(
    runs: Sequence[Run], assessments: Assessments, collection: Collection, *, quant: str = "gen"
) -> pl.DataFrame:
    """Return what each system returned: results, the shares of coverages, ungraded ones, the mean gain."""
    gains = recall_base(assessments, collection, quant=quant).select(*_KEY, "gain")
    grades = assessments.elements.select(*_KEY, "coverage")
    rows = []
    for run in runs:
        graded = (
            run.results.select(*_KEY)
            .join(grades, on=_KEY, how="left", maintain_order="left")
            .join(gains, on=_KEY, how="left", maintain_order="left")
        )
        shares = {
            name: graded.select((pl.col("coverage") == letter).fill_null(value=False).mean()).item()
            for letter, name in _COVERAGES.items()
            if name != "none"
        }
        rows.append(
            {
                "system": run.id,
                "results": graded.height,
                **shares,
                "ungraded": graded["coverage"].is_null().mean(),
                "gain": graded["gain"].fill_null(0.0).mean(),
            }
        )
    return pl.DataFrame(rows)


def completed(
    assessments: Assessments, runs: Mapping[str, Run], share: float = 1.0, *, seed: int = 0
) -> Assessments:
    """Return grades of 2002 in which more parents and biggest children of exact elements are graded.

    What has a grade keeps it.  Of the others ``share`` get one: a parent is too large, a biggest child too
    small; both are as relevant as the exact element.  With the same seed a smaller share is a part of a
    larger one.
    """
    exact = assessments.elements.filter(pl.col("coverage") == "E")
    parent = pl.col("path").str.replace(r"/[^/]*$", "")
    near = [
        exact.select("topic", "doc", "relevance", path=parent, coverage=pl.lit("L")),
        runs["biggest-child"]
        .results.select("topic", "doc", "path", parent.alias("above"))
        .join(
            exact.select("topic", "doc", "relevance", above="path"),
            on=["topic", "doc", "above"],
            how="inner",
            maintain_order="left",
        )
        .select("topic", "doc", "relevance", "path", coverage=pl.lit("S")),
    ]
    found = (
        pl.concat(near).filter(pl.col("path") != "").sort("relevance", descending=True, maintain_order=True)
    )
    missing = found.unique(_KEY, keep="first", maintain_order=True).join(
        assessments.elements, on=_KEY, how="anti", maintain_order="left"
    )
    order = np.random.default_rng(seed).permutation(missing.height)
    chosen = missing[np.sort(order[: round(share * missing.height)])]
    bare = ELEMENTS.fit(assessments.elements)
    # rows that are new have to be found in the collection first
    together = pl.concat([bare, ELEMENTS.fit(chosen)]).with_columns(element=pl.lit(None, dtype=pl.Int64))
    return replace(assessments, elements=ELEMENTS.fit(together))
