"""Pages to sign in, to see one's pools, and to look at one; and the files that pages share."""

from __future__ import annotations

import hmac
import secrets

from starlette.responses import RedirectResponse, Response

from doxel.assess.actions import change_own_password, sign_in, sign_out
from doxel.assess.calls import Call
from doxel.assess.endpoints import Endpoint
from doxel.assess.pages import page, see_other
from doxel.assess.pooled import documents_of
from doxel.assess.pools import pools, statuses
from doxel.assess.routes.asked import counted_pool, topic_fields
from doxel.assess.routes.sessions import session_cookie
from doxel.assess.scales import SCALES, scale_named
from doxel.assess.security import cookie, read_cookie
from doxel.assess.static_files import find_current_address
from doxel.errors import RefusedError

__all__ = ["ENDPOINTS"]

_FORM_COOKIE = "doxel-sign-in"


def _home(call: Call) -> Response:
    with call.service.store.read() as connection:
        found = pools(connection, user_id=call.caller.user_id)
    return page("home.html", call, pools=found)


def _sign_in_page(call: Call) -> Response:
    return _form(call)


def _form(call: Call, refusal: RefusedError | None = None, name: str = "") -> Response:
    """Return the form to sign in; a word in it and in a cookie shows that the form was ours."""
    word = secrets.token_urlsafe(24)
    status = 200 if refusal is None else refusal.status
    response = page("sign-in.html", None, status=status, word=word, refusal=refusal, name=name)
    settings = call.service.settings
    response.headers["set-cookie"] = cookie(_FORM_COOKIE, word, settings, seconds=3600, site="Strict")
    if refusal is not None:
        response.headers.update(refusal.headers)
    return response


def _sign_in(call: Call) -> Response:
    fields = call.form()
    known = read_cookie(call.headers.getlist("cookie"), _FORM_COOKIE) or ""
    if not known or not hmac.compare_digest(known.encode(), fields.get("word", "").encode()):
        return _form(call, RefusedError(403, "csrf", "the form was too old: please try once more"))
    name, password = (call.text(fields, key) for key in ("name", "password"))
    try:
        signed = sign_in(call.service, name, password, call.address, call.token)
    except RefusedError as refusal:
        return _form(call, refusal, name)
    response = see_other("/")
    response.headers["set-cookie"] = session_cookie(call, signed.token)
    return response


def _sign_out(call: Call) -> Response:
    sign_out(call.service, call.caller.name, call.token or "")
    response = see_other("/sign-in")
    response.headers["set-cookie"] = session_cookie(call, "")
    return response


def _password(call: Call) -> Response:
    fields = call.form()
    old, new = (call.text(fields, key) for key in ("old", "new"))
    change_own_password(call.service, call.caller.name, old, new, call.address)
    return see_other("/sign-in")


def _pool(call: Call) -> Response:
    with call.service.store.read() as connection:
        pool = counted_pool(call, connection)
        done = statuses(connection, pool.id)
        docs = [(doc, done.get(doc, "untouched")) for doc in documents_of(connection, pool.topic)]
        others = [one for one in pools(connection, topic=pool.topic) if one.id != pool.id]
    # who reads the pool of somebody else has finished their own, or is an organiser: the guard has seen to it
    is_own = pool.user_id == call.caller.user_id
    may_compare = not is_own or pool.finished or call.caller.role == "organiser"
    fields = topic_fields(call, pool.topic)
    return page("pool.html", call, pool=pool, docs=docs, fields=fields, others=others if may_compare else [])


def _help(call: Call) -> Response:
    """Return the task in one screen, on the scale that is asked for, or that of one's first pool."""
    chosen = call.query.get("scale")
    if chosen is None:
        chosen = call.service.settings.scale
        if call.session is not None:
            with call.service.store.read() as connection:
                own = pools(connection, user_id=call.session.user_id)
            chosen = own[0].scale if own else chosen
    return page("help.html", call, scale=scale_named(chosen), scales=SCALES)


def _static(call: Call) -> Response:
    """Redirect an address without a digest, or with that of another version, to the file of this version."""
    address = find_current_address(call.path["name"])
    if address is None:
        raise RefusedError(404, "not-found", "there is nothing here")
    return RedirectResponse(address, 307)


ENDPOINTS = (
    Endpoint("GET", "/", _home, "user"),
    Endpoint("GET", "/sign-in", _sign_in_page, "anyone"),
    Endpoint("POST", "/sign-in", _sign_in, "anyone"),
    Endpoint("POST", "/sign-out", _sign_out, "user"),
    Endpoint("POST", "/password", _password, "user"),
    Endpoint("GET", "/pools/{pool:int}", _pool, "reader"),
    Endpoint("GET", "/help", _help, "anyone"),
    Endpoint("GET", "/static/{name:path}", _static, "anyone"),
)
