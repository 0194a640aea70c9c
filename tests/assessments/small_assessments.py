"""Assessments of a few rows."""

from __future__ import annotations

from typing import Any

from doxel.assessments import Assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES

__all__ = ["assessed", "rows"]


def assessed(**tables: list[dict[str, Any]]) -> Assessments:
    """Return assessments with rows in some tables; every document in them is judged."""
    keys = {(row["topic"], row["doc"]): None for rows in tables.values() for row in rows}
    judged = ASSESSMENT_TABLES["judged"].from_rows({"topic": topic, "doc": doc} for topic, doc in keys)
    frames = {
        name: ASSESSMENT_TABLES[name].from_rows(rows) for name, rows in tables.items() if name != "judged"
    }
    return Assessments("2006", judged, **frames)


def rows(**columns: Any) -> dict[str, Any]:
    """Return a row of topic 1 and document a, unless other ones are given."""
    return {"topic": "1", "doc": "a", **columns}
