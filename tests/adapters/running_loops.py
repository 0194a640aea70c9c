"""Coroutines in tests that may follow tests of a browser."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

__all__ = ["run_loop"]


def run_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run an event loop in a thread of its own: the browser of other tests has one in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
