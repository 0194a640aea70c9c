"""Parsing source documents: one file per kind of source, from bytes to text and node columns.

How data flows through this package:

1. :mod:`~doxel.documents.parsing.sources` finds the documents in files, folders, archives and lines of
   JSON, and recognises the kind of each.
2. :mod:`~doxel.documents.parsing.xml`, :mod:`~doxel.documents.parsing.html`,
   :mod:`~doxel.documents.parsing.markdown`, :mod:`~doxel.documents.parsing.plain_text` and
   :mod:`~doxel.documents.parsing.pdf` read the documents of one kind.
3. :mod:`~doxel.documents.parsing.node_columns` collects their nodes and computes the columns that a part
   stores.
"""
