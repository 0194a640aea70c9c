"""Convert topics to another format, and list the losses."""

from __future__ import annotations

from doxel.files.formats import Converted, Format
from doxel.topics.topics import Topics

__all__ = ["convert_topics"]


def convert_topics(topics: Topics, target: Format[Topics]) -> Converted[Topics]:
    """Return topics for a target format, with the columns that it cannot store."""
    return Converted(topics, tuple(target.losses(topics.tables)))
