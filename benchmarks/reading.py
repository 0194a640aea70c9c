"""Reading: how long an assessor waits, in a real browser, on documents of two million characters.

The time is measured from the press of a key to the end of the frame that shows the effect: a selection that
is painted as highlighted, or the next document.  The page is the real one, with a running server.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.lines import Gate, Line, unavailable
from benchmarks.longarticle import long_article
from benchmarks.measuring import UnavailableError
from benchmarks.samples import Samples
from benchmarks.serving import free_port, quick_hash, running_server

__all__ = ["measure"]

_PAINTED, _NEXT = Gate("<", 100.0), Gate("<", 1_000.0)
_PASSWORD = "a password of the benchmark"  # noqa: S105 -- of a database that is thrown away
_ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-sync", "--no-first-run"]

# Waits for a key, and for the frame in which the state of the page differs from that before the key.
_TIMED = """(what) => {
  const states = {
    highlights: () => CSS.highlights.get('judged')?.size ?? 0,
    boxes: () => [...document.querySelectorAll('.paint-judged')].map((box) => box.style.cssText).join(),
    document: () => document.querySelector('.view-text'),
  };
  globalThis.timed = new Promise((done, failed) => addEventListener('keydown', ({timeStamp}) => {
    const before = states[what]();
    setTimeout(() => failed(new Error(`${what}: nothing has changed after 20 s`)), 20_000);
    const look = () => requestAnimationFrame(() => {
      if (states[what]() === before) return look();
      const {port1, port2} = new MessageChannel();  // its message comes after the frame
      port1.onmessage = () => done(performance.now() - timeStamp);
      port2.postMessage(0);
    });
    look();
  }, {capture: true, once: true}));
}"""


def measure(samples: Samples) -> Iterator[Line]:
    """Yield the figures, with the browser's own highlights and without them."""
    is_full = samples.scale.name == "full"
    characters, documents, marks = (2_000_000, 5, 15) if is_full else (20_000, 2, 2)
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        yield unavailable("reading", "there is no chromium: 'make system' installs it", _PAINTED)
        return
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory(prefix="doxel-bench-") as name,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=program, args=_ARGUMENTS) as browser,
        _site(Path(name), characters, documents) as address,
    ):
        for way in ("highlights", "boxes"):
            yield from _measured(browser, address, way, documents, marks)


@contextmanager
def _site(folder: Path, characters: int, documents: int) -> Iterator[str]:
    """Serve some long articles, which both assessors judge."""
    from doxel.assess.assessment_setup import read_setup
    from doxel.assess.store.accounts import add_user
    from doxel.assess.store.assignments import create_assignment
    from doxel.documents import read_collection
    from doxel.documents.ingestion import ingest

    source = folder / "source"
    source.mkdir()
    for number in range(documents):
        (source / f"{number}.xml").write_text(long_article(characters, seed=number), encoding="utf-8")
    ingest(source, folder / "long.doxel")
    fingerprint = read_collection(folder / "long.doxel").fingerprint
    pool, database = folder / "pool.jsonl", str(folder / "assess.sqlite")
    pool.write_text(
        "".join(
            json.dumps({"topic": "1", "doc": str(number), "order": number + 1, "fingerprint": fingerprint})
            + "\n"
            for number in range(documents)
        )
    )
    place = read_setup(database=database, collection=str(folder / "long.doxel"), pools=[str(pool)])
    store = place.store()
    place.prepare(store, place.library())
    with store.write() as connection:
        for name in ("highlights", "boxes"):
            create_assignment(
                connection, "1", add_user(connection, name, quick_hash(_PASSWORD)), snapping="word"
            )
    store.close()
    port = free_port()
    with running_server(folder / "long.doxel", pool, database, port):
        yield f"http://127.0.0.1:{port}"


def _measured(browser: Any, address: str, way: str, documents: int, marks: int) -> Iterator[Line]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    if way == "boxes":
        context.add_init_script("delete CSS.highlights; delete globalThis.Highlight;")
    context.request.post(f"{address}/api/session", data={"name": way, "password": _PASSWORD})
    assignment = context.request.get(f"{address}/api/assignments").json()["assignments"][0]["id"]
    page = context.new_page()
    page.goto(f"{address}/assignments/{assignment}/documents/0")
    page.wait_for_selector(".view-text")
    opened = [_timed(page, "document", "]") for _ in range(1, documents)]
    sizes = page.evaluate(
        "[document.querySelector('.view-text').textContent.length, "
        "document.querySelectorAll('.view-text *').length]"
    )
    size = f"{sizes[0] / 1e6:.2f} million characters, {sizes[1]:,} elements"
    painted = [_highlighted(page, way, number / marks) for number in range(marks)]
    context.close()
    sure = os.getloadavg()[0] < 1.5 * (os.cpu_count() or 1)
    name = f"reading: selection to painted highlight ({way})"
    yield Line(name, statistics.median(painted), "ms", _PAINTED, _about(painted, size), sure)
    name = f"reading: next document ({way})"
    yield Line(name, statistics.median(opened), "ms", _NEXT, _about(opened, size), sure)


def _about(times: list[float], size: str) -> str:
    return f"median of {len(times)}, longest {max(times):.0f} ms; {size}"


def _highlighted(page: Any, way: str, share: float) -> float:
    """Go to a place in the document, select two lines, highlight them; return how long that took to see."""
    reading = page.locator("#reading")
    reading.evaluate("(node, share) => { node.scrollTop = share * node.scrollHeight }", share)
    page.wait_for_timeout(300)
    box = page.locator("#document").bounding_box()
    page.mouse.click(box["x"] + 60, 450)
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    return _timed(page, way, "h")


def _timed(page: Any, effect: str, key: str) -> float:
    from playwright.sync_api import Error as PlaywrightError

    page.evaluate(_TIMED, effect)
    page.keyboard.press(key)
    try:
        return float(page.evaluate("globalThis.timed"))
    except PlaywrightError as error:
        raise UnavailableError(str(error).splitlines()[0]) from None
