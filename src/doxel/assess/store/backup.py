"""Backup and restore: the whole database in one file, in the same format for SQLite and PostgreSQL.

The file is gzipped JSON Lines: a header, the rows of all tables at one moment, and an end line with their
counts and a checksum, so that a truncated file is detected.  The checksum protects against accidents, not
against forgers: before rows are committed, they are checked by the rules of the server.  Sessions,
invitations and readings of the guidelines are left out, and so are snapshots: users sign in again, and states
are folded again.  The file contains password hashes, so only its owner may read it.

The header lists the migrations of the database.  Rows from before a migration that renamed tables or columns
are translated when they are read.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Table, func, select
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from doxel._version import __version__
from doxel.assess.store import database_schema
from doxel.assess.store.backup_rules import check_restored_rows
from doxel.assess.store.database import MIGRATIONS, Store, build_database_error
from doxel.assess.store.database_schema import format_time, now
from doxel.assess.store.pooled_documents import Library
from doxel.errors import InputError
from doxel.files import explain_os_error, write_atomically
from doxel.wording import pluralise, quote_value

__all__ = [
    "BACKUP_TABLES",
    "check_backup",
    "describe_counts",
    "fill_database",
    "restore_backup",
    "write_backup",
]

BACKUP_FORMAT = "doxel-assess-backup-1"
BACKUP_TABLES: tuple[Table, ...] = (
    database_schema.SETTINGS,
    database_schema.USERS,
    database_schema.POOLED,
    database_schema.ASSIGNMENTS,
    database_schema.SHARES,
    database_schema.EVENTS,
    database_schema.ADJUDICATIONS,
    database_schema.LOOKS,
    database_schema.AUDIT,
)
_ROW_NOUNS = (
    "setting",
    "user",
    "pooled document",
    "assignment",
    "document in a share",
    "event",
    "source of adjudications",
    "look at the work of others",
    "line",
)  # the noun for a row of each table
_PLURALS = {
    "document in a share": "documents in shares",
    "source of adjudications": "sources of adjudications",
    "look at the work of others": "looks at the work of others",
}
_AT_ONCE = 1_000
_LONGEST_LINE = 100_000_000  # bytes; longer lines are not rows and would fill the memory
_TIMES, _END_OF_TIME = ("at", "created"), 253_402_300_800_000  # milliseconds: the end of the year 9999


def describe_counts(counts: Mapping[str, int]) -> str:
    """Format the number of rows per table as a sentence, without the tables that few campaigns use.

    >>> describe_counts(
    ...     {"settings": 2, "users": 1, "pooled_documents": 0, "assignments": 3, "events": 1200, "audit": 5}
    ... )
    '2 settings, 1 user, 0 pooled documents, 3 assignments, 1,200 events, 5 lines of the audit log'
    """
    rows = [
        pluralise(counts.get(table.name, 0), noun, _PLURALS.get(noun))
        for table, noun in zip(BACKUP_TABLES, _ROW_NOUNS, strict=True)
        if counts.get(table.name) or noun not in _PLURALS
    ]
    return f"{', '.join(rows)} of the audit log"


def write_backup(store: Store, path: str | os.PathLike[str]) -> dict[str, int]:
    """Write a backup of one moment, while others keep writing; return the number of rows per table."""
    counts: dict[str, int] = {}
    digest = hashlib.sha256()
    with (
        write_atomically(path, private=True) as stream,
        gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as packed,
    ):
        with store.read() as connection:
            for line in _encode_rows(connection, counts):
                digest.update(line)
                packed.write(line)
        packed.write(_encode_line({"end": counts, "sha256": digest.hexdigest()}))
    return counts


def _encode_rows(connection: Connection, counts: dict[str, int]) -> Iterator[bytes]:
    applied = connection.execute(select(database_schema.APPLIED.c.name)).scalars().all()
    head = {
        "format": BACKUP_FORMAT,
        "doxel": __version__,
        "at": format_time(now()),
        "migrations": sorted(applied),
    }
    yield _encode_line(head)
    for table in BACKUP_TABLES:
        counts[table.name] = 0
        query = select(table).order_by(*table.primary_key.columns)
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(query).mappings():
            counts[table.name] += 1
            yield _encode_line({"table": table.name, "row": dict(row)})


def _encode_line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def restore_backup(
    store: Store, path: str | os.PathLike[str], library: Library | None = None
) -> dict[str, int]:
    """Check a backup to its end, then fill an empty database from it; return the number of rows per table."""
    counts = check_backup(path)
    fill_database(store, path, library)
    return counts


def fill_database(store: Store, path: str | os.PathLike[str], library: Library | None = None) -> None:
    """Fill an empty database from a backup that :func:`check_backup` has accepted.

    Nothing is committed unless the server could have written every row.  Positions and paths are compared
    with the texts of a ``library``.
    """
    name = os.fspath(path)
    try:
        with store.write() as connection:
            _insert_rows(connection, name)
            check_restored_rows(connection, name, library)
    except OperationalError as error:  # a full disk, a lost connection
        raise build_database_error(store, error) from None
    except (SQLAlchemyError, OverflowError, TypeError, ValueError, AttributeError) as error:
        problem = str(getattr(error, "orig", None) or error)
        raise InputError("a backup", file=name, wanted="rows that fit the tables", found=problem) from None


def _insert_rows(connection: Connection, name: str) -> None:
    for table in BACKUP_TABLES:
        if connection.execute(select(func.count()).select_from(table)).scalar():
            wanted = "an empty database, such as --database NEW.sqlite"
            raise InputError("a backup", file=name, wanted=wanted, found=f"rows in {table.name}")
    tables = {table.name: table for table in BACKUP_TABLES}
    batch: list[dict[str, Any]] = []
    open_table: str | None = None
    for _, record in _read_records(name):
        if "end" in record:  # lines after it were not checked
            break
        if "row" not in record:
            continue
        if record["table"] != open_table or len(batch) >= _AT_ONCE:
            _insert_batch(connection, tables.get(open_table or ""), batch)
            open_table = record["table"]
        batch.append(record["row"])
    _insert_batch(connection, tables.get(open_table or ""), batch)


def _insert_batch(connection: Connection, table: Table | None, batch: list[dict[str, Any]]) -> None:
    if table is not None and batch:
        connection.execute(table.insert(), batch)
    batch.clear()


def _read_records(name: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the lines of a backup, raw and parsed, with the current names of tables and columns."""
    line, is_old = 1, False
    try:
        with gzip.open(Path(name)) as stream:
            for raw in iter(partial(stream.readline, _LONGEST_LINE), b""):
                record = _parse_object(raw)
                if line == 1:
                    migrations = record.get("migrations", [])
                    is_old = isinstance(migrations, list) and "0007-assignments" not in migrations
                yield raw, _rename_pools(record) if is_old else record
                line += 1
    except gzip.BadGzipFile:
        wanted = "a file that 'doxel assess backup' has written"
        raise InputError("cannot be read: not a backup", file=name, wanted=wanted) from None
    except OSError as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=name) from None
    except (EOFError, ValueError, RecursionError, zlib.error) as error:
        wanted = "one JSON object per line"
        raise InputError("a backup", file=name, line=line, wanted=wanted, found=str(error)) from None


def _parse_object(raw: bytes) -> dict[str, Any]:
    record = json.loads(raw)
    if isinstance(record, dict):
        return record
    raise ValueError(quote_value(record))


def _rename_pools(record: dict[str, Any]) -> dict[str, Any]:
    """Return a line from before pools were renamed to assignments, with the new names."""
    table, row, end = record.get("table"), record.get("row"), record.get("end")
    if table == "pools":
        return {**record, "table": "assignments"}
    if table == "events" and isinstance(row, dict):
        return {**record, "row": _rename_key(row, "pool_id", "assignment_id")}
    if isinstance(end, dict):
        return {**record, "end": _rename_key(end, "pools", "assignments")}
    return record


def _rename_key(record: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in record.items()}


def check_backup(path: str | os.PathLike[str]) -> dict[str, int]:
    """Check that a backup is complete and unchanged, and return the number of rows per table."""
    name = os.fspath(path)
    tables = {table.name: table for table in BACKUP_TABLES}
    digest, counts, end = hashlib.sha256(), dict.fromkeys(tables, 0), None
    for number, (raw, record) in enumerate(_read_records(name), 1):
        if number == 1:
            _check_head(record, raw, name)
        if "end" in record:
            end = record
            break
        digest.update(raw)
        if "row" in record:
            table, row = record.get("table"), record["row"]
            if not isinstance(table, str) or table not in tables:
                wanted = f"one of the tables {', '.join(tables)}"
                raise InputError("a backup", file=name, line=number, wanted=wanted, found=quote_value(table))
            _check_row(row, tables[table], name, number)
            counts[table] += 1
    # a backup of an earlier version does not count the rows of later tables
    if end is None or not _is_end(end, counts) or end.get("sha256") != digest.hexdigest():
        found = "missing or changed rows"
        raise InputError("a backup", file=name, wanted="all rows, unchanged", found=found)
    return counts


def _is_end(end: dict[str, Any], counts: Mapping[str, int]) -> bool:
    """Return whether the last line counts the rows before it; tables that it leaves out have none."""
    return isinstance(end["end"], dict) and {**dict.fromkeys(counts, 0), **end["end"]} == counts


def _check_row(row: Any, table: Table, name: str, line: int) -> None:
    """Reject a row without the columns of its table, or with values that the server never writes.

    Columns with a server default may be missing.
    """
    required_columns = {
        column.name for column in table.columns if not column.nullable and not column.server_default
    }
    wanted, refused_value = f"a row of {table.name}: {', '.join(table.columns.keys())}", row
    if isinstance(row, dict) and required_columns <= row.keys() <= set(table.columns.keys()):
        misfits = [key for key, value in row.items() if not _fits_column(value, table.columns[key])]
        if not misfits:
            return
        wanted, refused_value = f"a row of {table.name} with a valid {misfits[0]}", row[misfits[0]]
    raise InputError("a backup", file=name, line=line, wanted=wanted, found=quote_value(refused_value))


def _fits_column(value: Any, column: Column[Any]) -> bool:
    """Return whether the server could have written a value; SQLite itself takes values of any type."""
    if value is None or type(value) is not column.type.python_type:
        return value is None and bool(column.nullable)
    if column.name in _TIMES:
        return bool(0 <= value < _END_OF_TIME)
    return not (column.primary_key and isinstance(value, int)) or bool(value >= 0)


def _check_head(head: dict[str, Any], raw: bytes, name: str) -> None:
    """Reject files that are not backups, and backups of a later version."""
    migrations = head.get("migrations", [])
    if head.get("format") != BACKUP_FORMAT or not isinstance(migrations, list):
        start = raw[:60].decode(errors="replace")
        raise InputError("a backup", file=name, line=1, wanted=BACKUP_FORMAT, found=start)
    later_migrations = [migration for migration in migrations if migration not in list(MIGRATIONS)]
    if later_migrations:
        problem = "the backup was written by a later version of doxel"
        raise InputError(problem, file=name, line=1, found=quote_value(later_migrations[0]))
