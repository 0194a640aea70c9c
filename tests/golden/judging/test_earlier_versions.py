"""Databases and backups of earlier versions are migrated to the current schema without loss."""

import gzip
import hashlib
import json
import sqlite3
from contextlib import closing
from itertools import groupby
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import inspect, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from tools.postgres import new_database as empty_postgres

from assess.saying import arrival, send
from doxel.assess.judging_events import Arrival
from doxel.assess.store import database_schema
from doxel.assess.store.assignments import (
    create_assignment,
    find_progress,
    list_assignments,
    make_official,
)
from doxel.assess.store.backup import BACKUP_TABLES, restore_backup, write_backup
from doxel.assess.store.database import MIGRATIONS, Store, migrate, open_store, parse_database_url
from doxel.assess.store.event_log import read_events, read_state
from doxel.assess.store.pooled_documents import bind_collection
from doxel.errors import InputError

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
    """The address of a database with an assignment, from before assignments had a snapping unit."""
    if not database.startswith("postgresql"):
        Path(database).touch()
    names = list(MIGRATIONS)
    migrations = {name: MIGRATIONS[name] for name in names[: names.index(BEFORE_SNAPPING) + 1]}
    monkeypatch.setattr("doxel.assess.store.database.MIGRATIONS", migrations)
    store = Store(parse_database_url(database))
    with store.write() as connection:
        assert migrate(connection) == list(migrations)
        connection.execute(database_schema.USERS.insert().values(USER))
        connection.exec_driver_sql(f"INSERT INTO pools {POOL}")
    store.close()
    monkeypatch.undo()
    return database


def test_assignments_of_an_earlier_version_snap_to_words(early):
    store = open_store(early)
    with store.read() as connection:
        progress = find_progress(connection, 1)
        assert (progress.snapping, progress.scale, progress.official, progress.locked) == (
            "word",
            "2005",
            True,
            False,
        )
        applied = connection.execute(select(database_schema.APPLIED.c.name)).scalars().all()
    store.close()
    assert sorted(applied) == sorted(MIGRATIONS)


def write_backup_lines(path, lines):
    """Write the lines of a backup, ending with their digest."""
    raw = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]
    end = {**lines[-1], "sha256": hashlib.sha256(b"".join(raw[:-1])).hexdigest()}
    path.write_bytes(gzip.compress(b"".join(raw[:-1]) + json.dumps(end).encode() + b"\n"))


# A database of each kind and a backup, all written by doxel 1.0 and with the same rows: topic 1 of anna
# (locked) and of ben (official); topic 2 of anna (locked), handed over to ben (official).  The databases also
# have a session, and a snapshot that lacks the last events of its document.  The same rows as a later schema,
# with assignments instead of pools and without the steps of events, are in another folder.
OLD = Path(__file__).parent / "version-1.0"
FOLDERS = {"version 1.0": OLD, "schema 0007": Path(__file__).parent / "schema-0007"}
RENAMED_TABLES = {"pools": "assignments"}
RENAMED_COLUMNS = {"pool_id": "assignment_id"}
NEW_COLUMNS = {"events": {"step": None, "reverts": None}}
ADDED_COLUMNS = {"partial": False}  # of assignments


def read_old_lines():
    """Return the lines of the old backup, read without the code under test."""
    return [json.loads(line) for line in gzip.decompress((OLD / "backup.gz").read_bytes()).splitlines()]


def read_old_rows():
    """Return the rows of the old backup by table, with the names of today."""
    lines = read_old_lines()
    assert lines[0]["migrations"][-1] == "0006-snapping-of-pools"
    rows = {
        RENAMED_TABLES.get(name, name): [
            {**rename_columns(line["row"]), **NEW_COLUMNS.get(name, {})} for line in group
        ]
        for name, group in groupby(lines[1:-1], key=lambda line: line["table"])
    }
    return {**{table.name: [] for table in BACKUP_TABLES}, **rows}


def rename_columns(row):
    added = ADDED_COLUMNS if "snapping" in row else {}
    return {**{RENAMED_COLUMNS.get(name, name): value for name, value in row.items()}, **added}


def read_rows(connection):
    return {
        table.name: [
            dict(row)
            for row in connection.execute(select(table).order_by(*table.primary_key.columns)).mappings()
        ]
        for table in BACKUP_TABLES
    }


def load_old_database(address, folder=OLD):
    """Create a database as an earlier version left it."""
    if address.startswith("postgresql"):
        with psycopg.connect(address) as connection:
            connection.execute((folder / "postgresql.sql").read_text(encoding="utf-8"))
    else:
        with closing(sqlite3.connect(address)) as connection:
            connection.executescript((folder / "sqlite.sql").read_text(encoding="utf-8"))


@pytest.fixture(params=FOLDERS.values(), ids=FOLDERS)
def folder(request):
    """The folder of an earlier version."""
    return request.param


@pytest.fixture
def migrated(database, folder):
    """A database of an earlier version, opened."""
    load_old_database(database, folder)
    with open_store(database) as store:
        yield store


@pytest.fixture(params=["migrated", "restored"])
def kept(request, database, folder):
    """The data of an earlier version in a database of today: its own, migrated, or a new one, restored."""
    if request.param == "migrated":
        load_old_database(database, folder)
    with open_store(database) as store:
        if request.param == "restored":
            restore_backup(store, folder / "backup.gz")
        yield store


def describe_tables(connection):
    """Return columns, indexes and keys of all tables."""
    inspector = inspect(connection)
    return {
        table: {
            "columns": {column["name"]: str(column["type"]) for column in inspector.get_columns(table)},
            "indexes": {index["name"]: index["column_names"] for index in inspector.get_indexes(table)},
            "primary key": inspector.get_pk_constraint(table)["constrained_columns"],
            "foreign keys": {
                (*key["constrained_columns"], key["referred_table"], *key["referred_columns"])
                for key in inspector.get_foreign_keys(table)
            },
        }
        for table in inspector.get_table_names()
    }


def test_a_backup_from_before_snapping_is_restored(tmp_path, new_database):
    lines = read_old_lines()
    for line in lines:
        line.get("row", {}).pop("snapping", None)
    lines[0]["migrations"].remove("0006-snapping-of-pools")
    write_backup_lines(tmp_path / "then.gz", lines)
    with open_store(new_database["sqlite"]()) as store:
        restore_backup(store, tmp_path / "then.gz")
        with store.read() as connection:
            assert {item.snapping for item in list_assignments(connection)} == {"word"}


def test_the_old_names_are_refused_in_a_backup_of_today(tmp_path, new_database):
    lines = read_old_lines()
    lines[0]["migrations"].append("0007-assignments")
    write_backup_lines(tmp_path / "mixed.gz", lines)
    with (
        open_store(new_database["sqlite"]()) as store,
        pytest.raises(InputError, match=r"wanted one of the tables .*, found 'pools'"),
    ):
        restore_backup(store, tmp_path / "mixed.gz")


def test_every_row_of_version_1_is_kept(kept):
    with kept.read() as connection:
        assert read_rows(connection) == read_old_rows()


def test_a_backup_of_version_1_has_counts_of_rows_by_today_s_tables(new_database, folder):
    with open_store(new_database["sqlite"]()) as store:
        counts = restore_backup(store, folder / "backup.gz")
    assert counts == {name: len(rows) for name, rows in read_old_rows().items()}


def test_snapshots_and_sessions_of_version_1_are_kept(migrated):
    with migrated.read() as connection:
        (snapshot,) = connection.execute(select(database_schema.SNAPSHOTS)).all()
        assert snapshot[:3] == (1, "apples", 5)
        assert len(connection.execute(select(database_schema.SESSIONS)).all()) == 1


def test_a_database_of_version_1_gets_the_tables_of_a_new_one(migrated, tmp_path, request):
    if migrated.is_sqlite:
        address = str(tmp_path / "new.sqlite")
    else:
        address = empty_postgres(request.getfixturevalue("postgres").server)
    with open_store(address) as new, new.read() as connection:
        tables = describe_tables(connection)
    with migrated.read() as connection:
        assert describe_tables(connection) == tables
    assert tables.keys() == database_schema.METADATA.tables.keys()
    for name, table in database_schema.METADATA.tables.items():
        assert tables[name]["columns"].keys() == set(table.columns.keys())
        assert tables[name]["indexes"].keys() >= {index.name for index in table.indexes}
        assert tables[name]["foreign keys"] == {
            (key.parent.name, key.column.table.name, key.column.name) for key in table.foreign_keys
        }


def test_assignments_and_states_of_version_1_are_kept(kept):
    with kept.read() as connection:
        assignments = list_assignments(connection)
        assert [(item.topic, item.assessor, item.scale, item.snapping) for item in assignments] == [
            ("1", "anna", "2006", "word"),
            ("1", "ben", "2006", "sentence"),
            ("2", "anna", "2005", "free"),
            ("2", "ben", "2005", "free"),
        ]
        assert [item.official for item in assignments] == [False, True, False, True]
        assert [item.locked for item in assignments] == [True, False, True, False]
        assert [(item.validated, item.open) for item in assignments] == [(1, 1), (1, 1), (0, 1), (0, 1)]
        state, seq = read_state(connection, 1, "apples")
        assert (state.highlights, state.bep, state.note, seq) == (((6, 17), (42, 46)), 6, "ripe 🍏", 7)
        assert state.validated
        assert state.pooled_shown


def test_work_of_version_1_goes_on(kept, library):
    """An event that is sent again is recognised, and new ones get the next numbers."""
    with kept.write() as connection:
        bind_collection(connection, library)
        (old,) = [event for event in read_events(connection, 2, "apples") if event.event.kind == "highlight"]
    again = Arrival("apples", old.client, old.sequence, library["apples"].fingerprint, old.event)
    new = arrival(library, 0, "note", {"text": "more"})
    outcomes = send(kept, library, again, new, user=2, assignment=2)
    assert [(outcome.status, outcome.seq) for outcome in outcomes] == [("known", old.seq), ("stored", 13)]
    (locked,) = send(kept, library, new, user=1, assignment=1)
    assert (locked.status, locked.code) == ("refused", "locked")
    with kept.write() as connection:
        make_official(connection, 1)
        assert create_assignment(connection, "1", 3) == 5
        assert [item.official for item in list_assignments(connection, topic="1")] == [True, False, False]


def insert_like(table, **changes):
    """Return a statement that inserts a copy of the first row of a table, with changes."""
    row = {**read_old_rows()[table.name][0], **changes}
    return table.insert().values(row)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE events SET doc = 'pears' WHERE seq = 1", "events are never changed"),
        ("DELETE FROM events WHERE seq = 1", "events are never changed"),
    ],
)
def test_events_of_version_1_stay_append_only(kept, statement, message):
    with pytest.raises(DBAPIError, match=message), kept.write() as connection:
        connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        insert_like(database_schema.EVENTS, seq=99, origin="x", assignment_id=99),
        insert_like(database_schema.EVENTS, seq=99),
        insert_like(database_schema.ASSIGNMENTS, id=99, user_id=3, official=True),
        insert_like(database_schema.ASSIGNMENTS, id=99),
        insert_like(database_schema.ASSIGNMENTS, id=99, user_id=99),
    ],
    ids=["unknown assignment", "same origin", "second official", "same assessor", "unknown user"],
)
def test_the_constraints_of_version_1_still_hold(kept, statement):
    with pytest.raises(IntegrityError), kept.write() as connection:
        connection.execute(statement)


def test_a_backup_of_version_1_can_be_backed_up_again(kept, tmp_path, new_database):
    counts = write_backup(kept, tmp_path / "again.gz")
    with open_store(new_database["sqlite"]()) as store:
        assert restore_backup(store, tmp_path / "again.gz") == counts
        with store.read() as connection:
            assert read_rows(connection) == read_old_rows()
