"""Actions of users on the server apart from judging; each is logged for audit and takes effect at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection

from doxel.assess.office.adjudication import AdjudicationStart, begin_adjudication, sign_off
from doxel.assess.office.administration import (
    HandOver,
    admit_user,
    assign_topic,
    choose_official,
    hand_over,
    invite_user,
    record_action,
    remove_user,
    renew_password,
    send_new_link,
    set_assignment_locked,
    set_user_disabled,
)
from doxel.assess.office.campaign_setup import add_pool, choose_collection, replace_topics
from doxel.assess.office.work_plan import PlanRequest, WorkPlan, apply_plan, make_plan
from doxel.assess.scales import SNAPPINGS
from doxel.assess.store.accounts import (
    User,
    check_password,
    close_session,
    close_sessions,
    find_credentials,
    find_user_by_id,
    hash_password,
    hash_unknown_password,
    list_users,
    open_session,
)
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.campaign_settings import (
    confirm_reading,
    read_campaign_settings,
    store_guidelines,
    store_setting,
)
from doxel.assess.store.invitations import OneTimeToken, find_invitation, use_invitation
from doxel.assess.web.service import Service
from doxel.errors import InputError, RefusedError
from doxel.wording import pluralise

__all__ = [
    "SignIn",
    "accept_invitation",
    "change_campaign",
    "change_disabled",
    "change_official",
    "change_own_password",
    "confirm_guidelines",
    "create_first_organiser",
    "create_user",
    "distribute_work",
    "end_sessions",
    "give_topic",
    "hand_over_assignment",
    "invite",
    "invite_again",
    "lock_assignment",
    "lock_topic",
    "remove",
    "set_password",
    "sign_in",
    "sign_off_adjudication",
    "sign_out",
    "start_adjudication",
    "upload_pool",
    "upload_topics",
    "use_collection",
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
        record_action(connection, user.name, "signed in", address)
        return _open_new_session(service, connection, user, old_token)


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
    _refuse_guessing((throttle.record_failure if user is None else throttle.record_success)(name, address))
    return user


def _refuse_guessing(wait: int) -> None:
    if wait:
        sentence = f"too many failed attempts: wait {pluralise(wait, 'second')}"
        raise RefusedError(429, "throttled", sentence, headers={"retry-after": str(wait)})


def sign_out(service: Service, actor: str, token: str) -> None:
    """End a session."""
    with _write_and_forget(service) as connection:
        close_session(connection, token)
        record_action(connection, actor, "signed out")


def create_user(service: Service, actor: str, name: str, password: str, role: str) -> int:
    """Add a user and return their id."""
    password_hash = hash_password(password)
    with _write_and_forget(service) as connection:
        return admit_user(connection, actor, name, password_hash, role).id


def invite(service: Service, actor: str, name: str, role: str) -> tuple[User, str]:
    """Add a user who chooses the password by a link, and return the user and the token of the link."""
    password_hash = hash_unknown_password()
    with _write_and_forget(service) as connection:
        return invite_user(connection, actor, name, password_hash, role)


def invite_again(service: Service, actor: str, user_id: int) -> tuple[User, str]:
    """Return a user and the token of a new link by which they choose a password."""
    with _write_and_forget(service) as connection:
        user = _require_user_by_id(connection, user_id)
        return user, send_new_link(connection, actor, user)


def accept_invitation(service: Service, token: str, password: str, old_token: str | None) -> SignIn:
    """Set the password of an invited user, end the invitation, and sign the user in."""
    with service.store.look() as connection:  # before the slow hash, which strangers must not cause
        if find_invitation(connection, token) is None:
            raise RefusedError(404, "link-gone", "this invitation is not valid, or was used already")
    password_hash = hash_password(password)
    with _write_and_forget(service) as connection:
        user = use_invitation(connection, token, password_hash)
        record_action(connection, user.name, "password chosen", "by invitation")
        return _open_new_session(service, connection, user, old_token)


def create_first_organiser(
    service: Service, token: OneTimeToken, text: str, name: str, password: str, old_token: str | None
) -> SignIn:
    """Create the first organiser of an empty server, for whoever has the token, and sign them in."""
    password_hash = hash_password(password)
    with _write_and_forget(service) as connection:
        if any(user.role == "organiser" for user in list_users(connection)):
            raise RefusedError(403, "forbidden", "this server has an organiser already: sign in")
        user = admit_user(connection, name.strip().lower(), name, password_hash, "organiser")
        sign_in_result = _open_new_session(service, connection, user, old_token)
        if not token.use(text):  # last, so that a refused name or password does not use it up
            raise RefusedError(404, "link-gone", "this address is not valid, or was used already")
        return sign_in_result


def _open_new_session(service: Service, connection: Connection, user: User, old_token: str | None) -> SignIn:
    if old_token is not None:
        close_session(connection, old_token)
    token, csrf = open_session(connection, user.id, service.settings.session_hours)
    return SignIn(user, token, csrf)


def remove(service: Service, actor: str, user_id: int) -> str:
    """Remove a user's account and name, but never the caller's own; return the pseudonym."""
    password_hash = hash_unknown_password()
    with _write_and_forget(service) as connection:
        user = _require_user_by_id(connection, user_id)
        if user.name == actor:
            raise InputError("an account to remove", wanted="another user's account", found="your own")
        return remove_user(connection, actor, user, password_hash)


def set_password(service: Service, actor: str, user_id: int, password: str) -> None:
    """Set a user's password and end all their sessions."""
    password_hash = hash_password(password)
    with _write_and_forget(service) as connection:
        renew_password(connection, actor, _require_user_by_id(connection, user_id), password_hash)


def change_own_password(service: Service, name: str, old: str, new: str, address: str) -> None:
    """Change the caller's own password, which needs the old one; wrong guesses are throttled."""
    user = _recognise_user(service, name, old, address)
    if user is None:
        raise RefusedError(403, "wrong-credentials", "the old password is wrong")
    set_password(service, name, user.id, new)


def change_disabled(service: Service, actor: str, user_id: int, *, disabled: bool) -> None:
    """Disable or enable a user's account, but never the caller's own."""
    with _write_and_forget(service) as connection:
        user = _require_user_by_id(connection, user_id)
        if user.name == actor and disabled:
            raise InputError("an account to disable", wanted="another user's account", found="your own")
        set_user_disabled(connection, actor, user, disabled=disabled)


def end_sessions(service: Service, actor: str, user_id: int) -> None:
    """Sign a user out everywhere."""
    with _write_and_forget(service) as connection:
        user = _require_user_by_id(connection, user_id)
        close_sessions(connection, user_id)
        record_action(connection, actor, "sessions ended", user.name)


def give_topic(
    service: Service, actor: str, topic: str, name: str, scale: str, snapping: str = SNAPPINGS[0]
) -> int:
    """Assign a topic to an assessor and return the id of the new assignment."""
    with _write_and_forget(service) as connection:
        return assign_topic(connection, actor, topic, name, scale, snapping)


def hand_over_assignment(
    service: Service, actor: str, assignment_id: int, name: str, *, with_work: bool
) -> HandOver:
    """Hand the topic of an assignment over to another assessor, with or without the work so far."""
    with _write_and_forget(service) as connection:
        return hand_over(connection, actor, assignment_id, name, service.library if with_work else None)


def lock_assignment(service: Service, actor: str, assignment_id: int, *, locked: bool) -> None:
    """Lock or unlock an assignment."""
    with _write_and_forget(service) as connection:
        set_assignment_locked(connection, actor, assignment_id, locked=locked)


def lock_topic(service: Service, actor: str, topic: str) -> None:
    """Lock all assignments of a topic that are not locked, so that they can be compared."""
    with _write_and_forget(service) as connection:
        for assignment in list_assignments(connection, topic=topic):
            if not assignment.locked:
                set_assignment_locked(connection, actor, assignment.id, locked=True)


def start_adjudication(
    service: Service, actor: str, topic: str, numbers: list[int], name: str, *, lock: bool
) -> AdjudicationStart:
    """Begin the adjudication of assignments of a topic."""
    with _write_and_forget(service) as connection:
        topic_numbers = {assignment.id for assignment in list_assignments(connection, topic=topic)}
        if not set(numbers) <= topic_numbers:
            found = ", ".join(map(str, sorted(set(numbers) - topic_numbers)))
            raise InputError("an adjudication", wanted=f"assignments of topic {topic}", found=found)
        return begin_adjudication(connection, service.library, actor, numbers, name, lock=lock)


def sign_off_adjudication(service: Service, actor: str, assignment_id: int) -> None:
    """Make a finished adjudication official, and lock it."""
    with _write_and_forget(service) as connection:
        sign_off(connection, actor, assignment_id)


def change_official(service: Service, actor: str, assignment_id: int) -> None:
    """Make an assignment the official one of its topic."""
    with _write_and_forget(service) as connection:
        choose_official(connection, actor, assignment_id)


def _require_user_by_id(connection: Connection, user_id: int) -> User:
    user = find_user_by_id(connection, user_id)
    if user is None:
        raise RefusedError(404, "not-found", "there is no such user")
    return user


def change_campaign(
    service: Service, actor: str, *, name: str | None = None, guidelines: str | None = None
) -> None:
    """Change the name or the guidelines of the campaign; everybody is asked to read new guidelines."""
    with _write_and_forget(service) as connection:
        if name is not None:
            store_setting(connection, "name", " ".join(name.split()))
            record_action(connection, actor, "campaign named", name)
        if guidelines is not None and store_guidelines(connection, guidelines.strip()):
            record_action(connection, actor, "guidelines changed")
        settings = read_campaign_settings(connection)
    service.name, service.has_guidelines = settings.name, bool(settings.guidelines)


def confirm_guidelines(service: Service, user_id: int) -> None:
    """Record that a user has read the guidelines."""
    with service.store.write() as connection:
        confirm_reading(connection, user_id)


def use_collection(service: Service, actor: str, path: Path) -> int:
    """Use a collection on the server, and return its number of documents."""
    with _write_and_forget(service) as connection:
        collection = choose_collection(connection, actor, path)
        service.library.switch(collection)
    return len(collection)


def upload_topics(service: Service, actor: str, name: str, data: bytes | Path) -> int:
    """Replace the topics by those of a file, and return their number."""
    with _write_and_forget(service) as connection:
        service.topics = topics = replace_topics(connection, actor, name, data)
    return len(topics)


def upload_pool(service: Service, actor: str, name: str, data: bytes | Path) -> int:
    """Add the documents of a pool file, and return how many are new."""
    with _write_and_forget(service) as connection:
        return add_pool(connection, actor, service.library, name, data)


def distribute_work(
    service: Service, actor: str, request: PlanRequest, digest: str | None
) -> WorkPlan | None:
    """Apply a plan and return it; return None if its digest has changed."""
    with _write_and_forget(service) as connection:
        plan = make_plan(connection, request)
        if digest is not None and plan.digest != digest:
            return None
        apply_plan(connection, actor, plan)
        return plan
