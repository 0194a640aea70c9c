"""API to sign in and out, and to change one's own password."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from doxel.assess.actions import change_own_password, sign_in, sign_out
from doxel.assess.calls import Call
from doxel.assess.clock import written
from doxel.assess.endpoints import Endpoint
from doxel.assess.security import cookie_name, set_cookie
from doxel.assess.sessions import account_of

__all__ = ["ENDPOINTS", "delete_session_cookie", "set_session_cookie"]


def _health(call: Call) -> Response:
    with call.service.store.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return JSONResponse({"status": "ok"})


def _sign_in(call: Call) -> Response:
    data = call.json("name", "password")
    name, password = call.text(data, "name"), call.text(data, "password")
    signed = sign_in(call.service, name, password, call.address, call.token)
    user = signed.user
    payload = {"name": user.name, "account": account_of(user.name, user.created), "role": user.role}
    response = JSONResponse({**payload, "csrf": signed.csrf})
    set_session_cookie(response, call, signed.token)
    return response


def set_session_cookie(response: Response, call: Call, token: str) -> None:
    """Store the token of a session in the browser for as long as the session lasts."""
    settings = call.service.settings
    seconds = int(settings.session_hours * 3600)
    set_cookie(response, cookie_name(settings), token, settings, seconds=seconds)


def delete_session_cookie(response: Response, call: Call) -> None:
    """Delete the token of the session from the browser."""
    settings = call.service.settings
    set_cookie(response, cookie_name(settings), "", settings, seconds=0)


def _who_am_i(call: Call) -> Response:
    session = call.caller
    payload = {"name": session.name, "account": session.account, "role": session.role, "csrf": session.csrf}
    return JSONResponse({**payload, "expires": written(session.expires)})


def _sign_out(call: Call) -> Response:
    sign_out(call.service, call.caller.name, call.token or "")
    response = Response(status_code=204)
    delete_session_cookie(response, call)
    return response


def _password(call: Call) -> Response:
    data = call.json("old", "new")
    old, new = call.text(data, "old"), call.text(data, "new")
    change_own_password(call.service, call.caller.name, old, new, call.address)
    response = Response(status_code=204)
    delete_session_cookie(response, call)
    return response


ENDPOINTS = (
    Endpoint("GET", "/api/health", _health, "anyone"),
    Endpoint("POST", "/api/session", _sign_in, "anyone"),
    Endpoint("GET", "/api/session", _who_am_i, "user"),
    Endpoint("DELETE", "/api/session", _sign_out, "user"),
    Endpoint("POST", "/api/password", _password, "user"),
)
