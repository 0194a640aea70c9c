"""Chunking: ways of cutting documents, and what can be found at best with the pieces."""

from doxel.chunking.chunkers import Chunker, chunker_named
from doxel.chunking.comparing import ChunkComparison, compare_chunkings
from doxel.chunking.cutting import cut

__all__ = ["ChunkComparison", "Chunker", "chunker_named", "compare_chunkings", "cut"]
