"""Pages and API for organisers: assignments, progress and audit log."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, urlencode

from starlette.responses import JSONResponse, Response

from doxel.assess.office.administration import list_audit_lines
from doxel.assess.office.progress import read_progress
from doxel.assess.scales import SNAPPINGS
from doxel.assess.store.accounts import list_users
from doxel.assess.store.pooled_documents import build_topic_key
from doxel.assess.web import actions
from doxel.assess.web.call import Call, confirm_form, encode_progress, read_titles, render_page
from doxel.assess.web.endpoints import Endpoint
from doxel.errors import InputError, RefusedError
from doxel.wording import pluralise

__all__ = ["ORGANISER_ENDPOINTS", "ORGANISER_PAGE_ENDPOINTS"]


def _receive_assignment(call: Call) -> Response:
    data = {"snapping": SNAPPINGS[0], **call.json("topic", "assessor", "scale", optional=("snapping",))}
    topic, name, scale, snapping = (
        call.text(data, key) for key in ("topic", "assessor", "scale", "snapping")
    )
    number = actions.give_topic(call.service, call.caller.name, topic, name, scale, snapping)
    return JSONResponse({"id": number}, 201)


def _receive_lock(call: Call) -> Response:
    locked = call.flag(call.json("locked"), "locked")
    actions.lock_assignment(call.service, call.caller.name, call.path["assignment"], locked=locked)
    return Response(status_code=204)


def _receive_official(call: Call) -> Response:
    call.json()
    actions.change_official(call.service, call.caller.name, call.path["assignment"])
    return Response(status_code=204)


def _receive_hand_over(call: Call) -> Response:
    data = call.json("assessor", "with_work")
    name, with_work = call.text(data, "assessor"), call.flag(data, "with_work")
    new = actions.hand_over_assignment(
        call.service, call.caller.name, call.path["assignment"], name, with_work=with_work
    )
    return JSONResponse({"id": new.assignment, "documents": new.documents, "notes": list(new.notes)}, 201)


def _send_progress(call: Call) -> Response:
    with call.service.store.read() as connection:
        overall = read_progress(connection)
    topics = sorted(overall.topics, key=lambda topic: build_topic_key(topic.topic))
    return JSONResponse(
        {
            "topics": [{"topic": topic.topic, "documents": topic.documents} for topic in topics],
            "assignments": [
                {**encode_progress(item.assignment), **item.work.as_json()}
                for topic in topics
                for item in topic.assignments
            ],
            "assessors": [
                {"assessor": name, "assignments": count, **work.as_json()}
                for name, work, count in overall.assessors
            ],
            "total": overall.total.as_json(),
            "attention": [vars(notice) for notice in overall.attention],
        }
    )


def _send_audit_log(call: Call) -> Response:
    before = call.number("before", "the number of a line")
    with call.service.store.read() as connection:
        return JSONResponse({"lines": list_audit_lines(connection, before)})


ORGANISER_ENDPOINTS = (
    Endpoint("POST", "/api/assignments", _receive_assignment, "organiser"),
    Endpoint("POST", "/api/assignments/{assignment:int}/locked", _receive_lock, "organiser"),
    Endpoint("POST", "/api/assignments/{assignment:int}/official", _receive_official, "organiser"),
    Endpoint("POST", "/api/assignments/{assignment:int}/hand-over", _receive_hand_over, "organiser"),
    Endpoint("GET", "/api/progress", _send_progress, "organiser"),
    Endpoint("GET", "/api/audit", _send_audit_log, "organiser"),
)


def _show_progress(call: Call) -> Response:
    return _render_progress(call)


def _render_progress(call: Call, error: str = "", about: int | None = None) -> Response:
    """Return the overview; with an error, at the assignment whose form was refused."""
    with call.service.store.read() as connection:
        overall, all_users = read_progress(connection), list_users(connection)
    return render_page(
        "organiser.html",
        call,
        status=400 if error else 200,
        progress=overall,
        open_topics=[topic for topic in overall.topics if not topic.is_closed],
        closed_topics=[topic for topic in overall.topics if topic.is_closed],
        titles=read_titles(call.service),
        people=[user for user in all_users if not user.disabled],
        error=error,
        about=about,
        chosen=call.form() if error else {},
    )


def _show_audit_log(call: Call) -> Response:
    before = call.number("before", "the number of a line")
    with call.service.store.read() as connection:
        lines = list_audit_lines(connection, before)
    return render_page("audit.html", call, lines=lines, is_later=before is not None)


def _submit_assignment(call: Call) -> Response:
    fields = {"snapping": SNAPPINGS[0], **call.form()}
    topic, name, scale, snapping = (
        call.text(fields, key) for key in ("topic", "assessor", "scale", "snapping")
    )
    try:
        actions.give_topic(call.service, call.caller.name, topic, name, scale, snapping)
    except InputError as error:
        return _render_progress(call, str(error))
    return confirm_form(call, "/organiser", f"Topic {topic} is assigned to {name}.")


def _submit_assignment_action(call: Call) -> Response:
    fields, actor, assignment = call.form(), call.caller.name, call.path["assignment"]

    about = f"topic {call.own_assignment.topic} of {call.own_assignment.assessor}"

    def hand_over() -> str:
        name, with_work = call.text(fields, "assessor"), fields.get("work") == "with"
        new = actions.hand_over_assignment(call.service, actor, assignment, name, with_work=with_work)
        copied = f" with {pluralise(new.documents, 'document')}" if with_work else ""
        return f"{name} continues {about}{copied}; {'; '.join(['the old assignment is locked', *new.notes])}."

    def set_locked(*, locked: bool) -> str:
        actions.lock_assignment(call.service, actor, assignment, locked=locked)
        return f"The assignment is {'locked' if locked else 'no longer locked'}: {about}."

    def make_official() -> str:
        actions.change_official(call.service, actor, assignment)
        return f"The assignment is now official: {about}."

    choices: dict[str, Callable[[], str]] = {
        "lock": lambda: set_locked(locked=True),
        "unlock": lambda: set_locked(locked=False),
        "official": make_official,
        "official-here": make_official,
        "hand-over": hand_over,
    }
    action = fields.get("action", "")
    if action not in choices:
        raise RefusedError(400, "bad-request", "the form has an unknown action")
    try:
        notice = choices[action]()
    except InputError as error:
        return _render_progress(call, str(error), assignment)
    return confirm_form(
        call, _build_comparison_address(call, fields) if action == "official-here" else "/organiser", notice
    )


def _build_comparison_address(call: Call, fields: dict[str, str]) -> str:
    """Return the address of the comparison page on which the form was sent."""
    query = [(name, fields[name]) for name in ("one", "other", "doc") if name in fields]
    return f"/topics/{quote(call.own_assignment.topic)}/compare?{urlencode(query)}"


ORGANISER_PAGE_ENDPOINTS = (
    Endpoint("GET", "/organiser", _show_progress, "organiser"),
    Endpoint("POST", "/organiser/assignments", _submit_assignment, "organiser"),
    Endpoint("POST", "/organiser/assignments/{assignment:int}", _submit_assignment_action, "organiser"),
    Endpoint("GET", "/organiser/audit", _show_audit_log, "organiser"),
)
