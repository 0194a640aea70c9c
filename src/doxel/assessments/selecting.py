"""Select part of the assessments: some topics, or all but some documents."""

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
    is_selected = pl.col("topic").is_in(list(topics))
    return replace(assessments, **{name: getattr(assessments, name).filter(is_selected) for name in TABLES})


def without_documents(assessments: Assessments, documents: pl.DataFrame) -> Assessments:
    """Return the assessments as if some documents (topic, doc) had never been judged."""
    key = ["topic", "doc"]
    removed = documents.select(key)
    tables = {
        name: getattr(assessments, name).join(removed, on=key, how="anti", maintain_order="left")
        for name in TABLES
    }
    return replace(assessments, **tables)
