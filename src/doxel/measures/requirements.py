"""What some measures require of a run, by name; the evaluation room knows how to check and repair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["GROUPED", "NO_OVERLAP", "ONE_PER_DOCUMENT", "article_requirements", "reading_requirements"]

NO_OVERLAP = "no overlap"
GROUPED = "grouped articles"
ONE_PER_DOCUMENT = "one result a document"


def reading_requirements(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """No overlap, except in Thorough, where each character counts once however often it comes."""
    return () if parameters.get("task") == "thorough" else (NO_OVERLAP,)


def article_requirements(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Grouped articles without overlap; for entry points one result a document."""
    return (ONE_PER_DOCUMENT,) if parameters.get("score") == "bep" else (GROUPED, NO_OVERLAP)
