"""Pages and API for organisers to add, invite and remove users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import JSONResponse, Response

from doxel.assess.store.accounts import ROLES, User, list_users
from doxel.assess.store.assignments import list_assignments
from doxel.assess.store.database_schema import format_time
from doxel.assess.store.invitations import list_open_invitations
from doxel.assess.web import actions
from doxel.assess.web.call import Call, build_own_address, confirm_form, render_page
from doxel.assess.web.endpoints import Endpoint
from doxel.errors import InputError, RefusedError

__all__ = ["PEOPLE_ENDPOINTS"]


def _show_users(call: Call) -> Response:
    return _render_users(call)


def _render_users(
    call: Call, *, error: str = "", about: int | None = None, link: str = "", invited: User | None = None
) -> Response:
    """Return the page of all people; a new link is shown once, beside the person it is for."""
    with call.service.store.read() as connection:
        all_users, links = list_users(connection), list_open_invitations(connection)
        work: dict[str, int] = {}
        for item in list_assignments(connection):
            work[item.assessor] = work.get(item.assessor, 0) + item.documents - item.validated
    return render_page(
        "users.html",
        call,
        status=400 if error else 200,
        people=[user for user in all_users if not user.is_removed],
        removed=sum(user.is_removed for user in all_users),
        links=links,
        work=work,
        roles=ROLES,
        error=error,
        about=about,
        link=link,
        invited=invited,
        fields=call.form() if error else {},
    )


def _build_link(call: Call, token: str) -> str:
    return build_own_address(call, f"/invitations/{token}")


def _submit_user(call: Call) -> Response:
    """Invite somebody, or add them with a password if the form has one."""
    fields, actor = call.form(), call.caller.name
    name, role = call.text(fields, "name"), call.text(fields, "role")
    try:
        if fields.get("password"):
            actions.create_user(call.service, actor, name, call.text(fields, "password"), role)
            return confirm_form(call, "/organiser/users", f"{name.strip().lower()} can sign in.")
        user, token = actions.invite(call.service, actor, name, role)
    except InputError as error:
        return _render_users(call, error=str(error))
    return _render_users(call, about=user.id, link=_build_link(call, token), invited=user)


def _submit_user_action(call: Call) -> Response:
    fields, actor, number = call.form(), call.caller.name, call.path["user"]
    if fields.get("action") == "link":
        user, token = actions.invite_again(call.service, actor, number)
        return _render_users(call, about=number, link=_build_link(call, token), invited=user)

    def remove() -> None:
        if fields.get("confirm") != "yes":
            raise InputError("removing somebody", wanted="your confirmation", found="none")
        actions.remove(call.service, actor, number)

    choices: dict[str, tuple[Callable[[], Any], str]] = {
        "disable": (
            lambda: actions.change_disabled(call.service, actor, number, disabled=True),
            "The account is disabled.",
        ),
        "enable": (
            lambda: actions.change_disabled(call.service, actor, number, disabled=False),
            "The account is enabled.",
        ),
        "sign-out": (lambda: actions.end_sessions(call.service, actor, number), "All sessions are ended."),
        "password": (
            lambda: actions.set_password(call.service, actor, number, call.text(fields, "password")),
            "The password is set.",
        ),
        "remove": (remove, "The account is removed; the judgements stay under a pseudonym."),
    }
    if fields.get("action", "") not in choices:
        raise RefusedError(400, "bad-request", "the form has an unknown action")
    act, notice = choices[fields["action"]]
    try:
        act()
    except InputError as error:
        return _render_users(call, error=str(error), about=number)
    return confirm_form(call, "/organiser/users", notice)


def _send_users(call: Call) -> Response:
    with call.service.store.read() as connection:
        all_users = list_users(connection)
    rows = [{**vars(user), "created": format_time(user.created)} for user in all_users]
    return JSONResponse({"users": rows})


def _receive_user(call: Call) -> Response:
    data = call.json("name", "password", "role")
    name, password, role = (call.text(data, key) for key in ("name", "password", "role"))
    number = actions.create_user(call.service, call.caller.name, name, password, role)
    return JSONResponse({"id": number}, 201)


def _receive_invitation(call: Call) -> Response:
    data = call.json("name", "role")
    name, role = call.text(data, "name"), call.text(data, "role")
    user, token = actions.invite(call.service, call.caller.name, name, role)
    return JSONResponse({"id": user.id, "link": _build_link(call, token)}, 201)


def _receive_new_link(call: Call) -> Response:
    call.json()
    user, token = actions.invite_again(call.service, call.caller.name, call.path["user"])
    return JSONResponse({"id": user.id, "link": _build_link(call, token)}, 201)


def _receive_password(call: Call) -> Response:
    password = call.text(call.json("password"), "password")
    actions.set_password(call.service, call.caller.name, call.path["user"], password)
    return Response(status_code=204)


def _receive_disabled(call: Call) -> Response:
    disabled = call.flag(call.json("disabled"), "disabled")
    actions.change_disabled(call.service, call.caller.name, call.path["user"], disabled=disabled)
    return Response(status_code=204)


def _receive_sign_out(call: Call) -> Response:
    actions.end_sessions(call.service, call.caller.name, call.path["user"])
    return Response(status_code=204)


def _receive_removal(call: Call) -> Response:
    return JSONResponse({"name": actions.remove(call.service, call.caller.name, call.path["user"])})


PEOPLE_ENDPOINTS = (
    Endpoint("GET", "/organiser/users", _show_users, "organiser"),
    Endpoint("POST", "/organiser/users", _submit_user, "organiser"),
    Endpoint("POST", "/organiser/users/{user:int}", _submit_user_action, "organiser"),
    Endpoint("GET", "/api/users", _send_users, "organiser"),
    Endpoint("POST", "/api/users", _receive_user, "organiser"),
    Endpoint("DELETE", "/api/users/{user:int}", _receive_removal, "organiser"),
    Endpoint("POST", "/api/users/{user:int}/password", _receive_password, "organiser"),
    Endpoint("POST", "/api/users/{user:int}/disabled", _receive_disabled, "organiser"),
    Endpoint("DELETE", "/api/users/{user:int}/sessions", _receive_sign_out, "organiser"),
    Endpoint("POST", "/api/users/{user:int}/invitation", _receive_new_link, "organiser"),
    Endpoint("POST", "/api/invitations", _receive_invitation, "organiser"),
)
