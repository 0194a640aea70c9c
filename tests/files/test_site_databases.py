"""Databases are told from files of assessments by their address or their first bytes."""

import sqlite3
import sys
from contextlib import closing

import pytest

from doxel.errors import MissingExtraError
from doxel.files import site_databases
from doxel.files.site_databases import is_site_database, load_site_function, split_site_databases


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "site.anything"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
        connection.commit()
    return path


def test_a_sqlite_file_is_recognised_by_its_content(database, tmp_path):
    (tmp_path / "a.sqlite").write_text("1 Q0 a 1\n")
    assert is_site_database(database)
    assert is_site_database(str(database))
    assert not is_site_database(tmp_path / "a.sqlite")


@pytest.mark.parametrize("other", [None, 1, [], "", "missing.qrels", "a\0b", "/", "http://example.org/a"])
def test_anything_else_is_not_a_database(other):
    assert not is_site_database(other)


@pytest.mark.parametrize("scheme", ["sqlite:///", "postgresql://", "postgres://"])
def test_addresses_are_databases(scheme):
    assert is_site_database(f"{scheme}host/name")


def test_databases_are_separated_from_files(database):
    assert split_site_databases([database, "a.qrels"]) == ([str(database)], ["a.qrels"])


def test_a_missing_package_is_reported_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, site_databases._SOURCE, raising=False)
    with pytest.raises(MissingExtraError, match="doxel assess"):
        load_site_function("read_site_assessments")
