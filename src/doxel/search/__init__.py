"""A baseline retriever of elements: BM25 by tantivy, queries with and without structure, every task.

``search`` returns a run for topics; ``open_index`` opens an index for single queries.  How data flows through
this room:

1. :mod:`~doxel.search.topic_search` selects the query of each topic.
2. :mod:`~doxel.search.search_index` opens the index of the collection;
   :mod:`~doxel.search.index_building` builds it with the engine (:mod:`~doxel.search.search_engine`).
3. :mod:`~doxel.search.element_scoring` scores the elements for a query.
4. :mod:`~doxel.search.element_ranking` ranks them for the task and removes overlap; the results form a
   :class:`~doxel.runs.run.Run`.
"""

from doxel.search.element_ranking import OVERLAPS, SEARCH_TASKS, SearchOptions
from doxel.search.search_index import SearchIndex, open_index
from doxel.search.topic_search import SearchOutcome, search

__all__ = [
    "OVERLAPS",
    "SEARCH_TASKS",
    "SearchIndex",
    "SearchOptions",
    "SearchOutcome",
    "open_index",
    "search",
]
