"""The relevant size of each element, computed from highlights and compared with declared sizes.

Old XML exports count bytes and were off by one until September 2007; qrels count characters.  The
evaluation decides whether to use the declared sizes or those found in the collection; this module lists
the differences.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from doxel.assessments.assessment_spans import resolve_assessments
from doxel.assessments.assessments import Assessments, measure_highlights
from doxel.documents.collection import Collection
from doxel.spans import Coverage, concatenate_ranges

__all__ = ["compare_sizes", "measure_elements"]

_KEY = ["topic", "doc"]


def measure_elements(
    assessments: Assessments, collection: Collection, topic: str | None = None
) -> pl.DataFrame:
    """Return size and relevant size of every element of every judged document.

    One row per topic, document and element: topic, doc, number (the document's row in the collection),
    element (its row in the document), size, rsize.  Documents that are not in the collection have no
    rows.  Text that is highlighted twice counts once.
    """
    assessments = _ensure_resolved(assessments, collection)
    judged = assessments.judged.filter(pl.col("number").is_not_null())
    if topic is not None:
        judged = judged.filter(pl.col("topic") == topic)
    judged = judged.select(*_KEY, "number").with_row_index("group")
    number = judged["number"].to_numpy().astype(np.int64)
    documents, index = np.unique(number, return_inverse=True)
    forest = collection.forest(documents)
    count = np.diff(forest.first)[index]
    group = np.repeat(np.arange(len(number)), count)
    row = concatenate_ranges(forest.first[index], count)
    element = row - forest.first[index][group]
    start, end = forest.start[row], forest.end[row]
    return judged.select(*_KEY, "number")[group].with_columns(
        element=pl.Series(element),
        size=pl.Series(end - start),
        rsize=pl.Series(_build_coverage(assessments, judged).covered(group, start, end)),
    )


def _build_coverage(assessments: Assessments, judged: pl.DataFrame) -> Coverage:
    spans = assessments.relevant_highlights.join(judged.select("group", *_KEY), on=_KEY, how="inner")
    spans = spans.drop_nulls(["start", "end"])
    return Coverage(spans["group"].to_numpy(), spans["start"].to_numpy(), spans["end"].to_numpy())


def _ensure_resolved(assessments: Assessments, collection: Collection) -> Assessments:
    """Resolve the assessments, unless they are resolved already."""
    is_resolved = assessments.judged.select(pl.col("number").is_not_null() | pl.col("problem").is_not_null())
    return assessments if is_resolved.to_series().all() else resolve_assessments(assessments, collection)


def compare_sizes(assessments: Assessments, collection: Collection) -> pl.DataFrame:
    """List the declared sizes that differ from those found in the collection.

    One row per difference: what ("document", "highlight" or "element"), topic, doc, path, size and rsize
    as declared, size_found and rsize_found, line.  Rows without a declared size, or not found in the
    collection, are not compared.
    """
    resolved = _ensure_resolved(assessments, collection)
    comparison = pl.concat(
        [
            _compare_documents(assessments, resolved, collection),
            _compare_highlights(resolved),
            _compare_elements(resolved, collection),
        ]
    )
    size_differs = pl.col("size") != pl.col("size_found")
    return comparison.filter(size_differs.fill_null(value=False) | (pl.col("rsize") != pl.col("rsize_found")))


def _compare_documents(source: Assessments, resolved: Assessments, collection: Collection) -> pl.DataFrame:
    """Compare the sizes that the file declared; resolving has filled in missing ones."""
    judged = resolved.judged
    comparison = _start_comparison("document", judged).with_columns(
        size=source.judged["docsize"],
        rsize=source.judged["rsize"],
        size_found=collection.documents["characters"].cast(pl.Int64).gather(judged["number"]),
        rsize_found=measure_highlights(resolved) if resolved.scale in {"2005", "2006"} else None,
    )
    return comparison.filter(judged["number"].is_not_null()).cast({"rsize_found": pl.Int64})


def _compare_highlights(resolved: Assessments) -> pl.DataFrame:
    highlights = resolved.highlights
    return _start_comparison("highlight", highlights).with_columns(
        path=highlights["path"],
        size=highlights["size"],
        size_found=highlights["end"] - highlights["start"],
    )


def _compare_elements(resolved: Assessments, collection: Collection) -> pl.DataFrame:
    has_size = pl.col("size").is_not_null() | pl.col("rsize").is_not_null()
    elements = resolved.elements.filter(has_size)
    if not elements.height:
        return _start_comparison("element", elements)
    sizes = measure_elements(resolved, collection).select(
        *_KEY, "element", size_found="size", rsize_found="rsize"
    )
    pairs = elements.join(sizes, on=[*_KEY, "element"], how="left", maintain_order="left")
    return _start_comparison("element", pairs).with_columns(
        pairs.select("path", "size", "rsize", "size_found", "rsize_found").get_columns()
    )


def _start_comparison(label: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of a comparison, with sizes still empty."""
    unknown = pl.lit(None, dtype=pl.Int64)
    return rows.select(
        pl.lit(label).alias("what"),
        *_KEY,
        path=pl.lit(None, dtype=pl.String),
        size=unknown,
        rsize=unknown,
        size_found=unknown,
        rsize_found=unknown,
        line="line",
    )
