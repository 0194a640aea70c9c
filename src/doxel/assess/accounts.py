"""User accounts: assessors and organisers, whose passwords are stored as argon2id hashes."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, Row, select, update

from doxel.assess.clock import now
from doxel.assess.schema import USERS
from doxel.assess.sessions import close_sessions
from doxel.assess.store import next_id
from doxel.errors import InputError

__all__ = [
    "ROLES",
    "Credentials",
    "User",
    "add_user",
    "change_password",
    "check_password",
    "find_credentials",
    "find_user",
    "hash_password",
    "set_disabled",
    "user_numbered",
    "users",
]

ROLES = ("assessor", "organiser")
SHORTEST, LONGEST = 10, 500  # characters of a password
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,79}")
_AT_ONCE = threading.Semaphore(2)  # each hash takes 64 MB for a moment


@dataclass(frozen=True)
class User:
    """A user, without the password or its hash."""

    id: int
    name: str
    role: str
    disabled: bool
    created: int


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
    with _AT_ONCE:
        return _hasher().hash(password)


def add_user(connection: Connection, name: str, password_hash: str, role: str = "assessor") -> int:
    """Add a user and return their id; names are compared case-insensitively."""
    user_name = name.strip().lower()
    if not _NAME.fullmatch(user_name):
        wanted = "at most 80 letters, digits and . _ @ -"
        raise InputError("a user name", wanted=wanted, found=repr(name))
    if role not in ROLES:
        raise InputError("a role", wanted=" or ".join(ROLES), found=repr(role))
    if find_user(connection, user_name) is not None:
        raise InputError(f"user name already exists: {user_name!r}")
    number = next_id(connection, USERS)
    connection.execute(
        USERS.insert().values(
            id=number, name=user_name, password_hash=password_hash, role=role, disabled=False, created=now()
        )
    )
    return number


def find_user(connection: Connection, name: str) -> User | None:
    """Return the user with a name, None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.name == name.strip().lower())).first()
    return None if row is None else _user(row)


def user_numbered(connection: Connection, number: int) -> User | None:
    """Return the user with an id, None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.id == number)).first()
    return None if row is None else _user(row)


def users(connection: Connection) -> Sequence[User]:
    """Return all users, ordered by name."""
    return [_user(row) for row in connection.execute(select(USERS).order_by(USERS.c.name))]


def _user(row: Row[Any]) -> User:
    return User(row.id, row.name, row.role, row.disabled, row.created)


def change_password(connection: Connection, user_id: int, password_hash: str) -> None:
    """Change a user's password and end all their sessions."""
    connection.execute(update(USERS).where(USERS.c.id == user_id).values(password_hash=password_hash))
    close_sessions(connection, user_id)


def set_disabled(connection: Connection, user_id: int, *, disabled: bool) -> None:
    """Disable or enable a user's account and end all their sessions."""
    connection.execute(update(USERS).where(USERS.c.id == user_id).values(disabled=disabled))
    close_sessions(connection, user_id)


@cache
def _nobody() -> str:
    return _hasher().hash("there is nobody of that name")


def find_credentials(connection: Connection, name: str) -> Credentials | None:
    """Return a user by name with their password hash, None if there is none."""
    row = connection.execute(select(USERS).where(USERS.c.name == name.strip().lower())).first()
    return None if row is None else Credentials(_user(row), row.password_hash)


def check_password(credentials: Credentials | None, password: str) -> User | None:
    """Return the user if the password is right and the account is enabled, else None.

    The check takes equally long for unknown names and disabled accounts.
    """
    stored_hash = _nobody() if credentials is None else credentials.password_hash
    try:
        with _AT_ONCE:
            _hasher().verify(stored_hash, password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return None
    return None if credentials is None or credentials.user.disabled else credentials.user
