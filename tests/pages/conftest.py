"""The report that is tested: of a small campaign with hostile names."""

import pytest


@pytest.fixture(scope="session")
def campaign(hostile_campaign):
    """The files of the campaign."""
    return hostile_campaign


@pytest.fixture(scope="session")
def report(hostile_report):
    """The folder of the report."""
    return hostile_report
