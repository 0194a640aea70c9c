"""Fixtures that all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

from browser import chromium  # noqa: F401 -- a fixture, for whoever tests a page

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"

settings.register_profile("doxel", deadline=None)  # a busy machine must not fail a test
settings.load_profile("doxel")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the real data of ../shared/data is missing")
    return SHARED
