"""A real browser for tests of pages: Chromium without a window, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from random_share import take_some

__all__ = [
    "SCREENS",
    "Opened",
    "chromium",
    "listening",
    "new_profile",
    "new_tab",
    "opened",
    "settle",
    "watched",
]

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
        _empty_tabs.clear()
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


@contextmanager
def watched(page: Any) -> Iterator[Opened]:
    """Record the requests and the errors of a page; dialogs count as errors."""
    visit = Opened(page)

    def dismiss(dialog: Any) -> None:
        visit.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    with listening(
        page,
        request=lambda request: visit.requests.append(request.url),
        console=lambda message: visit.complaints.append(f"{message.type}: {message.text}"),
        pageerror=lambda error: visit.complaints.append(f"error: {error}"),
        dialog=dismiss,
    ):
        yield visit


@contextmanager
def listening(page: Any, **handlers: Any) -> Iterator[None]:
    """Handle events of a page for some time."""
    for event, handler in handlers.items():
        type(page).on(page, event, handler)  # of the class, not noticed by the tab
    try:
        yield
    finally:
        for event, handler in handlers.items():
            page.remove_listener(event, handler)


def new_profile(browser: Any, **options: Any) -> Any:
    """Open a profile of its own: a context, in Playwright's words."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE * 1000)
    return context


# Methods of a page, its context and its clock after which emptying a tab does not make it a new one.
_LASTING = re.compile(
    r"add_init_script|add_locator_handler|expose_|grant_|install|new_|on$|once$|pause_at|route"
    r"|set_(?!checked|content|input_files|viewport_size)"
)


class _Tab:
    """A tab in a profile of its own, which can be emptied and used again.

    That takes half the time of a new profile, because the process of the page stays, and with it the modules
    that it has compiled.
    """

    def __init__(self, browser: Any, profile: dict[str, Any]) -> None:
        self.context = new_profile(browser, **profile)
        self.page = self.context.new_page()
        self._devtools = self.context.new_cdp_session(self.page)
        self._is_changed = False
        self._origins: set[str] = set()
        self.page.on("framenavigated", lambda frame: self._origins.add(_find_origin(frame.url)))
        for owner in (self.page, self.context, self.page.clock):
            for name in filter(_LASTING.match, dir(type(owner))):
                setattr(owner, name, self._notice(getattr(owner, name)))

    def _notice(self, method: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            self._is_changed = True
            return method(*arguments, **options)

        return call

    def is_emptied(self) -> bool:
        """Make this a new tab again; return whether that was possible."""
        from playwright.sync_api import Error

        origins = self._origins - {"about:"}
        if self._is_changed or len(origins) != 1 or self.context.pages != [self.page]:
            return False
        try:
            # the page itself goes to an empty one, which stays in its process, and has its session storage
            self.page.evaluate("location.replace('about:blank')")
            self.page.wait_for_url("about:blank", timeout=10_000)
            self.page.evaluate("sessionStorage.clear()")
        except Error:  # as after a crash, or while the page goes elsewhere
            return False
        self._devtools.send("Page.resetNavigationHistory")
        self._devtools.send("Storage.clearDataForOrigin", {"origin": origins.pop(), "storageTypes": "all"})
        self.context.clear_cookies()
        self.page.mouse.move(-1, -1)
        self.page.set_viewport_size({"width": 1280, "height": 720})
        names = ("media", "color_scheme", "contrast", "forced_colors", "reduced_motion")
        self.page.emulate_media(**dict.fromkeys(names, "null"))
        self._origins.clear()
        return True


def _find_origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}:" + (f"//{parts.netloc}" if parts.scheme != "about" else "")


_empty_tabs: list[_Tab] = []


@contextmanager
def new_tab(browser: Any, script: str | None = None, **profile: Any) -> Iterator[Any]:
    """Open an empty tab that knows nothing of those before, in a profile that no other tab uses.

    In all tabs of the profile a script may come first.
    """
    tab = _empty_tabs.pop() if _empty_tabs and not profile else _Tab(browser, profile)
    is_empty = False
    try:
        # of the class, not noticed: the script goes at the end
        with nullcontext() if script is None else type(tab.context).add_init_script(tab.context, script):
            yield tab.page
        is_empty = not profile and tab.is_emptied()
    finally:
        if is_empty:
            _empty_tabs.append(tab)
        else:
            tab.context.close()


@contextmanager
def opened(
    browser: Any,
    path: Path | str,
    *,
    width: int = 1280,
    height: int = 900,
    scheme: str = "light",
    **profile: Any,
) -> Iterator[Opened]:
    """Open a file, or an address, in a new tab; options of its profile may be given."""
    address = path if isinstance(path, str) else path.resolve().as_uri()
    with new_tab(browser, **profile) as page, watched(page) as visit:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        yield visit
