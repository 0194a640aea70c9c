"""The time, as the database keeps it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

__all__ = ["now", "written"]


def now() -> int:
    """Return the milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def written(at: int) -> str:
    """Return a time as people and programs read it.

    >>> written(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
