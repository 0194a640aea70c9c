"""Actions of users on the server apart from judging; each is logged for audit and takes effect at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from doxel.assess.accounts import User, check_password, find_credentials, hash_password, user_numbered
from doxel.assess.audit import record
from doxel.assess.handing import HandedOver, hand_over
from doxel.assess.managing import admit, choose_official, give, keep_out, renew_password, set_lock
from doxel.assess.scales import SNAPPINGS
from doxel.assess.service import Service
from doxel.assess.sessions import close_session, close_sessions, open_session
from doxel.errors import InputError, RefusedError
from doxel.wording import pluralise

__all__ = [
    "SignedIn",
    "change_disabled",
    "change_official",
    "change_own_password",
    "end_sessions",
    "give_pool",
    "give_topic",
    "lock",
    "new_password",
    "new_user",
    "sign_in",
    "sign_out",
]


@contextmanager
def _changing(service: Service) -> Iterator[Connection]:
    """Open a write transaction that changes users or pools, and clear the session cache after it."""
    try:
        with service.store.write() as connection:
            yield connection
    finally:
        service.recent.forget()


@dataclass(frozen=True)
class SignedIn:
    """A user who has just signed in, with the tokens of the new session."""

    user: User
    token: str
    csrf: str


def sign_in(service: Service, name: str, password: str, address: str, old_token: str | None) -> SignedIn:
    """Open a session with a new token, and end the browser's old one.

    Unknown names, wrong passwords and disabled accounts get the same answer.
    """
    user = _recognised(service, name, password, address)
    if user is None:
        with service.store.write() as connection:
            record(connection, name[:80], "sign-in refused", address)
        raise RefusedError(401, "wrong-credentials", "the name or the password is wrong")
    with _changing(service) as connection:
        if old_token is not None:
            close_session(connection, old_token)
        token, csrf = open_session(connection, user.id, service.settings.session_hours)
        record(connection, user.name, "signed in", address)
    return SignedIn(user, token, csrf)


def _recognised(service: Service, name: str, password: str, address: str) -> User | None:
    """Return the user with this name and password, None if they are wrong; throttle repeated failures.

    The throttle is checked again before the result is revealed, so that sending many guesses at once gets
    no more answers than sending them one by one.
    """
    throttle = service.throttle
    _refuse_guessing(throttle.wait(name, address))
    with service.store.look() as connection:  # closed before the slow check, because others need connections
        credentials = find_credentials(connection, name)
    user = check_password(credentials, password)
    _refuse_guessing((throttle.failed if user is None else throttle.succeeded)(name, address))
    return user


def _refuse_guessing(wait: int) -> None:
    if wait:
        sentence = f"too many failed attempts: wait {pluralise(wait, 'second')}"
        raise RefusedError(429, "throttled", sentence, headers={"retry-after": str(wait)})


def sign_out(service: Service, who: str, token: str) -> None:
    """End a session."""
    with _changing(service) as connection:
        close_session(connection, token)
        record(connection, who, "signed out")


def new_user(service: Service, who: str, name: str, password: str, role: str) -> int:
    """Add a user and return their id."""
    hashed = hash_password(password)
    with _changing(service) as connection:
        return admit(connection, who, name, hashed, role).id


def new_password(service: Service, who: str, user_id: int, password: str) -> None:
    """Set a user's password and end all their sessions."""
    hashed = hash_password(password)
    with _changing(service) as connection:
        renew_password(connection, who, _user(connection, user_id), hashed)


def change_own_password(service: Service, name: str, old: str, new: str, address: str) -> None:
    """Change the caller's own password, which needs the old one; wrong guesses are throttled."""
    user = _recognised(service, name, old, address)
    if user is None:
        raise RefusedError(403, "wrong-credentials", "the old password is wrong")
    new_password(service, name, user.id, new)


def change_disabled(service: Service, who: str, user_id: int, *, disabled: bool) -> None:
    """Disable or enable a user's account, but never the caller's own."""
    with _changing(service) as connection:
        user = _user(connection, user_id)
        if user.name == who and disabled:
            raise InputError("an account to disable", wanted="another user's account", found="your own")
        keep_out(connection, who, user, disabled=disabled)


def end_sessions(service: Service, who: str, user_id: int) -> None:
    """Sign a user out everywhere."""
    with _changing(service) as connection:
        user = _user(connection, user_id)
        close_sessions(connection, user_id)
        record(connection, who, "sessions ended", user.name)


def give_topic(
    service: Service, who: str, topic: str, name: str, scale: str, snapping: str = SNAPPINGS[0]
) -> int:
    """Assign a topic to an assessor and return the id of the new pool."""
    with _changing(service) as connection:
        return give(connection, who, topic, name, scale, snapping)


def give_pool(service: Service, who: str, pool_id: int, name: str, *, with_work: bool) -> HandedOver:
    """Hand the topic of a pool over to another assessor, with or without the work so far."""
    with _changing(service) as connection:
        return hand_over(connection, who, pool_id, name, service.library if with_work else None)


def lock(service: Service, who: str, pool_id: int, *, locked: bool) -> None:
    """Lock or unlock a pool."""
    with _changing(service) as connection:
        set_lock(connection, who, pool_id, locked=locked)


def change_official(service: Service, who: str, pool_id: int) -> None:
    """Make a pool the official one of its topic."""
    with _changing(service) as connection:
        choose_official(connection, who, pool_id)


def _user(connection: Connection, user_id: int) -> User:
    user = user_numbered(connection, user_id)
    if user is None:
        raise RefusedError(404, "not-found", "there is no such user")
    return user
