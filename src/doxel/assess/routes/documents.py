"""API of the judging page: pools, documents, states and events."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.responses import JSONResponse, Response

from doxel.assess.appending import Outcome
from doxel.assess.calls import Call, Later
from doxel.assess.clock import written
from doxel.assess.endpoints import Endpoint
from doxel.assess.fold import state_to_json
from doxel.assess.library import Held, Library
from doxel.assess.log import Stored, events_of, state_of
from doxel.assess.pooled import documents_of
from doxel.assess.pools import pools, statuses
from doxel.assess.routes.asked import (
    breaches_of,
    counted_pool,
    document_of,
    pool_json,
    submitted,
    topic_fields,
)
from doxel.assess.scales import scale_named
from doxel.errors import RefusedError

__all__ = ["ENDPOINTS"]


def _pools(call: Call) -> Response:
    with call.service.store.read() as connection:
        own_pools = pools(connection, user_id=call.caller.user_id)
    return JSONResponse({"pools": [pool_json(pool) for pool in own_pools]})


def _pool(call: Call) -> Response:
    with call.service.store.read() as connection:
        pool = counted_pool(call, connection)
        status_of = statuses(connection, pool.id)
        docs = documents_of(connection, pool.topic)
    documents = [{"doc": doc, "status": status_of.get(doc, "untouched")} for doc in docs]
    fields = topic_fields(call, pool.topic)
    return JSONResponse({**pool_json(pool), "topic_fields": fields, "listed": documents})


def _document(call: Call) -> Response:
    with call.service.store.read() as connection:
        document, _ = document_of(call, connection)
    return JSONResponse(_document_json(call.service.library, document))


def _document_json(library: Library, document: Held) -> dict[str, Any]:
    """Return a document as plain data, with its elements as columns.

    ``labels`` lists the tags of the document.  Each element has the index of its tag in ``labels``, its
    ordinal among the siblings with the same tag, its span, and the row of its parent (-1: none).  The page
    builds the paths from these, because the paths of 100,000 elements take megabytes.
    """
    forest = library.forest(document.doc)
    names, label = np.unique(forest.name, return_inverse=True)
    columns = {
        "label": label,
        "ordinal": forest.sibling,
        "start": forest.start,
        "end": forest.end,
        "parent": forest.parent,
    }
    return {
        "doc": document.doc,
        "fingerprint": document.fingerprint,
        "text_rule": library.text_rule,
        "characters": document.characters,
        "text": library.text(document.doc),
        "elements": {
            "labels": [forest.labels.names[name] for name in names.tolist()],
            **{name: column.tolist() for name, column in columns.items()},
        },
    }


def _state(call: Call) -> Response:
    with call.service.store.read() as connection:
        document, pooled = document_of(call, connection)
        state, seq = state_of(connection, call.own_pool.id, document.doc)
    broken = [vars(breach) for breach in breaches_of(call, state, pooled)]
    payload = {"seq": seq, "fingerprint": document.fingerprint, "state": state_to_json(state)}
    return JSONResponse({"doc": document.doc, **payload, "breaches": broken})


def _pooled(call: Call) -> Response:
    """Return the pooled parts of a document; on a scale with highlights, only after a ``show`` event."""
    pool = call.own_pool
    with call.service.store.read() as connection:
        document, pooled = document_of(call, connection)
        state, _ = state_of(connection, pool.id, document.doc)
    is_hidden = scale_named(pool.scale).highlights and not state.pooled_shown
    if is_hidden and call.caller.role != "organiser":
        raise RefusedError(403, "not-shown", "send an event of the kind 'show' first")
    return JSONResponse({"doc": document.doc, "parts": list(pooled.parts)})


def _events(call: Call) -> Response:
    after = call.number("after", "the number of an event") or 0
    with call.service.store.read() as connection:
        document, _ = document_of(call, connection)
        events = events_of(connection, call.own_pool.id, document.doc, after)
    return JSONResponse({"doc": document.doc, "events": [_event_json(event) for event in events]})


def _event_json(stored: Stored) -> dict[str, Any]:
    event = {"kind": stored.event.kind, "body": stored.event.body, "at": written(stored.at)}
    return {"seq": stored.seq, "client": stored.client, "sequence": stored.sequence, **event}


def _submit(call: Call) -> Later:
    events = call.json("events")["events"]
    most = call.service.settings.most_events
    if not isinstance(events, list) or not 1 <= len(events) <= most:
        raise RefusedError(400, "bad-request", f"events: wanted a list of 1 to {most:,} events")
    return Later(submitted(call, events), _told)


def _told(outcomes: list[Outcome]) -> Response:
    results = [outcome.as_json() for outcome in outcomes]
    refused = [outcome for outcome in outcomes if outcome.status == "refused"]
    if refused:
        first, more = refused[0], f" ({len(refused):,} in all)" if len(refused) > 1 else ""
        raise RefusedError(409, first.code or "refused", f"{first.message}{more}", {"results": results})
    return JSONResponse({"results": results})


ENDPOINTS = (
    Endpoint("GET", "/api/pools", _pools, "user"),
    Endpoint("GET", "/api/pools/{pool:int}", _pool, "reader"),
    Endpoint("POST", "/api/pools/{pool:int}/events", _submit, "owner", is_quick=True),
    Endpoint("GET", "/api/pools/{pool:int}/documents/{doc:path}", _document, "reader"),
    Endpoint("GET", "/api/pools/{pool:int}/states/{doc:path}", _state, "reader"),
    Endpoint("GET", "/api/pools/{pool:int}/events/{doc:path}", _events, "reader"),
    Endpoint("GET", "/api/pools/{pool:int}/pooled/{doc:path}", _pooled, "reader"),
)
