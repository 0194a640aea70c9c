"""Named migrations that bring a database of any age to the current schema, each applied once.

A migration is never changed after a release.  When a later one alters a table that an earlier one creates
from :mod:`doxel.assess.schema`, the earlier one gets a copy of the table as it was.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    inspect,
    select,
    true,
)

from doxel.assess import schema
from doxel.assess.clock import now
from doxel.errors import InputError

__all__ = ["MIGRATIONS", "migrate", "missing"]

_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def _accounts(connection: Connection) -> None:
    tables = [schema.SETTINGS, schema.USERS, schema.SESSIONS]
    schema.METADATA.create_all(connection, tables, checkfirst=False)


def _pools(connection: Connection) -> None:
    schema.METADATA.create_all(connection, [schema.POOLED], checkfirst=False)
    old_schema = MetaData()
    schema.USERS.to_metadata(old_schema)
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


def _events(connection: Connection) -> None:
    schema.METADATA.create_all(connection, [schema.EVENTS, schema.SNAPSHOTS], checkfirst=False)


def _audit(connection: Connection) -> None:
    schema.METADATA.create_all(connection, [schema.AUDIT], checkfirst=False)


_SQLITE_GUARD = (
    "CREATE TRIGGER events_stay_{action} BEFORE {action} ON events "
    "BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"
)
_POSTGRES_GUARD = (
    "CREATE FUNCTION events_stay() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'events are never changed'; END $$"
)


def _append_only(connection: Connection) -> None:
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


def _snapping(connection: Connection) -> None:
    """Add the unit to which selections snap, for each pool."""
    connection.exec_driver_sql("ALTER TABLE pools ADD COLUMN snapping VARCHAR(20) DEFAULT 'word' NOT NULL")


MIGRATIONS: dict[str, Callable[[Connection], None]] = {
    "0001-accounts": _accounts,
    "0002-pools": _pools,
    "0003-events": _events,
    "0004-audit": _audit,
    "0005-events-are-append-only": _append_only,
    "0006-snapping-of-pools": _snapping,
}


def missing(connection: Connection) -> list[str]:
    """Return the names of the migrations that a database lacks; reject a database of a later version."""
    applied: set[str] = set()
    if inspect(connection).has_table(schema.APPLIED.name):
        applied = set(connection.execute(select(schema.APPLIED.c.name)).scalars())
    unknown = sorted(applied - set(MIGRATIONS))
    if unknown:
        raise InputError(
            "the database was written by a later version of doxel",
            wanted="that version of doxel",
            found=f"the migration {unknown[0]}",
        )
    return [name for name in MIGRATIONS if name not in applied]


def migrate(connection: Connection) -> list[str]:
    """Apply the missing migrations in order, and return their names."""
    names = missing(connection)
    schema.METADATA.create_all(connection, [schema.APPLIED])
    for name in names:
        MIGRATIONS[name](connection)
        connection.execute(schema.APPLIED.insert().values(name=name, at=now()))
    return names
