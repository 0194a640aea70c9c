"""A baseline retriever of elements: BM25 by tantivy, queries with and without structure, every task.

``search`` returns a run for topics; ``open_index`` opens an index for single queries.
"""

from doxel.search.index import SearchIndex
from doxel.search.opening import open_index
from doxel.search.options import OVERLAPS, TASKS, Options
from doxel.search.searching import Found, search

__all__ = ["OVERLAPS", "TASKS", "Found", "Options", "SearchIndex", "open_index", "search"]
