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
    false,
    true,
)

from doxel.wording import pluralise

__all__ = [
    "ADJUDICATIONS",
    "APPLIED",
    "ASSIGNMENTS",
    "AUDIT",
    "EVENTS",
    "INVITATIONS",
    "LOOKS",
    "METADATA",
    "POOLED",
    "READINGS",
    "SESSIONS",
    "SETTINGS",
    "SHARES",
    "SNAPSHOTS",
    "USERS",
    "format_age",
    "format_day",
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

# A link by which somebody chooses a password, once; only the invited person has the token.
INVITATIONS = Table(
    "invitations",
    METADATA,
    Column("token_hash", String(64), primary_key=True),
    Column("user_id", _NUMBER, ForeignKey("users.id"), nullable=False, index=True),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
)

# When each user last confirmed to have read the guidelines.
READINGS = Table(
    "guideline_readings",
    METADATA,
    Column("user_id", _NUMBER, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
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

# An assignment is the work of one assessor on one topic, or on a part of its documents.
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
    Column("partial", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("topic", "user_id"),
)
_IS_OFFICIAL_TOPIC = (ASSIGNMENTS.c.official == true()) & (ASSIGNMENTS.c.partial == false())
Index(
    "one_official_assignment",
    ASSIGNMENTS.c.topic,
    unique=True,
    sqlite_where=_IS_OFFICIAL_TOPIC,
    postgresql_where=_IS_OFFICIAL_TOPIC,
)

# The documents of a partial assignment; official ones are exported.
SHARES = Table(
    "assignment_documents",
    METADATA,
    Column("assignment_id", _NUMBER, ForeignKey("assignments.id"), primary_key=True, autoincrement=False),
    Column("doc", Text, primary_key=True),
    Column("official", Boolean, nullable=False),
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
    # the action that the event belongs to, and the action that it undoes; missing in events of version 1
    Column("step", String(80)),
    Column("reverts", String(80)),
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

# An adjudication is an assignment that decides between those of others, its sources.
ADJUDICATIONS = Table(
    "adjudications",
    METADATA,
    Column("assignment_id", _NUMBER, ForeignKey("assignments.id"), primary_key=True, autoincrement=False),
    Column("source_id", _NUMBER, ForeignKey("assignments.id"), primary_key=True, autoincrement=False),
)

# When a user first saw the marks in an assignment of another, and the last event in the log then.
LOOKS = Table(
    "looks",
    METADATA,
    Column("user_id", _NUMBER, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    Column("assignment_id", _NUMBER, ForeignKey("assignments.id"), primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
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


def format_day(at: int) -> str:
    """Format a time as a date in words, in UTC.

    >>> format_day(0)
    '1 January 1970'
    """
    day = datetime.fromtimestamp(at / 1000, UTC)
    return f"{day.day} {day.strftime('%B %Y')}"


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
