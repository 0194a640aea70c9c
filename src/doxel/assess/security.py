"""Security of every response: headers, a strict content security policy, known hosts, safe cookies.

Pages load only this server's files and run no inline scripts; no other site may frame them; by default
nothing is cached.
"""

from __future__ import annotations

from typing import Literal

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doxel.assess.service import Settings
from doxel.errors import RefusedError

__all__ = ["CONTENT_POLICY", "SecurityHeaders", "cookie_name", "is_foreign", "set_cookie"]

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

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
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
        return hosts is None or _without_port(host).lower() in hosts


def _without_port(host: str) -> str:
    """Return the name in a ``Host`` header, without the port and the brackets of an IPv6 address."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).strip("[]")


def is_foreign(headers: Headers, settings: Settings) -> bool:
    """Return whether a request comes from a page of another site, according to the browser's headers."""
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return True
    origin = headers.get("origin")
    scheme = "https" if settings.secure else "http"
    return origin is not None and origin.lower() != f"{scheme}://{headers.get('host', '').lower()}"


def cookie_name(settings: Settings) -> str:
    """Return the name of the session cookie; the prefix makes browsers require https and a single host."""
    return "__Host-doxel" if settings.secure else "doxel"


def set_cookie(
    response: Response,
    name: str,
    value: str,
    settings: Settings,
    *,
    seconds: int,
    site: Literal["lax", "strict"] = "lax",
) -> None:
    """Set a cookie that no script can read; with 0 seconds the browser deletes it.

    >>> response = Response()
    >>> set_cookie(response, "doxel", "x", Settings(secure=True), seconds=60)
    >>> response.headers["set-cookie"]
    'doxel=x; HttpOnly; Max-Age=60; Path=/; SameSite=lax; Secure'
    """
    response.set_cookie(
        name, value, max_age=seconds, path="/", secure=settings.secure, httponly=True, samesite=site
    )
