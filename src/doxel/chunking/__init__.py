"""Chunking: cut documents into chunks, and compare the chunkings before any retrieval.

How data flows through this room:

1. :mod:`~doxel.chunking.splitters` calls functions and splitters of other libraries and places the chunks
   that they return.
2. :mod:`~doxel.chunking.chunkers` cuts the texts of a collection into chunks.
3. :mod:`~doxel.chunking.chunk_comparison` scores several chunkings against gold spans.
"""

from doxel.chunking.chunk_comparison import ChunkComparison, compare_chunkings
from doxel.chunking.chunkers import Chunker, cut_collection, find_chunker

__all__ = ["ChunkComparison", "Chunker", "compare_chunkings", "cut_collection", "find_chunker"]
