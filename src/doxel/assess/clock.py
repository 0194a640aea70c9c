"""Times as the database stores them, and as people read them."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from doxel.wording import pluralise

__all__ = ["ago", "now", "written"]


def now() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def written(at: int) -> str:
    """Format a time in ISO 8601, in UTC.

    >>> written(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ago(at: int, now: int) -> str:
    """Format how long ago a time was, in its largest whole unit.

    >>> ago(0, 59_000), ago(0, 5_400_000), ago(0, 3 * 86_400_000)
    ('just now', '1 hour ago', '3 days ago')
    """
    minutes = max(0, now - at) // 60_000
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        count = minutes // size
        if count:
            return f"{pluralise(count, unit)} ago"
    return "just now"
