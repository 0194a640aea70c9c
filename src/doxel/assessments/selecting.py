"""Parts of assessments: of some topics only, or as if some documents had never been judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from doxel.assessments.assessments import TABLES, Assessments

__all__ = ["of_topics", "without_documents"]


def of_topics(assessments: Assessments, topics: Iterable[str]) -> Assessments:
    """Return the assessments of some topics.

    >>> from doxel.assessments.assessments import JUDGED
    >>> rows = [{"topic": "1", "doc": "a"}, {"topic": "2", "doc": "a"}]
    >>> of_topics(Assessments("2006", JUDGED.from_rows(rows)), ["2"]).topics
    ['2']
    """
    wanted = pl.col("topic").is_in(list(topics))
    return replace(assessments, **{name: getattr(assessments, name).filter(wanted) for name in TABLES})


def without_documents(assessments: Assessments, documents: pl.DataFrame) -> Assessments:
    """Return assessments in which some documents (topic, doc) were never judged."""
    key = ["topic", "doc"]
    gone = documents.select(key)
    left = {
        name: getattr(assessments, name).join(gone, on=key, how="anti", maintain_order="left")
        for name in TABLES
    }
    return replace(assessments, **left)
