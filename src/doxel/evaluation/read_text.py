"""Build the view of the characters read, rank by rank."""

from __future__ import annotations

from doxel.evaluation.ranked import Ranked
from doxel.measures.text_views import ReadText

__all__ = ["read_text"]


def read_text(ranked: Ranked) -> ReadText:
    """Build the view of the characters read, rank by rank."""
    return ReadText(
        size=ranked.matrix(ranked.size),
        relevant=ranked.matrix(ranked.relevant),
        new_size=ranked.matrix(ranked.seen.new_size),
        new_relevant=ranked.matrix(ranked.new_relevant),
        total=ranked.assessed.total.astype(float),
    )
