"""The pages to sign in and to open one's assignments, the help page, static files, and the session API."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from sqlalchemy import Connection
from starlette.responses import JSONResponse, RedirectResponse, Response

from doxel.assess.office.campaign_setup import read_setup_steps
from doxel.assess.office.document_list import (
    DOCUMENT_STATES,
    SORTINGS,
    DocumentFilter,
    find_next_document,
    read_document_page,
)
from doxel.assess.office.progress import read_progress
from doxel.assess.scales import SCALES, find_scale
from doxel.assess.store.accounts import build_account_key
from doxel.assess.store.assignments import AssignmentProgress, find_statuses, list_assignments
from doxel.assess.store.campaign_settings import has_read_guidelines
from doxel.assess.store.database_schema import format_time
from doxel.assess.store.pooled_documents import list_topics
from doxel.assess.store.shares import list_assigned_documents
from doxel.assess.web.actions import change_own_password, sign_in, sign_out
from doxel.assess.web.call import (
    Call,
    confirm_form,
    read_titles,
    read_topic_fields,
    redirect_after_form,
    render_page,
    require_progress,
)
from doxel.assess.web.endpoints import (
    Endpoint,
    add_form_token,
    check_form_token,
    choose_cookie_name,
    set_cookie,
    set_session_cookie,
)
from doxel.assess.web.static_files import find_current_address
from doxel.errors import InputError, RefusedError

__all__ = ["OLD_ADDRESS_ENDPOINTS", "SESSION_ENDPOINTS", "SITE_ENDPOINTS"]


def _show_home(call: Call) -> Response:
    return _render_home(call)


def _render_home(call: Call, error: str = "", status: int = 400) -> Response:
    """Return the page of the caller's assignments: those to continue first, then those to begin."""
    with call.service.store.read() as connection:
        assignments = [
            item for item in list_assignments(connection, user_id=call.caller.user_id) if item.documents
        ]
        steps = progress = None
        if call.caller.role == "organiser":
            steps = read_setup_steps(connection, call.service.library, call.service.topics)
            progress = read_progress(connection)
        is_to_read = not has_read_guidelines(connection, call.caller.user_id)
        sizes = dict(list_topics(connection))
    waiting = [item for item in assignments if not item.finished and not item.locked]
    return render_page(
        "home.html",
        call,
        status=status if error else 200,
        error=error,
        own=assignments,
        sizes=sizes,
        waiting=sorted(waiting, key=lambda item: not (item.open or item.validated)),
        over=[item for item in assignments if item.finished or item.locked],
        titles=read_titles(call.service),
        steps=steps,
        progress=progress,
        is_to_read=is_to_read,
    )


def _show_sign_in(call: Call) -> Response:
    return _render_sign_in(call)


def _render_sign_in(call: Call, refusal: RefusedError | None = None, name: str = "") -> Response:
    """Return the sign-in form."""
    status = 200 if refusal is None else refusal.status
    token = call.service.first_token
    is_new = token is not None and token.fits(token.text)

    def render(form_token: str) -> Response:
        return render_page(
            "sign-in.html",
            replace(call, session=None),
            status=status,
            form_token=form_token,
            refusal=refusal,
            name=name,
            is_new=is_new,
        )

    response = add_form_token(render, call.service.settings)
    if refusal is not None:
        response.headers.update(refusal.headers)
    return response


def _submit_sign_in(call: Call) -> Response:
    fields = call.form()
    try:
        check_form_token(call)
    except RefusedError as refusal:
        return _render_sign_in(call, refusal)
    name, password = (call.text(fields, key) for key in ("name", "password"))
    try:
        new_session = sign_in(call.service, name, password, call.address, call.token)
    except RefusedError as refusal:
        return _render_sign_in(call, refusal, name)
    response = redirect_after_form("/")
    set_session_cookie(response, call.service.settings, new_session.token)
    return response


def _submit_sign_out(call: Call) -> Response:
    sign_out(call.service, call.caller.name, call.token or "")
    response = confirm_form(call, "/sign-in", "You are signed out.")
    _delete_session_cookie(response, call)
    return response


def _submit_password(call: Call) -> Response:
    fields = call.form()
    old, new = (call.text(fields, key) for key in ("old", "new"))
    try:
        change_own_password(call.service, call.caller.name, old, new, call.address)
    except InputError as error:
        return _render_home(call, str(error))
    except RefusedError as refusal:
        return _render_home(call, refusal.message, refusal.status)
    return confirm_form(call, "/sign-in", "The password is changed. Sign in with the new one.")


def _show_assignment(call: Call) -> Response:
    with call.service.store.read() as connection:
        assignment = require_progress(call, connection)
        service, choice = call.service, read_document_filter(call)
        listing = read_document_page(connection, service.library, service.styles, assignment, choice)
        others = [
            other
            for other in list_assignments(connection, topic=assignment.topic)
            if other.id != assignment.id
        ]
        following = find_following(connection, assignment)
        size = dict(list_topics(connection)).get(assignment.topic, 0)
    # the access check lets only organisers and those who have finished the topic read another's assignment
    is_own = assignment.user_id == call.caller.user_id
    may_compare = not is_own or assignment.finished or call.caller.role == "organiser"
    fields = read_topic_fields(call, assignment.topic)
    return render_page(
        "assignment.html",
        call,
        assignment=assignment,
        size=size,
        listing=listing,
        choice=choice,
        list_states=DOCUMENT_STATES,
        sortings=SORTINGS,
        address=lambda **changes: build_list_address(choice, **changes),
        fields=fields,
        others=others if may_compare else [],
        following=following if is_own else None,
        titles=read_titles(service),
    )


def read_document_filter(call: Call) -> DocumentFilter:
    """Return the filter of a document list from the query string of the address."""
    names = {"words": call.query.get("q", "")[:200], "state": call.query.get("state", "")}
    sorting, page = call.query.get("sort") or SORTINGS[0], call.number("page", "the number of a page")
    return DocumentFilter(**names, sorting=sorting, page=page or 1)


def build_list_address(choice: DocumentFilter, **changes: Any) -> str:
    """Return the address of the same list, with other words, state, order or page."""
    fields = {
        "q": choice.words,
        "state": choice.state,
        "sort": choice.sorting,
        "page": choice.page,
        **changes,
    }
    defaults = {"sort": SORTINGS[0], "page": 1}
    query = {name: value for name, value in fields.items() if value and value != defaults.get(name)}
    return f"?{urlencode(query)}#documents"


def _continue_assignment(call: Call) -> Response:
    """Redirect to the document at which the assessor stopped, or to the list if all are done."""
    with call.service.store.read() as connection:
        assignment = require_progress(call, connection)
        status_of = find_statuses(connection, assignment.id)
        docs = list_assigned_documents(connection, assignment)
        open_docs = [doc for doc in docs if status_of.get(doc) != "validated"]
        doc = find_next_document(connection, assignment, docs, open_docs)
    address = f"/assignments/{assignment.id}"
    return redirect_after_form(address if doc is None else f"{address}/documents/{quote(doc)}")


def find_following(connection: Connection, assignment: AssignmentProgress) -> AssignmentProgress | None:
    """Return the assignment to continue with after a finished one: one that is begun, else the next one."""
    assignments = list_assignments(connection, user_id=assignment.user_id)
    choices = [item for item in assignments if item.documents and not item.finished and not item.locked]
    choices = [item for item in choices if item.id != assignment.id]
    begun_assignments = [item for item in choices if item.open or item.validated]
    place = [item.id for item in assignments].index(assignment.id)
    later = [item for item in choices if assignments.index(item) > place]
    return next(iter([*begun_assignments, *later, *choices]), None)


def _send_document_list(call: Call) -> Response:
    with call.service.store.read() as connection:
        assignment = require_progress(call, connection)
        service, choice = call.service, read_document_filter(call)
        listing = read_document_page(connection, service.library, service.styles, assignment, choice)
    return JSONResponse(
        {
            "documents": [row.as_json() for row in listing.rows],
            "page": listing.page,
            "pages": listing.pages,
            "matches": listing.matches,
            "counts": dict(listing.counts),
        }
    )


def _send_following(call: Call) -> Response:
    with call.service.store.read() as connection:
        assignment = require_progress(call, connection)
        following = find_following(connection, assignment)
    if following is None:
        return JSONResponse({"following": None})
    title = read_titles(call.service).get(following.topic)
    payload = {"id": following.id, "topic": following.topic, "title": title, "documents": following.documents}
    return JSONResponse({"following": payload})


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
    Endpoint("GET", "/assignments/{assignment:int}/continue", _continue_assignment, "reader"),
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
    new_session = sign_in(call.service, name, password, call.address, call.token)
    user = new_session.user
    payload = {"name": user.name, "account": build_account_key(user.name, user.created), "role": user.role}
    response = JSONResponse({**payload, "csrf": new_session.csrf})
    set_session_cookie(response, call.service.settings, new_session.token)
    return response


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
    Endpoint("GET", "/api/assignments/{assignment:int}/list", _send_document_list, "reader"),
    Endpoint("GET", "/api/assignments/{assignment:int}/following", _send_following, "reader"),
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
