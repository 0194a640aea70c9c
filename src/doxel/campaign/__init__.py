"""Campaigns: a collection, topics, runs, a pool and assessments that belong together; one is bundled."""

from doxel.campaign.campaign import Campaign, PoolSettings
from doxel.campaign.configuration import read_campaign
from doxel.campaign.demo import DemoFiles, write_demo
from doxel.campaign.inspecting import campaign_status
from doxel.campaign.status import CampaignStatus, PartStatus
from doxel.campaign.template import init_campaign

__all__ = [
    "Campaign",
    "CampaignStatus",
    "DemoFiles",
    "PartStatus",
    "PoolSettings",
    "campaign_status",
    "init_campaign",
    "read_campaign",
    "write_demo",
]
