"""Checks of sizes: declared ones among themselves, and against the collection."""

from __future__ import annotations

import polars as pl

from doxel.assessments.sizes import compare_sizes
from doxel.assessments.writing import union_sizes
from doxel.checks.declare import Check
from doxel.checks.subjects import CheckedAssessments

__all__ = ["CHECKS"]

_KEY = ["topic", "doc"]


def _passages_against_rsize(checked: CheckedAssessments) -> pl.DataFrame:
    """Compare what a file declares relevant with its passages, counted singly or as a union."""
    given = checked.given
    size = pl.col("end") - pl.col("start")
    sums = given.highlights.group_by(_KEY).agg(sum=size.sum(), unknown=size.is_null().any())
    judged = given.judged.select("file", "line", *_KEY, "rsize", union=union_sizes(given))
    compared = judged.join(sums, on=_KEY, how="left", maintain_order="left").with_columns(
        pl.col("sum").fill_null(0), pl.col("unknown").fill_null(value=False)
    )
    differs = (pl.col("rsize") != pl.col("sum")) & (pl.col("rsize") != pl.col("union"))
    bad = compared.filter(differs & ~pl.col("unknown"))
    message = pl.format("{} characters are declared, its passages have {}", "rsize", "sum")
    return bad.select("file", "line", *_KEY, message=message)


def _declared_against_collection(checked: CheckedAssessments) -> pl.DataFrame:
    collection = checked.around.collection
    if collection is None or not checked.is_resolved:
        return checked.given.judged.clear().select("line", *_KEY, message="doc")
    found = compare_sizes(checked.found, collection)
    # the relevant size of a document is compared with its passages by another check
    differs = (pl.col("size") != pl.col("size_found")).fill_null(value=False)
    found = found.filter(differs | (pl.col("what") != "document"))
    size = pl.format("size {}, found {}", "size", "size_found")
    rsize = pl.format("rsize {}, found {}", "rsize", "rsize_found")
    rsize = pl.when((pl.col("rsize") != pl.col("rsize_found")) & (pl.col("what") != "document")).then(rsize)
    said = pl.concat_str(pl.when(differs).then(size), rsize, separator="; ", ignore_nulls=True)
    message = pl.format("{} {}: {}", "what", pl.coalesce("path", "doc"), said)
    return checked.with_files(found.select("line", *_KEY, message=message))


def _more_than_all(checked: CheckedAssessments) -> pl.DataFrame:
    elements = checked.given.elements.filter(pl.col("rsize") > pl.col("size"))
    judged = checked.given.judged.filter(pl.col("rsize") > pl.col("docsize"))
    message = "{}: {} of {} characters are relevant"
    found = [
        elements.select("line", *_KEY, message=pl.format(message, "path", "rsize", "size")),
        judged.select("line", *_KEY, message=pl.format(message, "doc", "rsize", "docsize")),
    ]
    files = checked.given.judged.select(*_KEY, "file")
    return pl.concat(found).join(files, on=_KEY, how="left", maintain_order="left")


CHECKS: tuple[Check[CheckedAssessments], ...] = (
    Check(
        "A401",
        "warning",
        "relevant size differs from the passages",
        "The relevant characters that are declared for a document (rsize) are neither the sum of its "
        "passages nor their union.  With --sizes declared the declared number counts.",
        "Look whether a passage was lost or cut; or score with --sizes collection.",
        _passages_against_rsize,
    ),
    Check(
        "A402",
        "warning",
        "declared size differs from the collection",
        "The size of a document, passage or element, or an element's relevant size, is not what the "
        "collection has there.  Old XML exports count bytes, and were off by one until September 2007.",
        "Score with --sizes collection (the default with a collection); if nearly all sizes differ by much, "
        "the collection is another one.",
        _declared_against_collection,
    ),
    Check(
        "A403",
        "error",
        "more relevant text than text",
        "The declared relevant size is larger than the declared size.",
        "Mend the sizes, or score with --sizes collection.",
        _more_than_all,
    ),
)
