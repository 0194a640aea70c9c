"""Campaigns as objects: their files, and parts that are missing."""

from __future__ import annotations

import pytest

from doxel.campaign import create_campaign
from doxel.campaign.campaign import list_files
from doxel.errors import CollectionError, InputError


def test_folders_and_patterns_become_files(tmp_path):
    for name in ("b.run", "a.run", "c.xml", "README.md", ".hidden", "deep/d.run"):
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    runs = tmp_path / "runs"
    assert list_files([runs]) == [runs / "a.run", runs / "b.run", runs / "c.xml", runs / "deep" / "d.run"]
    assert list_files([runs / "*.run"]) == [runs / "a.run", runs / "b.run"]
    assert list_files([runs / "c.xml", runs / "*.xml", tmp_path / "not there"]) == [runs / "c.xml"]


def test_missing_parts_are_reported(tmp_path):
    campaign = create_campaign(tmp_path)
    with pytest.raises(
        InputError, match=r"the campaign has no topics yet: wanted files in .*topics, found none"
    ):
        campaign.read_topics()
    with pytest.raises(InputError, match="the campaign has no assessments yet"):
        campaign.read_assessments()
    with pytest.raises(CollectionError, match="does not exist"):
        campaign.read_collection()
