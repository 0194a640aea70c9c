"""Adjudication: begun by an organiser, decided on the judging page, signed off by the adjudicator."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from doxel.assess.document_state import state_to_json
from doxel.assess.scales import find_scale
from doxel.assess.store.adjudications import compare_sources, list_adjudications, record_looks
from doxel.assess.store.assignments import find_assignment
from doxel.assess.store.shares import find_holders
from doxel.assess.web import actions
from doxel.assess.web.call import Call, confirm_form, require_document
from doxel.assess.web.endpoints import Endpoint
from doxel.assess.web.routes.comparison_routes import render_comparison
from doxel.errors import InputError, RefusedError

__all__ = ["ADJUDICATION_ENDPOINTS"]


def _send_sources(call: Call) -> Response:
    """Return the judgements of a document between which an adjudication decides, and their differences."""
    assignment = call.own_assignment
    scale = find_scale(assignment.scale)
    with call.service.store.read() as connection:
        document, _ = require_document(call, connection)
        numbers = list_adjudications(connection, [assignment.id]).get(assignment.id, ())
        sources = [
            source for number in numbers if (source := find_assignment(connection, number)) is not None
        ]
        holders = find_holders(connection, numbers, document.doc)
        comparison = compare_sources(connection, call.service.library, numbers, scale, document.doc)
    record_looks(call.service.store, call.caller.user_id, sources)
    states = {number: state_to_json(state) for number, state in comparison.states.items()}
    return JSONResponse(
        {
            "doc": document.doc,
            "sources": [
                {
                    "assignment": source.id,
                    "assessor": source.assessor,
                    "assigned": source.id in holders,
                    "state": states.get(source.id),
                }
                for source in sources
            ],
            "differences": [difference.as_json() for difference in comparison.differences],
        }
    )


def _receive_adjudication(call: Call) -> Response:
    data = call.json("assignments", "assessor", optional=("lock",))
    numbers = data["assignments"]
    is_list = isinstance(numbers, list) and all(type(number) is int for number in numbers)
    if not is_list or not 2 <= len(numbers) <= 100:
        raise RefusedError(400, "bad-request", "assignments: wanted a list of two numbers or more")
    lock = call.flag({"lock": True, **data}, "lock")
    adjudication = _begin(call, numbers, call.text(data, "assessor"), lock=lock)
    return JSONResponse(
        {
            "id": adjudication.assignment,
            "documents": adjudication.documents,
            "agreed": adjudication.agreed,
            "notes": list(adjudication.notes),
            "taken_over": dict(adjudication.taken_over),
        },
        201,
    )


def _begin(call: Call, numbers: list[int], name: str, *, lock: bool) -> Any:
    topic = call.path["topic"]
    return actions.start_adjudication(call.service, call.caller.name, topic, numbers, name, lock=lock)


def _submit_adjudication(call: Call) -> Response:
    fields = call.form()
    labels = [name.removeprefix("source-") for name in fields if name.startswith("source-")]
    numbers = [int(label) for label in labels if label.isascii() and label.isdigit() and len(label) < 16]
    try:
        adjudication = _begin(call, numbers, call.text(fields, "assessor"), lock="lock" in fields)
    except InputError as error:
        return render_comparison(call, str(error))
    notice = "; ".join([f"The adjudication has begun: {adjudication.sentence}", *adjudication.notes])
    return confirm_form(call, f"/assignments/{adjudication.assignment}", f"{notice}.")


def _receive_sign_off(call: Call) -> Response:
    call.json()
    actions.sign_off_adjudication(call.service, call.caller.name, call.own_assignment.id)
    return Response(status_code=204)


def _submit_lock(call: Call) -> Response:
    topic = call.path["topic"]
    call.form()
    actions.lock_topic(call.service, call.caller.name, topic)
    notice = "All assignments of this topic are locked."
    return confirm_form(call, f"/topics/{quote(topic)}/compare", notice)


_ASSIGNMENT = "/api/assignments/{assignment:int}"

ADJUDICATION_ENDPOINTS = (
    Endpoint("GET", f"{_ASSIGNMENT}/sources/{{doc:path}}", _send_sources, "reader"),
    Endpoint("POST", f"{_ASSIGNMENT}/sign-off", _receive_sign_off, "owner"),
    Endpoint("POST", "/api/topics/{topic:path}/adjudications", _receive_adjudication, "organiser"),
    Endpoint("POST", "/topics/{topic:path}/adjudications", _submit_adjudication, "organiser"),
    Endpoint("POST", "/topics/{topic:path}/lock", _submit_lock, "organiser"),
)
