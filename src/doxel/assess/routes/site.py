"""Pages to sign in, to list one's pools and to open one, the help page, and the static files."""

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
from doxel.assess.routes.sessions import delete_session_cookie, set_session_cookie
from doxel.assess.scales import SCALES, scale_named
from doxel.assess.security import set_cookie
from doxel.assess.static_files import find_current_address
from doxel.errors import RefusedError

__all__ = ["ENDPOINTS"]

_FORM_COOKIE = "doxel-sign-in"


def _home(call: Call) -> Response:
    with call.service.store.read() as connection:
        own_pools = pools(connection, user_id=call.caller.user_id)
    return page("home.html", call, pools=own_pools)


def _sign_in_page(call: Call) -> Response:
    return _form(call)


def _form(call: Call, refusal: RefusedError | None = None, name: str = "") -> Response:
    """Return the sign-in form; a token in the form and in a cookie proves that the form is ours."""
    word = secrets.token_urlsafe(24)
    status = 200 if refusal is None else refusal.status
    response = page("sign-in.html", None, status=status, word=word, refusal=refusal, name=name)
    set_cookie(response, _FORM_COOKIE, word, call.service.settings, seconds=3600, site="strict")
    if refusal is not None:
        response.headers.update(refusal.headers)
    return response


def _sign_in(call: Call) -> Response:
    fields = call.form()
    word = call.cookies.get(_FORM_COOKIE, "")
    if not word or not hmac.compare_digest(word.encode(), fields.get("word", "").encode()):
        return _form(call, RefusedError(403, "csrf", "the form has expired: please try again"))
    name, password = (call.text(fields, key) for key in ("name", "password"))
    try:
        signed = sign_in(call.service, name, password, call.address, call.token)
    except RefusedError as refusal:
        return _form(call, refusal, name)
    response = see_other("/")
    set_session_cookie(response, call, signed.token)
    return response


def _sign_out(call: Call) -> Response:
    sign_out(call.service, call.caller.name, call.token or "")
    response = see_other("/sign-in")
    delete_session_cookie(response, call)
    return response


def _password(call: Call) -> Response:
    fields = call.form()
    old, new = (call.text(fields, key) for key in ("old", "new"))
    change_own_password(call.service, call.caller.name, old, new, call.address)
    return see_other("/sign-in")


def _pool(call: Call) -> Response:
    with call.service.store.read() as connection:
        pool = counted_pool(call, connection)
        status_of = statuses(connection, pool.id)
        docs = [(doc, status_of.get(doc, "untouched")) for doc in documents_of(connection, pool.topic)]
        others = [other for other in pools(connection, topic=pool.topic) if other.id != pool.id]
    # the access check lets only organisers and those who have finished the topic read another's pool
    is_own = pool.user_id == call.caller.user_id
    may_compare = not is_own or pool.finished or call.caller.role == "organiser"
    fields = topic_fields(call, pool.topic)
    return page("pool.html", call, pool=pool, docs=docs, fields=fields, others=others if may_compare else [])


def _help(call: Call) -> Response:
    """Return the help page for the requested scale, or for that of the caller's first pool."""
    scale = call.query.get("scale")
    if scale is None:
        scale = call.service.settings.scale
        if call.session is not None:
            with call.service.store.read() as connection:
                own_pools = pools(connection, user_id=call.session.user_id)
            scale = own_pools[0].scale if own_pools else scale
    return page("help.html", call, scale=scale_named(scale), scales=SCALES)


def _static(call: Call) -> Response:
    """Redirect an address without a digest, or with that of another version, to the file of this version."""
    address = find_current_address(call.path["name"])
    if address is None:
        raise RefusedError(404, "not-found", "page not found")
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
