"""The settings of a campaign are kept in the database, and a change of guidelines asks everybody to read."""

import pytest

from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.campaign_settings import (
    confirm_reading,
    has_read_guidelines,
    read_campaign_settings,
    store_guidelines,
    store_setting,
    store_topics,
)
from doxel.assess.store.database import open_store
from doxel.assess.store.database_schema import READINGS
from doxel.errors import InputError

TOPICS = b'{"id": "1", "title": "ripe fruit"}\n'


def test_settings_are_kept_and_backed_up(campaign, library, tmp_path, new_database):
    with campaign.write() as connection:
        store_setting(connection, "name", "Spring")
        store_guidelines(connection, "# Fair")
        assert store_topics(connection, "topics.jsonl", TOPICS)["1"].title == "ripe fruit"
    write_backup(campaign, tmp_path / "backup")
    with open_store(new_database["sqlite"]()) as again:
        restore_backup(again, tmp_path / "backup", library)
        for store in (campaign, again):
            with store.read() as connection:
                settings = read_campaign_settings(connection)
            assert (settings.name, settings.guidelines) == ("Spring", "# Fair")
            assert settings.topics.read()["1"].title == "ripe fruit"
            assert settings.collection == library.collection.folder.absolute()


def test_an_empty_database_has_no_settings(store):
    with store.read() as connection:
        settings = read_campaign_settings(connection)
        assert has_read_guidelines(connection, 1)
    assert (settings.name, settings.guidelines, settings.topics, settings.collection) == ("", "", None, None)


def test_changed_guidelines_are_to_be_read_again(campaign):
    with campaign.write() as connection:
        assert store_guidelines(connection, "one")
        assert not has_read_guidelines(connection, 1)
        confirm_reading(connection, 1)
        assert has_read_guidelines(connection, 1)
        assert not has_read_guidelines(connection, 2)
        assert not store_guidelines(connection, "one")
        assert has_read_guidelines(connection, 1)
        connection.execute(READINGS.update().values(at=1))
        assert not has_read_guidelines(connection, 1)
        store_guidelines(connection, "")
        assert has_read_guidelines(connection, 1)


@pytest.mark.parametrize(
    ("name", "value"), [("name", "x" * 201), ("name", "a\0b"), ("guidelines", "x" * 200_001)]
)
def test_what_cannot_be_stored_is_refused(store, name, value):
    with store.write() as connection, pytest.raises(InputError, match=f"the {name} of the campaign"):
        store_setting(connection, name, value)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"no topics"])
def test_files_that_are_not_topics_are_refused(store, data):
    with store.write() as connection, pytest.raises(InputError):
        store_topics(connection, "x.xml", data)
