"""The log of events, read in the server's order and folded into states.

A snapshot is a state that was kept with the number of its last event, so that whoever asks next folds only
what came after.  Snapshots are caches: the log alone is true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select
from sqlalchemy.exc import SQLAlchemyError

from doxel.assess.events import Event
from doxel.assess.fold import EMPTY, State, apply, fold, state_from_json, state_to_json
from doxel.assess.schema import EVENTS, SNAPSHOTS
from doxel.assess.store import Store

__all__ = [
    "Folded",
    "Stored",
    "events_of",
    "folded_of",
    "keep_states",
    "save_snapshots",
    "state_of",
    "states_of",
]

_AT_ONCE = 500  # states kept in one transaction: others want to write as well


@dataclass(frozen=True)
class Stored:
    """An event with its place in the server's order."""

    seq: int
    doc: str
    user_id: int
    client: str
    sequence: int
    at: int
    event: Event


# Built once: every document that is opened or called done asks them.
_DOCUMENT = (EVENTS.c.pool_id == bindparam("pool")) & (EVENTS.c.doc == bindparam("doc"))
_LATER = select(EVENTS).where(_DOCUMENT, EVENTS.c.seq > bindparam("after")).order_by(EVENTS.c.seq)
_SNAPSHOT = select(SNAPSHOTS.c.seq, SNAPSHOTS.c.state).where(
    SNAPSHOTS.c.pool_id == bindparam("pool"), SNAPSHOTS.c.doc == bindparam("doc")
)


def events_of(connection: Connection, pool_id: int, doc: str, after: int = 0) -> list[Stored]:
    """Return the events of a document, in the server's order, that came after a number."""
    rows = connection.execute(_LATER, {"pool": pool_id, "doc": doc, "after": after})
    return [_stored(row) for row in rows]


def _stored(row: Row[Any]) -> Stored:
    event = Event(row.kind, json.loads(row.body))
    return Stored(row.seq, row.doc, row.user_id, row.client, row.sequence, row.at, event)


def state_of(connection: Connection, pool_id: int, doc: str) -> tuple[State, int]:
    """Return the state of a document and the number of its last event, 0 if there is none."""
    state, seq = EMPTY, 0
    snapshot = connection.execute(_SNAPSHOT, {"pool": pool_id, "doc": doc}).first()
    if snapshot is not None:
        state, seq = state_from_json(json.loads(snapshot.state)), snapshot.seq
    later = events_of(connection, pool_id, doc, after=seq)
    return fold((one.event for one in later), state), later[-1].seq if later else seq


@dataclass(frozen=True)
class Folded:
    """The state of a document, the number of its last event, and how many events are not in its snapshot."""

    state: State
    seq: int
    fresh: int


def folded_of(connection: Connection, pool_id: int) -> dict[str, Folded]:
    """Return the states of all documents of a pool that have events: snapshots, and what came after them."""
    kept = select(SNAPSHOTS.c.doc, SNAPSHOTS.c.seq, SNAPSHOTS.c.state).where(SNAPSHOTS.c.pool_id == pool_id)
    found = {
        doc: Folded(state_from_json(json.loads(state)), seq, 0)
        for doc, seq, state in connection.execute(kept)
    }
    same = (SNAPSHOTS.c.pool_id == EVENTS.c.pool_id) & (SNAPSHOTS.c.doc == EVENTS.c.doc)
    later = (
        select(EVENTS.c.seq, EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body)
        .outerjoin(SNAPSHOTS, same)
        .where(EVENTS.c.pool_id == pool_id, EVENTS.c.seq > func.coalesce(SNAPSHOTS.c.seq, 0))
        .order_by(EVENTS.c.seq)
    )
    for seq, doc, kind, body in connection.execute(later):
        before = found.get(doc, Folded(EMPTY, 0, 0))
        found[doc] = Folded(apply(before.state, Event(kind, json.loads(body))), seq, before.fresh + 1)
    return found


def states_of(connection: Connection, pool_id: int) -> dict[str, State]:
    """Return the states of all documents of a pool that have events."""
    return {doc: one.state for doc, one in folded_of(connection, pool_id).items()}


def save_snapshots(connection: Connection, states: Mapping[tuple[int, str], tuple[State, int]]) -> int:
    """Keep states with the numbers of their last events, by pool and document; return how many were new.

    The log only grows, so a state stays right for its number however late it is kept.
    """
    rows: list[dict[str, Any]] = []
    for (pool_id, doc), (state, seq) in states.items():
        here = (SNAPSHOTS.c.pool_id == pool_id) & (SNAPSHOTS.c.doc == doc)
        before = connection.execute(select(SNAPSHOTS.c.seq).where(here)).scalar()
        if seq == 0 or (before is not None and before >= seq):
            continue
        connection.execute(SNAPSHOTS.delete().where(here))
        written = json.dumps(state_to_json(state), ensure_ascii=False)
        rows.append({"pool_id": pool_id, "doc": doc, "seq": seq, "state": written})
    if rows:
        connection.execute(SNAPSHOTS.insert(), rows)
    return len(rows)


def keep_states(store: Store, states: Mapping[tuple[int, str], tuple[State, int]]) -> None:
    """Save snapshots by pool and document; what a database does not take is folded again next time."""
    keys = list(states)
    with suppress(SQLAlchemyError):
        for at in range(0, len(keys), _AT_ONCE):
            with store.write() as connection:
                save_snapshots(connection, {key: states[key] for key in keys[at : at + _AT_ONCE]})
