"""Assignments: each is the work of one assessor on one topic, with its scale, its locks and its progress.

A partial assignment has some documents of its topic, listed in :mod:`~doxel.assess.store.shares`; any other
has all of them.  For each document exactly one judgement is official: that of the one whole assignment that
is official, at first the first one, or of the partial assignment in which the document is marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, false, func, select, true, update

from doxel.assess.judging_events import EDITS
from doxel.assess.scales import SNAPPINGS, check_snapping, find_scale
from doxel.assess.store.database import find_next_id
from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS, POOLED, USERS, now
from doxel.assess.store.pooled_documents import build_topic_key, list_topics
from doxel.assess.store.shares import IS_IN_SHARE, claim_official, count_shares, write_share
from doxel.errors import InputError

__all__ = [
    "Assignment",
    "AssignmentProgress",
    "WorkStep",
    "create_assignment",
    "find_assignment",
    "find_last_steps",
    "find_progress",
    "find_statuses",
    "has_finished",
    "list_assignments",
    "make_official",
    "set_locked",
]


@dataclass(frozen=True)
class Assignment:
    """An assignment without its progress: topic, assessor, scale, and the unit to which selections snap."""

    id: int
    topic: str
    user_id: int
    assessor: str
    scale: str
    snapping: str
    official: bool
    locked: bool
    partial: bool


@dataclass(frozen=True)
class AssignmentProgress(Assignment):
    """An assignment with its numbers of documents: all, validated and open."""

    documents: int
    validated: int
    open: int

    @property
    def finished(self) -> bool:
        """Whether every document is validated."""
        return 0 < self.documents == self.validated

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**vars(self), "finished": self.finished}


def create_assignment(
    connection: Connection,
    topic: str,
    user_id: int,
    scale: str = "2006",
    snapping: str = SNAPPINGS[0],
    *,
    share: Mapping[str, bool] | None = None,
    official: bool | None = None,
) -> int:
    """Assign a topic to an assessor and return the assignment's id; the first one of a topic is official.

    With a ``share``, only its documents are assigned, each with whether its judgement is official.
    """
    find_scale(scale)
    check_snapping(snapping)
    if not connection.execute(select(POOLED.c.doc).where(POOLED.c.topic == topic).limit(1)).first():
        wanted = "a topic with pooled documents, added with --pool or in the browser"
        raise InputError(f"topic {topic}", wanted=wanted, found="none")
    user_ids = (
        connection.execute(select(ASSIGNMENTS.c.user_id).where(ASSIGNMENTS.c.topic == topic)).scalars().all()
    )
    if user_id in user_ids:
        wanted, found = "another assessor", "one who already has this topic"
        raise InputError(f"topic {topic}", wanted=wanted, found=found)
    number = find_next_id(connection, ASSIGNMENTS)
    connection.execute(
        ASSIGNMENTS.insert().values(
            id=number,
            topic=topic,
            user_id=user_id,
            scale=scale,
            snapping=snapping,
            official=not user_ids if official is None else official,
            locked=False,
            created=now(),
            partial=share is not None,
        )
    )
    if share is not None:
        write_share(connection, number, share)
    return number


def make_official(connection: Connection, assignment_id: int) -> None:
    """Make an assignment the official one of its topic; a partial one, for its own documents."""
    assignment = find_assignment(connection, assignment_id)
    if assignment is None:
        return
    of_topic = ASSIGNMENTS.c.topic == assignment.topic
    is_official = (ASSIGNMENTS.c.partial == true()) if assignment.partial else false()
    connection.execute(update(ASSIGNMENTS).where(of_topic).values(official=is_official))
    if assignment.partial:
        claim_official(connection, assignment_id)
    else:
        connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment_id).values(official=True))


def set_locked(connection: Connection, assignment_id: int, *, locked: bool) -> None:
    """Lock an assignment, so that it takes no more events, or unlock it."""
    connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment_id).values(locked=locked))


# The last edit, validate or reopen event of each document: the document is done if it is a validate event.
# A correlated subquery per document uses the index, so its cost does not grow with the log.
_EARLIER = EVENTS.alias("earlier")
_LAST = (
    select(_EARLIER.c.seq)
    .where(
        _EARLIER.c.assignment_id == ASSIGNMENTS.c.id,
        _EARLIER.c.doc == POOLED.c.doc,
        _EARLIER.c.kind.in_([*sorted(EDITS), "validate", "reopen"]),
    )
    .order_by(_EARLIER.c.seq.desc())
    .limit(1)
    .correlate(ASSIGNMENTS, POOLED)
    .scalar_subquery()
)
_STEPS = (
    select(ASSIGNMENTS.c.id, POOLED.c.doc, EVENTS.c.kind, EVENTS.c.at)
    .select_from(ASSIGNMENTS)
    .join(POOLED, (POOLED.c.topic == ASSIGNMENTS.c.topic) & IS_IN_SHARE)
    .join(EVENTS, EVENTS.c.seq == _LAST)
)


@dataclass(frozen=True)
class WorkStep:
    """The last event that decides whether a document of an assignment is done."""

    assignment: int
    doc: str
    status: str
    at: int


def find_last_steps(
    connection: Connection,
    *,
    assignment_id: int | None = None,
    user_id: int | None = None,
    topic: str | None = None,
) -> Iterator[WorkStep]:
    """Yield the last step of each document that was begun, of all assignments or of those that match."""
    query = _STEPS
    if assignment_id is not None:
        query = query.where(ASSIGNMENTS.c.id == assignment_id)
    if user_id is not None:
        query = query.where(ASSIGNMENTS.c.user_id == user_id)
    if topic is not None:
        query = query.where(ASSIGNMENTS.c.topic == topic)
    for number, doc, kind, at in connection.execute(query):
        yield WorkStep(number, doc, "validated" if kind == "validate" else "open", at)


def find_statuses(connection: Connection, assignment_id: int) -> dict[str, str]:
    """Return "validated" or "open" for the documents of an assignment that were begun."""
    return {step.doc: step.status for step in find_last_steps(connection, assignment_id=assignment_id)}


_ALL = select(ASSIGNMENTS, USERS.c.name).join(USERS, ASSIGNMENTS.c.user_id == USERS.c.id)
_ONE = _ALL.where(ASSIGNMENTS.c.id == bindparam("assignment"))


def list_assignments(
    connection: Connection,
    *,
    user_id: int | None = None,
    topic: str | None = None,
    steps: Iterable[WorkStep] | None = None,
) -> list[AssignmentProgress]:
    """Return all assignments, or those of a user or a topic, ordered by topic.

    ``steps`` are their last steps, if the caller has already read them.
    """
    query = _ALL
    if user_id is not None:
        query = query.where(ASSIGNMENTS.c.user_id == user_id)
    if topic is not None:
        query = query.where(ASSIGNMENTS.c.topic == topic)
    last = find_last_steps(connection, user_id=user_id, topic=topic) if steps is None else steps
    counts = Counter((step.assignment, step.status) for step in last)
    sizes, shares = dict(list_topics(connection)), count_shares(connection)
    progress = [
        _build_progress(row, shares.get(row.id, 0) if row.partial else sizes.get(row.topic, 0), counts)
        for row in connection.execute(query)
    ]
    return sorted(progress, key=lambda assignment: (*build_topic_key(assignment.topic), assignment.id))


def find_assignment(connection: Connection, assignment_id: int) -> Assignment | None:
    """Return the assignment with an id, without its progress, None if there is none."""
    row = connection.execute(_ONE, {"assignment": assignment_id}).first()
    return None if row is None else Assignment(**_read_columns(row))


def find_progress(connection: Connection, assignment_id: int) -> AssignmentProgress | None:
    """Return the assignment with an id and its progress, None if there is none."""
    row = connection.execute(_ONE, {"assignment": assignment_id}).first()
    if row is None:
        return None
    if row.partial:
        size = count_shares(connection, assignment_id).get(assignment_id, 0)
    else:
        size = connection.execute(select(func.count()).where(POOLED.c.topic == row.topic)).scalar() or 0
    counts = Counter((assignment_id, status) for status in find_statuses(connection, assignment_id).values())
    return _build_progress(row, size, counts)


def _read_columns(row: Row[Any]) -> dict[str, Any]:
    names = ("id", "topic", "user_id", "scale", "snapping", "official", "locked", "partial")
    return {**{name: getattr(row, name) for name in names}, "assessor": row.name}


def _build_progress(
    row: Row[Any], documents: int, counts: Mapping[tuple[int, str], int]
) -> AssignmentProgress:
    return AssignmentProgress(
        **_read_columns(row),
        documents=documents,
        validated=counts.get((row.id, "validated"), 0),
        open=counts.get((row.id, "open"), 0),
    )


def has_finished(connection: Connection, user_id: int, topic: str) -> bool:
    """Return whether a user has an assignment of a topic and has validated every document in it."""
    query = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.user_id == user_id, ASSIGNMENTS.c.topic == topic)
    number = connection.execute(query).scalar()
    assignment = None if number is None else find_progress(connection, number)
    return assignment is not None and assignment.finished
