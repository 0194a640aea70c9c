"""Sessions of users who have signed in, with their expiry time.

A session is identified by a random token that only the browser has; the database stores its hash.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, false, select

from doxel.assess.clock import now
from doxel.assess.schema import SESSIONS, USERS

__all__ = ["Session", "account_of", "close_session", "close_sessions", "find_session", "open_session"]

HOURS = 12


@dataclass(frozen=True)
class Session:
    """The session of a user who has signed in, with its CSRF token."""

    user_id: int
    name: str
    role: str
    csrf: str
    expires: int
    account: str


def account_of(name: str, created: int) -> str:
    """Return a key that identifies an account, also among accounts of the same name in other databases.

    It is built from values that never change, so it survives backup and restore.  Browsers store unsent
    events under this key, because the same address may serve another campaign later.
    """
    return f"{name}-{created}"


def open_session(connection: Connection, user_id: int, hours: float = HOURS) -> tuple[str, str]:
    """Open a session and return its token and its CSRF token."""
    token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    created = now()
    connection.execute(SESSIONS.delete().where(SESSIONS.c.expires <= created))
    connection.execute(
        SESSIONS.insert().values(
            token_hash=_hash(token),
            user_id=user_id,
            csrf=csrf,
            created=created,
            expires=created + int(hours * 3_600_000),
        )
    )
    return token, csrf


# Built once, because every request runs it.
_FIND = (
    select(
        SESSIONS.c.user_id, USERS.c.name, USERS.c.role, SESSIONS.c.csrf, SESSIONS.c.expires, USERS.c.created
    )
    .join(USERS, USERS.c.id == SESSIONS.c.user_id)
    .where(
        SESSIONS.c.token_hash == bindparam("token"),
        SESSIONS.c.expires > bindparam("now"),
        USERS.c.disabled == false(),
    )
)


def find_session(connection: Connection, token: str) -> Session | None:
    """Return the session of a token, None if there is none or it has expired."""
    row = connection.execute(_FIND, {"token": _hash(token), "now": now()}).first()
    if row is None:
        return None
    user_id, name, role, csrf, expires, created = row
    return Session(user_id, name, role, csrf, expires, account_of(name, created))


def close_session(connection: Connection, token: str) -> None:
    """End a session."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.token_hash == _hash(token)))


def close_sessions(connection: Connection, user_id: int) -> None:
    """End all sessions of a user."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.user_id == user_id))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
