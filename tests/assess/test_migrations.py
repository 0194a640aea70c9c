"""Databases and backups of earlier versions are migrated to the current schema without loss."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from sqlalchemy import select
from tools.postgres import new_database as empty_postgres

from doxel.assess.store import database_schema
from doxel.assess.store.assignments import find_progress
from doxel.assess.store.backup import restore_backup, write_backup
from doxel.assess.store.database import MIGRATIONS, Store, migrate, open_store, parse_database_url

POOL = "(id, topic, user_id, scale, official, locked, created) VALUES (1, '1', 1, '2005', true, false, 5)"
USER = {"id": 1, "name": "anna", "password_hash": "x", "role": "assessor", "disabled": False, "created": 5}
BEFORE_SNAPPING = "0005-events-are-append-only"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of a database without tables."""
    if request.param == "sqlite":
        return str(tmp_path / "early.sqlite")
    return empty_postgres(request.getfixturevalue("postgres").server)


@pytest.fixture
def early(database, monkeypatch):
    """The address of a database with a pool, from before pools had a snapping unit."""
    if not database.startswith("postgresql"):
        Path(database).touch()
    names = list(MIGRATIONS)
    known = {name: MIGRATIONS[name] for name in names[: names.index(BEFORE_SNAPPING) + 1]}
    monkeypatch.setattr("doxel.assess.store.database.MIGRATIONS", known)
    store = Store(parse_database_url(database))
    with store.write() as connection:
        assert migrate(connection) == list(known)
        connection.execute(database_schema.USERS.insert().values(USER))
        connection.exec_driver_sql(f"INSERT INTO pools {POOL}")
    store.close()
    monkeypatch.undo()
    return database


def test_pools_of_an_earlier_version_snap_to_words(early):
    store = open_store(early)
    with store.read() as connection:
        found = find_progress(connection, 1)
        assert (found.snapping, found.scale, found.official, found.locked) == ("word", "2005", True, False)
        applied = connection.execute(select(database_schema.APPLIED.c.name)).scalars().all()
    store.close()
    assert sorted(applied) == sorted(MIGRATIONS)


def test_a_backup_of_an_earlier_version_is_restored(early, tmp_path, new_database):
    store = open_store(early)
    write_backup(store, tmp_path / "now.gz")
    store.close()
    lines = [json.loads(line) for line in gzip.decompress((tmp_path / "now.gz").read_bytes()).splitlines()]
    for line in lines:
        line.get("row", {}).pop("snapping", None)
    lines[0]["migrations"].remove("0006-snapping-of-pools")
    write_backup_lines(tmp_path / "then.gz", lines)
    again = open_store(new_database["sqlite"]())
    restore_backup(again, tmp_path / "then.gz")
    with again.read() as connection:
        assert find_progress(connection, 1).snapping == "word"
    again.close()


def write_backup_lines(path, lines):
    """Write the lines of a backup, ending with their digest."""
    raw = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]
    end = {**lines[-1], "sha256": hashlib.sha256(b"".join(raw[:-1])).hexdigest()}
    path.write_bytes(gzip.compress(b"".join(raw[:-1]) + json.dumps(end).encode() + b"\n"))
