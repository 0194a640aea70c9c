"""Campaigns: a collection, topics, runs and assessments that belong together; so far the bundled one."""

from doxel.campaign.demo import DemoFiles, write_demo
from doxel.campaign.demo_assessments import (
    exhaustivity_2005,
    graded_2002,
    graded_2003,
    highlighted,
    write_demo_assessments,
)
from doxel.campaign.demo_marks import TopicMarks, read_marks
from doxel.campaign.handbook_markdown import write_handbook_markdown

__all__ = [
    "DemoFiles",
    "TopicMarks",
    "exhaustivity_2005",
    "graded_2002",
    "graded_2003",
    "highlighted",
    "read_marks",
    "write_demo",
    "write_demo_assessments",
    "write_handbook_markdown",
]
