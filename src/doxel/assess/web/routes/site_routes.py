"""The pages to sign in and to open one's assignments, the help page, static files, and the session API."""

from __future__ import annotations

import hmac
import secrets
from functools import partial
from urllib.parse import quote, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response

from doxel.assess.scales import SCALES, find_scale
from doxel.assess.store.accounts import build_account_key
from doxel.assess.store.assignments import find_statuses, list_assignments
from doxel.assess.store.database_schema import format_time
from doxel.assess.store.pooled_documents import list_documents
from doxel.assess.web.actions import change_own_password, sign_in, sign_out
from doxel.assess.web.call import Call, read_topic_fields, redirect_after_form, render_page, require_progress
from doxel.assess.web.endpoints import Endpoint, choose_cookie_name, set_cookie
from doxel.assess.web.static_files import find_current_address
from doxel.errors import RefusedError

__all__ = ["OLD_ADDRESS_ENDPOINTS", "SESSION_ENDPOINTS", "SITE_ENDPOINTS"]

_FORM_COOKIE = "doxel-sign-in"


def _show_home(call: Call) -> Response:
    with call.service.store.read() as connection:
        own_assignments = list_assignments(connection, user_id=call.caller.user_id)
    return render_page("home.html", call, assignments=own_assignments)


def _show_sign_in(call: Call) -> Response:
    return _render_sign_in(call)


def _render_sign_in(call: Call, refusal: RefusedError | None = None, name: str = "") -> Response:
    """Return the sign-in form; a token in the form and in a cookie proves that the form is ours."""
    word = secrets.token_urlsafe(24)
    status = 200 if refusal is None else refusal.status
    response = render_page("sign-in.html", None, status=status, word=word, refusal=refusal, name=name)
    set_cookie(response, _FORM_COOKIE, word, call.service.settings, seconds=3600, site="strict")
    if refusal is not None:
        response.headers.update(refusal.headers)
    return response


def _submit_sign_in(call: Call) -> Response:
    fields = call.form()
    word = call.cookies.get(_FORM_COOKIE, "")
    if not word or not hmac.compare_digest(word.encode(), fields.get("word", "").encode()):
        return _render_sign_in(call, RefusedError(403, "csrf", "the form has expired: please try again"))
    name, password = (call.text(fields, key) for key in ("name", "password"))
    try:
        signed = sign_in(call.service, name, password, call.address, call.token)
    except RefusedError as refusal:
        return _render_sign_in(call, refusal, name)
    response = redirect_after_form("/")
    _set_session_cookie(response, call, signed.token)
    return response


def _submit_sign_out(call: Call) -> Response:
    sign_out(call.service, call.caller.name, call.token or "")
    response = redirect_after_form("/sign-in")
    _delete_session_cookie(response, call)
    return response


def _submit_password(call: Call) -> Response:
    fields = call.form()
    old, new = (call.text(fields, key) for key in ("old", "new"))
    change_own_password(call.service, call.caller.name, old, new, call.address)
    return redirect_after_form("/sign-in")


def _show_assignment(call: Call) -> Response:
    with call.service.store.read() as connection:
        assignment = require_progress(call, connection)
        status_of = find_statuses(connection, assignment.id)
        docs = [
            (doc, status_of.get(doc, "untouched")) for doc in list_documents(connection, assignment.topic)
        ]
        others = [
            other
            for other in list_assignments(connection, topic=assignment.topic)
            if other.id != assignment.id
        ]
    # the access check lets only organisers and those who have finished the topic read another's assignment
    is_own = assignment.user_id == call.caller.user_id
    may_compare = not is_own or assignment.finished or call.caller.role == "organiser"
    fields = read_topic_fields(call, assignment.topic)
    return render_page(
        "assignment.html",
        call,
        assignment=assignment,
        docs=docs,
        fields=fields,
        others=others if may_compare else [],
    )


def _show_help(call: Call) -> Response:
    """Return the help page for the requested scale, or for that of the caller's first assignment."""
    scale = call.query.get("scale")
    if scale is None:
        scale = call.service.settings.scale
        if call.session is not None:
            with call.service.store.read() as connection:
                own_assignments = list_assignments(connection, user_id=call.session.user_id)
            scale = own_assignments[0].scale if own_assignments else scale
    return render_page("help.html", call, scale=find_scale(scale), scales=SCALES)


def _redirect_file(call: Call) -> Response:
    """Redirect an address without a digest, or with that of another version, to the file of this version."""
    address = find_current_address(call.path["name"])
    if address is None:
        raise RefusedError(404, "not-found", "page not found")
    return RedirectResponse(address, 307)


SITE_ENDPOINTS = (
    Endpoint("GET", "/", _show_home, "user"),
    Endpoint("GET", "/sign-in", _show_sign_in, "anyone"),
    Endpoint("POST", "/sign-in", _submit_sign_in, "anyone"),
    Endpoint("POST", "/sign-out", _submit_sign_out, "user"),
    Endpoint("POST", "/password", _submit_password, "user"),
    Endpoint("GET", "/assignments/{assignment:int}", _show_assignment, "reader"),
    Endpoint("GET", "/help", _show_help, "anyone"),
    Endpoint("GET", "/static/{name:path}", _redirect_file, "anyone"),
)


def _send_health(call: Call) -> Response:
    with call.service.store.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return JSONResponse({"status": "ok"})


def _receive_sign_in(call: Call) -> Response:
    data = call.json("name", "password")
    name, password = call.text(data, "name"), call.text(data, "password")
    signed = sign_in(call.service, name, password, call.address, call.token)
    user = signed.user
    payload = {"name": user.name, "account": build_account_key(user.name, user.created), "role": user.role}
    response = JSONResponse({**payload, "csrf": signed.csrf})
    _set_session_cookie(response, call, signed.token)
    return response


def _set_session_cookie(response: Response, call: Call, token: str) -> None:
    """Store the token of a session in the browser for as long as the session lasts."""
    settings = call.service.settings
    seconds = int(settings.session_hours * 3600)
    set_cookie(response, choose_cookie_name(settings), token, settings, seconds=seconds)


def _delete_session_cookie(response: Response, call: Call) -> None:
    """Delete the token of the session from the browser."""
    settings = call.service.settings
    set_cookie(response, choose_cookie_name(settings), "", settings, seconds=0)


def _send_session(call: Call) -> Response:
    session = call.caller
    payload = {"name": session.name, "account": session.account, "role": session.role, "csrf": session.csrf}
    return JSONResponse({**payload, "expires": format_time(session.expires)})


def _receive_sign_out(call: Call) -> Response:
    sign_out(call.service, call.caller.name, call.token or "")
    response = Response(status_code=204)
    _delete_session_cookie(response, call)
    return response


def _receive_password(call: Call) -> Response:
    data = call.json("old", "new")
    old, new = call.text(data, "old"), call.text(data, "new")
    change_own_password(call.service, call.caller.name, old, new, call.address)
    response = Response(status_code=204)
    _delete_session_cookie(response, call)
    return response


SESSION_ENDPOINTS = (
    Endpoint("GET", "/api/health", _send_health, "anyone"),
    Endpoint("POST", "/api/session", _receive_sign_in, "anyone"),
    Endpoint("GET", "/api/session", _send_session, "user"),
    Endpoint("DELETE", "/api/session", _receive_sign_out, "user"),
    Endpoint("POST", "/api/password", _receive_password, "user"),
)


def _redirect_old_address(address: str, call: Call) -> Response:
    """Redirect to the address that replaces an old one; status 308 keeps the method and the body.

    So pages that were opened before an upgrade can go on sending events.  The new address checks the caller.
    """
    path = f"{address}/{call.path['rest']}" if "rest" in call.path else address
    query = f"?{urlencode(call.query)}" if call.query else ""
    return RedirectResponse(f"{quote(path)}{query}", 308)


OLD_ADDRESS_ENDPOINTS = tuple(
    Endpoint(method, old, partial(_redirect_old_address, new), "anyone")
    for old, new in (
        ("/api/pools", "/api/assignments"),
        ("/api/pools/{rest:path}", "/api/assignments"),
        ("/organiser/pools", "/organiser/assignments"),
        ("/organiser/pools/{rest:path}", "/organiser/assignments"),
        ("/pools/{rest:path}", "/assignments"),
    )
    for method in ("GET", "POST")
)
