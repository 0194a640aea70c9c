"""Files that the tests of several commands share."""

import pytest

from cli.structured_topics import write_structured
from documents.commands import doxel


@pytest.fixture(scope="session")
def structured(tmp_path_factory):
    """The folder of a small campaign whose topics ask for structure."""
    return write_structured(tmp_path_factory.mktemp("structured"))


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A campaign with one document, one topic and a pool."""
    folder = tmp_path_factory.mktemp("campaign")
    created = doxel("campaign", "init", folder / "spring")
    assert created.status == 0, created.err
    spring = folder / "spring"
    (spring / "documents" / "a.xml").write_text("<a><p>Red apples.</p><p>Green ones.</p></a>")
    (spring / "topics" / "t.tsv").write_text("1\tapples\n")
    doxel("ingest", spring / "documents", "-o", spring / "collection.doxel")
    (spring / "runs" / "r.run").write_text("1 Q0 a 1 9.0 r /a[1]/p[1]\n")
    pooled = doxel("campaign", "pool", spring)
    assert pooled.status == 0, pooled.err
    (folder / "password").write_text("a long password\n")
    return spring


@pytest.fixture
def database(tmp_path):
    """The address of a database that does not exist yet."""
    return tmp_path / "assess.sqlite"
