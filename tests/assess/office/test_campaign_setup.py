"""The set-up offers the files in the server's folder, and none outside it."""

import shutil

import pytest

from doxel.assess.office.campaign_setup import (
    add_pool,
    choose_collection,
    find_file,
    list_file_choices,
    read_setup_steps,
    replace_topics,
)
from doxel.assess.store.accounts import add_user
from doxel.assess.store.campaign_settings import store_setting
from doxel.assess.store.pooled_documents import Library, list_topics
from doxel.errors import InputError

POOL = b'{"topic": "1", "doc": "apples", "order": 1}\n'


@pytest.fixture
def folder(tmp_path, library):
    top = tmp_path / "files"
    shutil.copytree(library.collection.folder, top / "a" / "fruit.doxel")
    (top / "pool.jsonl").write_bytes(POOL)
    (top / "topics.tsv").write_text("1\tripe fruit\n")
    (top / "notes.txt").write_text("nothing")
    (top / ".hidden").mkdir()
    (top / ".hidden" / "pool.jsonl").write_bytes(POOL)
    return top


def test_files_are_recognised_by_their_content(folder):
    choices = list_file_choices(folder)
    assert choices.collections == ("a/fruit.doxel",)
    assert choices.pools == ("pool.jsonl",)
    assert "topics.tsv" in choices.topics


def test_without_a_folder_nothing_can_be_chosen():
    assert list_file_choices(None).pools == ()
    with pytest.raises(InputError, match="a file on the server"):
        find_file(None, "pool.jsonl")


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret", "missing", "a\0b", "link"])
def test_files_outside_the_folder_are_refused(folder, name):
    (folder.parent / "secret").write_bytes(POOL)
    (folder / "link").symlink_to(folder.parent / "secret")
    with pytest.raises(InputError, match="wanted a file in the server's folder"):
        find_file(folder, name)


def test_a_campaign_is_complete_step_by_step(store, folder):
    library, topics = Library(None), None

    def first_open():
        with store.read() as connection:
            return read_setup_steps(connection, library, topics).first_open

    assert first_open() == "name"
    with store.write() as connection:
        store_setting(connection, "name", "Spring")
    assert first_open() == "documents"
    with store.write() as connection:
        library.switch(choose_collection(connection, "olga", folder / "a" / "fruit.doxel"))
    assert first_open() == "topics"
    with store.write() as connection:
        topics = replace_topics(connection, "olga", "topics.tsv", folder / "topics.tsv")
    assert first_open() == "pool"
    with store.write() as connection:
        assert add_pool(connection, "olga", library, "pool.jsonl", POOL) == 1
        assert add_pool(connection, "olga", library, "pool.jsonl", POOL) == 0
        assert list_topics(connection) == [("1", 1)]
    assert first_open() == "people"
    with store.write() as connection:
        for name in ("olga", "anna"):
            add_user(connection, name, "x")
    assert first_open() == "assign"


def test_another_collection_is_refused_once_its_texts_differ(campaign, other_texts):
    with campaign.write() as connection, pytest.raises(InputError, match="wanted the text that was pooled"):
        choose_collection(connection, "olga", other_texts.collection.folder)


def test_a_pool_of_other_documents_is_refused(campaign, library):
    line = b'{"topic": "1", "doc": "melons", "order": 1}\n'
    with campaign.write() as connection, pytest.raises(InputError):
        add_pool(connection, "olga", library, "pool.jsonl", line)
