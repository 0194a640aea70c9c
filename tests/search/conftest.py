"""Collections to search: a small one made for these tests, the demo, and real articles."""

import pytest

from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.search import open_index
from search.zoo_collection import make_collection


@pytest.fixture(scope="session")
def zoo(tmp_path_factory):
    """The index of the small collection."""
    return open_index(make_collection(tmp_path_factory.mktemp("zoo")))


@pytest.fixture
def fresh(tmp_path):
    """The folder of the small collection, without an index."""
    return make_collection(tmp_path)


@pytest.fixture
def make(tmp_path):
    """A function that makes or extends a collection from file names and contents."""
    return lambda files, name="zoo": make_collection(tmp_path, files, name)


@pytest.fixture(scope="session")
def demo_index(demo):
    """The index of the handbook in the bundled campaign."""
    return open_index(read_collection(demo.collection))


@pytest.fixture(scope="session")
def plos_index(shared_data, tmp_path_factory):
    """The index of 122 real articles."""
    folder = tmp_path_factory.mktemp("plos") / "plos.doxel"
    ingest(str(next((shared_data / "plos-jats").glob("*.tar.xz"))), str(folder), jobs=1)
    return open_index(folder, jobs=1)
