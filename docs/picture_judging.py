"""Take the pictures of the judging page: a selected passage in the demo, and an adjudication of it."""  # noqa: INP001

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
_ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--no-first-run"]
_PASSWORD = "only for a picture"  # noqa: S105 -- of a temporary user
_LARGE = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}
_SMALL = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}
# a screen, a topic, a document and words to select, per picture
_PICTURES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "judging": (_LARGE, "2", "near-misses", "How much is the point on which"),
    "judging-small": (_SMALL, "6", "restricted-reading", "In 2010 the INEX ad hoc track"),
}
_ADJUDICATED = "2"  # the topic that olga adjudicates, and the document in the picture
_DISPUTED = "near-misses"


def main() -> int:
    """Serve the demo, open a judged document, and take one picture per screen."""
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as address:
        _take(address, DOCS / "pictures")
    return 0


def _doxel(*arguments: object) -> None:
    command = [sys.executable, "-m", "doxel", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 -- our own program


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Yield the address of a server on which anna has judged the demo, and ben a topic of it otherwise."""
    from doxel.campaign import write_demo

    files = write_demo(folder)
    (folder / "password").write_text(_PASSWORD)
    place = ("--database", folder / "assess.sqlite")
    qrels = files.assessments["qrels"]
    own = [line for line in qrels.read_text().splitlines() if line.split()[0] == _ADJUDICATED]
    (folder / "ben.qrels").write_text("".join(f"{_shorten(line)}\n" for line in own))
    for name, source in (("anna", qrels), ("ben", folder / "ben.qrels"), ("olga", None)):
        _doxel("assess", "user", "add", name, *place, "--password-file", folder / "password")
        if source is not None:
            _doxel("assess", "import", source, "--assessor", name, "-c", files.collection, *place)
    adjudicate = ("assess", "assignment", "adjudicate", 2, 15, "--no-lock", "--assessor", "olga")
    _doxel(*adjudicate, "-c", files.collection, *place)
    command = ["assess", "serve", "--port", "0", "-c", files.collection, "-t", files.topics, *place]
    whole = [sys.executable, "-m", "doxel", *map(str, command)]
    server = subprocess.Popen(whole, stderr=subprocess.PIPE, text=True)  # noqa: S603
    if server.stderr is None:
        raise RuntimeError("a server that cannot be heard")
    found = next(filter(None, (re.search(r"serving on (http://\S+)", line) for line in server.stderr)))
    try:
        yield found.group(1)
    finally:
        server.terminate()
        server.wait()


def _take(address: str, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        page = _sign_in(browser, address, "olga", _LARGE)
        page.goto(f"{address}/assignments/16/documents/{_DISPUTED}")
        page.locator("#differences li").first.wait_for()
        page.keyboard.press("n")
        page.locator("#said").evaluate("line => { line.textContent = ''; }")
        _picture(page, folder / "adjudicating.png")
        for name, (screen, topic, doc, words) in _PICTURES.items():
            page = _sign_in(browser, address, "anna", screen)
            page.goto(f"{address}/assignments/{topic}/documents/{doc}")
            _select(page, words)
            _picture(page, folder / f"{name}.png")
            page.context.close()
        browser.close()


def _sign_in(browser: Any, address: str, name: str, screen: dict[str, Any]) -> Any:
    page = browser.new_context(**screen, device_scale_factor=1.5).new_page()
    page.goto(f"{address}/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{address}/")
    return page


def _shorten(line: str) -> str:
    """Return a line of qrels without every second passage."""
    fields = line.split()
    return " ".join([*fields[:6], *fields[6::2]])


def _select(page: Any, words: str) -> None:
    """Reopen the document, and select a few words with the search."""
    page.wait_for_function("() => document.body.dataset.open")
    page.get_by_role("button", name="Reopen").click()
    page.keyboard.press("/")
    page.keyboard.type(words)
    for key in ("Enter", "Escape"):
        page.keyboard.press(key)
    page.locator("#near").wait_for()
    page.get_by_text("Saved").wait_for()
    page.locator("#said").evaluate("line => { line.textContent = ''; }")


def _picture(page: Any, target: Path) -> None:
    """Save the screen, with few colours."""
    from PIL import Image

    page.mouse.move(0, 0)
    page.screenshot(path=target)
    Image.open(target).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
