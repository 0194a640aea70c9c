"""Throttling of failed sign-ins: by name and address together, by address, and by name.

The counts do not depend on whether a name exists, and so do not reveal it.  They are kept in memory; forcing
a restart to clear them would take longer than waiting.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

__all__ = ["Throttle"]

_WINDOW = 300.0  # seconds
_MOST_KEYS = 10_000


class Throttle:
    """Counts failed sign-ins and returns the seconds to wait before the next try."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, name: str, address: str) -> int:
        """Return the seconds to wait before the next try, 0 for none.

        >>> throttle = Throttle(lambda: 0.0)
        >>> [throttle.failed("anna", "10.0.0.1") for _ in range(6)]
        [0, 0, 0, 0, 0, 300]
        >>> throttle.wait("anna", "10.0.0.1"), throttle.wait("anna", "10.0.0.2")
        (300, 0)
        """
        with self._lock:
            return self._longest(name, address)

    def failed(self, name: str, address: str) -> int:
        """Count a failure and return the seconds to wait; if not 0, the failure must not be revealed."""
        with self._lock:
            wait = self._longest(name, address)
            for key, _ in _limits(name, address):
                self._failures.setdefault(key, deque(maxlen=200)).append(self._clock())
                self._failures.move_to_end(key)
            while len(self._failures) > _MOST_KEYS:
                self._failures.popitem(last=False)
        return wait

    def succeeded(self, name: str, address: str) -> int:
        """Clear the failures of a name from this address, unless it has to wait; return the seconds."""
        with self._lock:
            wait = self._longest(name, address)
            if not wait:
                (own, _), *_others = _limits(name, address)
                self._failures.pop(own, None)
        return wait

    def _longest(self, name: str, address: str) -> int:
        return max(self._wait(key, most) for key, most in _limits(name, address))

    def _wait(self, key: tuple[str, str], most: int) -> int:
        start = self._clock() - _WINDOW
        recent = [at for at in self._failures.get(key, ()) if at > start]
        return 0 if len(recent) < most else max(1, round(recent[-most] - start))


def _limits(name: str, address: str) -> tuple[tuple[tuple[str, str], int], ...]:
    user_name = name.strip().lower()[:200]
    return ((user_name, address), 5), (("", address), 30), ((user_name, ""), 60)
