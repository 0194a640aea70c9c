"""Topics: the information needs of a campaign, and their queries.

How data flows through this room:

1. :mod:`~doxel.topics.topic_files` recognises the format of topic files, reads them and writes them;
   :mod:`~doxel.topics.target_titles` translates the titles of 2002.
2. :mod:`~doxel.topics.topics` has the topics as a table and as objects;
   :mod:`~doxel.topics.topic_summary` counts what they use.
3. :mod:`~doxel.topics.nexi` parses the queries with structure.
4. :mod:`~doxel.topics.query_structure` interprets them strictly or vaguely, and gives the constraints of
   each topic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from doxel.topics.topic_files import read_topics, write_topics
    from doxel.topics.topics import TOPICS, Topic, Topics

__all__ = ["TOPICS", "Topic", "Topics", "read_topics", "write_topics"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: most evaluations read no topics."""
    if name in __all__:
        return getattr(import_module("doxel.topics.topic_files"), name)
    raise AttributeError(f"module 'doxel.topics' has no attribute {name!r}")
