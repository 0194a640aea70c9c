"""All formats of topics, in the order in which they are recognised."""

from __future__ import annotations

from doxel.tables import Format
from doxel.topics import inex, plain
from doxel.topics.topics import Topics

__all__ = ["FORMATS"]

FORMATS: tuple[Format[Topics], ...] = (*inex.FORMATS, plain.JSONL, plain.TSV)
