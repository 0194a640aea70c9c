"""The families of measures of chunks and whole documents, one file per family.

How data flows through this package: a view of text goes into the function of a measure, one score per
topic comes out.  :mod:`~doxel.measures.chunks.characters`, :mod:`~doxel.measures.chunks.tokens` and
:mod:`~doxel.measures.chunks.gold_spans` score the retrieved chunks,
:mod:`~doxel.measures.chunks.reading_cost` the text to read, :mod:`~doxel.measures.chunks.chunk_references`
the chunking itself, :mod:`~doxel.measures.chunks.chroma` repeats the figures of another project, and
:mod:`~doxel.measures.chunks.classic` scores whole documents.
"""
