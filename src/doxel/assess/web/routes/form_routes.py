"""Judging with plain forms, by quotation or by element, without scripts."""

from __future__ import annotations

import secrets
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from doxel.alignment.folding import fold
from doxel.alignment.text_index import TextIndex
from doxel.assess.document_state import State, list_elements_to_grade
from doxel.assess.judging_events import EVENT_KINDS, BodyField
from doxel.assess.scales import find_scale
from doxel.assess.store.adjudications import record_looks
from doxel.assess.store.event_log import read_state
from doxel.assess.store.event_writer import EventReceipt
from doxel.assess.store.pooled_documents import HeldDocument, JudgingTask
from doxel.assess.store.shares import list_assigned_documents
from doxel.assess.web.call import (
    Call,
    PendingResponse,
    check_document,
    read_topic_fields,
    redirect_after_form,
    render_page,
    require_document,
    submit_events,
)
from doxel.assess.web.endpoints import Endpoint
from doxel.errors import InputError, RefusedError

__all__ = ["FORM_ENDPOINTS", "cut_text"]

_MOST_LISTED = 2_000  # elements offered in the list of paths

# the names of all other actions are kinds
_KINDS_OF_ACTIONS = {"nothing": "validate", "no-bep": "bep", "no-flag": "flag"}

_NewEvents = list[tuple[str, dict[str, Any]]]


def _show_form(call: Call) -> Response:
    return _render_form(call)


def _render_form(call: Call, error: str = "", status: int = 400) -> Response:
    """Return the page of a document with its forms; with an error, the entered values stay."""
    assignment, scale = call.own_assignment, find_scale(call.own_assignment.scale)
    with call.service.store.read() as connection:
        document, pooled = require_document(call, connection)
        state, _ = read_state(connection, assignment.id, document.doc)
        docs = list_assigned_documents(connection, assignment)
    record_looks(call.service.store, call.caller.user_id, [assignment])
    text, outline = call.service.library.text(document.doc), call.service.library.outline(document.doc)
    place = docs.index(document.doc)
    return render_page(
        "document.html",
        call,
        status=status if error else 200,
        error=error,
        entered=call.form() if error else {},
        assignment=assignment,
        scale=scale,
        doc=document.doc,
        address=_build_address(call),
        state=state,
        breaches=check_document(call, state, pooled),
        pieces=cut_text(text, state),
        passages=[(start, end, text[start:end]) for start, end in state.highlights],
        paths=outline.path[:_MOST_LISTED],
        more=max(0, len(outline.path) - _MOST_LISTED),
        pooled=pooled.parts if state.pooled_shown or not scale.highlights else [],
        is_mine=assignment.user_id == call.caller.user_id,
        before=docs[place - 1] if place else None,
        after=docs[place + 1] if place + 1 < len(docs) else None,
        fields=read_topic_fields(call, assignment.topic),
        list_inputs=_list_inputs,
    )


def cut_text(text: str, state: State) -> list[tuple[str, bool, bool]]:
    """Cut a text where highlights start and end, and at the best entry point.

    Each piece comes with whether it is highlighted, and whether it starts at the best entry point.

    >>> cut_text("abcdef", State(highlights=((1, 4),), bep=2))
    [('a', False, False), ('b', True, False), ('cd', True, True), ('ef', False, False)]
    """
    cuts = {0, len(text)} | {place for span in state.highlights for place in span}
    if state.bep is not None:
        cuts.add(state.bep)
    places = sorted(cuts)
    spans = iter(state.highlights)
    span = next(spans, None)
    pieces: list[tuple[str, bool, bool]] = []
    for start, end in pairwise(places):
        while span is not None and span[1] <= start:
            span = next(spans, None)
        is_marked = span is not None and span[0] <= start
        pieces.append((text[start:end], is_marked, start == state.bep))
    return pieces


def _receive_form(call: Call) -> Response | PendingResponse:
    with call.service.store.read() as connection:
        document, pooled = require_document(call, connection)
        state, _ = read_state(connection, call.own_assignment.id, document.doc)
    client = f"form:{secrets.token_hex(12)}"
    common = {"doc": document.doc, "client": client, "fingerprint": document.fingerprint}
    try:
        bodies = _build_events(call, document, pooled, state)
    except InputError as error:
        return _render_form(call, str(error))
    events = [
        {**common, "sequence": number, "step": client, "kind": kind, "body": body}
        for number, (kind, body) in enumerate(bodies)
    ]
    future = submit_events(call, events)
    return PendingResponse(future, lambda outcomes: _answer_form(call, outcomes), is_slow=True)


def _answer_form(call: Call, outcomes: list[EventReceipt]) -> Response:
    for outcome in outcomes:
        if outcome.status == "refused":
            return _render_form(call, outcome.message or "this was refused", 409)
    return redirect_after_form(_build_address(call))


def _build_address(call: Call) -> str:
    return f"/assignments/{call.own_assignment.id}/forms/{quote(call.path['doc'])}"


def _build_events(call: Call, document: HeldDocument, pooled: JudgingTask, state: State) -> _NewEvents:
    """Return the kinds and bodies of the events that the pressed button of a form stands for."""
    fields = call.form()
    action = fields.get("action", "")
    events: _NewEvents = [(action, {})]
    match action:
        case "highlight" | "unhighlight":
            events = [(action, {"spans": [list(_find_span(call, document, fields))]})]
        case "bep":
            events = [("bep", {"position": _find_span(call, document, fields)[0]})]
        case "no-bep":
            events = [("bep", {"position": None})]
        case "grade":
            events = [("grade", {"path": fields.get("path", ""), "grades": _read_grades(call, fields)})]
        case "note":
            events = [("note", {"text": fields.get("text", "")})]
        case "flag" | "no-flag":
            events = [("flag", {"flagged": action == "flag"})]
        case "show":
            events = [("show", {"pooled": True})]
        case "nothing":
            events = _build_nothing_relevant(call, document, pooled, state)
        case "validate" | "reopen":
            pass
        case _:
            raise RefusedError(400, "bad-request", "the form has an unknown action")
    kind, body = events[-1]
    return [*events[:-1], (kind, {**body, **_read_inputs(kind, fields)})]


def _list_inputs(action: str) -> list[BodyField]:
    """Return the declared fields for which the form of an action has inputs: those with a default.

    The others have forms of their own in the template.
    """
    kind = EVENT_KINDS[_KINDS_OF_ACTIONS.get(action, action)]
    return [part for part in kind.body if part.is_optional and part.type in {"choice", "flag", "text"}]


def _read_inputs(kind: str, fields: dict[str, str]) -> dict[str, Any]:
    """Return the values of the inputs of a form, by the names of the declared fields."""
    inputs: dict[str, Any] = {}
    for part in _list_inputs(kind):
        if part.type == "flag":  # browsers leave out a box that is not ticked
            inputs[part.name] = part.name in fields
        elif part.name in fields:
            text = fields[part.name]
            inputs[part.name] = None if part.type == "choice" and not text else text
    return inputs


def _read_grades(call: Call, fields: dict[str, str]) -> dict[str, str] | None:
    grades = {name: fields.get(name, "") for name in find_scale(call.own_assignment.scale).grades}
    return grades if any(grades.values()) else None


def _build_nothing_relevant(
    call: Call, document: HeldDocument, pooled: JudgingTask, state: State
) -> _NewEvents:
    """Return the events that mark nothing in a document as relevant, and the document as done."""
    scale = find_scale(call.own_assignment.scale)
    events: _NewEvents = []
    if state.highlights:
        events.append(("unhighlight", {"spans": [[0, document.characters]]}))
    if state.bep is not None:
        events.append(("bep", {"position": None}))
    zero = {name: values[0] for name, values in scale.grades.items()}
    if scale.grades and not scale.highlights:
        required = list_elements_to_grade(call.service.library.outline(document.doc), pooled.paths)
        paths = dict.fromkeys([*required, *state.grades])
        events += [("grade", {"path": path, "grades": zero}) for path in paths]
    else:
        events += [("grade", {"path": path, "grades": None}) for path in state.grades]
    return [*events, ("validate", {})]


def _find_span(call: Call, document: HeldDocument, fields: dict[str, str]) -> tuple[int, int]:
    """Return the span that a form gives: by offsets, by element, or by a quotation that occurs once."""
    start, end, path = (fields.get(name, "").strip() for name in ("start", "end", "path"))
    if start.isdigit() and end.isdigit() and start.isascii() and end.isascii():
        return int(start[:15]), int(end[:15])
    outline = call.service.library.outline(document.doc)
    if path:
        if path not in outline.rows:
            wanted = "the path of an element in this document"
            raise InputError("an element", wanted=wanted, found=repr(path[:80]))
        row = outline.rows[path]
        return int(outline.start[row]), int(outline.end[row])
    quote = fields.get("quote", "")
    text = call.service.library.text(document.doc)
    places, _ = TextIndex([text]).find(quote, fold(quote))
    # the quotation is matched literally, except for white space, which browsers change
    words = "".join(quote.split())
    places = [place for place in places if "".join(text[place.start : place.end].split()) == words]
    if len(places) != 1 or not quote.strip():
        wanted = "words that occur once in the document"
        problem = "text found several times" if places and quote.strip() else "text not found"
        raise InputError("a quotation", wanted=wanted, found=problem)
    return places[0].start, places[0].end


FORM_ENDPOINTS = (
    Endpoint("GET", "/assignments/{assignment:int}/forms/{doc:path}", _show_form, "reader"),
    Endpoint("POST", "/assignments/{assignment:int}/forms/{doc:path}", _receive_form, "owner"),
)
