"""The bundled campaign as files: complete, and written over an older one."""

import pytest

from doxel.campaign import write_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo"))


def test_every_path_of_the_demo_exists(demo):
    paths = (demo.handbook, demo.collection, demo.topics, demo.markdown, demo.markdown_gold)
    for path in (*paths, *demo.runs, *demo.assessments.values()):
        assert path.exists(), path


def test_an_older_demo_in_the_same_folder_is_replaced(demo, tmp_path):
    stale = tmp_path / "assessments" / "inex2006" / "done" / "topic-99" / "pool-99.xml"
    stale.parent.mkdir(parents=True)
    stale.write_text("<assessments/>")
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "gone.xml").write_text("<article/>")
    again = write_demo(tmp_path)
    assert not stale.exists()
    assert again.ingested.documents == demo.ingested.documents == 48
    assert write_demo(tmp_path).ingested.documents == 48
