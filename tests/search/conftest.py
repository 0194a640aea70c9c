"""Collections to search: a small one made for these tests, the demo, and real articles."""

import pytest

from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.documents.ingestion import ingest
from doxel.search import open_index

ZOO = {
    "birds.xml": (
        '<book year="1999"><title>Birds</title><year>1999</year>'
        '<sec kind="water"><st>Ducks</st><p>A duck swims. The duck dives in the pond every morning.</p>'
        "<p>Old ponds hold fish, frogs and a heron that waits for them.</p></sec>"
        '<sec kind="air"><st>Swifts</st><p>The common swift sleeps in the air and drinks rain.</p></sec>'
        "</book>"
    ),
    "fish.xml": (
        '<book year="2005"><title>Fish</title><year>2005</year>'
        '<sec kind="water"><st>Pike</st><p>A pike waits among reeds; it eats a duck now and then.</p>'
        "<p>In a pond the pike is king, and the water is H<sub>2</sub>O as elsewhere.</p></sec>"
        "<sec><st>Carp</st><p>Carp dig in the mud of the pond. Carp grow old.</p></sec>"
        "</book>"
    ),
    "stones.xml": (
        "<book><title>Stones</title><year>about 2010</year>"
        "<sec><st>Flint</st><p>Flint was cut into blades, and strikes fire when hit with iron.</p></sec>"
        "</book>"
    ),
}


def _make(folder, files=ZOO, name="zoo"):
    source = folder / f"{name}-source"
    source.mkdir(exist_ok=True)
    for file, content in files.items():
        (source / file).write_text(content, "utf-8")
    ingest(str(source), str(folder / f"{name}.doxel"), jobs=1)
    return folder / f"{name}.doxel"


@pytest.fixture(scope="session")
def zoo(tmp_path_factory):
    """The index of the small collection."""
    return open_index(_make(tmp_path_factory.mktemp("zoo")))


@pytest.fixture
def fresh(tmp_path):
    """The folder of the small collection, without an index."""
    return _make(tmp_path)


@pytest.fixture
def make(tmp_path):
    """A function that makes or extends a collection from file names and contents."""
    return lambda files, name="zoo": _make(tmp_path, files, name)


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """The files of the bundled campaign."""
    return write_demo(tmp_path_factory.mktemp("demo"))


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
