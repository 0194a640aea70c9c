"""Documents: from a source file to its text and its elements, and the collection on disk."""

from doxel.documents.collection import Collection, read_collection
from doxel.documents.document import Document
from doxel.documents.forest import Forest
from doxel.documents.labels import Labels

__all__ = ["Collection", "Document", "Forest", "Labels", "read_collection"]
