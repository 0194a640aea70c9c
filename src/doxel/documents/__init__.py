"""Documents: parsed from source files into text and elements, and stored as a collection on disk."""

from doxel.documents.collection import Collection, read_collection
from doxel.documents.document import Document
from doxel.documents.forest import Forest
from doxel.documents.labels import Labels

__all__ = ["Collection", "Document", "Forest", "Labels", "read_collection"]
