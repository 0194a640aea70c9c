"""Actions of users on the server apart from judging; each is logged for audit and takes effect at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from doxel.assess.office.administration import (
    HandOver,
    admit_user,
    assign_topic,
    choose_official,
    hand_over,
    record_action,
    renew_password,
    set_assignment_locked,
    set_user_disabled,
)
from doxel.assess.scales import SNAPPINGS
from doxel.assess.store.accounts import (
    User,
    check_password,
    close_session,
    close_sessions,
    find_credentials,
    find_user_by_id,
    hash_password,
    open_session,
)
from doxel.assess.web.service import Service
from doxel.errors import InputError, RefusedError
from doxel.wording import pluralise

__all__ = [
    "SignIn",
    "change_disabled",
    "change_official",
    "change_own_password",
    "create_user",
    "end_sessions",
    "give_topic",
    "hand_over_assignment",
    "lock_assignment",
    "set_password",
    "sign_in",
    "sign_out",
]


@contextmanager
def _write_and_forget(service: Service) -> Iterator[Connection]:
    """Open a write transaction that changes users or assignments, and clear the session cache after it."""
    try:
        with service.store.write() as connection:
            yield connection
    finally:
        service.recent.forget()


@dataclass(frozen=True)
class SignIn:
    """A user who has just signed in, with the tokens of the new session."""

    user: User
    token: str
    csrf: str


def sign_in(service: Service, name: str, password: str, address: str, old_token: str | None) -> SignIn:
    """Open a session with a new token, and end the browser's old one.

    Unknown names, wrong passwords and disabled accounts get the same answer.
    """
    user = _recognise_user(service, name, password, address)
    if user is None:
        with service.store.write() as connection:
            record_action(connection, name[:80], "sign-in refused", address)
        raise RefusedError(401, "wrong-credentials", "the name or the password is wrong")
    with _write_and_forget(service) as connection:
        if old_token is not None:
            close_session(connection, old_token)
        token, csrf = open_session(connection, user.id, service.settings.session_hours)
        record_action(connection, user.name, "signed in", address)
    return SignIn(user, token, csrf)


def _recognise_user(service: Service, name: str, password: str, address: str) -> User | None:
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
    with _write_and_forget(service) as connection:
        close_session(connection, token)
        record_action(connection, who, "signed out")


def create_user(service: Service, who: str, name: str, password: str, role: str) -> int:
    """Add a user and return their id."""
    hashed = hash_password(password)
    with _write_and_forget(service) as connection:
        return admit_user(connection, who, name, hashed, role).id


def set_password(service: Service, who: str, user_id: int, password: str) -> None:
    """Set a user's password and end all their sessions."""
    hashed = hash_password(password)
    with _write_and_forget(service) as connection:
        renew_password(connection, who, _require_user_by_id(connection, user_id), hashed)


def change_own_password(service: Service, name: str, old: str, new: str, address: str) -> None:
    """Change the caller's own password, which needs the old one; wrong guesses are throttled."""
    user = _recognise_user(service, name, old, address)
    if user is None:
        raise RefusedError(403, "wrong-credentials", "the old password is wrong")
    set_password(service, name, user.id, new)


def change_disabled(service: Service, who: str, user_id: int, *, disabled: bool) -> None:
    """Disable or enable a user's account, but never the caller's own."""
    with _write_and_forget(service) as connection:
        user = _require_user_by_id(connection, user_id)
        if user.name == who and disabled:
            raise InputError("an account to disable", wanted="another user's account", found="your own")
        set_user_disabled(connection, who, user, disabled=disabled)


def end_sessions(service: Service, who: str, user_id: int) -> None:
    """Sign a user out everywhere."""
    with _write_and_forget(service) as connection:
        user = _require_user_by_id(connection, user_id)
        close_sessions(connection, user_id)
        record_action(connection, who, "sessions ended", user.name)


def give_topic(
    service: Service, who: str, topic: str, name: str, scale: str, snapping: str = SNAPPINGS[0]
) -> int:
    """Assign a topic to an assessor and return the id of the new assignment."""
    with _write_and_forget(service) as connection:
        return assign_topic(connection, who, topic, name, scale, snapping)


def hand_over_assignment(
    service: Service, who: str, assignment_id: int, name: str, *, with_work: bool
) -> HandOver:
    """Hand the topic of an assignment over to another assessor, with or without the work so far."""
    with _write_and_forget(service) as connection:
        return hand_over(connection, who, assignment_id, name, service.library if with_work else None)


def lock_assignment(service: Service, who: str, assignment_id: int, *, locked: bool) -> None:
    """Lock or unlock an assignment."""
    with _write_and_forget(service) as connection:
        set_assignment_locked(connection, who, assignment_id, locked=locked)


def change_official(service: Service, who: str, assignment_id: int) -> None:
    """Make an assignment the official one of its topic."""
    with _write_and_forget(service) as connection:
        choose_official(connection, who, assignment_id)


def _require_user_by_id(connection: Connection, user_id: int) -> User:
    user = find_user_by_id(connection, user_id)
    if user is None:
        raise RefusedError(404, "not-found", "there is no such user")
    return user
