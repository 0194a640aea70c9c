"""Checks of declared sizes against each other and against the collection."""

from __future__ import annotations

import polars as pl

from doxel.assessments.assessments import measure_highlights
from doxel.assessments.relevant_sizes import compare_sizes
from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedAssessments

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]


def _passages_against_rsize(checked: CheckedAssessments) -> pl.DataFrame:
    """Compare the declared relevant size of a document with the sum and the union of its passages."""
    assessments = checked.given
    size = pl.col("end") - pl.col("start")
    sums = assessments.highlights.group_by(_KEY).agg(sum=size.sum(), unknown=size.is_null().any())
    judged = assessments.judged.select("file", "line", *_KEY, "rsize", union=measure_highlights(assessments))
    compared = judged.join(sums, on=_KEY, how="left", maintain_order="left").with_columns(
        pl.col("sum").fill_null(0), pl.col("unknown").fill_null(value=False)
    )
    differs = (pl.col("rsize") != pl.col("sum")) & (pl.col("rsize") != pl.col("union"))
    bad = compared.filter(differs & ~pl.col("unknown"))
    message = pl.format("{} characters are declared, but the passages have {}", "rsize", "sum")
    return bad.select("file", "line", *_KEY, message=message)


def _declared_against_collection(checked: CheckedAssessments) -> pl.DataFrame:
    collection = checked.around.collection
    if collection is None or not checked.is_resolved:
        return checked.given.judged.clear().select("line", *_KEY, message="doc")
    compared = compare_sizes(checked.found, collection)
    # another check compares the relevant size of a document with its passages
    differs = (pl.col("size") != pl.col("size_found")).fill_null(value=False)
    compared = compared.filter(differs | (pl.col("what") != "document"))
    size = pl.format("size {}, found {}", "size", "size_found")
    rsize = pl.format("rsize {}, found {}", "rsize", "rsize_found")
    rsize = pl.when((pl.col("rsize") != pl.col("rsize_found")) & (pl.col("what") != "document")).then(rsize)
    differences = pl.concat_str(pl.when(differs).then(size), rsize, separator="; ", ignore_nulls=True)
    message = pl.format("{} {}: {}", "what", pl.coalesce("path", "doc"), differences)
    return checked.with_files(compared.select("line", *_KEY, message=message))


def _more_than_all(checked: CheckedAssessments) -> pl.DataFrame:
    elements = checked.given.elements.filter(pl.col("rsize") > pl.col("size"))
    judged = checked.given.judged.filter(pl.col("rsize") > pl.col("docsize"))
    message = "{}: {} of {} characters are relevant"
    places = [
        elements.select("line", *_KEY, message=pl.format(message, "path", "rsize", "size")),
        judged.select("line", *_KEY, message=pl.format(message, "doc", "rsize", "docsize")),
    ]
    files = checked.given.judged.select(*_KEY, "file")
    return pl.concat(places).join(files, on=_KEY, how="left", maintain_order="left")


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A401",
        "warning",
        "relevant size differs from the passages",
        "The declared relevant size of a document (rsize) is neither the sum of the sizes of its passages "
        "nor the size of their union.  With --sizes declared, the declared size counts.",
        "Check whether a passage was lost or cut, or score with --sizes collection.",
        _passages_against_rsize,
    ),
    Check(
        "A402",
        "warning",
        "declared size differs from the collection",
        "The declared size of a document, passage or element, or the relevant size of an element, differs "
        "from the collection.  Old XML exports count bytes, and were off by one until September 2007.",
        "Score with --sizes collection (the default with a collection).  If nearly all sizes differ by a "
        "lot, the assessments belong to another collection.",
        _declared_against_collection,
    ),
    Check(
        "A403",
        "error",
        "more relevant text than text",
        "The declared relevant size is larger than the declared size.",
        "Correct the sizes, or score with --sizes collection.",
        _more_than_all,
    ),
)
