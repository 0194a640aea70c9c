"""One profile of the browser for test after test, each in a tab of its own with nothing left of those before.

A context for each test would be a process for each, in which fonts are looked for and scripts compiled anew:
that takes longer than most tests.  Tabs of one profile share a process as long as one of them stays open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["new_tab"]


@contextmanager
def new_tab(browser: Any, address: str) -> Iterator[Any]:
    """Open an empty tab, with nothing kept of the site at an address; closes it, and all opened since."""
    context = _profile(browser)
    if not context.pages:
        context.new_page().goto(f"{address}/api/health")  # stays open
    before = context.pages
    page = context.new_page()
    try:
        _forget(context, page, address)
        yield page
    finally:
        for tab in context.pages:
            if tab not in before:
                tab.close()
        context.set_offline(offline=False)


@cache
def _profile(browser: Any) -> Any:
    return browser.new_context()


def _forget(context: Any, page: Any, address: str) -> None:
    context.clear_cookies()
    kept = {"origin": address, "storageTypes": "indexeddb,local_storage"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
