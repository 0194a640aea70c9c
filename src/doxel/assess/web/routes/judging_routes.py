"""The judging page and its API: assignments, documents, states, events and document styles."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
from starlette.responses import JSONResponse, Response

from doxel.assess.document_state import state_to_json
from doxel.assess.scales import find_scale
from doxel.assess.store.adjudications import (
    find_adjudicated,
    list_adjudications,
    list_looks,
    record_looks,
)
from doxel.assess.store.assignments import find_statuses, list_assignments
from doxel.assess.store.campaign_settings import has_read_guidelines
from doxel.assess.store.database_schema import format_time
from doxel.assess.store.event_log import StoredEvent, read_events, read_state
from doxel.assess.store.event_writer import EventReceipt
from doxel.assess.store.pooled_documents import HeldDocument, Library
from doxel.assess.store.shares import list_assigned_documents
from doxel.assess.web.call import (
    Call,
    PendingResponse,
    check_document,
    encode_progress,
    read_topic_fields,
    redirect_after_form,
    render_page,
    require_document,
    require_progress,
    submit_events,
)
from doxel.assess.web.endpoints import Endpoint
from doxel.errors import RefusedError

__all__ = ["DOCUMENT_ENDPOINTS", "JUDGING_PAGE_ENDPOINTS"]


def _send_assignments(call: Call) -> Response:
    with call.service.store.read() as connection:
        own_assignments = list_assignments(connection, user_id=call.caller.user_id)
    return JSONResponse({"assignments": [encode_progress(assignment) for assignment in own_assignments]})


def _send_assignment(call: Call) -> Response:
    with call.service.store.read() as connection:
        assignment = require_progress(call, connection)
        status_of = find_statuses(connection, assignment.id)
        docs = list_assigned_documents(connection, assignment)
        sources = list_adjudications(connection, [assignment.id]).get(assignment.id, ())
        looks = [] if sources else list_looks(connection, assignment.topic, assignment.user_id)
    documents = [{"doc": doc, "status": status_of.get(doc, "untouched")} for doc in docs]
    more = {
        "adjudicates": list(sources),
        "looks": [{"assessor": look.assessor, "seq": look.seq, "at": format_time(look.at)} for look in looks],
        "topic_fields": read_topic_fields(call, assignment.topic),
    }
    return JSONResponse({**encode_progress(assignment), **more, "listed": documents})


def _send_document(call: Call) -> Response:
    with call.service.store.read() as connection:
        document, _ = require_document(call, connection)
    return JSONResponse(_encode_document(call.service.library, document))


def _encode_document(library: Library, document: HeldDocument) -> dict[str, Any]:
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


def _send_state(call: Call) -> Response:
    with call.service.store.read() as connection:
        document, pooled = require_document(call, connection)
        state, seq = read_state(connection, call.own_assignment.id, document.doc)
    record_looks(call.service.store, call.caller.user_id, [call.own_assignment])
    broken = [vars(breach) for breach in check_document(call, state, pooled)]
    payload = {"seq": seq, "fingerprint": document.fingerprint, "state": state_to_json(state)}
    return JSONResponse({"doc": document.doc, **payload, "breaches": broken})


def _send_pooled_parts(call: Call) -> Response:
    """Return the pooled parts of a document; on a scale with highlights, only after a ``show`` event."""
    assignment = call.own_assignment
    with call.service.store.read() as connection:
        document, pooled = require_document(call, connection)
        state, _ = read_state(connection, assignment.id, document.doc)
    is_hidden = find_scale(assignment.scale).highlights and not state.pooled_shown
    if is_hidden and call.caller.role != "organiser":
        raise RefusedError(403, "not-shown", "send an event of the kind 'show' first")
    return JSONResponse({"doc": document.doc, "parts": list(pooled.parts)})


def _send_events(call: Call) -> Response:
    after = call.number("after", "the number of an event") or 0
    with call.service.store.read() as connection:
        document, _ = require_document(call, connection)
        events = read_events(connection, call.own_assignment.id, document.doc, after)
        adjudicated = find_adjudicated(connection, call.own_assignment.id, document.doc)
    record_looks(call.service.store, call.caller.user_id, [call.own_assignment])
    return JSONResponse(
        {
            "doc": document.doc,
            "fingerprint": document.fingerprint,
            "events": [_encode_event(event) for event in events],
            "adjudicated": [{**vars(entry), "at": format_time(entry.at)} for entry in adjudicated],
        }
    )


def _encode_event(stored_event: StoredEvent) -> dict[str, Any]:
    event = {
        "kind": stored_event.event.kind,
        "body": stored_event.event.body,
        "at": format_time(stored_event.at),
    }
    steps = {"step": stored_event.step, "reverts": stored_event.reverts, "is_copied": stored_event.is_copied}
    return {
        "seq": stored_event.seq,
        "client": stored_event.client,
        "sequence": stored_event.sequence,
        **steps,
        **event,
    }


def _receive_events(call: Call) -> PendingResponse:
    events = call.json("events")["events"]
    most = call.service.settings.most_events
    if not isinstance(events, list) or not 1 <= len(events) <= most:
        raise RefusedError(400, "bad-request", f"events: wanted a list of 1 to {most:,} events")
    return PendingResponse(submit_events(call, events), _answer_receipts)


def _answer_receipts(outcomes: list[EventReceipt]) -> Response:
    results = [outcome.as_json() for outcome in outcomes]
    refusals = [outcome for outcome in outcomes if outcome.status == "refused"]
    if refusals:
        first, more = refusals[0], f" ({len(refusals):,} in all)" if len(refusals) > 1 else ""
        raise RefusedError(409, first.code or "refused", f"{first.message}{more}", {"results": results})
    return JSONResponse({"results": results})


DOCUMENT_ENDPOINTS = (
    Endpoint("GET", "/api/assignments", _send_assignments, "user"),
    Endpoint("GET", "/api/assignments/{assignment:int}", _send_assignment, "reader"),
    Endpoint("POST", "/api/assignments/{assignment:int}/events", _receive_events, "owner", is_quick=True),
    Endpoint("GET", "/api/assignments/{assignment:int}/documents/{doc:path}", _send_document, "reader"),
    Endpoint("GET", "/api/assignments/{assignment:int}/states/{doc:path}", _send_state, "reader"),
    Endpoint("GET", "/api/assignments/{assignment:int}/events/{doc:path}", _send_events, "reader"),
    Endpoint("GET", "/api/assignments/{assignment:int}/pooled/{doc:path}", _send_pooled_parts, "reader"),
)


def _show_judging_page(call: Call) -> Response:
    """Return the judging page, whose scripts fetch and show the document."""
    assignment = call.own_assignment
    is_mine = assignment.user_id == call.caller.user_id
    with call.service.store.read() as connection:
        document, _ = require_document(call, connection)
        is_ready = not is_mine or has_read_guidelines(connection, call.caller.user_id)
    if not is_ready:
        address = f"/assignments/{assignment.id}/documents/{quote(document.doc)}"
        return redirect_after_form(f"/guidelines?{urlencode({'next': address})}")
    return render_page(
        "judge.html",
        call,
        assignment=assignment,
        doc=document.doc,
        is_mine=is_mine,
        shows_parts=call.service.settings.shows_parts,
    )


def _send_styles(call: Call) -> Response:
    return JSONResponse(call.service.styles.as_json())


JUDGING_PAGE_ENDPOINTS = (
    Endpoint("GET", "/api/styles", _send_styles, "user"),
    Endpoint("GET", "/assignments/{assignment:int}/documents/{doc:path}", _show_judging_page, "reader"),
)
