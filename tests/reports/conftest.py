"""The report of a small campaign with hostile names, and the result of a small study."""

import pytest

from doxel.studies import study_agreement
from reports.small_study import GOLD, MEASURES, RUNS


@pytest.fixture(scope="session")
def campaign(hostile_campaign):
    """The files of the campaign."""
    return hostile_campaign


@pytest.fixture(scope="session")
def report(hostile_report):
    """The folder of the report."""
    return hostile_report


@pytest.fixture(scope="session")
def study_result():
    """The agreement of two measures on three runs."""
    return study_agreement(RUNS, GOLD, MEASURES)
