"""Endpoints: each declares its address, its method, and who may call it; the guard keeps that.

=========  ====================================================================================
anyone     without signing in
user       whoever has signed in
reader     of a pool: its assessor, organisers, and those who have finished the same topic
owner      of a pool: its assessor alone
finisher   of a topic: organisers, and those who have finished it
organiser  organisers
=========  ====================================================================================

Nothing changes by GET.  Whatever else is called by someone signed in must carry the word that belongs to
the session, in the header ``X-CSRF-Token`` or in the field ``csrf`` of a form.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from doxel.assess.calls import Call, Later
from doxel.assess.pages import error_page
from doxel.assess.pools import Assignment, find_assignment, has_finished
from doxel.assess.security import cookie_name, is_foreign
from doxel.assess.service import Service
from doxel.assess.sessions import Session, find_session
from doxel.errors import BusyError, DoxelError, RefusedError

__all__ = ["Endpoint", "Who", "serve_endpoint"]

Who = Literal["anyone", "user", "reader", "owner", "finisher", "organiser"]
_MOST_NUMBER = 1 << 53
_SMALL = 16_000  # bytes of a body that is read quickly enough to do so at once
_PATIENCE = 30  # seconds that a client waits for a commit
_LOG = logging.getLogger("doxel.assess")


@dataclass(frozen=True)
class Endpoint:
    """An address with a method, what answers it, and for whom.

    A quick one needs nothing but its caller, so that no thread is needed where the caller is known.
    """

    method: str
    path: str
    handler: Callable[[Call], Response | Later]
    who: Who
    is_quick: bool = False

    @property
    def changes(self) -> bool:
        """Whether it changes anything."""
        return self.method != "GET"

    @property
    def is_api(self) -> bool:
        """Whether programs call it, and read errors as JSON."""
        return self.path.startswith("/api/")


async def serve_endpoint(endpoint: Endpoint, service: Service, request: Request) -> Response:
    """Answer a request: read it, as far as it may go, and let a thread do the rest."""
    try:
        body = await _body(request, service.settings.most_bytes)
    except RefusedError as refusal:
        return _refused(endpoint, None, refusal)
    except ClientDisconnect:
        return Response(status_code=400)
    call = Call(
        service=service,
        method=request.method,
        path=request.path_params,
        query=dict(request.query_params),
        headers=request.headers,
        cookies=request.cookies,
        body=body,
        address=request.client.host if request.client else "",
        token=request.cookies.get(cookie_name(service.settings)),
    )
    if endpoint.is_quick and len(body) <= _SMALL and _remembered(call) is not None:
        answer = _respond(endpoint, call)
    else:
        answer = await run_in_threadpool(_respond, endpoint, call)
    return await _awaited(endpoint, call, answer) if isinstance(answer, Later) else answer


async def _awaited(endpoint: Endpoint, call: Call, later: Later) -> Response:
    try:
        result = await asyncio.wait_for(asyncio.wrap_future(later.future), _PATIENCE)
        return later.finish(result)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the caller gets an answer in our shape
        return _failed(endpoint, call, error)


async def _body(request: Request, most: int) -> bytes:
    """Return the body; one that is too large is not read to its end, whatever it says of its length."""
    declared = request.headers.get("content-length", "0")
    chunks: list[bytes] = []
    size = int(declared) if declared.isascii() and declared.isdigit() else 0
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


def _respond(endpoint: Endpoint, call: Call) -> Response | Later:
    """Answer a call, or refuse it; whatever goes wrong becomes an error in one shape."""
    try:
        call = _with_caller(call)
        _check(endpoint, call)
        return endpoint.handler(call)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the caller gets an answer in our shape
        return _failed(endpoint, call, error)


def _failed(endpoint: Endpoint, call: Call, error: Exception) -> Response:
    """Return the answer to a call that went wrong; only what was refused on purpose says why."""
    match error:
        case RefusedError():
            refusal = error
        case BusyError() | TimeoutError():
            sentence = "too much is waiting to be written: try again"
            refusal = RefusedError(503, "busy", sentence, headers={"retry-after": "1"})
        case DoxelError():
            refusal = RefusedError(400, "bad-request", str(error))
        case SQLAlchemyError() | OSError():
            _LOG.error("%s %s", endpoint.method, endpoint.path, exc_info=error)
            sentence = "the database does not answer: try again"
            refusal = RefusedError(503, "unavailable", sentence, headers={"retry-after": "5"})
        case _:
            _LOG.error("%s %s", endpoint.method, endpoint.path, exc_info=error)
            refusal = RefusedError(500, "failed", "something went wrong here")
    return _refused(endpoint, call, refusal)


def _with_caller(call: Call) -> Call:
    """Return the call with who makes it, and the pool it is about."""
    if not all(map(_can_be_there, call.path.values())):
        raise RefusedError(404, "not-found", "there is nothing here")
    session, pool = _remembered(call) or _looked_up(call)
    return replace(call, session=session, pool=pool)


def _check(endpoint: Endpoint, call: Call) -> None:
    """Refuse a call that comes from elsewhere, or from someone who may not make it."""
    if endpoint.changes and is_foreign(call.headers, call.service.settings):
        raise RefusedError(403, "csrf", "the request comes from another site")
    if endpoint.who != "anyone":
        _check_csrf(endpoint, call)
        _check_rights(endpoint, call)


def _can_be_there(part: Any) -> bool:
    """Tell whether a part of an address may be asked for: a database may fail at what it could never hold."""
    return part < _MOST_NUMBER if isinstance(part, int) else "\0" not in part


def _remembered(call: Call) -> tuple[Session, Assignment | None] | None:
    """Return who calls, and about which pool, if they have just called."""
    return None if call.token is None else call.service.recent.get(call.token, call.path.get("pool"))


def _looked_up(call: Call) -> tuple[Session | None, Assignment | None]:
    if call.token is None:
        return None, None
    recent, number = call.service.recent, call.path.get("pool")
    changes = recent.changes
    with call.service.store.look() as connection:
        session = find_session(connection, call.token)
        pool = None if session is None or number is None else find_assignment(connection, number)
    if session is not None:
        recent.put(call.token, number, (session, pool), changes)
    return session, pool


def _check_csrf(endpoint: Endpoint, call: Call) -> None:
    caller = call.caller
    if not endpoint.changes:
        return
    given = call.headers.get("x-csrf-token") or ("" if endpoint.is_api else call.form().get("csrf", ""))
    if not hmac.compare_digest(given.encode(), caller.csrf.encode()):
        raise RefusedError(403, "csrf", "the word that belongs to the session is missing or wrong")


def _check_rights(endpoint: Endpoint, call: Call) -> None:
    caller, pool = call.caller, call.pool
    if endpoint.who == "organiser" and caller.role != "organiser":
        raise RefusedError(403, "forbidden", "this is for organisers")
    if endpoint.who == "finisher" and caller.role != "organiser":
        _check_finished(call, call.path["topic"])
    if "pool" not in call.path:
        return
    if pool is None:
        raise RefusedError(404, "not-found", "there is no such pool")
    is_own = pool.user_id == caller.user_id
    if endpoint.who == "owner" and not is_own:
        raise RefusedError(403, "forbidden", "this pool is not yours")
    if endpoint.who == "reader" and not is_own and caller.role != "organiser":
        _check_finished(call, pool.topic)


def _check_finished(call: Call, topic: str) -> None:
    """Refuse whoever has not finished a topic, and so must not see what others say of it."""
    with call.service.store.look() as connection:
        if not has_finished(connection, call.caller.user_id, topic):
            raise RefusedError(403, "forbidden", "finish your own pool of this topic first")


def _refused(endpoint: Endpoint, call: Call | None, refusal: RefusedError) -> Response:
    if endpoint.is_api:
        return JSONResponse(refusal.as_json(), refusal.status, refusal.headers)
    if refusal.status == 401 and not endpoint.changes:
        return RedirectResponse("/sign-in", 303)
    return error_page(call, refusal)
