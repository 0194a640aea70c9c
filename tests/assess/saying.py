"""Events that tests store directly, without the server."""

from __future__ import annotations

import uuid
from typing import Any

from doxel.assess.document_state import State
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.store.assignments import find_progress
from doxel.assess.store.database import Store
from doxel.assess.store.event_log import read_state
from doxel.assess.store.event_writer import EventReceipt, Submission, append_events
from doxel.assess.store.pooled_documents import Library

__all__ = ["arrival", "say", "send", "state"]


def arrival(
    library: Library,
    sequence: int,
    kind: str = "highlight",
    body: dict[str, Any] | None = None,
    *,
    doc: str = "apples",
    client: str = "c",
) -> Arrival:
    """Return an event as a client sends it; without a body, it marks the first six characters."""
    body = {"spans": [[0, 6]]} if body is None else body
    return Arrival(doc, client, sequence, library[doc].fingerprint, Event(kind, body))


def send(
    store: Store, library: Library, *arrivals: Arrival, user: int = 1, assignment: int = 1
) -> list[EventReceipt]:
    """Append events, and return the outcome of each."""
    with store.write() as connection:
        return append_events(connection, library, [Submission(user, assignment, arrivals)])[0]


def say(store: Store, library: Library, assignment: int, *events: tuple[str, str, dict[str, Any]]) -> None:
    """Store events of an assignment's assessor, given as documents, kinds and bodies; none may be refused."""
    with store.read() as connection:
        user = find_progress(connection, assignment).user_id
    client = uuid.uuid4().hex
    arrivals = [
        arrival(library, number, kind, body, doc=doc, client=client)
        for number, (doc, kind, body) in enumerate(events)
    ]
    outcomes = send(store, library, *arrivals, user=user, assignment=assignment)
    assert {outcome.status for outcome in outcomes} == {"stored"}, outcomes


def state(store: Store, doc: str = "apples", assignment: int = 1) -> State:
    """Return the stored state of a document."""
    with store.read() as connection:
        return read_state(connection, assignment, doc)[0]
