"""Limits on connections: their number, in all and per address, and the time a request takes to arrive.

A client that sends half a request and then nothing costs a server one file descriptor.  Without limits a few
hundred of them, all from one machine, stop everybody's work.  Therefore

- a request has ``head_seconds`` for its first line and headers, and ``body_seconds`` more for its body; then
  the connection is closed with status 408;
- an address has at most ``per_address`` connections, and all addresses together ``total``.  A further one
  replaces the oldest connection that is idle or still receiving a request; if all are being answered, the new
  one gets status 503.

A proxy on this machine connects for many clients, so only the limit on all connections applies to it.
"""

from __future__ import annotations

import asyncio
import resource
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["ACCEPTED_AT_ONCE", "WAITING", "ConnectionLimits", "build_protocol", "choose_limits"]

ACCEPTED_AT_ONCE = 16  # connections, in one turn of the event loop
WAITING = 128  # connections that the system keeps until they are accepted
_TURNS = 4  # from the accepting of a connection to the closing of the one that it evicts
_RESERVED = 64  # descriptors for the database, the collection and the pages
_MOST, _MOST_PER_ADDRESS = 2_000, 200  # a school behind one address: 30 browsers with 6 connections each


@dataclass(frozen=True)
class ConnectionLimits:
    """The limits on connections, in all and per address, and on the seconds in which a request arrives."""

    total: int = _MOST
    per_address: int = _MOST_PER_ADDRESS
    head_seconds: float = 10.0
    body_seconds: float = 60.0
    proxies: frozenset[str] = frozenset()

    def find_most(self, address: str) -> int:
        """Return the number of connections that an address may have."""
        return self.total if address in self.proxies else self.per_address


def choose_limits(proxies: frozenset[str] = frozenset(), descriptors: int | None = None) -> ConnectionLimits:
    """Return limits that leave enough of the process's file descriptors for everything else.

    >>> limits = choose_limits(descriptors=256)
    >>> limits.total, limits.per_address
    (128, 64)
    """
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if descriptors is None else descriptors
    unlimited = soft == resource.RLIM_INFINITY
    total = _MOST if unlimited else min(_MOST, max(16, soft - _TURNS * ACCEPTED_AT_ONCE - _RESERVED))
    return ConnectionLimits(total, min(_MOST_PER_ADDRESS, total // 2), proxies=proxies)


_REFUSAL = "HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class _LimitedProtocol(H11Protocol):
    """A connection that is counted, and closed if a request takes too long to arrive."""

    def __init__(self, connections: _Connections, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._open, self._limits = connections, connections.limits
        self._address = ""
        self._timer: asyncio.TimerHandle | None = None
        self._stage: tuple[str, object] = ("", None)

    @property
    def is_arriving(self) -> bool:
        """Whether a request, or the next one, has not arrived completely."""
        return self._find_stage() != "answer"

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit a connection, or refuse it."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if not self._open.admit(self, self._address):
            self._close("503 Service Unavailable")
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._open.forget(self, self._address)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a piece of a request."""
        super().data_received(data)
        self._watch()

    def _find_stage(self) -> str:
        if self.cycle is None or self.cycle.response_complete:
            return "head"
        return "body" if self.cycle.more_body else "answer"

    def _watch(self) -> None:
        """Start the time for a stage when the stage begins; more data does not start it again."""
        stage = (self._find_stage(), self.cycle)
        if stage == self._stage:
            return
        self._stage = stage
        self._stop_timer()
        seconds = {"head": self._limits.head_seconds, "body": self._limits.body_seconds}.get(stage[0])
        if seconds is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self._expire, stage)

    def _expire(self, stage: tuple[str, object]) -> None:
        if stage == (self._find_stage(), self.cycle):
            self._close("408 Request Timeout")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self, status: str) -> None:
        if not self.transport.is_closing():
            self.transport.write(_REFUSAL.format(status).encode())
            self.transport.close()

    def evict(self) -> None:
        """Close the connection at once, whatever is still to be sent."""
        self.transport.abort()


class _Connections:
    """All open connections, by address, the oldest first."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._by_address: dict[str, dict[_LimitedProtocol, None]] = defaultdict(dict)
        self._all: dict[_LimitedProtocol, str] = {}

    def admit(self, connection: _LimitedProtocol, address: str) -> bool:
        """Count a connection; return False if there are too many, and all are being answered."""
        address_connections = self._by_address[address]
        if len(address_connections) >= self.limits.find_most(address) and not self._evict_oldest(
            list(address_connections)
        ):
            return False
        if len(self._all) >= self.limits.total and not self._evict_oldest(list(self._all)):
            return False
        address_connections[connection] = None
        self._all[connection] = address
        return True

    def forget(self, connection: _LimitedProtocol, address: str) -> None:
        """Stop counting a connection."""
        self._all.pop(connection, None)
        address_connections = self._by_address.get(address, {})
        address_connections.pop(connection, None)
        if not address_connections:
            self._by_address.pop(address, None)

    def _evict_oldest(self, connections: list[_LimitedProtocol]) -> bool:
        for connection in connections:
            if connection.is_arriving:
                self.forget(connection, self._all[connection])
                connection.evict()
                return True
        return False


def build_protocol(limits: ConnectionLimits) -> Callable[..., asyncio.Protocol]:
    """Return a protocol for uvicorn whose connections share one count."""
    return partial(_LimitedProtocol, _Connections(limits))
