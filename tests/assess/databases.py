"""Quick databases for tests: tables are created once; PostgreSQL databases are emptied and reused."""

from __future__ import annotations

import gzip
import shutil
import uuid
from pathlib import Path

import psycopg
from sqlalchemy import select
from tools.postgres import new_database

from doxel.assess.store.backup import BACKUP_TABLES
from doxel.assess.store.database import MIGRATIONS, open_store
from doxel.assess.store.database_schema import APPLIED, METADATA

__all__ = ["Postgres", "Sqlite", "everything", "lines"]


class Sqlite:
    """SQLite files, each a copy of one that has all tables."""

    def __init__(self, folder: Path) -> None:
        self._tables = folder / "tables.sqlite"
        open_store(self._tables).close()

    def take(self, folder: Path) -> str:
        """Return a database without rows."""
        return str(shutil.copy(self._tables, folder / f"{uuid.uuid4().hex}.sqlite"))


class Postgres:
    """PostgreSQL databases that tests share, because creating one takes longer than most tests."""

    def __init__(self, server: str) -> None:
        self.server = server
        self._free: list[str] = []

    def take(self) -> str:
        """Return a database without rows."""
        if self._free:
            return self._free.pop()
        address = new_database(self.server)
        open_store(address).close()
        return address

    def give_back(self, address: str) -> None:
        """Empty a database, so that another test can use it."""
        names = [table.name for table in METADATA.sorted_tables if table is not APPLIED]
        with psycopg.connect(address, autocommit=True, options="-c lock_timeout=300000") as connection:
            connection.execute("SET session_replication_role = replica")  # events let nobody delete them
            for name in names:
                connection.execute(f"DELETE FROM {name}")  # noqa: S608 -- our own tables
            connection.execute(f"DELETE FROM {APPLIED.name} WHERE name <> ALL(%s)", [list(MIGRATIONS)])  # noqa: S608
        self._free.append(address)


def everything(store):
    """Return the rows of all tables that a backup contains."""
    with store.read() as connection:
        return {
            table.name: connection.execute(select(table).order_by(*table.primary_key.columns)).all()
            for table in BACKUP_TABLES
        }


def lines(path):
    """Return the lines of a backup."""
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)
