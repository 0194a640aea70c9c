"""The makers of the demo's data make the bundled files again, byte for byte."""

import pytest
from tools.demo_data import demo_runs
from tools.demo_data.demo_files import DATA, make_demo_files

from doxel.topics import Topic

WRITTEN_BY_HAND = {"README.md", "topics.xml"}


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    make_demo_files(folder)
    return contents(folder)


@pytest.mark.integration
def test_the_bundled_files_are_what_the_makers_make(made):
    bundled = contents(DATA / "demo")
    assert set(made) == set(bundled) - WRITTEN_BY_HAND
    for name, content in made.items():
        assert content == bundled[name], f"{name} is stale: run python -m tools.demo_data"


def test_a_query_is_made_of_title_and_description_only():
    topic = Topic("1", title='+strict "equal scores" -systems', description="Which ties?", narrative="unread")
    assert demo_runs.query(topic) == {"strict": 3, "equal": 2, "score": 2, "tie": 1}
