"""The declaration of an adapter: the shape of foreign data that it recognises, and how it converts them.

Adapters never import the library whose data they convert: they look at attributes, keys and types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

__all__ = ["ChunkAdapter", "ForeignRow", "ListAdapter", "TableAdapter"]

ForeignRow = dict[str, Any]
"""A result or a highlight under doxel's names; ``names`` are the names that its document may have."""


@dataclass(frozen=True, kw_only=True)
class _Adapter:
    """What all adapters declare: a name, the shape in words, and whether an object has this shape."""

    name: str
    shape: str
    recognises: Callable[[Any], bool]


@dataclass(frozen=True, kw_only=True)
class ChunkAdapter(_Adapter):
    """Converts one result of a question; the results of a question are a list of such objects."""

    convert: Callable[[Any], ForeignRow]


@dataclass(frozen=True, kw_only=True)
class ListAdapter(_Adapter):
    """Converts the answer to one question to a list of results."""

    convert: Callable[[Any], Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class TableAdapter(_Adapter):
    """Converts the results, or the gold, of many questions to a frame with foreign column names.

    ``convert`` gets the object and whether it is gold.  ``positions``: it names no questions, so that its
    column ``topic`` has their positions, counted from 1.
    """

    convert: Callable[[Any, bool], pl.DataFrame]
    positions: Callable[[Any], bool] = field(default=lambda data: False)  # noqa: ARG005
