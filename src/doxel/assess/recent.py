"""Who has just called, remembered for a moment, so that not every event asks the database who sends it.

Whatever this server changes about people and pools is forgotten at once; what another process changes, such
as ``doxel assess user disable``, takes effect within a second.  A session that has expired is never taken.
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
    """Sessions by token, and the pool they asked about.

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
        self._found: dict[Key, tuple[float, int, Found]] = {}
        self._changes = 0

    @property
    def changes(self) -> int:
        """How often everything was forgotten: what was read before the last time is not to be kept."""
        return self._changes

    def get(self, token: str, pool: int | None) -> Found | None:
        """Return who has just called with a token about a pool, None if that is not known any more."""
        known = self._found.get((token, pool))
        if known is None:
            return None
        at, changes, found = known
        is_old = changes != self._changes or self._clock() - at > _SECONDS
        return None if is_old or found[0].expires <= now() else found

    def put(self, token: str, pool: int | None, found: Found, changes: int = 0) -> None:
        """Remember someone as they were after so many changes: any later one makes that worthless."""
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[token, pool] = (self._clock(), changes, found)

    def forget(self) -> None:
        """Forget everyone: something about them may have changed."""
        self._changes += 1
        self._found.clear()
