"""Pages and API with which organisers distribute work, lock what is finished, and download assessments."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, Response

from doxel.assess.office.assessment_export import FILE_TYPES, count_scales, export_assessments, name_export
from doxel.assess.office.work_plan import PLAN_KINDS, PlanRequest, WorkPlan, make_plan
from doxel.assess.scales import SCALES, SNAPPINGS, find_scale
from doxel.assess.store.accounts import list_users
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.pooled_documents import list_topics
from doxel.assess.web import actions
from doxel.assess.web.call import Call, confirm_form, read_titles, render_page
from doxel.assess.web.endpoints import Endpoint
from doxel.assessments.assessment_files import find_assessment_format
from doxel.errors import InputError, RefusedError
from doxel.wording import pluralise

__all__ = ["WORK_ENDPOINTS"]


def _show_assign(call: Call) -> Response:
    return _render_assign(call)


def _render_assign(
    call: Call, *, plan: WorkPlan | None = None, error: str = "", stale: bool = False
) -> Response:
    """Return the page on which work is distributed, with the preview of a plan if there is one."""
    with call.service.store.read() as connection:
        all_users, topics = list_users(connection), list_topics(connection)
        all_assignments = list_assignments(connection)
    holders: dict[str, list[str]] = {}
    left: dict[str, int] = {}
    for item in all_assignments:
        holders.setdefault(item.topic, []).append(item.assessor)
        left[item.assessor] = left.get(item.assessor, 0) + item.documents - item.validated
    is_form = call.method == "POST"
    lists = call.form_data.lists if is_form else {}
    wanted = lists.get("topic") or ([call.query["topic"]] if "topic" in call.query else [])
    if not is_form and not wanted:
        levels = call.query.get("kind") == "level"  # assigned topics; otherwise unassigned ones
        wanted = [topic for topic, _ in topics if (topic in holders) == levels]
    people = [user for user in all_users if not user.disabled]
    chosen_people = lists.get("person") or [user.name for user in people if user.role == "assessor"]
    fields = call.form() if is_form else {"kind": call.query.get("kind", "split")}
    return render_page(
        "assign.html",
        call,
        status=400 if error else 200,
        topics=topics,
        titles=read_titles(call.service),
        holders=holders,
        left=left,
        people=people,
        wanted=set(wanted),
        chosen=set(chosen_people),
        fields={"overlap": "1", "scale": call.service.settings.scale, "snapping": SNAPPINGS[0], **fields},
        scales=SCALES,
        snappings=SNAPPINGS,
        kinds=PLAN_KINDS,
        plan=plan,
        error=error,
        stale=stale,
    )


def _read_request(call: Call) -> PlanRequest:
    data, fields = call.form_data, call.form()
    overlap = fields.get("overlap", "1")
    if not overlap.isascii() or not overlap.isdigit() or len(overlap) > 4:
        raise InputError("the overlap", wanted="a number from 1", found=repr(overlap[:20]))
    return PlanRequest(
        kind=fields.get("kind", ""),
        topics=tuple(data.lists.get("topic", ())),
        people=tuple(data.lists.get("person", ())),
        overlap=int(overlap),
        scale=fields.get("scale", call.service.settings.scale),
        snapping=fields.get("snapping", SNAPPINGS[0]),
    )


def _submit_assign(call: Call) -> Response:
    fields = call.form()
    try:
        request = _read_request(call)
        if fields.get("action") == "apply":
            plan = actions.distribute_work(call.service, call.caller.name, request, fields.get("digest", ""))
            if plan is not None:
                count = pluralise(len(plan.shares), "assignment")
                return confirm_form(call, "/organiser", f"The work is distributed: {count} changed.")
        with call.service.store.read() as connection:
            preview = make_plan(connection, request)
    except InputError as error:
        return _render_assign(call, error=str(error))
    return _render_assign(call, plan=preview, stale=fields.get("action") == "apply")


def _receive_plan(call: Call) -> Response:
    """Compute a plan, and apply it if the client asks for it."""
    data = call.json("kind", "topics", "people", "apply", optional=("overlap", "scale", "snapping"))
    for key in ("topics", "people"):
        values = data[key]
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise RefusedError(400, "bad-request", f"{key}: wanted a list of texts")
    overlap = data.get("overlap", 1)
    if not isinstance(overlap, int) or isinstance(overlap, bool):
        raise RefusedError(400, "bad-request", "overlap: wanted a number")
    texts = {key: call.text(data, key) for key in ("kind", "scale", "snapping") if key in data}
    request = PlanRequest(
        topics=tuple(data["topics"]), people=tuple(data["people"]), overlap=overlap, **texts
    )
    plan: WorkPlan | None
    if call.flag(data, "apply"):
        plan = actions.distribute_work(call.service, call.caller.name, request, None)
    else:
        with call.service.store.read() as connection:
            plan = make_plan(connection, request)
    if plan is None:
        raise RefusedError(409, "conflict", "the assignments have changed: try again")
    return JSONResponse(_encode_plan(plan))


def _encode_plan(plan: WorkPlan) -> dict[str, Any]:
    shares = [
        {
            "topic": share.topic,
            "assessor": share.user.name,
            "documents": share.gained,
            "removed": len(share.removed),
            "whole": share.is_whole,
        }
        for share in plan.shares
    ]
    return {"shares": shares, "before": plan.before, "after": plan.after, "notes": list(plan.notes)}


def _submit_locks(call: Call) -> Response:
    numbers = [value for value in call.form_data.lists.get("assignment", ()) if value.isdigit()]
    for number in numbers:
        actions.lock_assignment(call.service, call.caller.name, int(number[:15]), locked=True)
    locked = pluralise(len(numbers), "assignment is", "assignments are")
    return confirm_form(call, "/organiser", f"{locked} locked.")


def _show_export(call: Call) -> Response:
    with call.service.store.read() as connection:
        counts = count_scales(connection)
    scale_name = call.query.get("scale") or next(iter(counts), call.service.settings.scale)
    formats = [
        (
            find_assessment_format(name),
            file_type,
            _describe_fit(scale_name, find_assessment_format(name).scale),
        )
        for name, file_type in FILE_TYPES.items()
    ]
    return render_page(
        "export.html",
        call,
        counts=counts,
        scale=find_scale(scale_name),
        scales={scale.name: scale for scale in SCALES},
        formats=sorted(formats, key=lambda entry: _FITS.index(entry[2])),
    )


_FITS = ("all", "documents", "other")


def _describe_fit(scale: str, format_scale: str) -> str:
    """Return whether a format holds all of a scale, only whole documents, or is of another scale."""
    if format_scale == "documents":
        return "documents"
    return "all" if format_scale == scale or (scale == "passages" and format_scale == "2006") else "other"


def _send_export(call: Call) -> Response:
    """Return the official assessments as a file; of several scales, one must be chosen."""
    name, lossy = call.query.get("format", "qrels"), call.query.get("lossy") == "1"
    include_open = call.query.get("open") == "1"
    if name not in FILE_TYPES:
        raise InputError("a format", wanted=f"one of {', '.join(FILE_TYPES)}", found=repr(name[:40]))
    export = export_assessments(
        call.service.store,
        call.service.library,
        name,
        scale=call.query.get("scale") or None,
        include_open=include_open,
        lossy=lossy,
    )
    file_type = FILE_TYPES[export.about["format"]]
    headers = {
        "content-disposition": f'attachment; filename="{name_export(call.service.name, export.about)}"',
        "x-doxel-fingerprint": export.about["fingerprint"],
        "x-doxel-text-rule": export.about["text_rule"],
    }
    return Response(export.data, media_type=file_type.media, headers=headers)


WORK_ENDPOINTS = (
    Endpoint("GET", "/organiser/assign", _show_assign, "organiser"),
    Endpoint("POST", "/organiser/assign", _submit_assign, "organiser"),
    Endpoint("POST", "/organiser/locks", _submit_locks, "organiser"),
    Endpoint("GET", "/organiser/export", _show_export, "organiser"),
    Endpoint("POST", "/api/plans", _receive_plan, "organiser"),
    Endpoint("GET", "/api/export", _send_export, "organiser"),
)
