"""Hand a topic over to another assessor, who gets a new pool, with or without the work done so far.

The log records who did what and is never changed.  So the old pool stays and is locked, and its judgements
are copied as new events of the new pool.  That the old assessor has seen the pooled parts is not copied.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from doxel.assess.appending import Submission, append, refusals
from doxel.assess.audit import record
from doxel.assess.events import Arrival, Event
from doxel.assess.fold import retold
from doxel.assess.library import Library
from doxel.assess.log import states_of
from doxel.assess.managing import assessor_named, named, pool_numbered
from doxel.assess.pooled import held_text, pooled_of
from doxel.assess.pools import Pool, assign, make_official, set_locked

__all__ = ["HandedOver", "hand_over"]


@dataclass(frozen=True)
class HandedOver:
    """The id of the new pool, the number of documents whose judgements were copied, and notes on the rest."""

    pool: int
    documents: int
    notes: tuple[str, ...]


def hand_over(
    connection: Connection, who: str, number: int, name: str, library: Library | None = None
) -> HandedOver:
    """Assign the topic of a pool to another assessor, on the same scale; with a library, copy the work.

    The old pool is locked.  If it was official, the new pool becomes official instead.
    """
    old = pool_numbered(connection, number)
    user = assessor_named(connection, name)
    new = assign(connection, old.topic, user.id, old.scale, old.snapping)
    documents = 0
    notes: list[str] = []
    if library is not None:
        events = {doc: list(retold(state)) for doc, state in states_of(connection, number).items()}
        arrivals = _arrivals(connection, old, events, library)
        (outcomes,) = append(connection, library, [Submission(user.id, new, arrivals)])
        documents = sum(bool(doc_events) for doc_events in events.values())
        _, notes = refusals(outcomes)
    set_locked(connection, number, locked=True)
    if old.official:
        make_official(connection, new)
    extent = "with" if library is not None else "without"
    detail = "; ".join([f"{named(old)} to {user.name}, {extent} the work so far: pool {new}", *notes])
    record(connection, who, "pool handed over", detail)
    return HandedOver(new, documents, tuple(notes))


def _arrivals(
    connection: Connection, old: Pool, events: Mapping[str, Sequence[Event]], library: Library
) -> tuple[Arrival, ...]:
    """Return events as if a client had sent them; the client is named after the old pool."""
    pooled = {task.doc: task for task in pooled_of(connection, old.topic)}
    client, count = f"handed:{old.id}", itertools.count()
    return tuple(
        Arrival(doc, client, next(count), held_text(library, pooled[doc]).fingerprint, event)
        for doc, doc_events in events.items()
        for event in doc_events
    )
