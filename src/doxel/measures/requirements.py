"""Names of the requirements that a measure can make of a run; ``evaluation`` checks and repairs runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["GROUPED", "NO_OVERLAP", "ONE_PER_DOCUMENT", "article_requirements", "reading_requirements"]

NO_OVERLAP = "no overlap"
GROUPED = "grouped articles"
ONE_PER_DOCUMENT = "one result per document"


def reading_requirements(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Require no overlap, except in Thorough, where each character counts only the first time."""
    return () if parameters.get("task") == "thorough" else (NO_OVERLAP,)


def article_requirements(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Require grouped articles without overlap, or one result per document for entry points."""
    return (ONE_PER_DOCUMENT,) if parameters.get("score") == "bep" else (GROUPED, NO_OVERLAP)
