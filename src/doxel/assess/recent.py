"""A cache of sessions for one second, so that not every event looks up its sender in the database.

When this server changes users or pools, the cache is cleared at once; changes by another process, such as
``doxel assess user disable``, take effect within a second.  Expired sessions are never returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from doxel.assess.clock import now
from doxel.assess.pools import Assignment
from doxel.assess.sessions import Session

__all__ = ["Recent"]

_SECONDS = 1.0
_MOST = 10_000

Key = tuple[str, int | None]
Found = tuple[Session, Assignment | None]


class Recent:
    """Sessions by token, each with the pool that the request is about.

    >>> session = Session(1, "anna", "assessor", "word", expires=1 << 60, account="anna-0")
    >>> moment = [0.0]
    >>> recent = Recent(lambda: moment[0])
    >>> recent.put("token", None, (session, None))
    >>> recent.get("token", None)[0].name
    'anna'
    >>> moment[0] = 2.0
    >>> recent.get("token", None) is None
    True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[Key, tuple[float, int, Found]] = {}
        self._changes = 0

    @property
    def changes(self) -> int:
        """How often the cache was cleared: data that was read before the last time must not be cached."""
        return self._changes

    def get(self, token: str, pool: int | None) -> Found | None:
        """Return the session of a token and the pool, None if they are not cached or too old."""
        entry = self._entries.get((token, pool))
        if entry is None:
            return None
        at, changes, caller = entry
        is_old = changes != self._changes or self._clock() - at > _SECONDS
        return None if is_old or caller[0].expires <= now() else caller

    def put(self, token: str, pool: int | None, caller: Found, changes: int = 0) -> None:
        """Cache a session and its pool, read when :attr:`changes` had the given value."""
        if len(self._entries) >= _MOST:
            self._entries.clear()
        self._entries[token, pool] = (self._clock(), changes, caller)

    def forget(self) -> None:
        """Clear the cache, because users or pools may have changed."""
        self._changes += 1
        self._entries.clear()
