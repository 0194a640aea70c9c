"""Campaigns: a collection, topics, runs, a pool and assessments that belong together; one is bundled."""

from doxel.campaign.campaign import Campaign, PoolSettings
from doxel.campaign.configuration import read_campaign
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
from doxel.campaign.inspecting import campaign_status
from doxel.campaign.status import CampaignStatus, PartStatus
from doxel.campaign.template import init_campaign

__all__ = [
    "Campaign",
    "CampaignStatus",
    "DemoFiles",
    "PartStatus",
    "PoolSettings",
    "TopicMarks",
    "campaign_status",
    "exhaustivity_2005",
    "graded_2002",
    "graded_2003",
    "highlighted",
    "init_campaign",
    "read_campaign",
    "read_marks",
    "write_demo",
    "write_demo_assessments",
    "write_handbook_markdown",
]
