"""The picture of a chunk comparison: quality against context size."""

from __future__ import annotations

from doxel.chunking import ChunkComparison
from doxel.reports.pictures import Line, Picture
from doxel.wording import pluralise

__all__ = ["chunk_picture"]

_WORDS = {"rec": "recall", "prec": "precision", "iou": "intersection over union"}


def chunk_picture(comparison: ChunkComparison, kind: str = "rec") -> Picture:
    """Return the picture of the score of the best k chunks against their size, one line per chunking."""
    parts = comparison.curve.partition_by("chunking", maintain_order=True)
    return Picture(
        title=f"greedy_{kind} against context size",
        note=f"mean of {pluralise(comparison.topics, 'topic')}",
        x_label="characters in the context",
        y_label=f"{_WORDS[kind]} at best",
        ranks=False,
        lines=tuple(
            Line(part["chunking"][0], part["characters"].to_numpy(), part[kind].to_numpy()) for part in parts
        ),
    )
