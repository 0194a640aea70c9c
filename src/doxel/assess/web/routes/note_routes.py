"""The notes and flags of all assessors on one page, for organisers."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from doxel.assess.office.assessor_notes import AssessorNote, list_notes
from doxel.assess.store.database_schema import now
from doxel.assess.store.pooled_documents import list_topics
from doxel.assess.web.call import Call, render_page
from doxel.assess.web.endpoints import Endpoint

__all__ = ["NOTE_ENDPOINTS"]

_AT_ONCE = 100  # notes per page


def _choose_notes(call: Call) -> list[AssessorNote]:
    topic = call.query.get("topic")
    with call.service.store.read() as connection:
        return list_notes(
            connection, topics=[topic] if topic else [], flagged_only=call.query.get("flagged") == "1"
        )


def _send_notes(call: Call) -> Response:
    return JSONResponse({"notes": [note.as_json() for note in _choose_notes(call)]})


def _show_notes(call: Call) -> Response:
    notes = _choose_notes(call)
    start = call.number("from", "the number of a note") or 0
    with call.service.store.read() as connection:
        names = [name for name, _ in list_topics(connection)]
    topics = call.service.topics
    titles = {} if topics is None else {name: topics[name].title for name in names if name in topics}
    return render_page(
        "notes.html",
        call,
        notes=notes[start : start + _AT_ONCE],
        total=len(notes),
        start=start,
        at_once=_AT_ONCE,
        names=names,
        titles=titles,
        topic=call.query.get("topic") or "",
        flagged=call.query.get("flagged") == "1",
        at=now(),
    )


NOTE_ENDPOINTS = (
    Endpoint("GET", "/api/notes", _send_notes, "organiser"),
    Endpoint("GET", "/organiser/notes", _show_notes, "organiser"),
)
