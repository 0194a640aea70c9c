"""Opening databases: migrations, durability and refusals; on both kinds."""

import re
from pathlib import Path

import pytest
from sqlalchemy import inspect, select

from doxel.assess.store import accounts, database_schema
from doxel.assess.store import database as module
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.database import MIGRATIONS, migrate, open_store, parse_database_url
from doxel.errors import InputError

DURABLE = module._SYNCHRONOUS  # before tests are spared to wait for the disk


def test_the_migrations_make_the_schema_and_are_applied_once(store):
    with store.write() as connection:
        assert migrate(connection) == []
        inspector = inspect(connection)
        for table in database_schema.METADATA.tables.values():
            columns = {column["name"] for column in inspector.get_columns(table.name)}
            assert columns == {column.name for column in table.columns}, table.name
        applied = connection.execute(select(database_schema.APPLIED.c.name)).scalars().all()
    assert sorted(applied) == sorted(MIGRATIONS)


def test_a_database_of_a_later_version_is_refused(store, database):
    with store.write() as connection:
        connection.execute(database_schema.APPLIED.insert().values(name="9999-later", at=0))
    with pytest.raises(InputError, match=r"later version.*9999-later"):
        open_store(database)


def test_opening_a_current_database_does_not_wait_for_a_writer(store, database):
    with store.write(), open_store(database) as other, other.read() as connection:
        assert list_assignments(connection) == []


def test_sqlite_commits_are_synchronous(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_SYNCHRONOUS", DURABLE)
    store = open_store(tmp_path / "a.sqlite")
    with store.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    store.close()
    assert (tmp_path / "a.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("address", ["mysql://a/b", "sqlite://", "nonsense://x", "postgresql://[::1"])
def test_other_databases_are_refused(address):
    with pytest.raises(InputError, match="a file, or postgresql"):
        parse_database_url(address)


def test_a_file_that_is_not_a_database_is_refused(tmp_path):
    (tmp_path / "a.sqlite").write_text("this is no database, however long one looks at it" * 20)
    with pytest.raises(InputError, match="not a database"):
        open_store(tmp_path / "a.sqlite")
    with pytest.raises(InputError, match="no database"):
        open_store(tmp_path / "b.sqlite", create=False)


def test_the_queries_of_every_batch_use_an_index(tmp_path):
    """SQLite would scan the whole log to find triples of user, client and sequence."""
    store = open_store(tmp_path / "a.sqlite")
    question = "EXPLAIN QUERY PLAN SELECT seq FROM events WHERE origin IN ('1:c:1', '1:c:2')"
    with store.read() as connection:
        plan = " ".join(str(row) for row in connection.exec_driver_sql(question))
        last = " ".join(
            str(row) for row in connection.exec_driver_sql("EXPLAIN QUERY PLAN SELECT max(seq) FROM events")
        )
    store.close()
    assert "USING COVERING INDEX" in plan or "USING INDEX" in plan
    assert "SCAN" not in plan
    assert last.count("SEARCH") == 1


def test_sql_is_never_built_from_user_input():
    """SQLAlchemy builds every statement with bound values; driver SQL contains constants only."""
    folder = Path(accounts.__file__).parent
    for path in folder.rglob("*.py"):
        code = path.read_text("utf-8")
        assert "sqlalchemy.text" not in code
        assert not re.search(r"import .*\btext\b", code.replace("text_", "")), path
        for inside in re.findall(r"exec_driver_sql\((.*)\)", code):
            names = set(re.findall(r"\{(\w+)\}|format\((.*?)\)", inside))
            assert names <= {("_PATIENCE", ""), ("_WRITE_LOCK", ""), ("", "action=action")}, (path, inside)
