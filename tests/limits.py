"""Limits for code that must not take long, in processor time: a busy machine must not fail a test."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["SlowError", "in_time"]


class SlowError(Exception):
    """Something took far too long."""


@contextmanager
def in_time(seconds: int = 10) -> Iterator[None]:
    """Raise SlowError if the block takes longer in processor time, or 20 times longer in real time."""

    def interrupt(*_: object) -> None:
        raise SlowError(f"more than {seconds} s")

    timers = {signal.ITIMER_PROF: (signal.SIGPROF, 1), signal.ITIMER_REAL: (signal.SIGALRM, 20)}
    handlers = {number: signal.signal(number, interrupt) for number, _ in timers.values()}
    for timer, (_, factor) in timers.items():
        signal.setitimer(timer, seconds * factor)
    try:
        yield
    finally:
        for timer in timers:
            signal.setitimer(timer, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
