"""doxel measures how well a search system finds the right part of a document.

The names below are the public interface; each is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from doxel._version import __version__

if TYPE_CHECKING:
    from doxel.documents.collection import Collection, read_collection
    from doxel.documents.document import Document
    from doxel.documents.ingest import ingest

_HOMES = {
    "Collection": "doxel.documents.collection",
    "Document": "doxel.documents.document",
    "ingest": "doxel.documents.ingest",
    "read_collection": "doxel.documents.collection",
}

__all__ = ["Collection", "Document", "__version__", "ingest", "read_collection"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'doxel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
