"""Topics: the information needs of a campaign, and their queries."""

from doxel.topics.read import read_topics, write_topics
from doxel.topics.topics import TOPICS, Topic, Topics

__all__ = ["TOPICS", "Topic", "Topics", "read_topics", "write_topics"]
