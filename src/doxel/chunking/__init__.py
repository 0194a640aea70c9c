"""Chunking: cut documents into chunks, and compare what a ranker could reach with them.

The way of the data through this room:

1. :mod:`~doxel.chunking.chunkers` cuts the texts of a collection into chunks.
2. :mod:`~doxel.chunking.chunk_comparison` scores several chunkings against gold spans.
"""

from doxel.chunking.chunk_comparison import ChunkComparison, compare_chunkings
from doxel.chunking.chunkers import Chunker, cut_collection, find_chunker

__all__ = ["ChunkComparison", "Chunker", "compare_chunkings", "cut_collection", "find_chunker"]
