"""Pools: from the results of many runs to the documents that assessors read.

How data flows through this room:

1. :mod:`~doxel.pooling.pool_candidates` reads runs and collects their results to a depth.
2. :mod:`~doxel.pooling.pool_making` selects the documents by round robin, or estimates how many there
   would be.
3. The result is a :class:`~doxel.pooling.document_pool.Pool` (:mod:`~doxel.pooling.document_pool`).
4. :mod:`~doxel.pooling.pool_files` writes and reads it; :mod:`~doxel.pooling.pool_statistics` describes
   the contributions of runs and the coverage by assessments.
"""

from doxel.pooling.document_pool import Pool, PooledDocument, PooledPart
from doxel.pooling.pool_files import read_pool, write_pool
from doxel.pooling.pool_making import pool

__all__ = ["Pool", "PooledDocument", "PooledPart", "pool", "read_pool", "write_pool"]
