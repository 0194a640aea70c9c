"""Endpoints: each declares its address, its method and who may call it, which is checked for every request.

=========  ====================================================================================
anyone     without signing in
user       whoever has signed in
reader     of an assignment: its assessor, organisers, and those who have finished the same topic
owner      of an assignment: its assessor alone
finisher   of a topic: organisers, and those who have finished it
organiser  organisers
=========  ====================================================================================

GET requests change nothing, except that a look at the marks of others is recorded.  All other requests of a
signed-in user must carry the session's CSRF token, in the header ``X-CSRF-Token`` or in the form field
``csrf``.

Every response gets the security headers and a strict content security policy: pages load only this server's
files and run no inline scripts; no other site may frame them; by default nothing is cached.  Requests for
unknown host names are refused.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doxel.assess.store.accounts import Session, find_session
from doxel.assess.store.assignments import Assignment, find_assignment, has_finished
from doxel.assess.web.call import Call, PendingResponse, render_error
from doxel.assess.web.service import ServerSettings, Service
from doxel.errors import BusyError, DoxelError, RefusedError

__all__ = [
    "CONTENT_POLICY",
    "Endpoint",
    "SecurityHeaders",
    "Who",
    "add_form_token",
    "answer_unmatched",
    "check_form_token",
    "choose_cookie_name",
    "serve_endpoint",
    "set_cookie",
    "set_session_cookie",
]

Who = Literal["anyone", "user", "reader", "owner", "finisher", "organiser"]
_MOST_NUMBER = 1 << 53
_SMALL = 16_000  # bytes of a body that is parsed quickly enough to need no thread
_PATIENCE = 30  # seconds that a client waits for a commit
_LOG = logging.getLogger("doxel.assess")


@dataclass(frozen=True)
class Endpoint:
    """An address with a method, its handler, and who may call it.

    A quick endpoint looks up only its caller, so it needs no thread if the caller is cached.  One that takes
    files accepts large bodies, but only from callers who may call it.
    """

    method: str
    path: str
    handler: Callable[[Call], Response | PendingResponse]
    who: Who
    is_quick: bool = False
    takes_files: bool = False

    @property
    def changes(self) -> bool:
        """Whether it changes anything."""
        return self.method != "GET"

    @property
    def is_api(self) -> bool:
        """Whether it is part of the API, whose errors are JSON."""
        return self.path.startswith("/api/")


async def serve_endpoint(endpoint: Endpoint, service: Service, request: Request) -> Response:
    """Answer a request: read its body up to the size limit, then run the handler in a thread."""
    most = service.settings.most_bytes
    if endpoint.takes_files and await run_in_threadpool(_may_upload, endpoint, service, request):
        most = service.settings.most_upload
    try:
        body = await _read_body(request, most)
    except RefusedError as refusal:
        call = await run_in_threadpool(_find_visitor, service, request)
        return _answer_refusal(endpoint, call, refusal)
    except ClientDisconnect:
        return Response(status_code=400)
    call = _build_call(service, request, body)
    if endpoint.is_quick and len(body) <= _SMALL and _find_cached_caller(call) is not None:
        answer = _respond(endpoint, call)
    else:
        answer = await run_in_threadpool(_respond, endpoint, call)
    return await _await_response(endpoint, call, answer) if isinstance(answer, PendingResponse) else answer


async def answer_unmatched(service: Service, request: Request, refusal: RefusedError) -> Response:
    """Answer a request that matches no endpoint: with JSON under /api/, otherwise with a page."""
    if request.url.path.startswith("/api/"):
        return JSONResponse(refusal.as_json(), refusal.status)
    return render_error(await run_in_threadpool(_find_visitor, service, request), refusal)


def _find_visitor(service: Service, request: Request) -> Call:
    """Return a request without its body, with the session of the caller if there is one."""
    call = replace(_build_call(service, request, b""), path={})
    try:
        return _identify_caller(call)
    except (DoxelError, SQLAlchemyError, OSError):  # the page is shown as to a stranger
        return call


def _build_call(service: Service, request: Request, body: bytes) -> Call:
    return Call(
        service=service,
        method=request.method,
        path=request.path_params,
        query=dict(request.query_params),
        headers=request.headers,
        cookies=request.cookies,
        body=body,
        address=request.client.host if request.client else "",
        token=request.cookies.get(choose_cookie_name(service.settings)),
    )


def _may_upload(endpoint: Endpoint, service: Service, request: Request) -> bool:
    """Return whether the caller has the right to call an endpoint, before its body is read."""
    try:
        _check_rights(endpoint, _identify_caller(_build_call(service, request, b"")))
    except (DoxelError, SQLAlchemyError, OSError):  # the request itself is answered with the reason
        return False
    return True


async def _await_response(endpoint: Endpoint, call: Call, later: PendingResponse) -> Response:
    try:
        result = await asyncio.wait_for(asyncio.wrap_future(later.future), _PATIENCE)
        return await run_in_threadpool(later.finish, result) if later.is_slow else later.finish(result)
    except Exception as error:  # noqa: BLE001 -- any error gets an answer in the usual shape
        return _answer_error(endpoint, call, error)


async def _read_body(request: Request, most: int) -> bytes:
    """Read the body; stop as soon as it exceeds the limit, whatever its declared length."""
    content_length = request.headers.get("content-length", "0")
    chunks: list[bytes] = []
    size = int(content_length) if content_length.isascii() and content_length.isdigit() else 0
    if size <= most:
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                break
            chunks.append(chunk)
    if size > most:
        headers = {"connection": "close"}
        raise RefusedError(413, "too-large", f"wanted at most {most:,} bytes", headers=headers)
    return b"".join(chunks)


def _respond(endpoint: Endpoint, call: Call) -> Response | PendingResponse:
    """Check a call and run its handler; any error becomes a response in the usual shape."""
    try:
        call = _identify_caller(call)
        _check_access(endpoint, call)
        return endpoint.handler(call)
    except Exception as error:  # noqa: BLE001 -- any error gets an answer in the usual shape
        return _answer_error(endpoint, call, error)


def _answer_error(endpoint: Endpoint, call: Call, error: Exception) -> Response:
    """Return the response to an error; it gives the reason only if doxel raised the error on purpose."""
    match error:
        case RefusedError():
            refusal = error
        case BusyError() | TimeoutError():
            sentence = "the server is busy: try again"
            refusal = RefusedError(503, "busy", sentence, headers={"retry-after": "1"})
        case DoxelError():
            refusal = RefusedError(400, "bad-request", str(error))
        case SQLAlchemyError() | OSError():
            _LOG.error("%s %s", endpoint.method, endpoint.path, exc_info=error)
            sentence = "the database does not respond: try again"
            refusal = RefusedError(503, "unavailable", sentence, headers={"retry-after": "5"})
        case _:
            _LOG.error("%s %s", endpoint.method, endpoint.path, exc_info=error)
            refusal = RefusedError(500, "failed", "internal server error")
    return _answer_refusal(endpoint, call, refusal)


def _identify_caller(call: Call) -> Call:
    """Return the call with its session and the assignment in its address."""
    if not all(map(_is_storable, call.path.values())):
        raise RefusedError(404, "not-found", "page not found")
    session, assignment = _find_cached_caller(call) or _look_up_caller(call)
    return replace(call, session=session, assignment=assignment)


def _check_access(endpoint: Endpoint, call: Call) -> None:
    """Refuse a call from another site, without CSRF token, or from a user without the right to make it."""
    if endpoint.changes and _is_foreign(call.headers, call.service.settings):
        raise RefusedError(403, "csrf", "the request comes from another site")
    if endpoint.who != "anyone":
        _check_csrf(endpoint, call)
        _check_rights(endpoint, call)


def _is_storable(part: Any) -> bool:
    """Return whether a part of an address can be looked up; databases fail at values they cannot store."""
    return part < _MOST_NUMBER if isinstance(part, int) else "\0" not in part


def _find_cached_caller(call: Call) -> tuple[Session, Assignment | None] | None:
    """Return the session of the caller and the assignment in the address, if they are cached."""
    return None if call.token is None else call.service.recent.get(call.token, call.path.get("assignment"))


def _look_up_caller(call: Call) -> tuple[Session | None, Assignment | None]:
    if call.token is None:
        return None, None
    recent, number = call.service.recent, call.path.get("assignment")
    changes = recent.changes
    with call.service.store.look() as connection:
        session = find_session(connection, call.token)
        assignment = None if session is None or number is None else find_assignment(connection, number)
    if session is not None:
        recent.put(call.token, number, (session, assignment), changes)
    return session, assignment


def _check_csrf(endpoint: Endpoint, call: Call) -> None:
    caller = call.caller
    if not endpoint.changes:
        return
    token = call.headers.get("x-csrf-token") or ("" if endpoint.is_api else call.form().get("csrf", ""))
    if not hmac.compare_digest(token.encode(), caller.csrf.encode()):
        raise RefusedError(403, "csrf", "the CSRF token is missing or wrong: reload the page")


def _check_rights(endpoint: Endpoint, call: Call) -> None:
    caller, assignment = call.caller, call.assignment
    if endpoint.who == "organiser" and caller.role != "organiser":
        raise RefusedError(403, "forbidden", "this is for organisers only")
    if endpoint.who == "finisher" and caller.role != "organiser":
        _check_finished(call, call.path["topic"])
    if "assignment" not in call.path:
        return
    if assignment is None:
        raise RefusedError(404, "not-found", "there is no such assignment")
    is_own = assignment.user_id == caller.user_id
    if endpoint.who == "owner" and not is_own:
        raise RefusedError(403, "forbidden", "this assignment is not yours")
    if endpoint.who == "reader" and not is_own and caller.role != "organiser":
        _check_finished(call, assignment.topic)


def _check_finished(call: Call, topic: str) -> None:
    """Refuse a caller who has not finished a topic, and so must not see the judgements of others."""
    with call.service.store.look() as connection:
        if not has_finished(connection, call.caller.user_id, topic):
            raise RefusedError(403, "forbidden", "finish your own assignment of this topic first")


def _answer_refusal(endpoint: Endpoint, call: Call | None, refusal: RefusedError) -> Response:
    if endpoint.is_api:
        return JSONResponse(refusal.as_json(), refusal.status, refusal.headers)
    if refusal.status == 401 and not endpoint.changes:
        return RedirectResponse("/sign-in", 303)
    return render_error(call, refusal)


CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect", "worker")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

_HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """Middleware that adds the security headers to every response and refuses unknown hosts."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("cache-control", "no-store")
                if self._settings.secure:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        if not self._knows_host(Headers(scope=scope).get("host", "")):
            refusal = RefusedError(400, "unknown-host", "this server does not answer to that host name")
            await JSONResponse(refusal.as_json(), refusal.status)(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _knows_host(self, host: str) -> bool:
        """Return whether a host name is ours; any other may be a DNS rebinding attack."""
        hosts = self._settings.hosts
        return hosts is None or _strip_port(host).lower() in hosts


def _strip_port(host: str) -> str:
    """Return the name in a ``Host`` header, without the port and the brackets of an IPv6 address."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).strip("[]")


def _is_foreign(headers: Headers, settings: ServerSettings) -> bool:
    """Return whether a request comes from a page of another site, according to the browser's headers."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return True
    origin = headers.get("origin")
    scheme = "https" if settings.secure else "http"
    return origin is not None and origin.lower() != f"{scheme}://{headers.get('host', '').lower()}"


def choose_cookie_name(settings: ServerSettings) -> str:
    """Return the name of the session cookie; the prefix makes browsers require https and a single host."""
    return "__Host-doxel" if settings.secure else "doxel"


def set_cookie(
    response: Response,
    name: str,
    value: str,
    settings: ServerSettings,
    *,
    seconds: int,
    site: Literal["lax", "strict"] = "lax",
) -> None:
    """Set a cookie that no script can read; with 0 seconds the browser deletes it.

    >>> response = Response()
    >>> set_cookie(response, "doxel", "x", ServerSettings(secure=True), seconds=60)
    >>> response.headers["set-cookie"]
    'doxel=x; HttpOnly; Max-Age=60; Path=/; SameSite=lax; Secure'
    """
    response.set_cookie(
        name, value, max_age=seconds, path="/", secure=settings.secure, httponly=True, samesite=site
    )


def set_session_cookie(response: Response, settings: ServerSettings, token: str) -> None:
    """Store the token of a session in the browser for as long as the session lasts."""
    seconds = int(settings.session_hours * 3600)
    set_cookie(response, choose_cookie_name(settings), token, settings, seconds=seconds)


_FORM_COOKIE = "doxel-sign-in"


def add_form_token(render: Callable[[str], Response], settings: ServerSettings) -> Response:
    """Render a form for visitors without a session, with a CSRF token in the form and in a cookie."""
    token = secrets.token_urlsafe(24)
    response = render(token)
    set_cookie(response, _FORM_COOKIE, token, settings, seconds=3600, site="strict")
    return response


def check_form_token(call: Call) -> None:
    """Refuse the form of a visitor without a session if its token differs from the cookie or has expired."""
    token = call.cookies.get(_FORM_COOKIE, "")
    if not token or not hmac.compare_digest(token.encode(), call.form().get("word", "").encode()):
        raise RefusedError(403, "csrf", "the form has expired: please try again")
