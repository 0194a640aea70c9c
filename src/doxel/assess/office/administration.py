"""Administration by organisers: user accounts, assigned topics, locks, hand-overs, and the audit log.

Each function adds a line to the audit log.  The server and the command line both call them.

When a topic is handed over, the new assessor gets a new assignment, with or without the work done so far.
The event log records who did what and is never changed.  So the old assignment stays and is locked, and its
judgements are copied as new events.  That the old assessor has seen the pooled parts is not copied.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from doxel.assess.document_state import generate_events
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.scales import SNAPPINGS
from doxel.assess.store.accounts import User, add_user, change_password, find_user, set_disabled
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
from doxel.assess.store.pooled_documents import Library, list_judging_tasks, require_text
from doxel.errors import InputError

__all__ = [
    "COMMAND_LINE",
    "HandOver",
    "admit_user",
    "assign_topic",
    "choose_official",
    "describe_assignment",
    "hand_over",
    "list_audit_lines",
    "record_action",
    "renew_password",
    "require_user",
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
    connection: Connection, who: str, name: str, password_hash: str, role: str = "assessor"
) -> User:
    """Add a user, who may then sign in."""
    add_user(connection, name, password_hash, role)
    user = require_user(connection, name)
    record_action(connection, who, "user added", f"{user.name} ({role})")
    return user


def renew_password(connection: Connection, who: str, user: User, password_hash: str) -> None:
    """Set a user's password and end all their sessions."""
    change_password(connection, user.id, password_hash)
    record_action(connection, who, "password changed", user.name)


def set_user_disabled(connection: Connection, who: str, user: User, *, disabled: bool) -> None:
    """Disable or enable a user's account and end all their sessions."""
    set_disabled(connection, user.id, disabled=disabled)
    record_action(connection, who, "user disabled" if disabled else "user enabled", user.name)


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
    who: str,
    topic: str,
    name: str,
    scale: str = "2006",
    snapping: str = SNAPPINGS[0],
) -> int:
    """Assign a topic to an assessor, and return the id of the new assignment."""
    user = require_assessor(connection, name)
    number = create_assignment(connection, topic, user.id, scale, snapping)
    detail = f"topic {topic} to {user.name}, scale {scale}, snapping {snapping}: assignment {number}"
    record_action(connection, who, "topic assigned", detail)
    return number


def set_assignment_locked(
    connection: Connection, who: str, number: int, *, locked: bool
) -> AssignmentProgress:
    """Lock or unlock an assignment, and return it as it was before."""
    assignment = require_assignment(connection, number)
    set_locked(connection, number, locked=locked)
    record_action(
        connection,
        who,
        "assignment locked" if locked else "assignment unlocked",
        describe_assignment(assignment),
    )
    return assignment


def choose_official(connection: Connection, who: str, number: int) -> AssignmentProgress:
    """Make an assignment the official one of its topic, and return it as it was before."""
    assignment = require_assignment(connection, number)
    make_official(connection, number)
    record_action(connection, who, "assignment made official", describe_assignment(assignment))
    return assignment


@dataclass(frozen=True)
class HandOver:
    """The id of the new assignment, the number of documents with copied judgements, and notes on the rest."""

    assignment: int
    documents: int
    notes: tuple[str, ...]


def hand_over(
    connection: Connection, who: str, number: int, name: str, library: Library | None = None
) -> HandOver:
    """Hand over a topic to another assessor, on the same scale; with a library, copy the work.

    The old assignment is locked.  If it was official, the new one becomes official instead.
    """
    old = require_assignment(connection, number)
    user = require_assessor(connection, name)
    new = create_assignment(connection, old.topic, user.id, old.scale, old.snapping)
    documents = 0
    notes: list[str] = []
    if library is not None:
        events = {doc: list(generate_events(state)) for doc, state in read_states(connection, number).items()}
        arrivals = _build_arrivals(connection, old, events, library)
        (outcomes,) = append_events(connection, library, [Submission(user.id, new, arrivals)])
        documents = sum(bool(doc_events) for doc_events in events.values())
        _, notes = summarise_refusals(outcomes)
    set_locked(connection, number, locked=True)
    if old.official:
        make_official(connection, new)
    extent = "with" if library is not None else "without"
    detail = "; ".join(
        [f"{describe_assignment(old)} to {user.name}, {extent} the work so far: assignment {new}", *notes]
    )
    record_action(connection, who, "assignment handed over", detail)
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


def record_action(connection: Connection, who: str, action: str, detail: str = "") -> None:
    """Add a line to the audit log."""
    number = find_next_id(connection, AUDIT)
    connection.execute(AUDIT.insert().values(id=number, at=now(), who=who, action=action, detail=detail))


def list_audit_lines(connection: Connection, before: int | None = None) -> list[dict[str, Any]]:
    """Return the latest lines of the audit log, or the latest before an id, newest first."""
    query = select(AUDIT).order_by(AUDIT.c.id.desc()).limit(_LINES)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    return [
        {"id": row.id, "at": format_time(row.at), "who": row.who, "action": row.action, "detail": row.detail}
        for row in connection.execute(query)
    ]
