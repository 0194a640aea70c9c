"""Backup and restore: everything in one file, the same for both databases.

One JSON object a line, compressed: what the file is, the rows of all tables as they were at one moment,
and at the end how many there were, so that a file that was cut short is noticed.  Sessions and snapshots
are not kept: people sign in again, states are folded again.  The file holds the hashes of passwords, and
only its owner may read it.
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

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.exc import SQLAlchemyError

from doxel._version import __version__
from doxel.assess import schema
from doxel.assess.clock import now, written
from doxel.assess.migrations import MIGRATIONS
from doxel.assess.store import Store
from doxel.errors import InputError
from doxel.files import atomic_write, explain_os_error
from doxel.wording import counted, shown

__all__ = ["TABLES", "backup", "check", "fill", "restore", "told"]

FORMAT = "doxel-assess-backup-1"
TABLES: tuple[Table, ...] = (
    schema.SETTINGS,
    schema.USERS,
    schema.POOLED,
    schema.POOLS,
    schema.EVENTS,
    schema.AUDIT,
)
_ROWS = ("setting", "user", "pooled document", "pool", "event", "line")  # what people call a row of each
_AT_ONCE = 1_000
_LONGEST_LINE = 100_000_000  # bytes: a longer one is no row, and would only fill the memory


def told(counts: Mapping[str, int]) -> str:
    """Say how many rows there are, by table.

    >>> told({"settings": 2, "users": 1, "pooled_documents": 0, "pools": 3, "events": 1200, "audit": 5})
    '2 settings, 1 user, 0 pooled documents, 3 pools, 1,200 events, 5 lines of the audit log'
    """
    rows = [counted(counts[table.name], noun) for table, noun in zip(TABLES, _ROWS, strict=True)]
    return f"{', '.join(rows)} of the audit log"


def backup(store: Store, path: str | os.PathLike[str]) -> dict[str, int]:
    """Write all rows, as they are at one moment, while others go on; return how many of each table."""
    counts: dict[str, int] = {}
    digest = hashlib.sha256()
    with (
        atomic_write(path, private=True) as stream,
        gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as packed,
    ):
        with store.read() as connection:
            for line in _lines(connection, counts):
                digest.update(line)
                packed.write(line)
        packed.write(_line({"end": counts, "sha256": digest.hexdigest()}))
    return counts


def _lines(connection: Connection, counts: dict[str, int]) -> Iterator[bytes]:
    applied = connection.execute(select(schema.APPLIED.c.name)).scalars().all()
    head = {"format": FORMAT, "doxel": __version__, "at": written(now()), "migrations": sorted(applied)}
    yield _line(head)
    for table in TABLES:
        counts[table.name] = 0
        question = select(table).order_by(*table.primary_key.columns)
        for row in connection.execution_options(yield_per=_AT_ONCE).execute(question).mappings():
            counts[table.name] += 1
            yield _line({"table": table.name, "row": dict(row)})


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def restore(store: Store, path: str | os.PathLike[str]) -> dict[str, int]:
    """Fill an empty database from a backup; the file is checked to its end before anything is written."""
    counts = check(path)
    fill(store, path)
    return counts


def fill(store: Store, path: str | os.PathLike[str]) -> None:
    """Fill an empty database from a backup that was checked."""
    name = os.fspath(path)
    try:
        with store.write() as connection:
            _fill(connection, name)
    except (SQLAlchemyError, OverflowError, TypeError, ValueError, AttributeError) as error:
        found = str(getattr(error, "orig", None) or error)
        raise InputError("a backup", file=name, wanted="rows that fit the tables", found=found) from None


def _fill(connection: Connection, name: str) -> None:
    for table in TABLES:
        if connection.execute(select(func.count()).select_from(table)).scalar():
            raise InputError("a backup", file=name, wanted="an empty database", found=f"rows in {table.name}")
    known = {table.name: table for table in TABLES}
    batch: list[dict[str, Any]] = []
    open_table: str | None = None
    for _, record in _records(name):
        if "end" in record:  # nothing after it was checked
            break
        if "row" not in record:
            continue
        if record["table"] != open_table or len(batch) >= _AT_ONCE:
            _insert(connection, known.get(open_table or ""), batch)
            open_table = record["table"]
        batch.append(record["row"])
    _insert(connection, known.get(open_table or ""), batch)


def _insert(connection: Connection, table: Table | None, batch: list[dict[str, Any]]) -> None:
    if table is not None and batch:
        connection.execute(table.insert(), batch)
    batch.clear()


def _records(name: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the lines of a backup with what they say."""
    line = 1
    try:
        with gzip.open(Path(name)) as stream:
            for raw in iter(partial(stream.readline, _LONGEST_LINE), b""):
                yield raw, _object(raw)
                line += 1
    except OSError as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=name) from None
    except (EOFError, ValueError, RecursionError, zlib.error) as error:
        raise InputError("a backup", file=name, line=line, wanted="whole lines", found=str(error)) from None


def _object(raw: bytes) -> dict[str, Any]:
    record = json.loads(raw)
    if isinstance(record, dict):
        return record
    raise ValueError(f"no object: {shown(record)}")


def check(path: str | os.PathLike[str]) -> dict[str, int]:
    """Return how many rows a backup has, once it is clear that all of them are there, unchanged."""
    name = os.fspath(path)
    known = {table.name: table for table in TABLES}
    digest, counts, end = hashlib.sha256(), dict.fromkeys(known, 0), None
    for number, (raw, record) in enumerate(_records(name), 1):
        if number == 1:
            _check_head(record, raw, name)
        if "end" in record:
            end = record
            break
        digest.update(raw)
        if "row" in record:
            table = record.get("table")
            if not isinstance(table, str) or table not in known:
                found = shown(table)
                raise InputError("a backup", file=name, line=number, wanted="a known table", found=found)
            if not _fits(record["row"], known[table]):
                wanted = f"a row of {table}: {', '.join(known[table].columns.keys())}"
                found = shown(record["row"])
                raise InputError("a backup", file=name, line=number, wanted=wanted, found=found)
            counts[table] += 1
    if end is None or end["end"] != counts or end.get("sha256") != digest.hexdigest():
        raise InputError("a backup", file=name, wanted="all rows, unchanged", found="less, or others")
    return counts


def _fits(row: Any, table: Table) -> bool:
    """Tell whether a row has the columns of a table; what the database can fill in may be missing."""
    needed = {column.name for column in table.columns if not column.nullable and not column.server_default}
    return isinstance(row, dict) and needed <= row.keys() <= set(table.columns.keys())


def _check_head(head: dict[str, Any], raw: bytes, name: str) -> None:
    """Refuse what is no backup, or one that only a later version can read."""
    migrations = head.get("migrations", [])
    if head.get("format") != FORMAT or not isinstance(migrations, list):
        found = raw[:60].decode(errors="replace")
        raise InputError("a backup", file=name, line=1, wanted=FORMAT, found=found)
    unknown = [one for one in migrations if one not in list(MIGRATIONS)]
    if unknown:
        raise InputError("a backup of a later version", file=name, line=1, found=shown(unknown[0]))
