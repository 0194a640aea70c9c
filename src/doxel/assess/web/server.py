"""The server: the web application with all its endpoints, run at an address until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from doxel.assess.document_styles import Styles, load_bundled_styles
from doxel.assess.store.campaign_settings import read_campaign_settings
from doxel.assess.store.database import Store
from doxel.assess.store.event_writer import EventWriter
from doxel.assess.store.invitations import OneTimeToken
from doxel.assess.store.pooled_documents import Library
from doxel.assess.web.connections import (
    ACCEPTED_AT_ONCE,
    WAITING,
    ConnectionLimits,
    build_protocol,
    choose_limits,
)
from doxel.assess.web.endpoints import Endpoint, SecurityHeaders, answer_unmatched, serve_endpoint
from doxel.assess.web.routes.adjudication_routes import ADJUDICATION_ENDPOINTS
from doxel.assess.web.routes.comparison_routes import COMPARISON_ENDPOINTS
from doxel.assess.web.routes.form_routes import FORM_ENDPOINTS
from doxel.assess.web.routes.judging_routes import DOCUMENT_ENDPOINTS, JUDGING_PAGE_ENDPOINTS
from doxel.assess.web.routes.note_routes import NOTE_ENDPOINTS
from doxel.assess.web.routes.organiser_routes import ORGANISER_ENDPOINTS, ORGANISER_PAGE_ENDPOINTS
from doxel.assess.web.routes.people_routes import PEOPLE_ENDPOINTS
from doxel.assess.web.routes.setup_routes import SETUP_ENDPOINTS
from doxel.assess.web.routes.site_routes import (
    OLD_ADDRESS_ENDPOINTS,
    SESSION_ENDPOINTS,
    SITE_ENDPOINTS,
)
from doxel.assess.web.routes.work_routes import WORK_ENDPOINTS
from doxel.assess.web.service import LOOPBACK, ServerSettings, Service
from doxel.assess.web.static_files import build_static_route
from doxel.errors import InputError, RefusedError
from doxel.topics import Topics

__all__ = [
    "ENDPOINTS",
    "ServerAddress",
    "adapt_settings",
    "build_server",
    "create_app",
    "describe_trust",
    "is_loopback",
    "open_service",
    "serve",
]


@dataclass(frozen=True)
class ServerAddress:
    """The address at which the server listens, its public address, and its certificate."""

    host: str = "127.0.0.1"
    port: int = 8080
    public: str | None = None
    certificate: str | None = None
    key: str | None = None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


PROXIES = frozenset({"127.0.0.1", "::1"})
"""The addresses at which a reverse proxy is trusted to name the addresses of clients."""


def find_proxies(address: ServerAddress) -> frozenset[str]:
    """Return the addresses of the trusted proxies; there are none without a public address."""
    return PROXIES if address.public is not None else frozenset()


def describe_trust(address: ServerAddress, settings: ServerSettings) -> list[str]:
    """Return sentences about the connections, the proxy and the encryption that the server trusts."""
    local = is_loopback(address.host)
    limits = choose_limits(find_proxies(address))
    machines = "this machine only" if local else "other machines too"
    trust = [f"accepts connections from {machines}: at {address.host}, --host"]
    if address.public is not None:
        proxies = ", ".join(sorted(PROXIES))
        trust.append(
            f"trusts a proxy on this machine ({proxies}) to name the addresses of clients, and serves "
            f"{address.public}, --public-url"
        )
    else:
        trust.append("trusts no proxy: the address of a client is that of its connection")
    if address.certificate is not None:
        trust.append("encrypts connections itself; cookies are sent over https only")
    elif settings.secure:
        trust.append("does not encrypt connections: a proxy must; cookies are sent over https only")
    else:
        trust.append("does not encrypt connections, which stay on this machine; cookies are sent over http")
    trust.append(
        f"keeps at most {limits.total:,} connections, {limits.per_address:,} per address; a request must "
        f"arrive within {limits.head_seconds:g} s, its body within {limits.body_seconds:g} s more"
    )
    return trust


def adapt_settings(address: ServerAddress, settings: ServerSettings) -> ServerSettings:
    """Return the settings that an address needs: other than on loopback, cookies are sent over https only.

    Raise an error if the certificate or the public address is not valid.
    """
    _check_certificate(address)
    local = is_loopback(address.host)
    secure = not local or address.certificate is not None
    hosts = LOOPBACK if local else None
    if address.public is not None:
        scheme, name = parse_public_url(address.public, "--public-url")
        hosts = LOOPBACK | {name}
        secure = scheme == "https" or not (local and is_loopback(name))
    return replace(settings, secure=secure, hosts=hosts)


def parse_public_url(url: str, option: str) -> tuple[str, str]:
    """Return the scheme and the host of the address that people use, the value of an option."""
    try:
        parts = urlsplit(url)
    except ValueError:  # unbalanced brackets
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        wanted = "an address such as https://assess.example.org"
        raise InputError(option, wanted=wanted, found=repr(url))
    return parts.scheme, parts.hostname.lower()


def _check_certificate(address: ServerAddress) -> None:
    if address.certificate is None:
        if address.key is not None:
            raise InputError("--key", wanted="--certificate as well", found="only a key")
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(address.certificate, address.key)
    except OSError as error:
        files = " and ".join(filter(None, (address.certificate, address.key)))
        wanted, problem = "a certificate and its key, in PEM", error.strerror or str(error)
        raise InputError("--certificate", file=files, wanted=wanted, found=problem) from None


@contextmanager
def open_service(
    store: Store,
    library: Library,
    topics: Topics | None,
    settings: ServerSettings,
    styles: Styles | None = None,
    first_token: OneTimeToken | None = None,
) -> Iterator[Service]:
    """Open a service whose writer is running; ``first_token`` lets somebody become the first organiser."""
    with store.read() as connection:
        campaign = read_campaign_settings(connection)
    with EventWriter(store, library) as writer:
        yield Service(
            store,
            library,
            writer,
            topics,
            settings,
            styles=styles or load_bundled_styles(),
            name=campaign.name,
            has_guidelines=bool(campaign.guidelines),
            first_token=first_token,
        )


def serve(
    service: Service,
    address: ServerAddress,
    ready: Callable[[int], None] | None = None,
    more: Sequence[Endpoint] = (),
) -> None:
    """Serve until stopped; ``ready`` is called with the port once the server accepts connections.

    ``more`` are endpoints besides the usual ones.
    """
    build_server(create_app(service, more), address, ready).run(_bind_sockets(address))


def _bind_sockets(address: ServerAddress) -> list[socket.socket]:
    """Bind sockets to all addresses of a host name; uvicorn would end the process if it cannot."""
    sockets: list[socket.socket] = []
    problem: OSError | None = None
    try:
        candidates = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as error:
        candidates, problem = [], error
    for family, _, _, _, candidate in candidates:
        try:
            sockets.append(socket.create_server(candidate[:2], family=family))
        except OSError as error:
            problem = error
    # a name may have addresses that this machine lacks, such as localhost on a machine without IPv6
    if problem is not None and (not sockets or problem.errno == errno.EADDRINUSE):
        found = f"{address.host}, port {address.port}: {problem.strerror or problem}"
        raise InputError("cannot listen", wanted="a free address of this machine", found=found)
    return sockets


def build_server(
    app: ASGIApp,
    address: ServerAddress,
    ready: Callable[[int], None] | None = None,
    limits: ConnectionLimits | None = None,
) -> uvicorn.Server:
    """Build a server that is not running yet; without ``limits``, those that the process can afford."""
    config = uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
        server_header=False,
        proxy_headers=address.public is not None,  # behind a proxy, the throttle needs the client's address
        forwarded_allow_ips=sorted(PROXIES),
        http=build_protocol(limits or choose_limits(find_proxies(address))),  # type: ignore[arg-type]
        backlog=ACCEPTED_AT_ONCE,
        access_log=False,
        log_level="warning",
        lifespan="off",
        timeout_graceful_shutdown=10,
    )
    return _ReadyServer(config, ready)


_HANDSHAKE_SECONDS = 10


class _ReadyServer(uvicorn.Server):
    """A server that calls ``ready`` with its port once it accepts connections."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        if self.config.is_ssl:  # uvicorn has no option for it; the default is a minute
            loop = asyncio.get_running_loop()
            create: Any = partial(loop.create_server, ssl_handshake_timeout=_HANDSHAKE_SECONDS)
            loop.create_server = create  # type: ignore[method-assign]
        await super().startup(sockets)
        for listening in sockets or ():  # asyncio uses one number for both
            listening.listen(WAITING)
        if self.started and self._ready is not None:
            self._ready(self.servers[0].sockets[0].getsockname()[1])


def create_app(service: Service, more: Sequence[Endpoint] = ()) -> Starlette:
    """Build the application of a service, with the usual endpoints and ``more``."""
    routes = [build_static_route(), *(_build_route(endpoint, service) for endpoint in (*ENDPOINTS, *more))]
    return Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders, settings=service.settings)],
        exception_handlers={HTTPException: partial(_answer_http_error, service)},
    )


def _build_route(endpoint: Endpoint, service: Service) -> Route:
    async def answer(request: Request) -> Response:
        return await serve_endpoint(endpoint, service, request)

    return Route(endpoint.path, answer, methods=[endpoint.method], name=f"{endpoint.method} {endpoint.path}")


async def _answer_http_error(service: Service, request: Request, error: Exception) -> Response:
    """Answer requests that match no endpoint with an error in the usual shape."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    errors = {404: ("not-found", "page not found"), 405: ("wrong-method", "method not allowed")}
    refusal = RefusedError(status, *errors.get(status, ("failed", "the request cannot be answered")))
    return await answer_unmatched(service, request, refusal)


ENDPOINTS: tuple[Endpoint, ...] = (
    *SESSION_ENDPOINTS,
    *DOCUMENT_ENDPOINTS,
    *ORGANISER_ENDPOINTS,
    *COMPARISON_ENDPOINTS,
    *ADJUDICATION_ENDPOINTS,
    *NOTE_ENDPOINTS,
    *SITE_ENDPOINTS,
    *JUDGING_PAGE_ENDPOINTS,
    *FORM_ENDPOINTS,
    *ORGANISER_PAGE_ENDPOINTS,
    *PEOPLE_ENDPOINTS,
    *WORK_ENDPOINTS,
    *SETUP_ENDPOINTS,
    *OLD_ADDRESS_ENDPOINTS,
)
