"""Access to the database, SQLite in a file or PostgreSQL: many readers, one writer at a time.

A write transaction first takes the write lock: SQLite's own, or an advisory lock of PostgreSQL.  So writes
are serialised across processes, and the order of commits is the order of event numbers.  A commit returns
when the data is on disk; SQLite uses a write-ahead log.

Named migrations bring a database of any age to the current schema, each applied once.  A migration is never
changed after a release.  When a later one alters a table that an earlier one creates from
:mod:`doxel.assess.store.database_schema`, the earlier one gets a copy of the table as it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    func,
    inspect,
    make_url,
    select,
    true,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from doxel.assess.store import database_schema
from doxel.assess.store.database_schema import now
from doxel.errors import InputError, MissingExtraError

__all__ = [
    "MIGRATIONS",
    "Store",
    "build_database_error",
    "find_next_id",
    "migrate",
    "open_store",
    "parse_database_url",
]

_WRITE_LOCK = 0x646F78656C  # "doxel": the number of the advisory lock
_CONNECTIONS = 20
_SYNCHRONOUS = "FULL"  # a SQLite commit returns when the data is on disk
_PATIENCE = 30_000  # milliseconds that a writer waits for the lock


def parse_database_url(database: str | os.PathLike[str]) -> URL:
    """Return the SQLAlchemy address of a PostgreSQL database or of a SQLite file.

    >>> parse_database_url("postgresql://anna@db/campaign").drivername
    'postgresql+psycopg'
    >>> parse_database_url("campaign.sqlite").drivername
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
    url = parse_database_url(database)
    is_new = url.drivername == "sqlite" and _prepare_file(Path(str(url.database)), create=create)
    store = Store(url, is_new=is_new)
    try:
        _bring_up_to_date(store)
    except DBAPIError as error:
        store.abandon()
        raise build_database_error(store, error) from None
    except BaseException:
        store.abandon()
        raise
    return store


def build_database_error(store: Store, error: DBAPIError) -> InputError:
    """Return the error for a database that cannot be used, such as one on a full disk."""
    problem = str(error.orig).strip().splitlines()[0].replace("file is not", "a file that is not")
    return InputError("cannot use the database", file=store.name, found=problem)


def _bring_up_to_date(store: Store) -> None:
    with store.read() as connection:  # most need nothing, and a reader must not wait for writers
        if not find_missing_migrations(connection):
            return
    with store.write() as connection:
        migrate(connection)


def _prepare_file(path: Path, *, create: bool) -> bool:
    """Create an empty file that only its owner may read, because it will hold password hashes.

    Return whether the file is new.
    """
    if path.exists():
        return False
    if not create:
        wanted = "--campaign, --database, or a database that 'doxel assess serve' or 'user add' creates"
        raise InputError("no database", file=str(path), wanted=wanted, found="no file")
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    return True


class Store:
    """A database that any number of threads may use."""

    def __init__(self, url: URL, *, is_new: bool = False) -> None:
        self._is_new = is_new
        self.name = url.render_as_string(hide_password=True) if url.host else str(url.database)
        self.is_sqlite = url.drivername == "sqlite"
        try:
            self._engine = _create_sqlite_engine(url) if self.is_sqlite else _create_postgres_engine(url)
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

    def abandon(self) -> None:
        """Close all connections, and remove a SQLite file that this store created."""
        self.close()
        for suffix in ("", "-wal", "-shm") if self._is_new else ():
            Path(f"{Path(self.name).resolve()}{suffix}").unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def find_next_id(connection: Connection, table: Table) -> int:
    """Return the next free id of a table; safe in a write transaction, because there is one at a time."""
    return int(connection.execute(select(func.max(table.c.id))).scalar() or 0) + 1


def _create_postgres_engine(url: URL) -> Engine:
    connect_args = {"options": f"-c lock_timeout={_PATIENCE}"}
    return create_engine(url, pool_size=_CONNECTIONS, max_overflow=0, connect_args=connect_args)


def _create_sqlite_engine(url: URL) -> Engine:
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


_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def _create_accounts(connection: Connection) -> None:
    tables = [database_schema.SETTINGS, database_schema.USERS, database_schema.SESSIONS]
    database_schema.METADATA.create_all(connection, tables, checkfirst=False)


def _create_pools(connection: Connection) -> None:
    database_schema.METADATA.create_all(connection, [database_schema.POOLED], checkfirst=False)
    old_schema = MetaData()
    database_schema.USERS.to_metadata(old_schema)
    pools = Table(
        "pools",
        old_schema,
        Column("id", _NUMBER, primary_key=True, autoincrement=False),
        Column("topic", String(200), nullable=False),
        Column("user_id", _NUMBER, ForeignKey("users.id"), nullable=False, index=True),
        Column("scale", String(20), nullable=False),
        Column("official", Boolean, nullable=False),
        Column("locked", Boolean, nullable=False),
        Column("created", BigInteger, nullable=False),
        UniqueConstraint("topic", "user_id"),
    )
    is_official = pools.c.official == true()
    Index(
        "one_official_pool",
        pools.c.topic,
        unique=True,
        sqlite_where=is_official,
        postgresql_where=is_official,
    )
    old_schema.create_all(connection, [pools], checkfirst=False)


def _create_events(connection: Connection) -> None:
    old_schema = MetaData()
    database_schema.USERS.to_metadata(old_schema)
    Table("pools", old_schema, Column("id", _NUMBER, primary_key=True))  # exists: for the foreign key only
    events = Table(
        "events",
        old_schema,
        Column("seq", _NUMBER, primary_key=True, autoincrement=False),
        Column("pool_id", _NUMBER, ForeignKey("pools.id"), nullable=False),
        Column("doc", Text, nullable=False),
        Column("user_id", _NUMBER, ForeignKey("users.id"), nullable=False),
        Column("client", String(80), nullable=False),
        Column("sequence", BigInteger, nullable=False),
        Column("fingerprint", String(64), nullable=False),
        Column("kind", String(20), nullable=False),
        Column("body", Text, nullable=False),
        Column("at", BigInteger, nullable=False),
        Column("origin", String(160), nullable=False, unique=True),
    )
    Index("events_of_a_document", events.c.pool_id, events.c.doc, events.c.seq)
    snapshots = Table(
        "snapshots",
        old_schema,
        Column("pool_id", _NUMBER, primary_key=True, autoincrement=False),
        Column("doc", Text, primary_key=True),
        Column("seq", BigInteger, nullable=False),
        Column("state", Text, nullable=False),
    )
    old_schema.create_all(connection, [events, snapshots], checkfirst=False)


def _create_audit(connection: Connection) -> None:
    database_schema.METADATA.create_all(connection, [database_schema.AUDIT], checkfirst=False)


_SQLITE_GUARD = (
    "CREATE TRIGGER events_stay_{action} BEFORE {action} ON events "
    "BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"
)
_POSTGRES_GUARD = (
    "CREATE FUNCTION events_stay() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'events are never changed'; END $$"
)


def _make_append_only(connection: Connection) -> None:
    """Add triggers so that the database itself refuses to change or delete an event."""
    if connection.dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            connection.exec_driver_sql(_SQLITE_GUARD.format(action=action))
    else:
        connection.exec_driver_sql(_POSTGRES_GUARD)
        connection.exec_driver_sql(
            "CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events "
            "FOR EACH STATEMENT EXECUTE FUNCTION events_stay()"
        )


def _add_snapping(connection: Connection) -> None:
    """Add the unit to which selections snap, for each pool."""
    connection.exec_driver_sql("ALTER TABLE pools ADD COLUMN snapping VARCHAR(20) DEFAULT 'word' NOT NULL")


def _rename_pools(connection: Connection) -> None:
    """Call the work of one assessor on one topic an assignment; renaming copies and loses nothing."""
    connection.exec_driver_sql("ALTER TABLE pools RENAME TO assignments")
    connection.exec_driver_sql("ALTER TABLE events RENAME COLUMN pool_id TO assignment_id")
    connection.exec_driver_sql("ALTER TABLE snapshots RENAME COLUMN pool_id TO assignment_id")
    if connection.dialect.name == "sqlite":  # it cannot rename an index
        connection.exec_driver_sql("DROP INDEX one_official_pool")
        connection.exec_driver_sql("DROP INDEX ix_pools_user_id")
        connection.exec_driver_sql(
            "CREATE UNIQUE INDEX one_official_assignment ON assignments (topic) WHERE official = 1"
        )
        connection.exec_driver_sql("CREATE INDEX ix_assignments_user_id ON assignments (user_id)")
    else:
        connection.exec_driver_sql("ALTER INDEX one_official_pool RENAME TO one_official_assignment")
        connection.exec_driver_sql("ALTER INDEX ix_pools_user_id RENAME TO ix_assignments_user_id")


def _add_steps_and_adjudications(connection: Connection) -> None:
    """Add the steps of events, which undo needs, and the tables of adjudications and of looks."""
    connection.exec_driver_sql("ALTER TABLE events ADD COLUMN step VARCHAR(80)")
    connection.exec_driver_sql("ALTER TABLE events ADD COLUMN reverts VARCHAR(80)")
    tables = [database_schema.ADJUDICATIONS, database_schema.LOOKS]
    database_schema.METADATA.create_all(connection, tables, checkfirst=False)


def _create_invitations(connection: Connection) -> None:
    tables = [database_schema.INVITATIONS, database_schema.READINGS]
    database_schema.METADATA.create_all(connection, tables, checkfirst=False)


def _create_shares(connection: Connection) -> None:
    """Let an assignment have some documents of a topic; several such assignments may be official."""
    database_schema.METADATA.create_all(connection, [database_schema.SHARES], checkfirst=False)
    connection.exec_driver_sql("ALTER TABLE assignments ADD COLUMN partial BOOLEAN DEFAULT FALSE NOT NULL")
    connection.exec_driver_sql("DROP INDEX one_official_assignment")
    connection.exec_driver_sql(
        "CREATE UNIQUE INDEX one_official_assignment ON assignments (topic) "
        "WHERE official = TRUE AND partial = FALSE"
    )


MIGRATIONS: dict[str, Callable[[Connection], None]] = {
    "0001-accounts": _create_accounts,
    "0002-pools": _create_pools,
    "0003-events": _create_events,
    "0004-audit": _create_audit,
    "0005-events-are-append-only": _make_append_only,
    "0006-snapping-of-pools": _add_snapping,
    "0007-assignments": _rename_pools,
    "0008-steps-and-adjudications": _add_steps_and_adjudications,
    "0009-invitations": _create_invitations,
    "0010-shares-of-topics": _create_shares,
}


def find_missing_migrations(connection: Connection) -> list[str]:
    """Return the names of the migrations that a database lacks; reject a database of a later version."""
    applied: set[str] = set()
    if inspect(connection).has_table(database_schema.APPLIED.name):
        applied = set(connection.execute(select(database_schema.APPLIED.c.name)).scalars())
    later_migrations = sorted(applied - set(MIGRATIONS))
    if later_migrations:
        raise InputError(
            "the database was written by a later version of doxel",
            wanted="that version of doxel",
            found=f"the migration {later_migrations[0]}",
        )
    return [name for name in MIGRATIONS if name not in applied]


def migrate(connection: Connection) -> list[str]:
    """Apply the missing migrations in order, and return their names."""
    names = find_missing_migrations(connection)
    database_schema.METADATA.create_all(connection, [database_schema.APPLIED])
    for name in names:
        MIGRATIONS[name](connection)
        connection.execute(database_schema.APPLIED.insert().values(name=name, at=now()))
    return names
