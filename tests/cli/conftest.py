"""Files that the tests of several commands share."""

import pytest

from cli.structured_topics import write_structured


@pytest.fixture(scope="session")
def structured(tmp_path_factory):
    """The folder of a small campaign whose topics ask for structure."""
    return write_structured(tmp_path_factory.mktemp("structured"))
