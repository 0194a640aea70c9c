"""Administration by organisers: user accounts, assigned topics, locks, hand-overs, and the audit log.

Each function adds a line to the audit log.  The server and the command line both call them.

When a topic is handed over, the new assessor gets a new assignment, with or without the work done so far.
The event log records who did what and is never changed.  So the old assignment stays and is locked, and its
judgements are copied as new events.  Whether the old assessor has seen the pooled parts is not copied.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, update

from doxel.assess.document_state import generate_events
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.scales import SNAPPINGS
from doxel.assess.store.accounts import (
    User,
    add_user,
    change_password,
    find_user,
    list_users,
    remove_account,
    set_disabled,
)
from doxel.assess.store.adjudications import add_sources, list_adjudications
from doxel.assess.store.assignments import (
    AssignmentProgress,
    create_assignment,
    find_progress,
    make_official,
    set_locked,
)
from doxel.assess.store.database import find_next_id
from doxel.assess.store.database_schema import AUDIT, format_time, now
from doxel.assess.store.event_log import read_states
from doxel.assess.store.event_writer import Submission, append_events, summarise_refusals
from doxel.assess.store.invitations import INVITATION_DAYS, create_invitation
from doxel.assess.store.pooled_documents import Library, list_judging_tasks, require_text
from doxel.assess.store.shares import exchange_official, read_share
from doxel.errors import InputError

__all__ = [
    "COMMAND_LINE",
    "HandOver",
    "admit_user",
    "assign_topic",
    "choose_official",
    "describe_assignment",
    "hand_over",
    "invite_user",
    "list_audit_lines",
    "record_action",
    "remove_user",
    "renew_password",
    "require_user",
    "send_new_link",
    "set_assignment_locked",
    "set_user_disabled",
]


def require_user(connection: Connection, name: str) -> User:
    """Return the user with a name; raise an error if there is none."""
    user = find_user(connection, name)
    if user is None:
        raise InputError("no such user", wanted="the name of a user", found=repr(name))
    return user


def admit_user(
    connection: Connection, actor: str, name: str, password_hash: str, role: str = "assessor"
) -> User:
    """Add a user, who may then sign in."""
    add_user(connection, name, password_hash, role)
    user = require_user(connection, name)
    record_action(connection, actor, "user added", f"{user.name} ({role})")
    return user


def renew_password(connection: Connection, actor: str, user: User, password_hash: str) -> None:
    """Set a user's password and end all their sessions."""
    change_password(connection, user.id, password_hash)
    record_action(connection, actor, "password changed", user.name)


def set_user_disabled(connection: Connection, actor: str, user: User, *, disabled: bool) -> None:
    """Disable or enable a user's account and end all their sessions."""
    if user.is_removed:
        raise InputError("an account", wanted="a user who was not removed", found=user.name)
    set_disabled(connection, user.id, disabled=disabled)
    record_action(connection, actor, "user disabled" if disabled else "user enabled", user.name)


def invite_user(
    connection: Connection,
    actor: str,
    name: str,
    password_hash: str,
    role: str = "assessor",
    days: float = INVITATION_DAYS,
) -> tuple[User, str]:
    """Add a user who chooses the password by a link, and return the user and the token of the link.

    ``password_hash`` is that of a password that nobody knows.  Topics can be assigned at once.
    """
    add_user(connection, name, password_hash, role)
    user = require_user(connection, name)
    record_action(connection, actor, "user invited", f"{user.name} ({role})")
    return user, create_invitation(connection, user.id, days)


def send_new_link(connection: Connection, actor: str, user: User, days: float = INVITATION_DAYS) -> str:
    """Return the token of a new link by which a user chooses a password; until then the old one is valid."""
    if user.disabled:
        raise InputError("an invitation", wanted="a user who may sign in", found=f"{user.name}, disabled")
    record_action(connection, actor, "link made", user.name)
    return create_invitation(connection, user.id, days)


def remove_user(connection: Connection, actor: str, user: User, password_hash: str) -> str:
    """Remove a user's account and name, also from the audit log; return the pseudonym that replaces it.

    Their judgements are kept under the pseudonym.  ``password_hash`` is that of a password nobody knows.
    """
    if user.is_removed:
        raise InputError("a user to remove", wanted="a user who is not removed yet", found=user.name)
    others = [
        other.name
        for other in list_users(connection)
        if other.role == "organiser" and not other.disabled and other.id != user.id
    ]
    if user.role == "organiser" and not others:
        raise InputError("a user to remove", wanted="another organiser, who stays", found="the last one")
    pseudonym = remove_account(connection, user.id, password_hash)
    _replace_name(connection, user.name, pseudonym)
    record_action(connection, actor, "user removed", pseudonym)
    return pseudonym


def _replace_name(connection: Connection, name: str, pseudonym: str) -> None:
    """Replace the name of a user in the audit log."""
    whole_name = re.compile(rf"(?<![a-z0-9._@-]){re.escape(name)}(?![a-z0-9_@-]|\.[a-z0-9])")
    connection.execute(update(AUDIT).where(AUDIT.c.who == name).values(who=pseudonym))
    query = select(AUDIT.c.id, AUDIT.c.detail).where(AUDIT.c.detail.contains(name, autoescape=True))
    for row in connection.execute(query).all():
        detail = whole_name.sub(pseudonym, row.detail)
        connection.execute(update(AUDIT).where(AUDIT.c.id == row.id).values(detail=detail))


def require_assessor(connection: Connection, name: str) -> User:
    """Return the user with a name; raise an error if there is none or the account is disabled."""
    user = require_user(connection, name)
    if user.disabled:
        found = f"{user.name}, whose account is disabled"
        raise InputError("an assessor", wanted="a user who can sign in", found=found)
    return user


def require_assignment(connection: Connection, number: int) -> AssignmentProgress:
    """Return the assignment with an id; raise an error if there is none."""
    assignment = find_progress(connection, number)
    if assignment is None:
        raise InputError("no such assignment", wanted="the number of an assignment", found=f"{number:,}")
    return assignment


def describe_assignment(assignment: AssignmentProgress) -> str:
    """Describe an assignment for the audit log."""
    return f"assignment {assignment.id}: topic {assignment.topic} of {assignment.assessor}"


def assign_topic(
    connection: Connection,
    actor: str,
    topic: str,
    name: str,
    scale: str = "2006",
    snapping: str = SNAPPINGS[0],
) -> int:
    """Assign a topic to an assessor, and return the id of the new assignment."""
    user = require_assessor(connection, name)
    number = create_assignment(connection, topic, user.id, scale, snapping)
    detail = f"topic {topic} to {user.name}, scale {scale}, snapping {snapping}: assignment {number}"
    record_action(connection, actor, "topic assigned", detail)
    return number


def set_assignment_locked(
    connection: Connection, actor: str, number: int, *, locked: bool
) -> AssignmentProgress:
    """Lock or unlock an assignment, and return it as it was before."""
    assignment = require_assignment(connection, number)
    set_locked(connection, number, locked=locked)
    record_action(
        connection,
        actor,
        "assignment locked" if locked else "assignment unlocked",
        describe_assignment(assignment),
    )
    return assignment


def choose_official(connection: Connection, actor: str, number: int) -> AssignmentProgress:
    """Make an assignment the official one of its topic, and return it as it was before."""
    assignment = require_assignment(connection, number)
    make_official(connection, number)
    record_action(connection, actor, "assignment made official", describe_assignment(assignment))
    return assignment


@dataclass(frozen=True)
class HandOver:
    """The id of the new assignment, the number of documents with copied judgements, and notes on the rest."""

    assignment: int
    documents: int
    notes: tuple[str, ...]


def hand_over(
    connection: Connection, actor: str, number: int, name: str, library: Library | None = None
) -> HandOver:
    """Hand over a topic to another assessor, on the same scale; with a library, copy the work.

    The old assignment is locked.  If it was official, the new one becomes official instead.
    """
    old = require_assignment(connection, number)
    user = require_assessor(connection, name)
    share = read_share(connection, number) if old.partial else None
    new = create_assignment(
        connection, old.topic, user.id, old.scale, old.snapping, share=share, official=False
    )
    sources = list_adjudications(connection, [number]).get(number)
    if sources is not None:
        add_sources(connection, new, sources)
    documents = 0
    notes: list[str] = []
    if library is not None:
        events = {doc: list(generate_events(state)) for doc, state in read_states(connection, number).items()}
        arrivals = _build_arrivals(connection, old, events, library)
        (outcomes,) = append_events(connection, library, [Submission(user.id, new, arrivals)])
        documents = sum(bool(doc_events) for doc_events in events.values())
        _, notes = summarise_refusals(outcomes)
    set_locked(connection, number, locked=True)
    if old.official and share is None:
        make_official(connection, new)
    elif old.official and share is not None:  # the others of the topic stay official for their documents
        exchange_official(connection, number, new)
    extent = "with" if library is not None else "without"
    detail = "; ".join(
        [f"{describe_assignment(old)} to {user.name}, {extent} the work so far: assignment {new}", *notes]
    )
    record_action(connection, actor, "assignment handed over", detail)
    return HandOver(new, documents, tuple(notes))


def _build_arrivals(
    connection: Connection, old: AssignmentProgress, events: Mapping[str, Sequence[Event]], library: Library
) -> tuple[Arrival, ...]:
    """Return events as if a client had sent them; the client is named after the old assignment."""
    pooled = {task.doc: task for task in list_judging_tasks(connection, old.topic)}
    client, count = f"handed:{old.id}", itertools.count()
    return tuple(
        Arrival(doc, client, next(count), require_text(library, pooled[doc]).fingerprint, event)
        for doc, doc_events in events.items()
        for event in doc_events
    )


COMMAND_LINE = "(command line)"
"""The user recorded for actions on the command line, where nobody signs in."""

_LINES = 200


def record_action(connection: Connection, actor: str, action: str, detail: str = "") -> None:
    """Add a line to the audit log."""
    number = find_next_id(connection, AUDIT)
    connection.execute(AUDIT.insert().values(id=number, at=now(), who=actor, action=action, detail=detail))


def list_audit_lines(connection: Connection, before: int | None = None) -> list[dict[str, Any]]:
    """Return the latest lines of the audit log, or the latest before an id, newest first."""
    query = select(AUDIT).order_by(AUDIT.c.id.desc()).limit(_LINES)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    return [
        {"id": row.id, "at": format_time(row.at), "who": row.who, "action": row.action, "detail": row.detail}
        for row in connection.execute(query)
    ]
