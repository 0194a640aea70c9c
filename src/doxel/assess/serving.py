"""The server: the application on an address, until it is stopped."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from doxel.assess.app import create_app
from doxel.assess.library import Library
from doxel.assess.service import LOOPBACK, Service, Settings
from doxel.assess.store import Store
from doxel.assess.styles import Styles, bundled_styles
from doxel.assess.writer import Writer
from doxel.errors import InputError
from doxel.topics import Topics

__all__ = ["Address", "is_loopback", "opened_service", "serve", "server_for", "settings_for"]


@dataclass(frozen=True)
class Address:
    """Where the server listens, and how people reach it."""

    host: str = "127.0.0.1"
    port: int = 8080
    public: str | None = None
    certificate: str | None = None
    key: str | None = None


def is_loopback(host: str) -> bool:
    """Tell whether nobody but this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def settings_for(address: Address, settings: Settings) -> Settings:
    """Return settings as an address needs them: away from this machine cookies go through https only."""
    local = is_loopback(address.host)
    secure = not local or address.certificate is not None
    hosts = LOOPBACK if local else None
    if address.public is not None:
        parts = urlsplit(address.public)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            wanted = "an address such as https://assess.example.org"
            raise InputError("--public-url", wanted=wanted, found=repr(address.public))
        hosts = LOOPBACK | {parts.hostname.lower()}
        secure = parts.scheme == "https" or not (local and is_loopback(parts.hostname))
    return replace(settings, secure=secure, hosts=hosts)


@contextmanager
def opened_service(
    store: Store,
    library: Library,
    topics: Topics | None,
    settings: Settings,
    styles: Styles | None = None,
) -> Iterator[Service]:
    """Give a service whose writer is at work."""
    with Writer(store, library) as writer:
        yield Service(store, library, writer, topics, settings, styles=styles or bundled_styles())


def serve(service: Service, address: Address, ready: Callable[[int], None] | None = None) -> None:
    """Serve until stopped; ``ready`` is called with the port once connections are taken."""
    server_for(create_app(service), address, ready).run()


def server_for(app: ASGIApp, address: Address, ready: Callable[[int], None] | None = None) -> uvicorn.Server:
    """Return a server that is not running yet."""
    config = uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
        server_header=False,
        proxy_headers=False,
        access_log=False,
        log_level="warning",
        lifespan="off",
        timeout_graceful_shutdown=10,
    )
    return _Server(config, ready)


class _Server(uvicorn.Server):
    """A server that says when it is ready, and where."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """Begin to listen."""
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started and self._ready is not None:
            self._ready(self.servers[0].sockets[0].getsockname()[1])
