"""Take the pictures of the assessment site: the judging page, an adjudication, and all other pages."""  # noqa: INP001

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
# the pages of the demo of the site, each on a large light and a small dark screen: who sees it, and where
_TOPIC = "/topics/1/compare"
_PAGES: dict[str, tuple[str | None, str]] = {
    "sign-in": (None, "/sign-in"),
    "link-gone": (None, "/invitations/used"),
    "help": (None, "/help"),
    "home": ("anna", "/"),
    "guidelines": ("anna", "/guidelines"),
    "assignment": ("anna", "/assignments/2"),
    "finished": ("anna", "/assignments/1"),
    "forms": ("anna", "/assignments/2/forms/near-misses"),
    "before-comparing": ("anna", _TOPIC),
    "not-for-you": ("anna", "/organiser"),
    "organiser-home": ("olga", "/"),
    "progress": ("olga", "/organiser"),
    "assign": ("olga", "/organiser/assign"),
    "people": ("olga", "/organiser/users"),
    "notes": ("olga", "/organiser/notes"),
    "export": ("olga", "/organiser/export"),
    "audit": ("olga", "/organiser/audit"),
    "compare": ("olga", _TOPIC),
    "compare-document": ("olga", f"{_TOPIC}?one=anna&other=ben&doc=hixeval"),
}


def main() -> int:
    """Serve the demo, open a judged document, and take one picture per screen; then those of all pages."""
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as address:
        _take(address, DOCS / "pictures")
    with tempfile.TemporaryDirectory() as folder:
        _take_site(Path(folder), DOCS / "pictures" / "site")
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
    topic_lines = [line for line in qrels.read_text().splitlines() if line.split()[0] == _ADJUDICATED]
    (folder / "ben.qrels").write_text("".join(f"{_shorten(line)}\n" for line in topic_lines))
    for name, source in (("anna", qrels), ("ben", folder / "ben.qrels"), ("olga", None)):
        _doxel("assess", "user", "add", name, *place, "--password-file", folder / "password")
        if source is not None:
            _doxel("assess", "import", source, "--assessor", name, "-c", files.collection, *place)
    adjudicate = ("assess", "assignment", "adjudicate", 2, 15, "--no-lock", "--assessor", "olga")
    _doxel(*adjudicate, "-c", files.collection, *place)
    with _serving("serve", "-c", files.collection, "-t", files.topics, *place) as lines:
        yield _find_address(lines)


@contextmanager
def _serving(*arguments: object, folder: Path | None = None) -> Iterator[list[str]]:
    """Start a server and yield the lines that it prints until it serves."""
    command = [sys.executable, "-m", "doxel", "assess", *map(str, arguments), "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder)  # noqa: S603
    if server.stderr is None:
        raise RuntimeError("a server that cannot be heard")
    lines = [server.stderr.readline()]
    while lines[-1] and "serving on" not in lines[-1]:
        lines.append(server.stderr.readline())
    try:
        yield lines
    finally:
        server.terminate()
        server.wait()


def _find_address(lines: list[str]) -> str:
    return lines[-1].split("serving on ")[1].strip()


def _take(address: str, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        page = _sign_in(browser, address, "olga", _LARGE)
        page.goto(f"{address}/assignments/16/documents/{_DISPUTED}")
        page.locator("#differences li").first.wait_for()
        page.keyboard.press("n")
        page.locator("#announcement").evaluate("line => { line.textContent = ''; }")
        _picture(page, folder / "adjudicating.png")
        for name, (screen, topic, doc, words) in _PICTURES.items():
            page = _sign_in(browser, address, "anna", screen)
            page.goto(f"{address}/assignments/{topic}/documents/{doc}")
            _select(page, words)
            _picture(page, folder / f"{name}.png")
            page.context.close()
        browser.close()


def _take_site(folder: Path, target: Path) -> None:
    """Take the pictures of all pages: those of the demo, and those of an empty server."""
    from playwright.sync_api import sync_playwright

    target.mkdir(exist_ok=True, parents=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        with _serving("demo", "--no-open", "-o", folder / "demo") as lines:
            passwords = dict(re.findall(r"sign in as (\w+) .* password (\S+)", "".join(lines)))
            _take_demo(browser, _find_address(lines), passwords, target)
        with _serving("serve", "--database", "new.sqlite", folder=folder / "demo") as lines:
            (first,) = re.findall(r"http://\S+/set-up/\S+", "".join(lines))
            _take_new(browser, first, _find_address(lines), target)
        browser.close()


def _take_demo(browser: Any, address: str, passwords: dict[str, str], target: Path) -> None:
    pages = {None: browser.new_context().new_page()}
    for name, password in passwords.items():
        pages[name] = _sign_in(browser, address, name, {}, password)
    _write_notes(pages["anna"], address)
    for name, (name_of_user, path) in _PAGES.items():
        pages[name_of_user].goto(f"{address}{path}")
        _take_both(pages[name_of_user], target / f"{name}.png")
    olga = pages["olga"]
    olga.goto(f"{address}/organiser/assign")
    olga.get_by_role("button", name="Preview").click()
    _take_both(olga, target / "preview.png")
    olga.goto(f"{address}/organiser/users")
    olga.get_by_label("Name").first.fill("carl")
    olga.get_by_role("button", name="Invite by link").click()
    link = olga.get_by_label("Link for carl").input_value()
    _take_both(olga, target / "link.png")
    olga.goto(f"{address}/organiser/users")
    olga.get_by_label("Change carl").click()
    _take_both(olga, target / "removing.png")
    pages[None].goto(link)
    _take_both(pages[None], target / "invitation.png")
    _assign_topic(olga, address)
    olga.goto(f"{address}{_TOPIC}")
    _take_both(olga, target / "agreement.png")


def _assign_topic(page: Any, address: str) -> None:
    """Give topic 1 to a third person, so that the agreement of more than two is shown."""
    page.goto(f"{address}/organiser/assign?topic=1")
    page.get_by_label("Whole topics").check()
    page.get_by_label("Overlap: people per document").fill("3")
    for name in ("anna", "ben", "carl", "olga"):
        page.locator(f"input[name=person][value={name}]").set_checked(name != "carl")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Assign as shown").click()
    page.get_by_text("The work is distributed").wait_for()


def _write_notes(page: Any, address: str) -> None:
    """Write two notes with the plain forms, and flag one of the documents."""
    notes = {
        "near-misses": "Does a worked example without an explanation count?",
        "inex-eval": "Read twice; the last section is on another topic.",
    }
    for doc, text in notes.items():
        page.goto(f"{address}/assignments/2/forms/{doc}")
        page.get_by_label("note", exact=True).fill(text)
        page.get_by_role("button", name="Save the note").click()
    page.get_by_role("button", name="Flag for the organisers").click()


def _take_new(browser: Any, first: str, address: str, target: Path) -> None:
    """Take the pictures of an empty server, with an error at its form."""
    page = browser.new_context().new_page()
    page.goto(first)
    _take_both(page, target / "first-visit.png")
    page.get_by_label("Your name").fill("olga")
    page.get_by_label("A password").fill(_PASSWORD)
    page.get_by_role("button", name="Become the organiser").click()
    page.wait_for_url(f"{address}/organiser/campaign")
    page.get_by_label("The name that everybody sees").fill("Autumn")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("The name is saved.").wait_for()
    page.get_by_role("button", name="Add the topics").click()
    page.get_by_role("alert").wait_for()
    _take_both(page, target / "campaign.png")
    page.goto(f"{address}/organiser")
    _take_both(page, target / "nothing-yet.png")


def _take_both(page: Any, target: Path) -> None:
    """Save a page as seen on a large light screen, and beside it on a small dark one, with few colours."""
    from io import BytesIO

    from PIL import Image

    page.mouse.move(0, 0)
    screens = []
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 760})
        page.wait_for_load_state("networkidle")
        screens.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
    picture = Image.new("RGB", (1280 + 24 + 390, 760), "white")
    picture.paste(screens[0], (0, 0))
    picture.paste(screens[1], (1280 + 24, 0))
    small = picture.resize((picture.width * 3 // 4, picture.height * 3 // 4), Image.Resampling.LANCZOS)
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour in _choose_colours(small) for channel in colour])
    small.quantize(palette=palette, dither=Image.Dither.NONE).save(target, optimize=True)


def _choose_colours(image: Any) -> list[tuple[int, int, int]]:
    """Return the colours of a picture that are apart from each other, the most frequent first."""
    colours: list[tuple[int, int, int]] = []
    for _, colour in sorted(image.getcolors(1 << 24), reverse=True):
        least = 8 if len(colours) < 12 else 16
        if all(max(abs(a - b) for a, b in zip(colour, other, strict=True)) >= least for other in colours):
            colours.append(colour)
    return colours[:128]


def _sign_in(browser: Any, address: str, name: str, screen: dict[str, Any], password: str = _PASSWORD) -> Any:
    page = browser.new_context(**screen, device_scale_factor=1.5 if screen else 1).new_page()
    page.goto(f"{address}/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
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
    page.locator("#announcement").evaluate("line => { line.textContent = ''; }")


def _picture(page: Any, target: Path) -> None:
    """Save the screen, with few colours."""
    from PIL import Image

    page.mouse.move(0, 0)
    page.screenshot(path=target)
    Image.open(target).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
