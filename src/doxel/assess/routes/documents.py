"""Pools, documents, states and events, for programs: all that a page for judging needs."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from sqlalchemy import Connection
from starlette.responses import JSONResponse, Response

from doxel.assess.calls import Call, Later
from doxel.assess.clock import written
from doxel.assess.endpoints import Endpoint
from doxel.assess.events import parse_arrival
from doxel.assess.fold import State, state_to_json
from doxel.assess.library import Held
from doxel.assess.log import Outcome, Stored, Submission, events_of, state_of
from doxel.assess.reading import document_json
from doxel.assess.rules import breaches
from doxel.assess.scales import scale_named
from doxel.assess.tasks import Pool, find_pool, pooled_of, pools, statuses
from doxel.errors import InputError, RefusedError

__all__ = [
    "ENDPOINTS",
    "counted",
    "document_of",
    "parts_of",
    "pool_json",
    "state_and_breaches",
    "submission_of",
]

_TOPIC_FIELDS = ("title", "castitle", "description", "narrative", "keywords")


def _pools(call: Call) -> Response:
    with call.service.store.read() as connection:
        found = pools(connection, call.caller.user_id)
    return JSONResponse({"pools": [pool_json(pool) for pool in found]})


def pool_json(pool: Pool) -> dict[str, Any]:
    """Return what may be told of a pool."""
    shown = ("id", "topic", "assessor", "snapping", "official", "locked", "documents", "validated", "open")
    told = {name: getattr(pool, name) for name in shown}
    return {**told, "scale": scale_named(pool.scale).as_json(), "finished": pool.finished}


def _pool(call: Call) -> Response:
    with call.service.store.read() as connection:
        pool = counted(call, connection)
        done = statuses(connection, pool.id)
        docs = [doc for doc, _ in pooled_of(connection, pool.topic)]
    listed = [{"doc": doc, "status": done.get(doc, "untouched")} for doc in docs]
    fields = topic_fields(call, pool.topic)
    return JSONResponse({**pool_json(pool), "topic_fields": fields, "listed": listed})


def counted(call: Call, connection: Connection) -> Pool:
    """Return the pool that an address names, with its progress."""
    pool = find_pool(connection, call.own_pool.id)
    if pool is None:
        raise RefusedError(404, "not-found", "there is no such pool")
    return pool


def topic_fields(call: Call, topic: str) -> dict[str, str]:
    """Return what the topic says, as far as it is known."""
    known = call.service.topics
    if known is None or topic not in known:
        return {}
    fields = {name: getattr(known[topic], name) for name in _TOPIC_FIELDS}
    return {name: value for name, value in fields.items() if value}


def document_of(call: Call, connection: Connection) -> tuple[Held, list[dict[str, Any]]]:
    """Return the document that an address names, if it is in the pool, and its pooled parts."""
    doc = call.path["doc"]
    held = call.service.library.find(doc)
    for name, parts in pooled_of(connection, call.own_pool.topic):
        if name == doc and held is not None:
            return held, parts
    raise RefusedError(404, "not-found", "there is no such document in the pool")


def _document(call: Call) -> Response:
    with call.service.store.read() as connection:
        held, _ = document_of(call, connection)
    return JSONResponse(document_json(call.service.library, held))


def _state(call: Call) -> Response:
    with call.service.store.read() as connection:
        held, parts = document_of(call, connection)
        state, seq = state_of(connection, call.own_pool.id, held.doc)
    broken = state_and_breaches(call, held, state, parts)
    told = {"seq": seq, "fingerprint": held.fingerprint, "state": state_to_json(state)}
    return JSONResponse({"doc": held.doc, **told, "breaches": broken})


def state_and_breaches(
    call: Call, held: Held, state: State, parts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return what keeps a document from being done."""
    outline = call.service.library.outline(held.doc)
    pooled = [part["path"] for part in parts if part["path"]]
    return [vars(one) for one in breaches(state, scale_named(call.own_pool.scale), outline, pooled)]


def _pooled(call: Call) -> Response:
    with call.service.store.read() as connection:
        held, _ = document_of(call, connection)
        parts = parts_of(call, connection, held.doc)
    return JSONResponse({"doc": held.doc, "parts": parts})


def parts_of(call: Call, connection: Connection, doc: str) -> list[dict[str, Any]]:
    """Return the pooled parts of a document; where text is highlighted, only to who has asked to see them."""
    pool = call.own_pool
    state, _ = state_of(connection, pool.id, doc)
    is_free = scale_named(pool.scale).highlights
    if is_free and call.caller.role != "organiser" and not state.pooled_shown:
        raise RefusedError(403, "not-shown", "an event of the kind show must come first")
    return dict(pooled_of(connection, pool.topic))[doc]


def _events(call: Call) -> Response:
    after = call.query.get("after", "0")
    if not after.isascii() or not after.isdigit() or len(after) > 15:
        raise RefusedError(400, "bad-request", "after: wanted the number of an event")
    with call.service.store.read() as connection:
        held, _ = document_of(call, connection)
        found = events_of(connection, call.own_pool.id, held.doc, int(after))
    return JSONResponse({"doc": held.doc, "events": [_event_json(one) for one in found]})


def _event_json(stored: Stored) -> dict[str, Any]:
    event = {"kind": stored.event.kind, "body": stored.event.body, "at": written(stored.at)}
    return {"seq": stored.seq, "client": stored.client, "sequence": stored.sequence, **event}


def _submit(call: Call) -> Later:
    events = call.json("events")["events"]
    most = call.service.settings.most_events
    if not isinstance(events, list) or not 1 <= len(events) <= most:
        raise RefusedError(400, "bad-request", f"events: wanted a list of 1 to {most:,} events")
    return Later(submission_of(call, events), _told)


def _told(outcomes: list[Outcome]) -> Response:
    results = [outcome.as_json() for outcome in outcomes]
    refused = [outcome for outcome in outcomes if outcome.status == "refused"]
    if refused:
        first, more = refused[0], f" ({len(refused):,} in all)" if len(refused) > 1 else ""
        raise RefusedError(409, first.code or "refused", f"{first.message}{more}", {"results": results})
    return JSONResponse({"results": results})


def submission_of(call: Call, events: list[Any]) -> Future[list[Outcome]]:
    """Hand events to the writer; what comes of it is known when they are safe."""
    try:
        arrivals = tuple(parse_arrival(event) for event in events)
    except InputError as error:
        raise RefusedError(400, "bad-request", str(error)) from None
    return call.service.writer.submit(Submission(call.caller.user_id, call.own_pool.id, arrivals))


ENDPOINTS = (
    Endpoint("GET", "/api/pools", _pools, "user"),
    Endpoint("GET", "/api/pools/{pool:int}", _pool, "reader"),
    Endpoint("POST", "/api/pools/{pool:int}/events", _submit, "owner", is_quick=True),
    Endpoint("GET", "/api/pools/{pool:int}/documents/{doc:path}", _document, "reader"),
    Endpoint("GET", "/api/pools/{pool:int}/states/{doc:path}", _state, "reader"),
    Endpoint("GET", "/api/pools/{pool:int}/events/{doc:path}", _events, "reader"),
    Endpoint("GET", "/api/pools/{pool:int}/pooled/{doc:path}", _pooled, "reader"),
)
