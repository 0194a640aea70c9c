"""Users, assignment, locks, the official pool, progress, audit and export, for programs of organisers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from starlette.responses import JSONResponse, Response

from doxel.assess import actions
from doxel.assess.accounts import users
from doxel.assess.calls import Call
from doxel.assess.clock import written
from doxel.assess.endpoints import Endpoint
from doxel.assess.export import export
from doxel.assess.progress import progress
from doxel.assess.routes.documents import pool_json
from doxel.assess.scales import SNAPPINGS
from doxel.assess.schema import AUDIT
from doxel.assess.tasks import in_order
from doxel.errors import RefusedError

__all__ = ["ENDPOINTS", "audit_lines"]

_LINES = 200


def _users(call: Call) -> Response:
    with call.service.store.read() as connection:
        found = users(connection)
    shown = [{**vars(user), "created": written(user.created)} for user in found]
    return JSONResponse({"users": shown})


def _add_user(call: Call) -> Response:
    data = call.json("name", "password", "role")
    name, password, role = (call.text(data, key) for key in ("name", "password", "role"))
    number = actions.new_user(call.service, call.caller.name, name, password, role)
    return JSONResponse({"id": number}, 201)


def _set_password(call: Call) -> Response:
    password = call.text(call.json("password"), "password")
    actions.new_password(call.service, call.caller.name, call.path["user"], password)
    return Response(status_code=204)


def _set_disabled(call: Call) -> Response:
    disabled = _flag(call, "disabled")
    actions.change_disabled(call.service, call.caller.name, call.path["user"], disabled=disabled)
    return Response(status_code=204)


def _end_sessions(call: Call) -> Response:
    actions.end_sessions(call.service, call.caller.name, call.path["user"])
    return Response(status_code=204)


def _flag(call: Call, key: str) -> bool:
    value = call.json(key)[key]
    if not isinstance(value, bool):
        raise RefusedError(400, "bad-request", f"{key}: wanted true or false")
    return value


def _assign(call: Call) -> Response:
    data = {"snapping": SNAPPINGS[0], **call.json("topic", "assessor", "scale", optional=("snapping",))}
    topic, name, scale, snapping = (
        call.text(data, key) for key in ("topic", "assessor", "scale", "snapping")
    )
    number = actions.give_topic(call.service, call.caller.name, topic, name, scale, snapping)
    return JSONResponse({"id": number}, 201)


def _lock(call: Call) -> Response:
    actions.lock(call.service, call.caller.name, call.path["pool"], locked=_flag(call, "locked"))
    return Response(status_code=204)


def _official(call: Call) -> Response:
    call.json()
    actions.change_official(call.service, call.caller.name, call.path["pool"])
    return Response(status_code=204)


def _hand_over(call: Call) -> Response:
    data = call.json("assessor", "with_work")
    if not isinstance(data["with_work"], bool):
        raise RefusedError(400, "bad-request", "with_work: wanted true or false")
    name, who = call.text(data, "assessor"), call.caller.name
    done = actions.give_pool(call.service, who, call.path["pool"], name, with_work=data["with_work"])
    return JSONResponse({"id": done.pool, "documents": done.documents, "notes": list(done.notes)}, 201)


def _progress(call: Call) -> Response:
    with call.service.store.read() as connection:
        found = progress(connection)
    in_turn = sorted(found.topics, key=lambda one: in_order(one.topic))
    return JSONResponse(
        {
            "topics": [{"topic": one.topic, "documents": one.documents} for one in in_turn],
            "pools": [
                {**pool_json(one.pool), **one.work.as_json()} for topic in in_turn for one in topic.pools
            ],
            "assessors": [
                {"assessor": name, "pools": count, **work.as_json()} for name, work, count in found.assessors
            ],
            "total": found.total.as_json(),
            "attention": [vars(one) for one in found.attention],
        }
    )


def _audit(call: Call) -> Response:
    return JSONResponse({"lines": audit_lines(call)})


def audit_lines(call: Call) -> list[dict[str, Any]]:
    """Return the last lines of the audit log, or those before a number, newest first."""
    before = call.query.get("before", "")
    question = select(AUDIT).order_by(AUDIT.c.id.desc()).limit(_LINES)
    if before:
        if not before.isascii() or not before.isdigit() or len(before) > 15:
            raise RefusedError(400, "bad-request", "before: wanted the number of a line")
        question = question.where(AUDIT.c.id < int(before))
    with call.service.store.read() as connection:
        rows = connection.execute(question).all()
    return [{"id": row.id, "at": written(row.at), **_told(row)} for row in rows]


def _told(row: Any) -> dict[str, str]:
    return {"who": row.who, "action": row.action, "detail": row.detail}


def _export(call: Call) -> Response:
    name, lossy = call.query.get("format", "qrels"), call.query.get("lossy") == "1"
    made = export(call.service.store, call.service.library, name, lossy=lossy)
    headers = {
        "content-disposition": f'attachment; filename="official.{name}"',
        "x-doxel-fingerprint": made.about["fingerprint"],
        "x-doxel-text-rule": made.about["text_rule"],
    }
    return Response(made.data, media_type="application/octet-stream", headers=headers)


ENDPOINTS = (
    Endpoint("GET", "/api/users", _users, "organiser"),
    Endpoint("POST", "/api/users", _add_user, "organiser"),
    Endpoint("POST", "/api/users/{user:int}/password", _set_password, "organiser"),
    Endpoint("POST", "/api/users/{user:int}/disabled", _set_disabled, "organiser"),
    Endpoint("DELETE", "/api/users/{user:int}/sessions", _end_sessions, "organiser"),
    Endpoint("POST", "/api/pools", _assign, "organiser"),
    Endpoint("POST", "/api/pools/{pool:int}/locked", _lock, "organiser"),
    Endpoint("POST", "/api/pools/{pool:int}/official", _official, "organiser"),
    Endpoint("POST", "/api/pools/{pool:int}/hand-over", _hand_over, "organiser"),
    Endpoint("GET", "/api/progress", _progress, "organiser"),
    Endpoint("GET", "/api/audit", _audit, "organiser"),
    Endpoint("GET", "/api/export", _export, "organiser"),
)
