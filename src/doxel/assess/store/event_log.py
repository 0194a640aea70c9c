"""The event log, read in the server's order and folded into states.

A snapshot is a stored state with the number of its last event, so that later reads fold only newer events.
Snapshots are a cache; the log is the source of truth.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select
from sqlalchemy.exc import SQLAlchemyError

from doxel.assess.document_state import (
    EMPTY_STATE,
    State,
    apply_event,
    fold_events,
    state_from_json,
    state_to_json,
)
from doxel.assess.judging_events import Event
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import EVENTS, SNAPSHOTS

__all__ = [
    "COPYING_CLIENTS",
    "FoldedState",
    "StoredEvent",
    "read_events",
    "read_folded_states",
    "read_state",
    "read_states",
    "save_snapshots",
    "save_states",
]

_AT_ONCE = 500  # snapshots per transaction, so that other writers get their turn


@dataclass(frozen=True)
class StoredEvent:
    """An event with its number in the server's order.

    ``step`` is the action that it belongs to: for events of version 1, each one is an action of its own.
    ``reverts`` is the action that it undoes.
    """

    seq: int
    doc: str
    user_id: int
    client: str
    sequence: int
    at: int
    event: Event
    step: str
    reverts: str | None

    @property
    def is_copied(self) -> bool:
        """Whether a command stored it for the assessor: a hand-over, an import or an adjudication."""
        return self.client.startswith(COPYING_CLIENTS)


COPYING_CLIENTS = ("handed:", "import:", "agreed:")
"""The prefixes of clients that store events for an assessor; such events are not the assessor's actions."""


# Built once, because every document that is opened or validated runs them.
_DOCUMENT = (EVENTS.c.assignment_id == bindparam("assignment")) & (EVENTS.c.doc == bindparam("doc"))
_LATER = select(EVENTS).where(_DOCUMENT, EVENTS.c.seq > bindparam("after")).order_by(EVENTS.c.seq)
_SNAPSHOT = select(SNAPSHOTS.c.seq, SNAPSHOTS.c.state).where(
    SNAPSHOTS.c.assignment_id == bindparam("assignment"), SNAPSHOTS.c.doc == bindparam("doc")
)


def read_events(connection: Connection, assignment_id: int, doc: str, after: int = 0) -> list[StoredEvent]:
    """Return a document's events with numbers greater than ``after``, in the server's order."""
    rows = connection.execute(_LATER, {"assignment": assignment_id, "doc": doc, "after": after})
    return [_build_stored_event(row) for row in rows]


def _build_stored_event(row: Row[Any]) -> StoredEvent:
    event = Event(row.kind, json.loads(row.body))
    step = row.step or f"{row.client}:{row.sequence}"
    return StoredEvent(
        row.seq, row.doc, row.user_id, row.client, row.sequence, row.at, event, step, row.reverts
    )


def read_state(connection: Connection, assignment_id: int, doc: str) -> tuple[State, int]:
    """Return the state of a document and the number of its last event, 0 if it has no events."""
    state, seq = EMPTY_STATE, 0
    snapshot = connection.execute(_SNAPSHOT, {"assignment": assignment_id, "doc": doc}).first()
    if snapshot is not None:
        state, seq = state_from_json(json.loads(snapshot.state)), snapshot.seq
    later = read_events(connection, assignment_id, doc, after=seq)
    return fold_events((stored_event.event for stored_event in later), state), later[-1].seq if later else seq


@dataclass(frozen=True)
class FoldedState:
    """A document's state, the number of its last event, and how many events its snapshot lacks."""

    state: State
    seq: int
    fresh: int


def read_folded_states(connection: Connection, assignment_id: int) -> dict[str, FoldedState]:
    """Return the states of an assignment's documents that have events, from snapshots and newer events."""
    snapshots = select(SNAPSHOTS.c.doc, SNAPSHOTS.c.seq, SNAPSHOTS.c.state).where(
        SNAPSHOTS.c.assignment_id == assignment_id
    )
    states = {
        doc: FoldedState(state_from_json(json.loads(state)), seq, 0)
        for doc, seq, state in connection.execute(snapshots)
    }
    same_document = (SNAPSHOTS.c.assignment_id == EVENTS.c.assignment_id) & (SNAPSHOTS.c.doc == EVENTS.c.doc)
    later = (
        select(EVENTS.c.seq, EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body)
        .outerjoin(SNAPSHOTS, same_document)
        .where(EVENTS.c.assignment_id == assignment_id, EVENTS.c.seq > func.coalesce(SNAPSHOTS.c.seq, 0))
        .order_by(EVENTS.c.seq)
    )
    for seq, doc, kind, body in connection.execute(later):
        before = states.get(doc, FoldedState(EMPTY_STATE, 0, 0))
        states[doc] = FoldedState(
            apply_event(before.state, Event(kind, json.loads(body))), seq, before.fresh + 1
        )
    return states


def read_states(connection: Connection, assignment_id: int) -> dict[str, State]:
    """Return the states of an assignment's documents that have events."""
    return {
        doc: folded_state.state for doc, folded_state in read_folded_states(connection, assignment_id).items()
    }


def save_snapshots(connection: Connection, states: Mapping[tuple[int, str], tuple[State, int]]) -> int:
    """Store states with the numbers of their last events, by assignment and document; count the new ones.

    The log only grows, so a state stays correct for its number however late it is stored.
    """
    rows: list[dict[str, Any]] = []
    for (assignment_id, doc), (state, seq) in states.items():
        is_document = (SNAPSHOTS.c.assignment_id == assignment_id) & (SNAPSHOTS.c.doc == doc)
        old_seq = connection.execute(select(SNAPSHOTS.c.seq).where(is_document)).scalar()
        if seq == 0 or (old_seq is not None and old_seq >= seq):
            continue
        connection.execute(SNAPSHOTS.delete().where(is_document))
        state_json = json.dumps(state_to_json(state), ensure_ascii=False)
        rows.append({"assignment_id": assignment_id, "doc": doc, "seq": seq, "state": state_json})
    if rows:
        connection.execute(SNAPSHOTS.insert(), rows)
    return len(rows)


def save_states(store: Store, states: Mapping[tuple[int, str], tuple[State, int]]) -> None:
    """Save snapshots by assignment and document; ignore database errors, because snapshots are a cache."""
    keys = list(states)
    with suppress(SQLAlchemyError):
        for at in range(0, len(keys), _AT_ONCE):
            with store.write() as connection:
                save_snapshots(connection, {key: states[key] for key in keys[at : at + _AT_ONCE]})
