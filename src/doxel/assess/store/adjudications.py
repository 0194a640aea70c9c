"""Adjudications with their sources, and looks: records of who has seen the marks of others.

An adjudication is an assignment like others, with sources: two or more assignments of its topic, on its
scale.  On each document, those sources count whose assessors have done it.

A look is the first time that somebody saw the marks in another's assignment, with the last event in the log
at that time.  So later changes in the user's own assignment can be recognised as changes after the look.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from doxel.assess.document_state import State
from doxel.assess.judgement_differences import Difference, compare_judgements
from doxel.assess.judging_events import EDITS
from doxel.assess.scales import Scale
from doxel.assess.store.assignments import find_statuses
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import ADJUDICATIONS, ASSIGNMENTS, EVENTS, LOOKS, USERS, now
from doxel.assess.store.event_log import COPYING_CLIENTS, read_state
from doxel.assess.store.pooled_documents import Library
from doxel.assess.store.shares import find_holders
from doxel.errors import InputError
from doxel.wording import pluralise

__all__ = [
    "AdjudicatorWork",
    "LateChanges",
    "Look",
    "SourceComparison",
    "add_sources",
    "compare_sources",
    "find_adjudicated",
    "find_late_changes",
    "find_source_misfit",
    "find_taken_over",
    "list_adjudications",
    "list_looks",
    "record_looks",
]


def list_adjudications(
    connection: Connection, numbers: Iterable[int] | None = None
) -> dict[int, tuple[int, ...]]:
    """Return the sources of all adjudications, or of those among the assignments with these numbers."""
    query = select(ADJUDICATIONS).order_by(ADJUDICATIONS.c.assignment_id, ADJUDICATIONS.c.source_id)
    if numbers is not None:
        query = query.where(ADJUDICATIONS.c.assignment_id.in_(list(numbers)))
    sources: dict[int, list[int]] = defaultdict(list)
    for assignment_id, source_id in connection.execute(query):
        sources[assignment_id].append(source_id)
    return {number: tuple(source_ids) for number, source_ids in sources.items()}


def add_sources(connection: Connection, assignment_id: int, sources: Sequence[int]) -> None:
    """Make an assignment the adjudication of others."""
    rows = [{"assignment_id": assignment_id, "source_id": source} for source in sources]
    connection.execute(ADJUDICATIONS.insert(), rows)


def find_source_misfit(assignments: Sequence[Any]) -> InputError | None:
    """Return an error if assignments cannot be adjudicated together, else None."""
    if len({assignment.id for assignment in assignments}) < 2:
        found = pluralise(len(assignments), "assignment")
        return InputError("an adjudication", wanted="two assignments or more", found=found)
    for field in ("topic", "scale"):
        values = sorted({str(getattr(assignment, field)) for assignment in assignments})
        if len(values) > 1:
            return InputError(
                "an adjudication", wanted=f"assignments of one {field}", found=", ".join(values)
            )
    return None


@dataclass(frozen=True)
class SourceComparison:
    """The sources of an adjudication on a document: the states that count, and how they compare."""

    states: Mapping[int, State]
    agreed: State
    differences: tuple[Difference, ...]


def compare_sources(
    connection: Connection, library: Library, sources: Sequence[int], scale: Scale, doc: str
) -> SourceComparison:
    """Compare the states of a document in the sources that have it and whose assessors have done it."""
    holders = find_holders(connection, sources, doc)
    states = {number: read_state(connection, number, doc)[0] for number in sources if number in holders}
    done_states = {number: state for number, state in states.items() if state.validated}
    comparison = compare_judgements(done_states, scale, library.graded_outline(doc, scale))
    return SourceComparison(done_states, comparison.agreed, comparison.differences)


def find_taken_over(connection: Connection, sources: Sequence[int]) -> dict[str, int]:
    """Return the documents that only one of the sources of an adjudication has done, with that source."""
    numbers_by_doc: dict[str, list[int]] = defaultdict(list)
    for number in sources:
        for doc, status in find_statuses(connection, number).items():
            if status == "validated":
                numbers_by_doc[doc].append(number)
    return {doc: numbers[0] for doc, numbers in numbers_by_doc.items() if len(numbers) == 1}


@dataclass(frozen=True)
class AdjudicatorWork:
    """Who has adjudicated a document, and the number and time of their last event."""

    assessor: str
    seq: int
    at: int


def find_adjudicated(connection: Connection, assignment_id: int, doc: str) -> list[AdjudicatorWork]:
    """Return those who have worked on a document on the basis of an assignment."""
    query = (
        select(USERS.c.name, func.max(EVENTS.c.seq), func.max(EVENTS.c.at))
        .select_from(ADJUDICATIONS)
        .join(EVENTS, EVENTS.c.assignment_id == ADJUDICATIONS.c.assignment_id)
        .join(USERS, USERS.c.id == EVENTS.c.user_id)
        .where(
            ADJUDICATIONS.c.source_id == assignment_id,
            EVENTS.c.doc == doc,
            *(EVENTS.c.client.not_like(f"{prefix}%") for prefix in COPYING_CLIENTS),
        )
        .group_by(USERS.c.name)
    )
    return [AdjudicatorWork(*row) for row in connection.execute(query)]


@dataclass(frozen=True)
class Look:
    """The first look of a user at the marks in another's assignment; ``seq`` is the last event by then."""

    user_id: int
    assignment: int
    assessor: str
    seq: int
    at: int


def record_looks(store: Store, user_id: int, assignments: Iterable[Any]) -> None:
    """Record that a user sees the marks in assignments; only the first look at each is kept."""
    others = sorted({assignment.id for assignment in assignments if assignment.user_id != user_id})
    if not others:
        return
    recorded_looks = select(LOOKS.c.assignment_id).where(LOOKS.c.user_id == user_id)
    with store.look() as connection:
        if not set(others) - set(connection.execute(recorded_looks).scalars()):
            return
    with store.write() as connection:
        seq = int(connection.execute(select(func.max(EVENTS.c.seq))).scalar() or 0)
        new = set(others) - set(connection.execute(recorded_looks).scalars())
        rows = [
            {"user_id": user_id, "assignment_id": other, "seq": seq, "at": now()} for other in sorted(new)
        ]
        if rows:
            connection.execute(LOOKS.insert(), rows)


def list_looks(connection: Connection, topic: str, user_id: int | None = None) -> list[Look]:
    """Return the looks at the assignments of a topic, of all users or of one, earliest first."""
    query = (
        select(LOOKS.c.user_id, LOOKS.c.assignment_id, USERS.c.name, LOOKS.c.seq, LOOKS.c.at)
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == LOOKS.c.assignment_id)
        .join(USERS, USERS.c.id == ASSIGNMENTS.c.user_id)
        .where(ASSIGNMENTS.c.topic == topic)
        .order_by(LOOKS.c.seq, LOOKS.c.at, LOOKS.c.assignment_id)
    )
    if user_id is not None:
        query = query.where(LOOKS.c.user_id == user_id)
    return [Look(*row) for row in connection.execute(query)]


@dataclass(frozen=True)
class LateChanges:
    """The documents that an assessor changed after seeing the marks of others on the topic."""

    assignment: int
    assessor: str
    seen: tuple[str, ...]
    docs: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The changes in words."""
        documents = pluralise(len(self.docs), "document")
        return f"{self.assessor} changed {documents} after seeing the marks of {', '.join(self.seen)}"


def find_late_changes(connection: Connection, topic: str) -> list[LateChanges]:
    """Return who changed own marks on a topic after seeing those of others; adjudicators are left out."""
    adjudications = list_adjudications(connection)
    query = select(ASSIGNMENTS.c.id, ASSIGNMENTS.c.user_id, USERS.c.name)
    query = query.join(USERS, USERS.c.id == ASSIGNMENTS.c.user_id).where(ASSIGNMENTS.c.topic == topic)
    rows = connection.execute(query.order_by(ASSIGNMENTS.c.id)).all()
    looks = list_looks(connection, topic)
    changes: list[LateChanges] = []
    for row in rows:
        number, user_id, assessor = row.id, row.user_id, row.name
        own_looks = [look for look in looks if look.user_id == user_id and look.assignment != number]
        if number in adjudications or not own_looks:
            continue
        later = (
            select(EVENTS.c.doc)
            .where(EVENTS.c.assignment_id == number, EVENTS.c.seq > own_looks[0].seq)
            .where(EVENTS.c.kind.in_(sorted(EDITS)))
            .distinct()
        )
        docs = tuple(sorted(connection.execute(later).scalars()))
        if docs:
            seen_assessors = tuple(dict.fromkeys(look.assessor for look in own_looks))
            changes.append(LateChanges(number, assessor, seen_assessors, docs))
    return changes
