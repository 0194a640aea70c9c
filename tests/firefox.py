"""Debian's Firefox without a window, driven by WebDriver BiDi over a socket.

Firefox itself listens on a port (``--remote-debugging-port``), so no driver program is needed.  A
``FirefoxPage`` has the part of Playwright's interface that journeys use: helpers work with either.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from browser import PATIENCE

__all__ = ["Firefox", "FirefoxPage", "firefox", "new_firefox_tab"]

PREFERENCES = {
    "layout.css.prefers-color-scheme.content-override": 0,  # dark: page tests in Chromium are mostly light
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "browser.tabs.remote.force-paint": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "signon.autofillForms": False,
    "signon.rememberSignons": False,
    "toolkit.telemetry.enabled": False,
}
KEYS = {
    "Control": "\ue009",
    "Shift": "\ue008",
    "Alt": "\ue00a",
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "Backspace": "\ue003",
    "Delete": "\ue017",
    "Home": "\ue011",
    "End": "\ue010",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
    "Space": " ",
}
# A script is an expression or a function of one argument, as for Playwright; values travel as JSON.
CALL = """async (text) => {
  const script = (SCRIPT);
  const value = await (typeof script === 'function' ? script(JSON.parse(text)) : script);
  return JSON.stringify(value ?? null);
}"""
# The elements of a selector, with or without words in their text; which of them can be seen.
FIND = """([css, words]) => [...document.querySelectorAll(css)]
  .filter((node) => words === null || node.textContent.replace(/\\s+/g, ' ').includes(words))"""
SUBSCRIBED = ["log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened"]


class FirefoxError(Exception):
    """A command that Firefox refused."""


class Firefox:
    """A running Firefox: commands and their answers, and the events in between."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._number = socket, 0
        self.pages: dict[str, FirefoxPage] = {}
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=SUBSCRIBED)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command, and return its answer."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message["type"] == "event":
                self._hear(message["method"], message["params"])
            elif message["id"] == self._number:
                break
        if message["type"] == "error":
            raise FirefoxError(f"{method}: {message['error']}: {message['message']}")
        return message["result"]

    def _hear(self, method: str, params: dict[str, Any]) -> None:
        context = params.get("context") or params.get("source", {}).get("context")
        page = self.pages.get(context)
        if page is None:
            return
        if method == "network.beforeRequestSent":
            page.requests.append(params["request"]["url"])
        elif method == "log.entryAdded":
            page.complaints.append(f"{params['level']}: {params['text']}")
        else:
            page.complaints.append(f"dialog: {params['message']}")


class _Keyboard:
    def __init__(self, page: FirefoxPage) -> None:
        self._page = page

    def press(self, keys: str) -> None:
        """Press a key, with others held down: ``Control+Shift+z``."""
        names = ["+"] if keys == "+" else keys.split("+")
        values = [KEYS.get(name, name) for name in names]
        actions = [{"type": "keyDown", "value": value} for value in values]
        actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self._page.perform({"type": "key", "id": "keyboard", "actions": actions})

    def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        actions = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._page.perform({"type": "key", "id": "keyboard", "actions": actions})


class _Mouse:
    def __init__(self, page: FirefoxPage) -> None:
        self._page = page

    def _perform(self, *actions: dict[str, Any]) -> None:
        self._page.perform({"type": "pointer", "id": "mouse", "actions": list(actions)})

    def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        self._perform({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0})

    def down(self) -> None:
        """Press the button."""
        self._perform({"type": "pointerDown", "button": 0})

    def up(self) -> None:
        """Release the button."""
        self._perform({"type": "pointerUp", "button": 0})

    def click(self, x: float, y: float) -> None:
        """Click at a place."""
        self.move(x, y)
        self.down()
        self.up()


class _Locator:
    """The elements that fit a selector and contain some words; actions are on the first one."""

    def __init__(self, page: FirefoxPage, css: str, words: str | None) -> None:
        self._page, self._given = page, [css, words]

    def _map(self, script: str) -> list[Any]:
        return self._page.evaluate(f"(given) => ({FIND})(given).map({script})", self._given)

    def count(self) -> int:
        """Return the number of elements."""
        return len(self._map("() => 1"))

    def all_inner_texts(self) -> list[str]:
        """Return the texts of all elements."""
        return self._map("(node) => node.innerText")

    def inner_text(self) -> str:
        """Return the text of the element."""
        self.wait_for()
        return self.all_inner_texts()[0]

    def is_visible(self) -> bool:
        """Return whether the element can be seen."""
        return any(self._map("(node) => node.checkVisibility()")[:1])

    def wait_for(self) -> None:
        """Wait until an element can be seen."""
        seen = f"(given) => ({FIND})(given)[0]?.checkVisibility()"
        self._page.wait_for_function(seen, arg=self._given)

    def click(self) -> None:
        """Click in the middle of the element."""
        self.wait_for()
        x, y = self._map("""(node) => {
          node.scrollIntoView({ block: 'center', behavior: 'instant' });
          const { left, top, width, height } = node.getBoundingClientRect();
          return [left + width / 2, top + height / 2];
        }""")[0]
        self._page.mouse.click(x, y)

    def fill(self, text: str) -> None:
        """Replace the text of a field by typing."""
        self.wait_for()
        self._map("(node) => { node.focus(); node.select?.(); }")
        self._page.keyboard.press("Control+a")
        self._page.keyboard.type(text) if text else self._page.keyboard.press("Delete")

    def select_option(self, value: str) -> None:
        """Choose an option of a list."""
        self.wait_for()
        self._page.evaluate(
            f"([given, value]) => {{ const node = ({FIND})(given)[0]; node.value = value;"
            " node.dispatchEvent(new Event('change', { bubbles: true })); }",
            [self._given, value],
        )


class FirefoxPage:
    """A tab, as far as Playwright's interface is needed here."""

    def __init__(self, browser: Firefox, context: str, user_context: str) -> None:
        self._browser, self._context, self._user_context = browser, context, user_context
        self.keyboard, self.mouse = _Keyboard(self), _Mouse(self)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        browser.pages[context] = self

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.send(method, context=self._context, **params)

    def perform(self, *sources: dict[str, Any]) -> None:
        """Act with keyboard or mouse."""
        self._send("input.performActions", actions=list(sources))

    def goto(self, address: str) -> None:
        """Open an address."""
        self._send("browsingContext.navigate", url=address, wait="complete")

    def reload(self) -> None:
        """Load the page again."""
        self._send("browsingContext.reload", wait="complete")

    def evaluate(self, script: str, arg: Any = None) -> Any:
        """Return the value of an expression, or of a function."""
        answer = self._browser.send(
            "script.callFunction",
            functionDeclaration=CALL.replace("SCRIPT", script),
            arguments=[{"type": "string", "value": json.dumps(arg)}],
            target={"context": self._context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise FirefoxError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def wait_for_function(self, script: str, arg: Any = None) -> None:
        """Wait until a function returns something true; the page may be loading."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(FirefoxError):
                if self.evaluate(script, arg):
                    return
            time.sleep(0.02)
        pytest.fail(f"this never came true: {script} of {arg!r}")

    def locator(self, css: str, *, has_text: str | None = None) -> _Locator:
        """Return the elements that fit a selector, and contain some words."""
        return _Locator(self, css, has_text)

    def inner_text(self, css: str) -> str:
        """Return the text of an element."""
        return self.locator(css).inner_text()

    def set_viewport_size(self, size: dict[str, int]) -> None:
        """Set the width and height of the page."""
        self._send("browsingContext.setViewport", viewport=size)

    def set_offline(self, is_offline: bool) -> None:
        """Cut the connection, or restore it."""
        conditions = {"type": "offline"} if is_offline else None
        contexts = [self._context]
        self._browser.send("emulation.setNetworkConditions", networkConditions=conditions, contexts=contexts)

    def add_cookie(self, name: str, value: str) -> None:
        """Set a cookie of the server, which scripts cannot read."""
        cookie = {"name": name, "value": {"type": "string", "value": value}, "domain": "127.0.0.1"}
        partition = {"type": "storageKey", "userContext": self._user_context}
        self._browser.send("storage.setCookie", cookie={**cookie, "httpOnly": True}, partition=partition)


@pytest.fixture(scope="session")
def firefox(tmp_path_factory: Any) -> Iterator[Firefox]:
    """A browser; where it must be there (REQUIRE_FIREFOX) its absence is a failure, else a skip."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None or find_spec("websockets") is None:
        reason = "there is no firefox-esr: 'make system' installs it"
        if program is not None:
            reason = "there is no package websockets: the group 'integrations' has it"
        pytest.fail(reason) if os.environ.get("REQUIRE_FIREFOX") else pytest.skip(reason)
    connect = import_module("websockets.sync.client").connect
    profile = tmp_path_factory.mktemp("firefox")
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
    command = [
        program,
        "--headless",
        "--no-remote",
        "--profile",
        str(profile),
        "--remote-debugging-port",
        "0",
    ]
    log = profile / "stderr.txt"
    with log.open("w") as errors, subprocess.Popen(command, stderr=errors, stdout=errors) as process:
        try:
            address = f"{_wait_for_address(log)}/session"
            with connect(address, max_size=None, open_timeout=PATIENCE) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()


def _wait_for_address(log: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        match = re.search(r"BiDi listening on (ws://\S+)", log.read_text(encoding="utf-8"))
        if match:
            return match[1]
        time.sleep(0.05)
    pytest.fail(f"Firefox does not listen: {log.read_text(encoding='utf-8')}")


@contextmanager
def new_firefox_tab(browser: Firefox) -> Iterator[FirefoxPage]:
    """Open an empty tab that shares nothing with those before."""
    user_context = browser.send("browser.createUserContext")["userContext"]
    try:
        context = browser.send("browsingContext.create", type="tab", userContext=user_context)["context"]
        yield FirefoxPage(browser, context, user_context)
    finally:
        browser.send("browser.removeUserContext", userContext=user_context)
