"""User accounts and sessions: assessors and organisers, their passwords, and who has signed in.

Passwords are stored as argon2id hashes.  A session is identified by a random token that only the browser
has; the database stores its hash.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, bindparam, false, select, update

from doxel.assess.store.database import find_next_id
from doxel.assess.store.database_schema import INVITATIONS, READINGS, SESSIONS, USERS, now
from doxel.errors import BusyError, InputError

__all__ = [
    "ROLES",
    "Credentials",
    "Session",
    "User",
    "add_user",
    "build_account_key",
    "build_user",
    "change_password",
    "check_hash_cost",
    "check_password",
    "check_user_name",
    "close_session",
    "close_sessions",
    "find_credentials",
    "find_session",
    "find_user",
    "find_user_by_id",
    "hash_password",
    "hash_token",
    "hash_unknown_password",
    "list_users",
    "open_session",
    "remove_account",
    "set_disabled",
]

ROLES = ("assessor", "organiser")
FORMER = "former-"
"""The start of the pseudonyms of removed users."""
SHORTEST, LONGEST = 10, 500  # characters of a password
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,79}")
_AT_ONCE = threading.Semaphore(2)  # each hash takes 64 MB for a moment
_WAITING = threading.Semaphore(20)  # half of the server's threads: the others go on with everybody's work


@contextmanager
def _take_turn() -> Iterator[None]:
    """Wait for the turn to compute a hash; raise BusyError if too many are waiting."""
    if not _WAITING.acquire(blocking=False):
        raise BusyError("too many people are signing in")
    try:
        with _AT_ONCE:
            yield
    finally:
        _WAITING.release()


@dataclass(frozen=True)
class User:
    """A user, without the password or its hash."""

    id: int
    name: str
    role: str
    disabled: bool
    created: int

    @property
    def is_removed(self) -> bool:
        """Whether the account was removed; its judgements are kept under a pseudonym."""
        return self.name.startswith(FORMER)


@dataclass(frozen=True)
class Credentials:
    """A user and the hash of their password."""

    user: User
    password_hash: str = field(repr=False)


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher(type=Type.ID)


def hash_password(password: str) -> str:
    """Hash a password; reject one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        wanted = f"{SHORTEST} to {LONGEST} characters"
        raise InputError("a password", wanted=wanted, found=f"{len(password):,}")
    with _take_turn():
        return _hasher().hash(password)


def hash_unknown_password() -> str:
    """Return the hash of a password that nobody knows, for users who cannot sign in yet or any more."""
    return hash_password(secrets.token_urlsafe(32))


def check_hash_cost(password_hash: str) -> None:
    """Raise InputError if checking a password against a hash costs more than with the server's own hashes.

    A hash contains the parameters of its cost.  A hash that no password fits costs nothing.
    """
    try:
        cost = extract_parameters(password_hash)
    except InvalidHashError:
        return
    most = extract_parameters(_hash_of_nobody())
    for name in ("memory_cost", "time_cost", "parallelism"):
        if getattr(cost, name) > getattr(most, name):
            wanted, found = f"a {name} of at most {getattr(most, name):,}", f"{getattr(cost, name):,}"
            raise InputError("its password hash", wanted=wanted, found=found)


def check_user_name(name: str) -> None:
    """Raise InputError if a name is not one that a user can have."""
    if not _NAME.fullmatch(name):
        wanted = "at most 80 letters, digits and . _ @ -"
        raise InputError("a user name", wanted=wanted, found=repr(name))


def add_user(connection: Connection, name: str, password_hash: str, role: str = "assessor") -> int:
    """Add a user and return their id; names are compared case-insensitively."""
    user_name = name.strip().lower()
    check_user_name(user_name)
    if user_name.startswith(FORMER):
        wanted = f"a name that does not begin with {FORMER}, as those of removed users do"
        raise InputError("a user name", wanted=wanted, found=repr(user_name))
    if role not in ROLES:
        raise InputError("a role", wanted=" or ".join(ROLES), found=repr(role))
    if find_user(connection, user_name) is not None:
        raise InputError(f"user name already exists: {user_name!r}")
    number = find_next_id(connection, USERS)
    connection.execute(
        USERS.insert().values(
            id=number, name=user_name, password_hash=password_hash, role=role, disabled=False, created=now()
        )
    )
    return number


def find_user(connection: Connection, name: str) -> User | None:
    """Return the user with a name, None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.name == name.strip().lower())).first()
    return None if row is None else build_user(row)


def find_user_by_id(connection: Connection, number: int) -> User | None:
    """Return the user with an id, None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.id == number)).first()
    return None if row is None else build_user(row)


def list_users(connection: Connection) -> Sequence[User]:
    """Return all users, ordered by name."""
    return [build_user(row) for row in connection.execute(select(USERS).order_by(USERS.c.name))]


def build_user(row: Row[Any]) -> User:
    """Return a row of the users as a user."""
    return User(row.id, row.name, row.role, row.disabled, row.created)


def change_password(connection: Connection, user_id: int, password_hash: str) -> None:
    """Change a user's password and end all their sessions and invitations."""
    connection.execute(update(USERS).where(USERS.c.id == user_id).values(password_hash=password_hash))
    connection.execute(INVITATIONS.delete().where(INVITATIONS.c.user_id == user_id))
    close_sessions(connection, user_id)


def set_disabled(connection: Connection, user_id: int, *, disabled: bool) -> None:
    """Disable or enable a user's account and end all their sessions."""
    connection.execute(update(USERS).where(USERS.c.id == user_id).values(disabled=disabled))
    close_sessions(connection, user_id)


def remove_account(connection: Connection, user_id: int, password_hash: str) -> str:
    """Remove a user's account and name; return the pseudonym under which their judgements are kept.

    The row stays, because assignments and events refer to it.  Nobody can sign in with it any more.
    """
    pseudonym = f"{FORMER}{user_id}"
    change_password(connection, user_id, password_hash)
    connection.execute(READINGS.delete().where(READINGS.c.user_id == user_id))
    connection.execute(
        update(USERS)
        .where(USERS.c.id == user_id)
        .values(name=pseudonym, role=ROLES[0], disabled=True, created=0)
    )
    return pseudonym


@cache
def _hash_of_nobody() -> str:
    return _hasher().hash("there is nobody of that name")


def find_credentials(connection: Connection, name: str) -> Credentials | None:
    """Return a user by name with their password hash, None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.name == name.strip().lower())).first()
    return None if row is None else Credentials(build_user(row), row.password_hash)


def check_password(credentials: Credentials | None, password: str) -> User | None:
    """Return the user if the password is right and the account is enabled, else None.

    The check takes equally long for unknown names and disabled accounts.
    """
    try:
        with _take_turn():  # also for the hash of nobody, which the first callers compute
            stored_hash = _hash_of_nobody() if credentials is None else credentials.password_hash
            _hasher().verify(stored_hash, password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return None
    return None if credentials is None or credentials.user.disabled else credentials.user


SESSION_HOURS = 12


@dataclass(frozen=True)
class Session:
    """The session of a user who has signed in, with its CSRF token."""

    user_id: int
    name: str
    role: str
    csrf: str
    expires: int
    account: str


def build_account_key(name: str, created: int) -> str:
    """Return a key that identifies an account, also among accounts of the same name in other databases.

    It is built from values that never change, so it survives backup and restore.  Browsers store unsent
    events under this key, because the same address may serve another campaign later.
    """
    return f"{name}-{created}"


def open_session(connection: Connection, user_id: int, hours: float = SESSION_HOURS) -> tuple[str, str]:
    """Open a session and return its token and its CSRF token."""
    token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    created = now()
    connection.execute(SESSIONS.delete().where(SESSIONS.c.expires <= created))
    connection.execute(
        SESSIONS.insert().values(
            token_hash=hash_token(token),
            user_id=user_id,
            csrf=csrf,
            created=created,
            expires=created + int(hours * 3_600_000),
        )
    )
    return token, csrf


# Built once, because every request runs it.
_FIND_SESSION = (
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
    row = connection.execute(_FIND_SESSION, {"token": hash_token(token), "now": now()}).first()
    if row is None:
        return None
    user_id, name, role, csrf, expires, created = row
    return Session(user_id, name, role, csrf, expires, build_account_key(name, created))


def close_session(connection: Connection, token: str) -> None:
    """End a session."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.token_hash == hash_token(token)))


def close_sessions(connection: Connection, user_id: int) -> None:
    """End all sessions of a user."""
    connection.execute(SESSIONS.delete().where(SESSIONS.c.user_id == user_id))


def hash_token(token: str) -> str:
    """Return the hash under which the database stores the token of a session or an invitation."""
    return hashlib.sha256(token.encode()).hexdigest()
