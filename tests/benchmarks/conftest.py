"""The benchmarks are a package at the root of the project, which is not installed."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="session")
def root():
    """The root of the project, from which ``python -m benchmarks`` is called."""
    return ROOT


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory):
    """A small collection of each kind with its sources, ingested, and a campaign over it."""
    from benchmarks.generator.campaign import write_campaign
    from benchmarks.generator.collection import PROFILES, documents, write_folders

    from doxel.documents.ingestion import ingest

    folders = {}
    for name, count in (("ieee", 40), ("wikipedia", 250)):
        folder = tmp_path_factory.mktemp(name)
        write_folders(folder / "sources", documents(PROFILES[name], count))
        ingest([str(folder / "sources")], str(folder / "collection"))
        write_campaign(
            folder / "campaign", folder / "collection", topic_count=3, runs=3, results=120, relevant=12
        )
        folders[name] = folder
    return folders
