"""Derive grades of whole documents from judgements of their parts, and the reverse.

The grade of a document is the first that exists of: its own grade (TREC qrels); the highest grade of its
highlights; on the scales without highlights (2002 to 2004), the highest relevance or exhaustivity of its
elements; otherwise 1 if it has relevant text, and 0 if not.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from doxel.assessments.assessments import HIGHLIGHTS, Assessments
from doxel.documents.collection import Collection

__all__ = ["document_grades", "with_document_grades", "with_whole_highlights"]

_KEY = ["topic", "doc"]


def document_grades(assessments: Assessments) -> pl.Series:
    """Return the grade of each row of ``judged`` as a whole document.

    >>> from doxel.assessments.assessments import JUDGED
    >>> rows = [{"topic": "1", "doc": "a", "grade": 2.0}, {"topic": "1", "doc": "b", "rsize": 9}]
    >>> document_grades(Assessments("2006", JUDGED.from_rows(rows))).to_list()
    [2.0, 1.0]
    """
    judged = assessments.judged
    highlighted = (
        assessments.highlights.filter(pl.col("start").is_null() | (pl.col("end") > pl.col("start")))
        .group_by(_KEY)
        .agg(marked=pl.col("grade").max(), is_highlighted=pl.lit(value=True))
    )
    without_highlights = assessments.scale in {"2002", "2003"}
    elements = assessments.elements if without_highlights else assessments.elements.clear()
    graded = elements.group_by(_KEY).agg(
        graded=pl.max_horizontal(
            *(pl.col(name).cast(pl.Float64, strict=False).max() for name in ("relevance", "exhaustivity"))
        )
    )
    joined = judged
    for grades in (highlighted, graded):
        joined = joined.join(grades, on=_KEY, how="left", maintain_order="left")
    is_relevant = pl.col("is_highlighted").is_not_null() | (pl.col("rsize").fill_null(0) > 0)
    grade = pl.coalesce("grade", "marked", "graded", pl.when(is_relevant).then(1.0).otherwise(0.0))
    return joined.select(grade.alias("grade")).to_series()


def with_document_grades(assessments: Assessments) -> Assessments:
    """Convert assessments to grades of whole documents."""
    judged = assessments.judged.with_columns(grade=document_grades(assessments))
    return Assessments(
        scale="documents",
        judged=judged.with_columns(rsize=pl.lit(None, dtype=pl.Int64), docsize=pl.lit(None, dtype=pl.Int64)),
        file=assessments.file,
        format=assessments.format,
        notes=assessments.notes,
    )


def with_whole_highlights(assessments: Assessments, collection: Collection) -> tuple[Assessments, int]:
    """Highlight relevant documents from end to end; return the assessments and the number of documents.

    A document that is not in the collection does not change.
    """
    number = pl.Series(collection.numbers(assessments.judged["doc"]), dtype=pl.Int64).replace(-1, None)
    size = collection.documents["characters"].cast(pl.Int64).gather(number)
    relevant = assessments.judged.with_columns(end=size).filter(
        (pl.col("grade") > 0) & pl.col("end").is_not_null()
    )
    rows = relevant.select(*_KEY, "end", "grade", start=pl.lit(0, dtype=pl.Int64))
    highlights = pl.concat([assessments.highlights, HIGHLIGHTS.fit(rows)])
    return replace(assessments, highlights=highlights), rows.height
