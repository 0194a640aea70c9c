"""Who judges which topic: topics are given, pools locked or made official; each is kept in the audit log."""

from __future__ import annotations

from sqlalchemy import Connection

from doxel.assess.accounts import User, find_user
from doxel.assess.audit import record
from doxel.assess.pools import Pool, assign, find_pool, make_official, set_locked
from doxel.assess.scales import SNAPPINGS
from doxel.errors import InputError

__all__ = ["assessor_named", "choose_official", "give", "named", "pool_numbered", "set_lock"]


def assessor_named(connection: Connection, name: str) -> User:
    """Return the person who is to judge, who must be able to sign in."""
    user = find_user(connection, name)
    if user is None:
        raise InputError("an assessor", wanted="the name of a user", found=repr(name))
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
