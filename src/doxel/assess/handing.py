"""A pool given to somebody else: they get one of their own, with what was said so far if that is wanted.

The log is never changed, and says who did what: so the old pool stays as it is, locked, and whatever goes
over is said once more, by events of the new pool.  Who takes over has not looked at what systems found.
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
    """The new pool, how many documents went over with what was said of them, and sentences about the rest."""

    pool: int
    documents: int
    notes: tuple[str, ...]


def hand_over(
    connection: Connection, who: str, number: int, name: str, library: Library | None = None
) -> HandedOver:
    """Give the topic of a pool to another assessor, on the same scale; with a library, the work goes over.

    The old pool is locked.  If it was the official one, the new pool is that from now on.
    """
    old = pool_numbered(connection, number)
    user = assessor_named(connection, name)
    new = assign(connection, old.topic, user.id, old.scale, old.snapping)
    documents = 0
    notes: list[str] = []
    if library is not None:
        said = {doc: list(retold(state)) for doc, state in states_of(connection, number).items()}
        arrivals = _arrivals(connection, old, said, library)
        (outcomes,) = append(connection, library, [Submission(user.id, new, arrivals)])
        documents = sum(bool(some) for some in said.values())
        _, notes = refusals(outcomes)
    set_locked(connection, number, locked=True)
    if old.official:
        make_official(connection, new)
    how = "with what was said so far" if library is not None else "to begin anew"
    told = "; ".join([f"{named(old)} to {user.name}, {how}: pool {new}", *notes])
    record(connection, who, "pool handed over", told)
    return HandedOver(new, documents, tuple(notes))


def _arrivals(
    connection: Connection, old: Pool, said: Mapping[str, Sequence[Event]], library: Library
) -> tuple[Arrival, ...]:
    """Return events as if a client had sent them: one that is named after the pool they come from."""
    pooled = {one.doc: one for one in pooled_of(connection, old.topic)}
    client, count = f"handed:{old.id}", itertools.count()
    return tuple(
        Arrival(doc, client, next(count), held_text(library, pooled[doc]).fingerprint, event)
        for doc, events in said.items()
        for event in events
    )
