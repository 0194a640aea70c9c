"""A pool given to somebody else: they get one of their own, with what was said so far if that is wanted.

The log is never changed, and says who did what: so the old pool stays as it is, locked, and whatever goes
over is said once more, by events of the new pool.  Who takes over has not looked at what systems found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection

from doxel.assess.appending import Submission, append
from doxel.assess.audit import record
from doxel.assess.events import MOST_SPANS, Arrival, Event
from doxel.assess.fold import State
from doxel.assess.importing import refusals
from doxel.assess.library import Library
from doxel.assess.log import states_of
from doxel.assess.managing import assessor_named, named, pool_numbered
from doxel.assess.pools import assign, make_official, set_locked

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
        said = {doc: list(_events(state)) for doc, state in states_of(connection, number).items()}
        submission = Submission(user.id, new, _arrivals(said, old.id, library))
        (outcomes,) = append(connection, library, [submission])
        documents = sum(bool(some) for some in said.values())
        _, notes = refusals(outcomes)
    set_locked(connection, number, locked=True)
    if old.official:
        make_official(connection, new)
    how = "with what was said so far" if library is not None else "to begin anew"
    record(connection, who, "pool handed over", f"{named(old)} to {user.name}, {how}: pool {new}")
    return HandedOver(new, documents, tuple(notes))


def _events(state: State) -> Iterator[Event]:
    """Yield the events that say what a state says."""
    for at in range(0, len(state.highlights), MOST_SPANS):
        yield Event("highlight", {"spans": [list(span) for span in state.highlights[at : at + MOST_SPANS]]})
    if state.bep is not None:
        yield Event("bep", {"position": state.bep})
    for path in sorted(state.grades):
        yield Event("grade", {"path": path, "grades": dict(sorted(state.grades[path].items()))})
    if state.note:
        yield Event("note", {"text": state.note})
    if state.validated:
        yield Event("validate", {})


def _arrivals(said: dict[str, list[Event]], old: int, library: Library) -> tuple[Arrival, ...]:
    """Return events as if a client had sent them: one that is named after the pool they come from."""
    made: list[Arrival] = []
    for doc, events in said.items():
        held = library.find(doc)
        fingerprint = held.fingerprint if held is not None else ""
        for event in events:
            made.append(Arrival(doc, f"handed:{old}", len(made), fingerprint, event))
    return tuple(made)
