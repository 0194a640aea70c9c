"""A real browser for tests of pages: Chromium without a window, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from random_share import take_some

__all__ = ["SCREENS", "Opened", "chromium", "new_profile", "new_tab", "opened", "settle", "watched"]

# The popups of the address bar are pages that every window loads, at more than half of the cost of a window.
# The option replaces the one of Playwright, whose features are therefore repeated here.
FEATURES_OFF = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)

# The shell is Chromium without its windows, and takes four fifths of its processor time.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")

# widths and colour schemes: both of each in the two that "make test" takes
SCREENS = take_some([(1280, "light"), (1280, "dark"), (390, "dark"), (390, "light")], 2)

PATIENCE = 300  # seconds until something that is waited for counts as missing, on a machine that is busy

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--disable-features={','.join(FEATURES_OFF)}",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser; where it must be there (REQUIRE_BROWSER) its absence is a failure, else a skip."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        reason = "there is no chromium: 'make system' installs it"
        pytest.fail(reason) if os.environ.get("REQUIRE_BROWSER") else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=list(ARGUMENTS), timeout=PATIENCE * 1000
        )
        yield browser
        browser.close()


# Resolves when nothing in the page has changed for three frames: what is drawn when it becomes visible or
# changes its size is drawn in one of the next two.
_SETTLED = """() => new Promise((resolve) => {
  let quiet = 0;
  const observer = new MutationObserver(() => { quiet = 0; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const count = () => {
    quiet += 1;
    if (quiet <= 3) { requestAnimationFrame(count); return; }
    observer.disconnect();
    resolve();
  };
  requestAnimationFrame(count);
})"""


def settle(page: Any) -> None:
    """Wait until the page has drawn everything that it is about to draw."""
    page.evaluate(_SETTLED)


@dataclass
class Opened:
    """A page in the browser, with its requests and its errors."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def watched(page: Any) -> Opened:
    """Return a page whose requests and errors are recorded from now on."""
    visit = Opened(page)

    def dismiss(dialog: Any) -> None:
        visit.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("request", lambda request: visit.requests.append(request.url))
    page.on("console", lambda message: visit.complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: visit.complaints.append(f"error: {error}"))
    page.on("dialog", dismiss)
    return visit


def new_profile(browser: Any, **options: Any) -> Any:
    """Open a profile of its own: a context, in Playwright's words."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE * 1000)
    return context


@contextmanager
def new_tab(browser: Any, script: str | None = None) -> Iterator[Any]:
    """Open an empty tab in a profile of its own; ``script`` runs first in all tabs of the profile.

    Tabs of one profile would open in half the time, but a tab that is closed may take the keyboard from one
    that is opened.
    """
    context = new_profile(browser)
    if script is not None:
        context.add_init_script(script)
    try:
        yield context.new_page()
    finally:
        context.close()


@contextmanager
def opened(
    browser: Any,
    path: Path | str,
    *,
    width: int = 1280,
    height: int = 900,
    scheme: str = "light",
    **context: Any,
) -> Iterator[Opened]:
    """Open a file, or an address, in a context of its own; dialogs count as complaints."""
    address = path if isinstance(path, str) else path.resolve().as_uri()
    made = new_profile(browser, viewport={"width": width, "height": height}, color_scheme=scheme, **context)
    visit = watched(made.new_page())
    visit.page.goto(address)
    yield visit
    made.close()
