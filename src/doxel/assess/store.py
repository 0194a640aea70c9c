"""The database of an assessment: users, documents to judge, assignments and events.

The way of an event: :mod:`~doxel.assess.store.event_writer` checks it against
:mod:`~doxel.assess.store.assignments` and :mod:`~doxel.assess.store.pooled_documents` and appends it;
:mod:`~doxel.assess.store.event_log` reads it back as part of a state.

:mod:`~doxel.assess.store.database` opens SQLite or PostgreSQL and migrates it to the
:mod:`~doxel.assess.store.database_schema`; :mod:`~doxel.assess.store.accounts` holds users and sessions;
:mod:`~doxel.assess.store.backup` writes and restores everything in one file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, create_engine, event, func, make_url, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from doxel.assess.migrations import migrate, missing
from doxel.errors import InputError, MissingExtraError

__all__ = ["Store", "database_url", "next_id", "open_store"]

_WRITE_LOCK = 0x646F78656C  # "doxel": the number of the advisory lock
_CONNECTIONS = 20
_SYNCHRONOUS = "FULL"  # a SQLite commit returns when the data is on disk
_PATIENCE = 30_000  # milliseconds that a writer waits for the lock


def database_url(database: str | os.PathLike[str]) -> URL:
    """Return the SQLAlchemy address of a PostgreSQL database or of a SQLite file.

    >>> database_url("postgresql://anna@db/campaign").drivername
    'postgresql+psycopg'
    >>> database_url("campaign.sqlite").drivername
    'sqlite'
    """
    text = os.fspath(database)
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).absolute()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        wanted = "a file, or postgresql://..."
        raise InputError("a database", wanted=wanted, found=str(error)) from None
    if url.drivername in {"postgresql", "postgres", "postgresql+psycopg"}:
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite" and url.database and url.database != ":memory:":
        return URL.create("sqlite", database=str(Path(url.database).absolute()))
    raise InputError("a database", wanted="a file, or postgresql://...", found=f"{url.drivername}://")


def open_store(database: str | os.PathLike[str], *, create: bool = True) -> Store:
    """Open a database and apply missing migrations; with ``create``, make a database that does not exist."""
    url = database_url(database)
    if url.drivername == "sqlite":
        _prepare_file(Path(str(url.database)), create=create)
    store = Store(url)
    try:
        _bring_up_to_date(store)
    except DBAPIError as error:
        store.close()
        problem = str(error.orig).strip().splitlines()[0]
        raise InputError("cannot use the database", file=store.name, found=problem) from None
    except InputError:
        store.close()
        raise
    return store


def _bring_up_to_date(store: Store) -> None:
    with store.read() as connection:  # most need nothing, and a reader must not wait for writers
        if not missing(connection):
            return
    with store.write() as connection:
        migrate(connection)


def _prepare_file(path: Path, *, create: bool) -> None:
    """Create an empty file that only its owner may read, because it will hold password hashes."""
    if path.exists():
        return
    if not create:
        wanted = "a database created by 'doxel assess'"
        raise InputError("no database", file=str(path), wanted=wanted, found="no file")
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


class Store:
    """A database that any number of threads may use."""

    def __init__(self, url: URL) -> None:
        self.name = url.render_as_string(hide_password=True) if url.host else str(url.database)
        self.is_sqlite = url.drivername == "sqlite"
        try:
            self._engine = _sqlite_engine(url) if self.is_sqlite else _postgres_engine(url)
        except (ImportError, NoSuchModuleError):
            raise MissingExtraError("a PostgreSQL database", "postgres") from None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read transaction that sees one snapshot of the database."""
        # every SQLite transaction sees one snapshot; PostgreSQL needs the isolation level
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            yield connection

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """Open a connection without a transaction, which is cheapest: each query sees its own snapshot."""
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        with self._engine.connect().execution_options(doxel_mode="look", **options) as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open the only write transaction; at the end it is committed, or rolled back after an error."""
        with self._engine.connect().execution_options(doxel_mode="write") as connection, connection.begin():
            if not self.is_sqlite:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITE_LOCK})")
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def next_id(connection: Connection, table: Table) -> int:
    """Return the next free id of a table; safe in a write transaction, because there is one at a time."""
    return int(connection.execute(select(func.max(table.c.id))).scalar() or 0) + 1


def _postgres_engine(url: URL) -> Engine:
    connect_args = {"options": f"-c lock_timeout={_PATIENCE}"}
    return create_engine(url, pool_size=_CONNECTIONS, max_overflow=0, connect_args=connect_args)


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url, pool_size=_CONNECTIONS, connect_args={"timeout": _PATIENCE / 1000})

    def configure_connection(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        for pragma in (
            "journal_mode=WAL",
            f"synchronous={_SYNCHRONOUS}",
            "foreign_keys=ON",
            f"busy_timeout={_PATIENCE}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    def begin_transaction(connection: Connection) -> None:
        mode = connection.get_execution_options().get("doxel_mode", "read")
        # a read transaction cannot be upgraded while another process writes: take the lock at once
        if mode != "look":
            connection.exec_driver_sql("BEGIN IMMEDIATE" if mode == "write" else "BEGIN")

    event.listen(engine, "connect", configure_connection)
    event.listen(engine, "begin", begin_transaction)
    return engine
