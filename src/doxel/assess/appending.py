"""Append events to the log: check them against pool, text and scale, number them, store each once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, func, select, tuple_

from doxel.assess.clock import now
from doxel.assess.events import Arrival, Event
from doxel.assess.fold import fold
from doxel.assess.library import Held, Library
from doxel.assess.log import state_of
from doxel.assess.pooled import find_pooled
from doxel.assess.rules import breaches
from doxel.assess.scales import Scale, scale_named
from doxel.assess.schema import EVENTS, POOLED, POOLS
from doxel.wording import pluralise

__all__ = ["Outcome", "Submission", "append", "refusals"]

_AT_ONCE = 300  # keys per query, because SQLite takes at most 999 values


@dataclass(frozen=True)
class Submission:
    """Events that a user sends to a pool, in the user's order."""

    user_id: int
    pool_id: int
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an event: stored, known from before, or refused with a reason."""

    client: str
    sequence: int
    status: str
    seq: int | None = None
    code: str | None = None
    message: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fields that are set, as plain data for the client."""
        return {name: value for name, value in vars(self).items() if value is not None}


def _origin(user_id: int, arrival: Arrival) -> str:
    """Return the key that identifies an event; it stays the same when the event is sent again."""
    return f"{user_id}:{arrival.client}:{arrival.sequence}"


_Said = tuple[int, str, str, str]  # pool, document, kind, body


class _Known(NamedTuple):
    """An event that is in the log: its number and its content."""

    seq: int
    said: _Said


@dataclass
class _Batch:
    """The data that one batch of submissions needs, read once for all of them.

    ``known`` are the events that are already stored, by origin; ``fresh`` those of this batch, by pool and
    document, which no snapshot contains yet.
    """

    connection: Connection
    library: Library
    pools: Mapping[int, Row[Any]]
    known: dict[str, _Known]
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
    """Append events in the order of their arrival, and return the outcome of each.

    The others are stored even if one event is refused.  Outcomes are valid only after the commit.
    ``pooled`` is a cache of pairs (topic, document) that are pooled, which is never undone: pass the same
    set to each call, and it grows.
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
    origins = {_origin(sent.user_id, arrival) for sent in submissions for arrival in sent.arrivals}
    pairs = {
        (pools[sent.pool_id].topic, arrival.doc)
        for sent in submissions
        if sent.pool_id in pools
        for arrival in sent.arrivals
    }
    pooled |= _pooled(connection, pairs - pooled)
    next_seq = 1 + (rows[0].last or 0) if rows else 1  # without a pool, nothing will be stored
    return _Batch(connection, library, pools, _known(connection, origins), pooled, next_seq)


def _known(connection: Connection, origins: Iterable[str]) -> dict[str, _Known]:
    content = (EVENTS.c.pool_id, EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body)
    query = select(EVENTS.c.origin, EVENTS.c.seq, *content)
    events: dict[str, _Known] = {}
    for portion in _portions(sorted(origins)):
        rows = connection.execute(query.where(EVENTS.c.origin.in_(portion)))
        for origin, seq, pool_id, doc, kind, body in rows:
            events[origin] = _Known(seq, (pool_id, doc, kind, body))
    return events


def _pooled(connection: Connection, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    key = tuple_(POOLED.c.topic, POOLED.c.doc)
    pooled: set[tuple[str, str]] = set()
    for portion in _portions(sorted(pairs)):
        rows = connection.execute(select(POOLED.c.topic, POOLED.c.doc).where(key.in_(portion)))
        pooled |= {(topic, doc) for topic, doc in rows}
    return pooled


def _portions(keys: list[Any]) -> Iterable[list[Any]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))


def _appended(batch: _Batch, submission: Submission, arrival: Arrival) -> Outcome:
    body = json.dumps(arrival.event.body, ensure_ascii=False, sort_keys=True)
    origin = _origin(submission.user_id, arrival)
    content = (submission.pool_id, arrival.doc, arrival.event.kind, body)
    if origin in batch.known:
        if batch.known[origin].said == content:
            return Outcome(arrival.client, arrival.sequence, "known", batch.known[origin].seq)
        message = "another event of this client is stored under the same sequence number"
        return Outcome(arrival.client, arrival.sequence, "refused", code="conflict", message=message)
    refusal = _refusal(batch, submission, arrival)
    if refusal is not None:
        code, message = refusal
        return Outcome(arrival.client, arrival.sequence, "refused", code=code, message=message)
    seq = batch.next_seq
    batch.next_seq += 1
    batch.known[origin] = _Known(seq, content)
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
    """Return a code and a sentence if an event cannot be stored, else None."""
    pool = batch.pools.get(submission.pool_id)
    if pool is None or pool.user_id != submission.user_id:
        return "forbidden", "this pool is not yours"
    if pool.locked:
        return "locked", "the pool is locked"
    document = batch.library.find(arrival.doc)
    if document is None or (pool.topic, arrival.doc) not in batch.pooled:
        return "unknown-document", f"document {arrival.doc} is not in the pool"
    if document.fingerprint != arrival.fingerprint:
        return "other-text", f"the event was made on another version of the text of document {arrival.doc}"
    if arrival.event.kind == "validate":
        return _not_done(batch, pool, arrival.doc)
    return _unfit(batch.library, document, arrival.event, scale_named(pool.scale))


def _unfit(library: Library, document: Held, event: Event, scale: Scale) -> tuple[str, str] | None:
    """Return a code and a sentence if an event does not fit the scale or its document, else None."""
    if event.kind not in scale.kinds:
        return "not-on-this-scale", f"the scale {scale.name} has no events of the kind {event.kind}"
    body = event.body
    match event.kind:
        case "highlight" | "unhighlight":
            is_outside = body["spans"][-1][1] > document.characters
        case "bep":
            is_outside = body["position"] is not None and body["position"] >= document.characters
        case _:
            is_outside = False
    if is_outside:
        size = pluralise(document.characters, "character")
        return "outside", f"a position is outside the document, which has {size}"
    if event.kind != "grade":
        return None
    if body["path"] not in library.outline(document.doc).rows:
        return "unknown-path", f"document {document.doc} has no element {body['path']}"
    fault = None if body["grades"] is None else scale.fault(body["grades"])
    return None if fault is None else ("unknown-grade", fault)


def _not_done(batch: _Batch, pool: Row[Any], doc: str) -> tuple[str, str] | None:
    """Return a code and a sentence if a document, with all events up to now, is not done, else None."""
    scale = scale_named(pool.scale)
    before, _ = state_of(batch.connection, pool.id, doc)
    state = fold(batch.fresh[pool.id, doc], before)
    pooled = find_pooled(batch.connection, pool.topic, doc) if scale.grades else None
    paths = [] if pooled is None else pooled.paths
    broken = breaches(state, scale, batch.library.graded_outline(doc, scale), paths)
    if not broken:
        return None
    more = f", and {len(broken) - 1:,} more" if len(broken) > 1 else ""
    return "not-done", f"{broken[0].message}{more}"


def refusals(outcomes: Iterable[Outcome]) -> tuple[int, list[str]]:
    """Count the documents that are not done, and describe all refusals in sentences."""
    by_code: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.status == "refused":
            by_code[outcome.code or "refused"].append(outcome)
    not_done = by_code.pop("not-done", [])
    notes = [
        f"{pluralise(len(refused), 'event was', 'events were')} refused, the first because {refused[0].message}"
        for refused in by_code.values()
    ]
    if not_done:
        documents_are = pluralise(len(not_done), "document is", "documents are")
        notes.append(f"{documents_are} not done, the first because {not_done[0].message}")
    return len(not_done), notes
