"""Administration by organisers: user accounts, assigned topics, locked and official pools.

Each function adds a line to the audit log.  The server and the command line both call them.
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
    """Return the user with a name; raise an error if there is none."""
    user = find_user(connection, name)
    if user is None:
        raise InputError("no such user", wanted="the name of a user", found=repr(name))
    return user


def admit(connection: Connection, who: str, name: str, password_hash: str, role: str = "assessor") -> User:
    """Add a user, who may then sign in."""
    add_user(connection, name, password_hash, role)
    user = user_named(connection, name)
    record(connection, who, "user added", f"{user.name} ({role})")
    return user


def renew_password(connection: Connection, who: str, user: User, password_hash: str) -> None:
    """Set a user's password and end all their sessions."""
    change_password(connection, user.id, password_hash)
    record(connection, who, "password changed", user.name)


def keep_out(connection: Connection, who: str, user: User, *, disabled: bool) -> None:
    """Disable or enable a user's account and end all their sessions."""
    set_disabled(connection, user.id, disabled=disabled)
    record(connection, who, "user disabled" if disabled else "user enabled", user.name)


def assessor_named(connection: Connection, name: str) -> User:
    """Return the user with a name; raise an error if there is none or the account is disabled."""
    user = user_named(connection, name)
    if user.disabled:
        found = f"{user.name}, whose account is disabled"
        raise InputError("an assessor", wanted="a user who can sign in", found=found)
    return user


def pool_numbered(connection: Connection, number: int) -> Pool:
    """Return the pool with an id; raise an error if there is none."""
    pool = find_pool(connection, number)
    if pool is None:
        raise InputError("no such pool", wanted="the number of a pool", found=f"{number:,}")
    return pool


def named(pool: Pool) -> str:
    """Describe a pool for the audit log."""
    return f"pool {pool.id}: topic {pool.topic} of {pool.assessor}"


def give(
    connection: Connection,
    who: str,
    topic: str,
    name: str,
    scale: str = "2006",
    snapping: str = SNAPPINGS[0],
) -> int:
    """Assign a topic to an assessor, and return the id of the new pool."""
    user = assessor_named(connection, name)
    number = assign(connection, topic, user.id, scale, snapping)
    detail = f"topic {topic} to {user.name}, scale {scale}, snapping {snapping}: pool {number}"
    record(connection, who, "topic assigned", detail)
    return number


def set_lock(connection: Connection, who: str, number: int, *, locked: bool) -> Pool:
    """Lock or unlock a pool, and return it as it was before."""
    pool = pool_numbered(connection, number)
    set_locked(connection, number, locked=locked)
    record(connection, who, "pool locked" if locked else "pool unlocked", named(pool))
    return pool


def choose_official(connection: Connection, who: str, number: int) -> Pool:
    """Make a pool the official one of its topic, and return it as it was before."""
    pool = pool_numbered(connection, number)
    make_official(connection, number)
    record(connection, who, "pool made official", named(pool))
    return pool
