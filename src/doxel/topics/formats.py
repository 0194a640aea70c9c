"""All formats of topics, in the order in which they are recognised."""

from __future__ import annotations

from doxel.files.formats import Format, named
from doxel.topics import inex, plain
from doxel.topics.topics import Topics

__all__ = ["FORMATS", "format_named"]

FORMATS: tuple[Format[Topics], ...] = (*inex.FORMATS, plain.JSONL, plain.TSV)


def format_named(name: str) -> Format[Topics]:
    """Return the topic format with the given name."""
    return named(FORMATS, name, kind="topics")
