"""Events are appended to the log: checked against pool, text and scale, numbered, each stored once."""

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
from doxel.wording import counted

__all__ = ["Outcome", "Submission", "append", "refusals"]

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


def _origin(user_id: int, arrival: Arrival) -> str:
    """Return what tells an event from all others: sent again, it has the same."""
    return f"{user_id}:{arrival.client}:{arrival.sequence}"


_Said = tuple[int, str, str, str]  # pool, document, kind, body


class _Known(NamedTuple):
    """An event that is in the log: its number, and what it says of what."""

    seq: int
    said: _Said


@dataclass
class _Batch:
    """What is known while one batch is appended: read once, for all its submissions.

    ``known`` are the events that were stored before, by origin; ``fresh`` those of this batch, by pool and
    document, which no snapshot can hold yet.
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
    next_seq = 1 + (rows[0].last or 0) if rows else 1  # without a pool nothing will be stored
    return _Batch(connection, library, pools, _known(connection, origins), pooled, next_seq)


def _known(connection: Connection, origins: Iterable[str]) -> dict[str, _Known]:
    said = (EVENTS.c.pool_id, EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body)
    question = select(EVENTS.c.origin, EVENTS.c.seq, *said)
    found: dict[str, _Known] = {}
    for some in _portions(sorted(origins)):
        for origin, seq, pool_id, doc, kind, body in connection.execute(
            question.where(EVENTS.c.origin.in_(some))
        ):
            found[origin] = _Known(seq, (pool_id, doc, kind, body))
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
    said = (submission.pool_id, arrival.doc, arrival.event.kind, body)
    if origin in batch.known:
        if batch.known[origin].said == said:
            return Outcome(arrival.client, arrival.sequence, "known", batch.known[origin].seq)
        message = "another event was stored under this client and sequence"
        return Outcome(arrival.client, arrival.sequence, "refused", code="conflict", message=message)
    refusal = _refusal(batch, submission, arrival)
    if refusal is not None:
        code, message = refusal
        return Outcome(arrival.client, arrival.sequence, "refused", code=code, message=message)
    seq = batch.next_seq
    batch.next_seq += 1
    batch.known[origin] = _Known(seq, said)
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
    if arrival.event.kind == "validate":
        return _not_done(batch, pool, arrival.doc)
    return _unfit(batch.library, held, arrival.event, scale_named(pool.scale))


def _unfit(library: Library, held: Held, event: Event, scale: Scale) -> tuple[str, str] | None:
    """Return why an event does not fit the text and the elements of its document, or the scale."""
    if event.kind not in scale.kinds:
        return "not-on-this-scale", f"{event.kind} does not belong to the scale {scale.name}"
    body = event.body
    match event.kind:
        case "highlight" | "unhighlight":
            is_outside = body["spans"][-1][1] > held.characters
        case "bep":
            is_outside = body["position"] is not None and body["position"] >= held.characters
        case _:
            is_outside = False
    if is_outside:
        return "outside", f"the document has {counted(held.characters, 'character')}"
    if event.kind != "grade":
        return None
    if body["path"] not in library.outline(held.doc).rows:
        return "unknown-path", f"document {held.doc} has no element {body['path']}"
    fault = None if body["grades"] is None else scale.fault(body["grades"])
    return None if fault is None else ("unknown-grade", fault)


def _not_done(batch: _Batch, pool: Row[Any], doc: str) -> tuple[str, str] | None:
    """Return what keeps a document from being done, with all that was said of it until now."""
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
    """Count documents that are not done, and say what else was refused."""
    by_code: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.status == "refused":
            by_code[outcome.code or "refused"].append(outcome)
    left = by_code.pop("not-done", [])
    notes = [
        f"{counted(len(some), 'event was', 'events were')} refused, the first because {some[0].message}"
        for some in by_code.values()
    ]
    if left:
        how_many = counted(len(left), "document is", "documents are")
        notes.append(f"{how_many} not done, the first because {left[0].message}")
    return len(left), notes
