"""Shares: the documents of partial assignments, and whose judgement of each of them is official.

An assignment that is not partial has all documents of its topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from sqlalchemy import Connection, Select, exists, false, func, or_, select, true, update

from doxel.assess.store.database_schema import ASSIGNMENTS, POOLED, SHARES
from doxel.assess.store.pooled_documents import JudgingTask, build_task

__all__ = [
    "IS_IN_SHARE",
    "AssignedTopic",
    "claim_official",
    "count_shared_documents",
    "count_shares",
    "exchange_official",
    "find_holders",
    "has_document",
    "list_assigned_documents",
    "list_assigned_tasks",
    "make_partial",
    "make_share_official",
    "read_share",
    "write_share",
]


class AssignedTopic(Protocol):
    """The properties of an assignment that decide which documents it has."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def topic(self) -> str:
        """Its topic."""

    @property
    def partial(self) -> bool:
        """Whether it has only some documents of its topic."""


IS_IN_SHARE = or_(
    ASSIGNMENTS.c.partial == false(),
    exists().where(SHARES.c.assignment_id == ASSIGNMENTS.c.id, SHARES.c.doc == POOLED.c.doc),
)
"""Whether a pooled document of the topic of an assignment belongs to the assignment."""


def write_share(connection: Connection, assignment_id: int, share: Mapping[str, bool]) -> None:
    """Replace the documents of a partial assignment, each with whether its judgement is official."""
    connection.execute(SHARES.delete().where(SHARES.c.assignment_id == assignment_id))
    rows = [
        {"assignment_id": assignment_id, "doc": doc, "official": official} for doc, official in share.items()
    ]
    if rows:
        connection.execute(SHARES.insert(), rows)


def read_share(connection: Connection, assignment_id: int) -> dict[str, bool]:
    """Return the documents of a partial assignment, each with whether its judgement is official."""
    query = select(SHARES.c.doc, SHARES.c.official).where(SHARES.c.assignment_id == assignment_id)
    return {row.doc: row.official for row in connection.execute(query)}


def make_partial(connection: Connection, assignment: AssignedTopic, *, official: bool) -> None:
    """Turn an assignment of a whole topic into a partial one that has the same documents."""
    docs = list_assigned_documents(connection, assignment)
    connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment.id).values(partial=True))
    write_share(connection, assignment.id, dict.fromkeys(docs, official))


def make_share_official(connection: Connection, assignment_id: int) -> None:
    """Make a partial assignment official for those of its documents that are marked as official."""
    connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == assignment_id).values(official=True))


def claim_official(connection: Connection, assignment_id: int) -> None:
    """Make a partial assignment's judgements of its documents official, instead of those of others."""
    topic = select(ASSIGNMENTS.c.topic).where(ASSIGNMENTS.c.id == assignment_id).scalar_subquery()
    siblings = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.topic == topic)
    docs = select(SHARES.c.doc).where(SHARES.c.assignment_id == assignment_id)
    is_rival = SHARES.c.assignment_id.in_(siblings) & SHARES.c.doc.in_(docs)
    connection.execute(update(SHARES).where(is_rival).values(official=False))
    connection.execute(update(SHARES).where(SHARES.c.assignment_id == assignment_id).values(official=True))


def exchange_official(connection: Connection, old: int, new: int) -> None:
    """Make a partial assignment official in the place of another one that has the same documents."""
    for number, official in ((old, False), (new, True)):
        connection.execute(update(ASSIGNMENTS).where(ASSIGNMENTS.c.id == number).values(official=official))
    connection.execute(update(SHARES).where(SHARES.c.assignment_id == old).values(official=False))


def count_shares(connection: Connection, assignment_id: int | None = None) -> dict[int, int]:
    """Return the number of documents of each partial assignment that has any, or of one of them."""
    query = select(SHARES.c.assignment_id, func.count().label("documents")).group_by(SHARES.c.assignment_id)
    if assignment_id is not None:
        query = query.where(SHARES.c.assignment_id == assignment_id)
    return {row.assignment_id: row.documents for row in connection.execute(query)}


def count_shared_documents(connection: Connection) -> dict[str, int]:
    """Return for each topic the number of documents that are in at least one share."""
    query = (
        select(ASSIGNMENTS.c.topic, func.count(SHARES.c.doc.distinct()).label("documents"))
        .join(SHARES, SHARES.c.assignment_id == ASSIGNMENTS.c.id)
        .group_by(ASSIGNMENTS.c.topic)
    )
    return {row.topic: row.documents for row in connection.execute(query)}


def find_holders(connection: Connection, numbers: Iterable[int], doc: str) -> set[int]:
    """Return those of the assignments ``numbers`` that have a document of their topic."""
    has_share = exists().where(SHARES.c.assignment_id == ASSIGNMENTS.c.id, SHARES.c.doc == doc)
    is_holder = or_(ASSIGNMENTS.c.partial == false(), has_share)
    query = select(ASSIGNMENTS.c.id).where(ASSIGNMENTS.c.id.in_(list(numbers)), is_holder)
    return set(connection.execute(query).scalars())


def has_document(connection: Connection, assignment: AssignedTopic, doc: str) -> bool:
    """Return whether a document of the topic belongs to an assignment."""
    query = select(SHARES.c.doc).where(SHARES.c.assignment_id == assignment.id, SHARES.c.doc == doc)
    return not assignment.partial or connection.execute(query).first() is not None


def list_assigned_documents(connection: Connection, assignment: AssignedTopic) -> list[str]:
    """Return the ids of an assignment's documents in judging order."""
    query = _restrict(select(POOLED.c.doc), assignment, official_only=False)
    return list(connection.execute(query).scalars())


def list_assigned_tasks(
    connection: Connection, assignment: AssignedTopic, *, official_only: bool = False
) -> list[JudgingTask]:
    """Return an assignment's documents in judging order, with fingerprints and pooled parts.

    With ``official_only``, leave out documents of which another assignment has the official judgement.
    """
    query = _restrict(select(POOLED), assignment, official_only=official_only)
    return [build_task(row) for row in connection.execute(query)]


def _restrict(query: Select, assignment: AssignedTopic, *, official_only: bool) -> Select:  # type: ignore[type-arg]
    query = query.where(POOLED.c.topic == assignment.topic).order_by(POOLED.c.place, POOLED.c.doc)
    if not assignment.partial:
        return query
    query = query.join(SHARES, (SHARES.c.assignment_id == assignment.id) & (SHARES.c.doc == POOLED.c.doc))
    return query.where(SHARES.c.official == true()) if official_only else query
