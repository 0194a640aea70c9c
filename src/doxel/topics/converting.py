"""Topics for another format: what is kept, what is lost."""

from __future__ import annotations

from doxel.files.formats import Converted, Format
from doxel.topics.topics import Topics

__all__ = ["convert_topics"]


def convert_topics(topics: Topics, target: Format[Topics]) -> Converted[Topics]:
    """Return topics as a format can hold them."""
    return Converted(topics, tuple(target.losses(topics.tables)))
