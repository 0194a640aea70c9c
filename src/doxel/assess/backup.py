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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, select

from doxel._version import __version__
from doxel.assess import schema
from doxel.assess.clock import now, written
from doxel.assess.migrations import MIGRATIONS
from doxel.assess.store import Store
from doxel.errors import InputError
from doxel.files import atomic_write, explain_os_error

__all__ = ["backup", "restore"]

FORMAT = "doxel-assess-backup-1"
TABLES: tuple[Table, ...] = (
    schema.SETTINGS,
    schema.USERS,
    schema.POOLED,
    schema.POOLS,
    schema.EVENTS,
    schema.AUDIT,
)
_AT_ONCE = 1_000


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
    name = os.fspath(path)
    counts = _checked(name)
    with store.write() as connection:
        for table in TABLES:
            if connection.execute(select(func.count()).select_from(table)).scalar():
                raise InputError(
                    "a backup", file=name, wanted="an empty database", found=f"rows in {table.name}"
                )
        known = {table.name: table for table in TABLES}
        batch: list[dict[str, Any]] = []
        open_table: str | None = None
        for _, record in _records(name):
            if "row" not in record:
                continue
            if record["table"] != open_table or len(batch) >= _AT_ONCE:
                _insert(connection, known.get(open_table or ""), batch)
                open_table = record["table"]
            batch.append(record["row"])
        _insert(connection, known.get(open_table or ""), batch)
    return counts


def _insert(connection: Connection, table: Table | None, batch: list[dict[str, Any]]) -> None:
    if table is not None and batch:
        connection.execute(table.insert(), batch)
    batch.clear()


def _records(name: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
    line = 1
    try:
        with gzip.open(Path(name)) as stream:
            for raw in stream:
                yield raw, json.loads(raw)
                line += 1
    except OSError as error:
        raise InputError(f"cannot be read: {explain_os_error(error)}", file=name) from None
    except (EOFError, ValueError, zlib.error) as error:
        raise InputError("a backup", file=name, line=line, wanted="whole lines", found=str(error)) from None


def _checked(name: str) -> dict[str, int]:
    """Return how many rows a backup has, once it is clear that all of them are there, unchanged."""
    digest, counts, end = hashlib.sha256(), dict.fromkeys((table.name for table in TABLES), 0), None
    for number, (raw, record) in enumerate(_records(name), 1):
        if number == 1 and record.get("format") != FORMAT:
            raise InputError(
                "a backup", file=name, line=1, wanted=FORMAT, found=raw[:60].decode(errors="replace")
            )
        unknown = sorted(set(record.get("migrations", [])) - set(MIGRATIONS))
        if unknown:
            raise InputError("a backup of a later version", file=name, line=1, found=unknown[0])
        if "end" in record:
            end = record
            break
        digest.update(raw)
        if "row" in record:
            if record.get("table") not in counts:
                table = str(record.get("table"))
                raise InputError("a backup", file=name, line=number, wanted="a known table", found=table)
            counts[record["table"]] += 1
    if end is None or end["end"] != counts or end["sha256"] != digest.hexdigest():
        raise InputError("a backup", file=name, wanted="all rows, unchanged", found="less, or others")
    return counts
