"""Sizes: how much of each element is relevant, from the highlights; and what files declared of it.

Old XML exports count bytes and were off by one until September 2007; qrels count characters.  Whether
to trust the declared sizes or those found in the collection is for the evaluation to say: here is
where the two differ.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.assessments.assessments import Assessments
from doxel.assessments.resolve import resolve
from doxel.assessments.writing import union_sizes
from doxel.documents.collection import Collection
from doxel.spans import Coverage, runs_of

__all__ = ["compare_sizes", "element_sizes"]

_KEY = ["topic", "doc"]


def element_sizes(assessments: Assessments, collection: Collection, topic: str | None = None) -> pl.DataFrame:
    """Return size and relevant size of every element of every judged document.

    One row a topic, document and element: topic, doc, number (the document's row in the
    collection), element (its row in the document), size, rsize.  Documents that the collection does
    not know have no rows.  Text that is highlighted twice counts once.
    """
    assessments = _resolved(assessments, collection)
    judged = assessments.judged.filter(pl.col("number").is_not_null())
    if topic is not None:
        judged = judged.filter(pl.col("topic") == topic)
    judged = judged.select(*_KEY, "number").with_row_index("group")
    number = judged["number"].to_numpy().astype(np.int64)
    documents, which = np.unique(number, return_inverse=True)
    forest = collection.forest(documents)
    count = np.diff(forest.first)[which]
    group = np.repeat(np.arange(len(number)), count)
    row = runs_of(forest.first[which], count)
    element = row - forest.first[which][group]
    start, end = forest.start[row], forest.end[row]
    return judged.select(*_KEY, "number")[group].with_columns(
        element=pl.Series(element),
        size=pl.Series(end - start),
        rsize=pl.Series(_coverage(assessments, judged).covered(group, start, end)),
    )


def _coverage(assessments: Assessments, judged: pl.DataFrame) -> Coverage:
    spans = assessments.highlights.join(judged.select("group", *_KEY), on=_KEY, how="inner")
    spans = spans.drop_nulls(["start", "end"])
    return Coverage(spans["group"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())


def _resolved(assessments: Assessments, collection: Collection) -> Assessments:
    """Return the assessments resolved, unless someone did that before."""
    resolved = assessments.judged.select(pl.col("number").is_not_null() | pl.col("problem").is_not_null())
    return assessments if resolved.to_series().all() else resolve(assessments, collection)


def compare_sizes(assessments: Assessments, collection: Collection) -> pl.DataFrame:
    """Return where declared sizes differ from those found in the collection.

    One row a difference: what ("document", "highlight" or "element"), topic, doc, path, size and
    rsize as declared, size_found and rsize_found, line.  Nothing is said of what was not declared,
    or not found.
    """
    resolved = _resolved(assessments, collection)
    found = pl.concat(
        [
            _documents(assessments, resolved, collection),
            _highlights(resolved),
            _elements(resolved, collection),
        ]
    )
    sizes = pl.col("size") != pl.col("size_found")
    return found.filter(sizes.fill_null(value=False) | (pl.col("rsize") != pl.col("rsize_found")))


def _documents(given: Assessments, resolved: Assessments, collection: Collection) -> pl.DataFrame:
    """Compare the sizes that the file declared, before resolving filled in others."""
    judged = resolved.judged
    whole = _comparison("document", judged).with_columns(
        size=given.judged["docsize"],
        rsize=given.judged["rsize"],
        size_found=collection.documents["characters"].cast(pl.Int64).gather(judged["number"]),
        rsize_found=union_sizes(resolved) if resolved.scale in {"2005", "2006"} else None,
    )
    return whole.filter(judged["number"].is_not_null()).cast({"rsize_found": pl.Int64})


def _highlights(resolved: Assessments) -> pl.DataFrame:
    highlights = resolved.highlights
    return _comparison("highlight", highlights).with_columns(
        path=highlights["path"],
        size=highlights["size"],
        size_found=highlights["end"] - highlights["start"],
    )


def _elements(resolved: Assessments, collection: Collection) -> pl.DataFrame:
    declared = pl.col("size").is_not_null() | pl.col("rsize").is_not_null()
    elements = resolved.elements.filter(declared)
    if not elements.height:
        return _comparison("element", elements)
    sizes = element_sizes(resolved, collection).select(
        *_KEY, "element", size_found="size", rsize_found="rsize"
    )
    found = elements.join(sizes, on=[*_KEY, "element"], how="left", maintain_order="left")
    return _comparison("element", found).with_columns(
        found.select("path", "size", "rsize", "size_found", "rsize_found").get_columns()
    )


def _comparison(what: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of a comparison, with nothing compared yet."""
    unknown = pl.lit(None, dtype=pl.Int64)
    return rows.select(
        pl.lit(what).alias("what"),
        *_KEY,
        path=pl.lit(None, dtype=pl.String),
        size=unknown,
        rsize=unknown,
        size_found=unknown,
        rsize_found=unknown,
        line="line",
    )
