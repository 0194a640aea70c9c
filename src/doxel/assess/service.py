"""The settings of the server, and the objects that its requests use."""

from __future__ import annotations

from dataclasses import dataclass, field

from doxel.assess.library import Library
from doxel.assess.recent import Recent
from doxel.assess.sessions import HOURS
from doxel.assess.store import Store
from doxel.assess.styles import Styles, bundled_styles
from doxel.assess.throttle import Throttle
from doxel.assess.writer import Writer
from doxel.topics import Topics

__all__ = ["Service", "Settings"]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Settings:
    """The settings of the server.

    ``secure``: clients reach it over https only, and cookies are sent over nothing else.
    ``hosts``: the host names that requests may use; None allows any.
    """

    secure: bool = False
    hosts: frozenset[str] | None = LOOPBACK
    session_hours: float = HOURS
    scale: str = "2006"
    most_bytes: int = 1_000_000
    most_events: int = 500


@dataclass(frozen=True)
class Service:
    """The objects that requests use: database, collection, writer, topics, settings, caches, styles."""

    store: Store
    library: Library
    writer: Writer
    topics: Topics | None = None
    settings: Settings = field(default_factory=Settings)
    throttle: Throttle = field(default_factory=Throttle)
    recent: Recent = field(default_factory=Recent)
    styles: Styles = field(default_factory=bundled_styles)
