"""The demo site has three people, half-judged assignments, a disagreement, a share and a waiting topic."""

import pytest

from doxel.assess.demo_site import write_demo_site
from doxel.assess.office.assessor_comparison import compare_assignments
from doxel.assess.office.progress import read_progress
from doxel.assess.store.accounts import check_password, find_credentials
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.campaign_settings import read_campaign_settings
from doxel.assess.store.database import open_store
from doxel.assess.store.pooled_documents import Library
from doxel.documents import read_collection
from doxel.errors import InputError


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo_site(tmp_path_factory.mktemp("demo") / "site")


@pytest.fixture
def store(demo):
    with open_store(demo.database) as opened:
        yield opened


def test_the_passwords_open_the_accounts(demo, store):
    assert set(demo.passwords) == {"olga", "anna", "ben"}
    for name, password in demo.passwords.items():
        with store.read() as connection:
            assert check_password(find_credentials(connection, name), password).name == name


def test_assignments_are_finished_half_judged_and_untouched(store):
    with store.read() as connection:
        assignments = {(item.topic, item.assessor): item for item in list_assignments(connection)}
        waiting = [topic.topic for topic in read_progress(connection).topics if not topic.assignments]
    assert assignments["1", "anna"].finished
    assert 0 < assignments["2", "anna"].validated < assignments["2", "anna"].documents
    assert 0 < assignments["1", "ben"].validated < assignments["1", "ben"].documents
    assert assignments["3", "ben"].validated == 0
    assert assignments["4", "anna"].partial
    assert waiting == ["5"]


def test_two_assessors_disagree(demo, store):
    library = Library(read_collection(demo.collection))
    with store.read() as connection:
        anna, ben = list_assignments(connection, topic="1")
        figures = compare_assignments(connection, library, anna, ben).figures
    assert figures["only_one"] > 0
    assert 0 < figures["shared"] < 1


def test_the_campaign_has_a_name_topics_and_guidelines(store):
    with store.read() as connection:
        settings = read_campaign_settings(connection)
    assert settings.name
    assert settings.guidelines.startswith("# What counts as relevant")
    assert "1" in settings.topics.read()


def test_a_demo_is_never_overwritten(demo):
    with pytest.raises(InputError, match="a demo exists already"):
        write_demo_site(demo.folder)
