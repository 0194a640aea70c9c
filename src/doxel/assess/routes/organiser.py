"""API for organisers: users, pools, progress, audit log and export."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from doxel.assess import actions
from doxel.assess.accounts import users
from doxel.assess.audit import audit_lines
from doxel.assess.calls import Call
from doxel.assess.clock import written
from doxel.assess.endpoints import Endpoint
from doxel.assess.export import export
from doxel.assess.pooled import in_order
from doxel.assess.progress import progress
from doxel.assess.routes.asked import pool_json
from doxel.assess.scales import SNAPPINGS

__all__ = ["ENDPOINTS"]


def _users(call: Call) -> Response:
    with call.service.store.read() as connection:
        all_users = users(connection)
    rows = [{**vars(user), "created": written(user.created)} for user in all_users]
    return JSONResponse({"users": rows})


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
    disabled = call.flag(call.json("disabled"), "disabled")
    actions.change_disabled(call.service, call.caller.name, call.path["user"], disabled=disabled)
    return Response(status_code=204)


def _end_sessions(call: Call) -> Response:
    actions.end_sessions(call.service, call.caller.name, call.path["user"])
    return Response(status_code=204)


def _assign(call: Call) -> Response:
    data = {"snapping": SNAPPINGS[0], **call.json("topic", "assessor", "scale", optional=("snapping",))}
    topic, name, scale, snapping = (
        call.text(data, key) for key in ("topic", "assessor", "scale", "snapping")
    )
    number = actions.give_topic(call.service, call.caller.name, topic, name, scale, snapping)
    return JSONResponse({"id": number}, 201)


def _lock(call: Call) -> Response:
    locked = call.flag(call.json("locked"), "locked")
    actions.lock(call.service, call.caller.name, call.path["pool"], locked=locked)
    return Response(status_code=204)


def _official(call: Call) -> Response:
    call.json()
    actions.change_official(call.service, call.caller.name, call.path["pool"])
    return Response(status_code=204)


def _hand_over(call: Call) -> Response:
    data = call.json("assessor", "with_work")
    name, with_work = call.text(data, "assessor"), call.flag(data, "with_work")
    new = actions.give_pool(call.service, call.caller.name, call.path["pool"], name, with_work=with_work)
    return JSONResponse({"id": new.pool, "documents": new.documents, "notes": list(new.notes)}, 201)


def _progress(call: Call) -> Response:
    with call.service.store.read() as connection:
        overall = progress(connection)
    ordered = sorted(overall.topics, key=lambda topic: in_order(topic.topic))
    return JSONResponse(
        {
            "topics": [{"topic": topic.topic, "documents": topic.documents} for topic in ordered],
            "pools": [
                {**pool_json(item.pool), **item.work.as_json()} for topic in ordered for item in topic.pools
            ],
            "assessors": [
                {"assessor": name, "pools": count, **work.as_json()}
                for name, work, count in overall.assessors
            ],
            "total": overall.total.as_json(),
            "attention": [vars(notice) for notice in overall.attention],
        }
    )


def _audit(call: Call) -> Response:
    before = call.number("before", "the number of a line")
    with call.service.store.read() as connection:
        return JSONResponse({"lines": audit_lines(connection, before)})


def _export(call: Call) -> Response:
    name, lossy = call.query.get("format", "qrels"), call.query.get("lossy") == "1"
    exported = export(call.service.store, call.service.library, name, lossy=lossy)
    headers = {
        "content-disposition": f'attachment; filename="official.{exported.about["format"]}"',
        "x-doxel-fingerprint": exported.about["fingerprint"],
        "x-doxel-text-rule": exported.about["text_rule"],
    }
    return Response(exported.data, media_type="application/octet-stream", headers=headers)


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
