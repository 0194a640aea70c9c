"""Endpoints: each declares its address, its method, and who may call it; the guard keeps that.

=========  ====================================================================================
anyone     without signing in
user       whoever has signed in
reader     of a pool: its assessor, organisers, and those who have finished the same topic
owner      of a pool: its assessor alone
organiser  organisers
=========  ====================================================================================

Nothing changes by GET.  Whatever else is called by someone signed in must carry the word that belongs to
the session, in the header ``X-CSRF-Token`` or in the field ``csrf`` of a form.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from doxel.assess.calls import Call, RefusedError
from doxel.assess.pages import error_page
from doxel.assess.security import cookie_name, is_foreign, read_cookie
from doxel.assess.service import Service
from doxel.assess.sessions import find_session
from doxel.assess.tasks import find_pool, has_finished
from doxel.assess.writer import BusyError
from doxel.errors import DoxelError

__all__ = ["Endpoint", "Who", "respond", "serve_endpoint"]

Who = Literal["anyone", "user", "reader", "owner", "organiser"]
_MOST_NUMBER = 1 << 53
_LOG = logging.getLogger("doxel.assess")


@dataclass(frozen=True)
class Endpoint:
    """An address with a method, what answers it, and for whom."""

    method: str
    path: str
    handler: Callable[[Call], Response]
    who: Who

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
        body=body,
        address=request.client.host if request.client else "",
    )
    return await run_in_threadpool(respond, endpoint, call)


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


def respond(endpoint: Endpoint, call: Call) -> Response:
    """Answer a call, or refuse it; whatever goes wrong becomes an error in one shape."""
    try:
        call = _guarded(endpoint, call)
        return endpoint.handler(call)
    except RefusedError as refusal:
        return _refused(endpoint, call, refusal)
    except BusyError as error:
        return _refused(endpoint, call, RefusedError(503, "busy", str(error), headers={"retry-after": "1"}))
    except DoxelError as error:
        return _refused(endpoint, call, RefusedError(400, "bad-request", str(error)))
    except (SQLAlchemyError, OSError):
        _LOG.exception("%s %s", endpoint.method, endpoint.path)
        sentence = "the database does not answer; nothing was changed"
        return _refused(
            endpoint, call, RefusedError(503, "unavailable", sentence, headers={"retry-after": "5"})
        )
    except Exception:  # noqa: BLE001 -- whatever it is, the caller gets an answer in our shape
        _LOG.exception("%s %s", endpoint.method, endpoint.path)
        return _refused(endpoint, call, RefusedError(500, "failed", "something went wrong here"))


def _guarded(endpoint: Endpoint, call: Call) -> Call:
    """Return the call with who makes it and what it is about, or refuse it."""
    settings = call.service.settings
    if any(isinstance(number, int) and number >= _MOST_NUMBER for number in call.path.values()):
        raise RefusedError(404, "not-found", "there is nothing here")
    token = read_cookie(call.headers.getlist("cookie"), cookie_name(settings))
    if endpoint.changes and is_foreign(call.headers, settings):
        raise RefusedError(403, "csrf", "the request comes from another site")
    if token is None and endpoint.who == "anyone":
        return call
    with call.service.store.read() as connection:
        session = None if token is None else find_session(connection, token)
        call = replace(call, token=token, session=session)
        if endpoint.who != "anyone":
            _check_csrf(endpoint, call)
            call = _allowed(endpoint, call, connection)
    return call


def _check_csrf(endpoint: Endpoint, call: Call) -> None:
    caller = call.caller
    if not endpoint.changes:
        return
    given = call.headers.get("x-csrf-token") or ("" if endpoint.is_api else call.form().get("csrf", ""))
    if not hmac.compare_digest(given.encode(), caller.csrf.encode()):
        raise RefusedError(403, "csrf", "the word that belongs to the session is missing or wrong")


def _allowed(endpoint: Endpoint, call: Call, connection: Connection) -> Call:
    caller = call.caller
    if endpoint.who == "organiser" and caller.role != "organiser":
        raise RefusedError(403, "forbidden", "this is for organisers")
    if "pool" not in call.path:
        return call
    pool = find_pool(connection, call.path["pool"])
    if pool is None:
        raise RefusedError(404, "not-found", "there is no such pool")
    if endpoint.who == "owner" and pool.user_id != caller.user_id:
        raise RefusedError(403, "forbidden", "this pool is not yours")
    may_read = (
        pool.user_id == caller.user_id
        or caller.role == "organiser"
        or has_finished(connection, caller.user_id, pool.topic)
    )
    if endpoint.who == "reader" and not may_read:
        raise RefusedError(403, "forbidden", "finish your own pool of this topic first")
    return replace(call, pool=pool)


def _refused(endpoint: Endpoint, call: Call | None, refusal: RefusedError) -> Response:
    if endpoint.is_api:
        return JSONResponse(refusal.as_json(), refusal.status, refusal.headers)
    if refusal.status == 401 and not endpoint.changes:
        return RedirectResponse("/sign-in", 303)
    return error_page(call, refusal)
