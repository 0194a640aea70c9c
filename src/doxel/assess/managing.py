"""What organisers decide: who may sign in, who judges which topic, which pools are locked or official.

Each decision is a line of the audit log.  The server and the command line make it in the same way.
"""

from __future__ import annotations

from sqlalchemy import Connection

from doxel.assess.accounts import User, add_user, change_password, find_user, set_disabled
from doxel.assess.audit import record
from doxel.assess.pools import Pool, assign, find_pool, make_official, set_locked
from doxel.assess.scales import SNAPPINGS
from doxel.errors import InputError

__all__ = [
    "admit",
    "assessor_named",
    "choose_official",
    "give",
    "keep_out",
    "named",
    "pool_numbered",
    "renew_password",
    "set_lock",
    "user_named",
]


def user_named(connection: Connection, name: str) -> User:
    """Return a person by name, who must be there."""
    user = find_user(connection, name)
    if user is None:
        raise InputError("somebody", wanted="the name of a user", found=repr(name))
    return user


def admit(connection: Connection, who: str, name: str, password_hash: str, role: str = "assessor") -> User:
    """Add a person who may sign in."""
    add_user(connection, name, password_hash, role)
    user = user_named(connection, name)
    record(connection, who, "user added", f"{user.name} ({role})")
    return user


def renew_password(connection: Connection, who: str, user: User, password_hash: str) -> None:
    """Give a person another password; all their sessions end."""
    change_password(connection, user.id, password_hash)
    record(connection, who, "password changed", user.name)


def keep_out(connection: Connection, who: str, user: User, *, disabled: bool) -> None:
    """Keep a person from signing in, or allow it again; all their sessions end."""
    set_disabled(connection, user.id, disabled=disabled)
    record(connection, who, "user disabled" if disabled else "user enabled", user.name)


def assessor_named(connection: Connection, name: str) -> User:
    """Return the person who is to judge, who must be able to sign in."""
    user = user_named(connection, name)
    if user.disabled:
        raise InputError("an assessor", wanted="somebody who can sign in", found=f"{user.name}, disabled")
    return user


def pool_numbered(connection: Connection, number: int) -> Pool:
    """Return a pool by its number."""
    pool = find_pool(connection, number)
    if pool is None:
        raise InputError("a pool", wanted="the number of one that is there", found=f"{number:,}")
    return pool


def named(pool: Pool) -> str:
    """Return how a pool is called in the audit log."""
    return f"pool {pool.id}: topic {pool.topic} of {pool.assessor}"


def give(
    connection: Connection,
    who: str,
    topic: str,
    name: str,
    scale: str = "2006",
    snapping: str = SNAPPINGS[0],
) -> int:
    """Give a topic to an assessor, and return the number of the pool."""
    user = assessor_named(connection, name)
    number = assign(connection, topic, user.id, scale, snapping)
    told = f"topic {topic} to {user.name}, scale {scale}, snapping {snapping}: pool {number}"
    record(connection, who, "topic assigned", told)
    return number


def set_lock(connection: Connection, who: str, number: int, *, locked: bool) -> Pool:
    """Lock or unlock a pool, and return it as it was."""
    pool = pool_numbered(connection, number)
    set_locked(connection, number, locked=locked)
    record(connection, who, "pool locked" if locked else "pool unlocked", named(pool))
    return pool


def choose_official(connection: Connection, who: str, number: int) -> Pool:
    """Make a pool the official one of its topic, and return it as it was."""
    pool = pool_numbered(connection, number)
    make_official(connection, number)
    record(connection, who, "pool made official", named(pool))
    return pool
