"""What the server works with, and how it is set up."""

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
    """How the server is set up.

    ``secure`` says that people reach it through https only: cookies are then sent on no other way.
    ``hosts`` are the names by which it may be addressed; None: any.
    """

    secure: bool = False
    hosts: frozenset[str] | None = LOOPBACK
    session_hours: float = HOURS
    scale: str = "2006"
    most_bytes: int = 1_000_000
    most_events: int = 500


@dataclass(frozen=True)
class Service:
    """Everything a request may need."""

    store: Store
    library: Library
    writer: Writer
    topics: Topics | None = None
    settings: Settings = field(default_factory=Settings)
    throttle: Throttle = field(default_factory=Throttle)
    recent: Recent = field(default_factory=Recent)
    styles: Styles = field(default_factory=bundled_styles)
