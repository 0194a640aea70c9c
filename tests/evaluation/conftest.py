"""Fixtures for the tests of evaluation."""

import pytest

from evaluation.laid_out import open_trees


@pytest.fixture(scope="session")
def trees():
    """The collection of two small trees."""
    with open_trees() as collection:
        yield collection
