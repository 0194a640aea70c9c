"""Topics: what people search for, as campaigns wrote it down."""

from doxel.topics.read import read_topics, write_topics
from doxel.topics.topics import TOPICS, Topic, Topics

__all__ = ["TOPICS", "Topic", "Topics", "read_topics", "write_topics"]
