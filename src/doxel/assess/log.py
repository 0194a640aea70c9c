"""The log of events: appended to, read in the server's order, folded into states."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, func, select, tuple_

from doxel.assess.clock import now
from doxel.assess.events import Arrival, Event
from doxel.assess.fold import EMPTY, State, apply, fold, state_from_json, state_to_json
from doxel.assess.library import Library
from doxel.assess.rules import breaches
from doxel.assess.scales import scale_named
from doxel.assess.schema import EVENTS, POOLED, POOLS, SNAPSHOTS

__all__ = [
    "SNAPSHOT_EVERY",
    "Folded",
    "Outcome",
    "Stored",
    "Submission",
    "append",
    "events_of",
    "folded_of",
    "save_snapshots",
    "state_of",
    "states_of",
]

SNAPSHOT_EVERY = 64  # events of a document; folding so many takes some milliseconds
_AT_ONCE = 300  # keys in one question: SQLite takes no more than 999 values


@dataclass(frozen=True)
class Submission:
    """Events that a user sends to a pool, in the user's order."""

    user_id: int
    pool_id: int
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of an event: stored now, known before, or refused and why."""

    client: str
    sequence: int
    status: str
    seq: int | None = None
    code: str | None = None
    message: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what there is to tell the client."""
        return {name: value for name, value in vars(self).items() if value is not None}


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


def _origin(user_id: int, arrival: Arrival) -> str:
    """Return what tells an event from all others: sent again, it has the same."""
    return f"{user_id}:{arrival.client}:{arrival.sequence}"


@dataclass
class _Batch:
    """What is known while one batch is appended: read once, for all its submissions."""

    connection: Connection
    library: Library
    pools: Mapping[int, Row[Any]]
    known: dict[str, tuple[int, str, str, str]]
    pooled: set[tuple[str, str]]
    next_seq: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    fresh: dict[tuple[int, str], list[Event]] = field(default_factory=lambda: defaultdict(list))


def append(
    connection: Connection,
    library: Library,
    submissions: Sequence[Submission],
    pooled: set[tuple[str, str]] | None = None,
) -> list[list[Outcome]]:
    """Append events in the order in which they came, and return what became of each.

    A refused event keeps none of the others from being stored.  Nothing is promised before the commit.
    ``pooled`` are topics and documents that are known to be in pools, from which they are never taken: who
    appends often hands in the same set again, and it grows.
    """
    batch = _batch(connection, library, submissions, set() if pooled is None else pooled)
    outcomes = [
        [_appended(batch, submission, arrival) for arrival in submission.arrivals]
        for submission in submissions
    ]
    if batch.rows:
        connection.execute(EVENTS.insert(), batch.rows)
    return outcomes


def _batch(
    connection: Connection,
    library: Library,
    submissions: Sequence[Submission],
    pooled: set[tuple[str, str]],
) -> _Batch:
    ids = sorted({submission.pool_id for submission in submissions})
    last = select(func.max(EVENTS.c.seq)).scalar_subquery().label("last")
    rows = connection.execute(select(POOLS, last).where(POOLS.c.id.in_(ids))).all()
    pools = {row.id: row for row in rows}
    origins = {_origin(one.user_id, arrival) for one in submissions for arrival in one.arrivals}
    pairs = {
        (pools[one.pool_id].topic, a.doc) for one in submissions if one.pool_id in pools for a in one.arrivals
    }
    pooled |= _pooled(connection, pairs - pooled)
    next_seq = 1 + (rows[0].last or 0) if rows else 1
    return _Batch(connection, library, pools, _known(connection, origins), pooled, next_seq)


def _known(connection: Connection, origins: Iterable[str]) -> dict[str, tuple[int, str, str, str]]:
    columns = (EVENTS.c.origin, EVENTS.c.seq, EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body)
    found: dict[str, tuple[int, str, str, str]] = {}
    for some in _portions(sorted(origins)):
        for origin, *event in connection.execute(select(*columns).where(EVENTS.c.origin.in_(some))):
            found[origin] = tuple(event)
    return found


def _pooled(connection: Connection, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    key = tuple_(POOLED.c.topic, POOLED.c.doc)
    found: set[tuple[str, str]] = set()
    for some in _portions(sorted(pairs)):
        rows = connection.execute(select(POOLED.c.topic, POOLED.c.doc).where(key.in_(some)))
        found |= {(topic, doc) for topic, doc in rows}
    return found


def _portions(keys: list[Any]) -> Iterable[list[Any]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))


def _appended(batch: _Batch, submission: Submission, arrival: Arrival) -> Outcome:
    body = json.dumps(arrival.event.body, ensure_ascii=False, sort_keys=True)
    origin = _origin(submission.user_id, arrival)
    said = (arrival.doc, arrival.event.kind, body)
    if origin in batch.known:
        seq, *before = batch.known[origin]
        if tuple(before) == said:
            return Outcome(arrival.client, arrival.sequence, "known", seq)
        message = "another event was stored under this client and sequence"
        return Outcome(arrival.client, arrival.sequence, "refused", code="conflict", message=message)
    refusal = _refusal(batch, submission, arrival)
    if refusal is not None:
        code, message = refusal
        return Outcome(arrival.client, arrival.sequence, "refused", code=code, message=message)
    seq = batch.next_seq
    batch.next_seq += 1
    batch.known[origin] = (seq, *said)
    batch.fresh[submission.pool_id, arrival.doc].append(arrival.event)
    batch.rows.append(
        {
            "seq": seq,
            "pool_id": submission.pool_id,
            "doc": arrival.doc,
            "user_id": submission.user_id,
            "client": arrival.client,
            "sequence": arrival.sequence,
            "fingerprint": arrival.fingerprint,
            "kind": arrival.event.kind,
            "body": body,
            "at": now(),
            "origin": origin,
        }
    )
    return Outcome(arrival.client, arrival.sequence, "stored", seq)


def _refusal(batch: _Batch, submission: Submission, arrival: Arrival) -> tuple[str, str] | None:
    """Return why an event cannot be stored: a code and a sentence; None if it can."""
    pool = batch.pools.get(submission.pool_id)
    if pool is None or pool.user_id != submission.user_id:
        return "forbidden", "this pool is not yours"
    if pool.locked:
        return "locked", "the pool is locked"
    held = batch.library.find(arrival.doc)
    if held is None or (pool.topic, arrival.doc) not in batch.pooled:
        return "unknown-document", f"document {arrival.doc} is not in the pool"
    if held.fingerprint != arrival.fingerprint:
        return "other-text", f"the text of document {arrival.doc} is not the one that was judged"
    scale = scale_named(pool.scale)
    if arrival.event.kind not in scale.kinds:
        return "not-on-this-scale", f"{arrival.event.kind} does not belong to the scale {scale.name}"
    return _unfit(batch, submission, arrival, pool, held.characters)


def _unfit(
    batch: _Batch, submission: Submission, arrival: Arrival, pool: Row[Any], characters: int
) -> tuple[str, str] | None:
    event, scale = arrival.event, scale_named(pool.scale)
    match event.kind:
        case "highlight" | "unhighlight" if event.body["spans"][-1][1] > characters:
            return "outside", f"the document has {characters:,} characters"
        case "bep" if event.body["position"] is not None and event.body["position"] >= characters:
            return "outside", f"the document has {characters:,} characters"
        case "grade":
            if event.body["path"] not in batch.library.outline(arrival.doc).rows:
                return "unknown-path", f"document {arrival.doc} has no element {event.body['path']}"
            fault = None if event.body["grades"] is None else scale.fault(event.body["grades"])
            return None if fault is None else ("unknown-grade", fault)
        case "validate":
            before, _ = state_of(batch.connection, submission.pool_id, arrival.doc)
            state = fold(batch.fresh[submission.pool_id, arrival.doc], before)
            outline = batch.library.outline(arrival.doc)
            pooled = _pooled_paths(batch.connection, pool.topic, arrival.doc)
            broken = breaches(state, scale, outline, pooled)
            if broken:
                more = f", and {len(broken) - 1:,} more" if len(broken) > 1 else ""
                return "not-done", f"{broken[0].message}{more}"
    return None


def _pooled_paths(connection: Connection, topic: str, doc: str) -> list[str]:
    """Return the paths of the pooled elements of a document."""
    question = select(POOLED.c.parts).where(POOLED.c.topic == topic, POOLED.c.doc == doc)
    return [part["path"] for part in json.loads(connection.execute(question).scalar_one()) if part["path"]]


def events_of(connection: Connection, pool_id: int, doc: str, after: int = 0) -> list[Stored]:
    """Return the events of a document, in the server's order, that came after a number."""
    question = (
        select(EVENTS)
        .where(EVENTS.c.pool_id == pool_id, EVENTS.c.doc == doc, EVENTS.c.seq > after)
        .order_by(EVENTS.c.seq)
    )
    return [_stored(row) for row in connection.execute(question)]


def _stored(row: Row[Any]) -> Stored:
    event = Event(row.kind, json.loads(row.body))
    return Stored(row.seq, row.doc, row.user_id, row.client, row.sequence, row.at, event)


def state_of(connection: Connection, pool_id: int, doc: str) -> tuple[State, int]:
    """Return the state of a document and the number of its last event, 0 if there is none."""
    snapshot = connection.execute(
        select(SNAPSHOTS.c.seq, SNAPSHOTS.c.state).where(
            SNAPSHOTS.c.pool_id == pool_id, SNAPSHOTS.c.doc == doc
        )
    ).first()
    state, seq = (
        (EMPTY, 0) if snapshot is None else (state_from_json(json.loads(snapshot.state)), snapshot.seq)
    )
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
