"""Documents: parsed from source files into text and elements, and stored as a collection on disk.

How data flows through this room, when documents are ingested:

1. :mod:`~doxel.documents.ingestion` divides the sources into batches and lets worker processes parse and
   write them; :mod:`~doxel.documents.ingestion_ledger` lists the documents and refuses ambiguous ids
   (:mod:`~doxel.documents.document_names`).
2. :mod:`~doxel.documents.parsing` finds the documents in the sources and reads each kind (XML, HTML,
   Markdown, plain text, PDF) into node columns; :mod:`~doxel.documents.tree_arrays` computes trees from them.
3. :mod:`~doxel.documents.parts` writes each batch as a part, and :mod:`~doxel.documents.manifest` lists
   the complete parts.

And back, when a collection is read:

1. :mod:`~doxel.documents.collection` opens the parts and returns texts, single documents
   (:mod:`~doxel.documents.document`) and elements.
2. :mod:`~doxel.documents.element_forest` has the elements of any number of documents as arrays.
3. :mod:`~doxel.documents.element_paths` finds elements and positions by their paths,
   :mod:`~doxel.documents.page_places` makes paths of pages, and :mod:`~doxel.documents.structural_summary`
   groups the elements by label path or tag.
"""

from doxel.documents.collection import Collection, read_collection
from doxel.documents.document import Document
from doxel.documents.element_forest import Forest, LabelPaths

__all__ = ["Collection", "Document", "Forest", "LabelPaths", "read_collection"]
