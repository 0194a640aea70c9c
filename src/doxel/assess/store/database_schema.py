"""The tables of the database: one schema for SQLite and PostgreSQL.

Times are integers: milliseconds since 1970, in UTC.  The bodies of events and the states are JSON stored as
text, so that both databases return them character for character.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    true,
)

from doxel.wording import pluralise

__all__ = [
    "APPLIED",
    "ASSIGNMENTS",
    "AUDIT",
    "EVENTS",
    "METADATA",
    "POOLED",
    "SESSIONS",
    "SETTINGS",
    "SNAPSHOTS",
    "USERS",
    "format_age",
    "format_time",
    "now",
]

METADATA = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

APPLIED = Table(
    "applied_migrations",
    METADATA,
    Column("name", String(80), primary_key=True),
    Column("at", BigInteger, nullable=False),
)

SETTINGS = Table(
    "settings",
    METADATA,
    Column("name", String(80), primary_key=True),
    Column("value", Text, nullable=False),
)

USERS = Table(
    "users",
    METADATA,
    Column("id", _NUMBER, primary_key=True, autoincrement=False),
    Column("name", String(80), nullable=False, unique=True),
    Column("password_hash", Text, nullable=False),
    Column("role", String(20), CheckConstraint("role IN ('assessor', 'organiser')"), nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("created", BigInteger, nullable=False),
)

# Only the browser has the token; its hash cannot be used to sign in.
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("token_hash", String(64), primary_key=True),
    Column("user_id", _NUMBER, ForeignKey("users.id"), nullable=False, index=True),
    Column("csrf", String(64), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
)

# The documents to judge per topic, with the pooled elements and passages in them.
POOLED = Table(
    "pooled_documents",
    METADATA,
    Column("topic", String(200), primary_key=True),
    Column("doc", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("parts", Text, nullable=False),
)

# An assignment is the work of one assessor on one topic.
ASSIGNMENTS = Table(
    "assignments",
    METADATA,
    Column("id", _NUMBER, primary_key=True, autoincrement=False),
    Column("topic", String(200), nullable=False),
    Column("user_id", _NUMBER, ForeignKey("users.id"), nullable=False, index=True),
    Column("scale", String(20), nullable=False),
    Column("snapping", String(20), nullable=False, server_default="word"),
    Column("official", Boolean, nullable=False),
    Column("locked", Boolean, nullable=False),
    Column("created", BigInteger, nullable=False),
    UniqueConstraint("topic", "user_id"),
)
Index(
    "one_official_assignment",
    ASSIGNMENTS.c.topic,
    unique=True,
    sqlite_where=ASSIGNMENTS.c.official == true(),
    postgresql_where=ASSIGNMENTS.c.official == true(),
)

EVENTS = Table(
    "events",
    METADATA,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("assignment_id", _NUMBER, ForeignKey("assignments.id"), nullable=False),
    Column("doc", Text, nullable=False),
    Column("user_id", _NUMBER, ForeignKey("users.id"), nullable=False),
    Column("client", String(80), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    # user, client and sequence in one column, because SQLite looks up many triples only by a full scan
    Column("origin", String(160), nullable=False, unique=True),
)
Index("events_of_a_document", EVENTS.c.assignment_id, EVENTS.c.doc, EVENTS.c.seq)

# Cached states: all rows may be deleted at any time.
SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("assignment_id", _NUMBER, primary_key=True, autoincrement=False),
    Column("doc", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("id", _NUMBER, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("who", String(80), nullable=False),
    Column("action", String(40), nullable=False),
    Column("detail", Text, nullable=False),
)


def now() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def format_time(at: int) -> str:
    """Format a time in ISO 8601, in UTC.

    >>> format_time(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_age(at: int, now: int) -> str:
    """Format how long ago a time was, in its largest whole unit.

    >>> format_age(0, 59_000), format_age(0, 5_400_000), format_age(0, 3 * 86_400_000)
    ('just now', '1 hour ago', '3 days ago')
    """
    minutes = max(0, now - at) // 60_000
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        count = minutes // size
        if count:
            return f"{pluralise(count, unit)} ago"
    return "just now"
