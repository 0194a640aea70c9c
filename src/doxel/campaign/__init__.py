"""Campaigns: a collection, topics, runs, a pool and assessments that belong together; one is bundled.

How data flows through this room:

1. :mod:`~doxel.campaign.configuration` creates and reads ``campaign.toml``; its keys are declared in
   :mod:`~doxel.campaign.configuration_keys`.
2. The result is a :class:`~doxel.campaign.campaign.Campaign`: paths, and options for pooling and scoring.
3. :mod:`~doxel.campaign.campaign_status` reads the parts one by one and reports those that are missing,
   incomplete, stale or wrong.

:mod:`~doxel.campaign.demo_campaign` writes the bundled campaign of ``doxel demo``.
"""

from doxel.campaign.campaign import Campaign, PoolSettings
from doxel.campaign.campaign_status import CampaignStatus, PartStatus, inspect_campaign
from doxel.campaign.configuration import create_campaign, read_campaign
from doxel.campaign.demo_campaign import DemoFiles, write_demo

__all__ = [
    "Campaign",
    "CampaignStatus",
    "DemoFiles",
    "PartStatus",
    "PoolSettings",
    "create_campaign",
    "inspect_campaign",
    "read_campaign",
    "write_demo",
]
