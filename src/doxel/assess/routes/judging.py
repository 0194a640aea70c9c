"""The judging page and the document styles that it uses."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from doxel.assess.calls import Call
from doxel.assess.endpoints import Endpoint
from doxel.assess.pages import page
from doxel.assess.routes.asked import document_of

__all__ = ["ENDPOINTS"]


def _judge(call: Call) -> Response:
    """Return the judging page, whose scripts fetch and show the document."""
    pool = call.own_pool
    with call.service.store.read() as connection:
        document, _ = document_of(call, connection)
    return page("judge.html", call, pool=pool, doc=document.doc, is_mine=pool.user_id == call.caller.user_id)


def _styles(call: Call) -> Response:
    return JSONResponse(call.service.styles.as_json())


ENDPOINTS = (
    Endpoint("GET", "/api/styles", _styles, "user"),
    Endpoint("GET", "/pools/{pool:int}/documents/{doc:path}", _judge, "reader"),
)
