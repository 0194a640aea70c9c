"""Sessions: who has signed in, until when.

A session is known by a random token that only the browser has; the database keeps its hash.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, false, select

from doxel.assess.clock import now
from doxel.assess.schema import SESSIONS, USERS

__all__ = ["Session", "close_session", "close_sessions", "find_session", "open_session"]

HOURS = 12


@dataclass(frozen=True)
class Session:
    """Someone who has signed in."""

    user_id: int
    name: str
    role: str
    csrf: str
    expires: int


def open_session(connection: Connection, user_id: int, hours: float = HOURS) -> tuple[str, str]:
    """Begin a session; return its token, and the word that every change must carry."""
    token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    begin = now()
    connection.execute(SESSIONS.delete().where(SESSIONS.c.expires <= begin))
    connection.execute(
        SESSIONS.insert().values(
            token_hash=_hash(token),
            user_id=user_id,
            csrf=csrf,
            created=begin,
            expires=begin + int(hours * 3_600_000),
        )
    )
    return token, csrf


# Built once: every request asks it.
_FIND = (
    select(SESSIONS.c.user_id, USERS.c.name, USERS.c.role, SESSIONS.c.csrf, SESSIONS.c.expires)
    .join(USERS, USERS.c.id == SESSIONS.c.user_id)
    .where(
        SESSIONS.c.token_hash == bindparam("token"),
        SESSIONS.c.expires > bindparam("now"),
        USERS.c.disabled == false(),
    )
)


def find_session(connection: Connection, token: str) -> Session | None:
    """Return the session of a token, None if there is none, or no more."""
    row = connection.execute(_FIND, {"token": _hash(token), "now": now()}).first()
    return None if row is None else Session(*row)


def close_session(connection: Connection, token: str) -> None:
    """End a session."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.token_hash == _hash(token)))


def close_sessions(connection: Connection, user_id: int) -> None:
    """End all sessions of a person."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.user_id == user_id))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
