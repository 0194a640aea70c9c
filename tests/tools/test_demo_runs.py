"""The maker of the demo's runs: it makes the bundled files again, and reads titles and descriptions only."""

import pytest
from tools.demo_data import demo_runs
from tools.demo_data.demo_files import DATA

from doxel.topics import Topic

RUNS = DATA / "demo" / "runs"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {
        path.name: path.read_bytes()
        for path in demo_runs.make_runs(DATA / "handbook", DATA / "demo" / "topics.xml", folder)
    }


def test_the_runs_are_made_again_byte_for_byte(made):
    assert set(made) == {path.name for path in RUNS.iterdir()}
    for name, content in made.items():
        assert content == (RUNS / name).read_bytes(), f"{name} is stale: run python -m tools.demo_data"


def test_a_query_is_made_of_title_and_description_only():
    topic = Topic("1", title='+strict "equal scores" -systems', description="Which ties?", narrative="unread")
    assert demo_runs.query(topic) == {"strict": 3, "equal": 2, "score": 2, "tie": 1}
