"""Invitations: links by which people choose their password, for a new account or a forgotten password.

An invitation is identified by a random token that only the invited person has; the database stores its hash.
It can be used once and expires.  A new invitation replaces the earlier ones of the same user, and every
change of the password ends them.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass

from sqlalchemy import Connection, false, select

from doxel.assess.store.accounts import User, build_user, change_password, hash_token
from doxel.assess.store.database_schema import INVITATIONS, USERS, now
from doxel.errors import RefusedError

__all__ = [
    "INVITATION_DAYS",
    "Invitation",
    "OneTimeToken",
    "create_invitation",
    "find_invitation",
    "list_open_invitations",
    "use_invitation",
    "withdraw_invitations",
]

INVITATION_DAYS = 14
"""The number of days after which an invitation expires."""

_DAY = 86_400_000


class OneTimeToken:
    """A random token that is accepted once.

    >>> token = OneTimeToken()
    >>> token.use("guess"), token.use(token.text), token.use(token.text)
    (False, True, False)
    """

    def __init__(self) -> None:
        self.text = secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        self._is_used = False

    def fits(self, text: str) -> bool:
        """Return whether a text is the token, and was not used yet."""
        return hmac.compare_digest(self.text.encode(), text.encode()) and not self._is_used

    def use(self, text: str) -> bool:
        """Return whether a text is the token, and is used for the first time."""
        with self._lock:
            is_right = self.fits(text)
            self._is_used |= is_right
        return is_right


@dataclass(frozen=True)
class Invitation:
    """A valid invitation: the invited user, and when it expires."""

    user: User
    expires: int


def create_invitation(connection: Connection, user_id: int, days: float = INVITATION_DAYS) -> str:
    """Invite a user to choose a password, and return the token; earlier invitations end."""
    token, created = secrets.token_urlsafe(32), now()
    connection.execute(INVITATIONS.delete().where(INVITATIONS.c.expires <= created))
    withdraw_invitations(connection, user_id)
    connection.execute(
        INVITATIONS.insert().values(
            token_hash=hash_token(token),
            user_id=user_id,
            created=created,
            expires=created + int(days * _DAY),
        )
    )
    return token


def find_invitation(connection: Connection, token: str) -> Invitation | None:
    """Return the invitation of a token, None if it is unknown, used, expired, or of a disabled account."""
    query = (
        select(USERS, INVITATIONS.c.expires)
        .join(INVITATIONS, INVITATIONS.c.user_id == USERS.c.id)
        .where(
            INVITATIONS.c.token_hash == hash_token(token),
            INVITATIONS.c.expires > now(),
            USERS.c.disabled == false(),
        )
    )
    row = connection.execute(query).first()
    return None if row is None else Invitation(build_user(row), row.expires)


def use_invitation(connection: Connection, token: str, password_hash: str) -> User:
    """Set the password of the invited user and end the invitation; refuse one that is not valid.

    Write transactions come one after the other, so only one of two simultaneous uses finds the invitation.
    """
    invitation = find_invitation(connection, token)
    if invitation is None:
        raise RefusedError(404, "not-found", "this invitation is not valid, or was used already")
    change_password(connection, invitation.user.id, password_hash)
    return invitation.user


def withdraw_invitations(connection: Connection, user_id: int) -> None:
    """End all invitations of a user."""
    connection.execute(INVITATIONS.delete().where(INVITATIONS.c.user_id == user_id))


def list_open_invitations(connection: Connection) -> dict[int, int]:
    """Return the users with a valid invitation, each with the time at which it expires."""
    query = select(INVITATIONS.c.user_id, INVITATIONS.c.expires).where(INVITATIONS.c.expires > now())
    return {row.user_id: row.expires for row in connection.execute(query)}
