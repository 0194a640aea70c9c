"""Pools: from the results of many runs to the documents that assessors read."""

from doxel.pooling.jsonl import read_pool, write_pool
from doxel.pooling.making import pool
from doxel.pooling.pool import Pool, PooledDocument, PooledPart

__all__ = ["Pool", "PooledDocument", "PooledPart", "pool", "read_pool", "write_pool"]
