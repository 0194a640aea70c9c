"""The settings of the server, the objects that requests use, the throttle and the session cache.

The throttle counts failed sign-ins by name and address together, by address, and by name.  The counts do not
depend on whether a name exists, and so do not reveal it.  They are kept in memory; forcing a restart to clear
them would take longer than waiting.

The session cache keeps sessions for one second, so that not every event looks up its sender in the database.
When this server changes users or assignments, the cache is cleared at once; changes by another process, such
as ``doxel assess user disable``, take effect within a second.  Expired sessions are never returned.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from doxel.assess.document_styles import Styles, load_bundled_styles
from doxel.assess.store.accounts import SESSION_HOURS, Session
from doxel.assess.store.assignments import Assignment
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import now
from doxel.assess.store.event_writer import EventWriter
from doxel.assess.store.invitations import OneTimeToken
from doxel.assess.store.pooled_documents import Library
from doxel.topics import Topics

__all__ = ["ServerSettings", "Service", "SessionCache"]

_WINDOW = 300.0  # seconds
_MOST_KEYS = 10_000


class _Throttle:
    """Counts failed sign-ins and returns the seconds to wait before the next try."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, name: str, address: str) -> int:
        """Return the seconds to wait before the next try, 0 for none.

        >>> throttle = _Throttle(lambda: 0.0)
        >>> [throttle.record_failure("anna", "10.0.0.1") for _ in range(6)]
        [0, 0, 0, 0, 0, 300]
        >>> throttle.wait("anna", "10.0.0.1"), throttle.wait("anna", "10.0.0.2")
        (300, 0)
        """
        with self._lock:
            return self._longest(name, address)

    def record_failure(self, name: str, address: str) -> int:
        """Count a failure and return the seconds to wait; if not 0, the failure must not be revealed."""
        with self._lock:
            wait = self._longest(name, address)
            for key, _ in _list_limits(name, address):
                self._failures.setdefault(key, deque(maxlen=200)).append(self._clock())
                self._failures.move_to_end(key)
            while len(self._failures) > _MOST_KEYS:
                self._failures.popitem(last=False)
        return wait

    def record_success(self, name: str, address: str) -> int:
        """Clear the failures of a name from this address, unless it has to wait; return the seconds."""
        with self._lock:
            wait = self._longest(name, address)
            if not wait:
                (key, _), *_others = _list_limits(name, address)
                self._failures.pop(key, None)
        return wait

    def _longest(self, name: str, address: str) -> int:
        return max(self._wait(key, most) for key, most in _list_limits(name, address))

    def _wait(self, key: tuple[str, str], most: int) -> int:
        start = self._clock() - _WINDOW
        recent = [at for at in self._failures.get(key, ()) if at > start]
        return 0 if len(recent) < most else max(1, round(recent[-most] - start))


def _list_limits(name: str, address: str) -> tuple[tuple[tuple[str, str], int], ...]:
    user_name = name.strip().lower()[:200]
    return ((user_name, address), 5), (("", address), 30), ((user_name, ""), 60)


_SECONDS = 1.0
_MOST = 10_000

_CacheKey = tuple[str, int | None]
CachedCaller = tuple[Session, Assignment | None]


class SessionCache:
    """Sessions by token, each with the assignment that the request is about.

    >>> session = Session(1, "anna", "assessor", "word", expires=1 << 60, account="anna-0")
    >>> moment = [0.0]
    >>> recent = SessionCache(lambda: moment[0])
    >>> recent.put("token", None, (session, None))
    >>> recent.get("token", None)[0].name
    'anna'
    >>> moment[0] = 2.0
    >>> recent.get("token", None) is None
    True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[_CacheKey, tuple[float, int, CachedCaller]] = {}
        self._changes = 0

    @property
    def changes(self) -> int:
        """How often the cache was cleared: data that was read before the last time must not be cached."""
        return self._changes

    def get(self, token: str, assignment: int | None) -> CachedCaller | None:
        """Return the session of a token and the assignment, None if they are not cached or too old."""
        entry = self._entries.get((token, assignment))
        if entry is None:
            return None
        at, changes, caller = entry
        is_old = changes != self._changes or self._clock() - at > _SECONDS
        return None if is_old or caller[0].expires <= now() else caller

    def put(self, token: str, assignment: int | None, caller: CachedCaller, changes: int = 0) -> None:
        """Cache a session and its assignment, read when :attr:`changes` had the given value."""
        if len(self._entries) >= _MOST:
            self._entries.clear()
        self._entries[token, assignment] = (self._clock(), changes, caller)

    def forget(self) -> None:
        """Clear the cache, because users or assignments may have changed."""
        self._changes += 1
        self._entries.clear()


LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class ServerSettings:
    """The settings of the server.

    ``secure``: clients reach it over https only, and cookies are sent over nothing else.
    ``hosts``: the host names that requests may use; None allows any.
    ``shows_parts``: the judging page shows the pooled parts of a document as soon as it is opened.
    ``program``: the command that serves the pages, named in their titles.
    ``folder``: the folder in which organisers may choose files; None for none.
    """

    secure: bool = False
    hosts: frozenset[str] | None = LOOPBACK
    session_hours: float = SESSION_HOURS
    scale: str = "2006"
    most_bytes: int = 1_000_000
    most_events: int = 500
    shows_parts: bool = False
    program: str = "doxel assess"
    most_upload: int = 100_000_000
    folder: Path | None = None


@dataclass
class Service:
    """The objects that requests use: database, collection, writer, topics, settings, caches, styles.

    ``topics``, ``name`` (of the campaign) and ``has_guidelines`` change when an organiser changes the
    campaign.  ``first_token`` lets whoever started an empty server create the first organiser.
    """

    store: Store
    library: Library
    writer: EventWriter
    topics: Topics | None = None
    settings: ServerSettings = field(default_factory=ServerSettings)
    throttle: _Throttle = field(default_factory=_Throttle)
    recent: SessionCache = field(default_factory=SessionCache)
    styles: Styles = field(default_factory=load_bundled_styles)
    name: str = ""
    has_guidelines: bool = False
    first_token: OneTimeToken | None = None
