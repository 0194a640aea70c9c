"""The results of stereotypical systems and their grades: why an observation holds or fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from doxel.assessments import Assessments
from doxel.assessments.assessments import ELEMENTS
from doxel.documents import Collection
from doxel.recallbases.recall_base_table import recall_base
from doxel.runs import Run

__all__ = ["completed", "returned"]

_KEY = ("topic", "doc", "path")
_COVERAGES = {"E": "exact", "L": "too large", "S": "too small"}
_RETURNED = {
    "system": pl.String,
    "results": pl.Int64,
    **dict.fromkeys((*_COVERAGES.values(), "ungraded", "nothing", "gain"), pl.Float64),
}


def returned(
    runs: Sequence[Run], assessments: Assessments, collection: Collection, *, quant: str = "gen"
) -> pl.DataFrame:
    """Describe the results of each system: their number, shares by coverage, ungraded share and gain.

    ``nothing`` is the share that gains nothing.  Only the scale of 2002 has coverage; on other scales its
    shares are null.
    """
    gains = recall_base(assessments, collection, quant=quant).select(*_KEY, "gain")
    grades = assessments.elements.select(*_KEY, "coverage").unique(_KEY, maintain_order=True)
    rows = []
    for run in runs:
        graded = (
            run.results.select(*_KEY)
            .join(grades, on=_KEY, how="left", maintain_order="left")
            .join(gains, on=_KEY, how="left", maintain_order="left")
        )
        shares = {name: _share(graded, pl.col("coverage") == letter) for letter, name in _COVERAGES.items()}
        shares["ungraded"] = _share(graded, pl.col("coverage").is_null())
        rows.append(
            {
                "system": run.id,
                "results": graded.height,
                **(shares if assessments.scale == "2002" else dict.fromkeys(shares)),
                "nothing": _share(graded, pl.col("gain").is_null()),
                "gain": graded["gain"].fill_null(0.0).mean(),
            }
        )
    return pl.DataFrame(rows, schema=_RETURNED)


def _share(table: pl.DataFrame, condition: pl.Expr) -> float:
    share: float = table.select(condition.fill_null(value=False).mean()).item()
    return share


def completed(
    assessments: Assessments, runs: Mapping[str, Run], share: float = 1.0, *, seed: int = 0
) -> Assessments:
    """Return assessments of 2002 in which more parents and biggest children of exact elements are graded.

    Existing grades stay.  Of the ungraded elements, ``share`` get a grade: a parent is too large, a biggest
    child too small; both are as relevant as the exact element.  With the same seed, a smaller share is a
    subset of a larger one.
    """
    exact = assessments.elements.filter(pl.col("coverage") == "E")
    parent = pl.col("path").str.replace(r"/[^/]*$", "")
    near_misses = [
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
    candidates = (
        pl.concat(near_misses)
        .filter(pl.col("path") != "")
        .sort("relevance", descending=True, maintain_order=True)
    )
    missing = candidates.unique(_KEY, keep="first", maintain_order=True).join(
        assessments.elements, on=_KEY, how="anti", maintain_order="left"
    )
    order = np.random.default_rng(seed).permutation(missing.height)
    additions = missing[np.sort(order[: round(share * missing.height)])]
    existing = ELEMENTS.fit(assessments.elements)
    # the new rows have not been resolved in the collection yet
    together = pl.concat([existing, ELEMENTS.fit(additions)]).with_columns(
        element=pl.lit(None, dtype=pl.Int64)
    )
    return replace(assessments, elements=ELEMENTS.fit(together))
