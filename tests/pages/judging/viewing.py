"""A document alone in a page, for tests of its text, marks, caret and gutter."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PIL import Image

from doxel.assess.web.static_files import make_static_address
from pages.judging.served_site import signed_in

__all__ = ["View", "viewing"]

_SET_UP = """async (doc) => {
  const [{render}, {Positions}, {Painter}, {Caret}, {Gutter}] = await Promise.all(
    ['document_render', 'text_positions', 'highlight_paint', 'text_caret', 'element_gutter']
      .map((name) => import(`VIEW/${name}.js`)));
  const get = async (path) => (await fetch(path)).json();
  const [told, styles] = await Promise.all(
    [get(`/api/assignments/1/documents/${encodeURIComponent(doc)}`), get('/api/styles')]);
  document.body.innerHTML = `<p id="before" tabindex="0">Before.</p><div id="scroller">
    <div class="sheet"><nav id="gutter" aria-label="Elements"></nav><div id="document"></div></div></div>
    <p id="after" tabindex="0">After.</p>`;
  document.body.className = 'view-test';
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`body.view-test { margin: 0 } #scroller { height: calc(100vh - 120px); overflow: auto }`);
  document.adoptedStyleSheets = [sheet];
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = 'VIEW/view.css';
  await new Promise((done) => { link.onload = done; document.head.append(link); });
  const container = document.getElementById('document');
  const rendered = render(told, styles, container);
  const positions = new Positions(rendered);
  const painter = new Painter(rendered, positions);
  const caret = new Caret({container, positions, label: `Text of ${doc}`});
  const chosen = [];
  const gutter = new Gutter({container: document.getElementById('gutter'), rendered,
    select: (row) => chosen.push(rendered.outline.path(row))});
  globalThis.view = {told, rendered, positions, painter, caret, gutter, chosen, container,
    span: () => positions.readSpan(getSelection())};
}""".replace("VIEW", make_static_address("view"))

# Longer than places are followed that are brought into sight (FRAMES in scrolling.js).
_RESTS = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const place = () => JSON.stringify([view.rendered.root, ...view.rendered.parts.map(({node}) => node)]
    .map((node) => node.getBoundingClientRect()));
  for (let still = 0, before = ''; still < 8; still += 1) {
    await frame();
    const now = place();
    if (now !== before) still = 0;
    before = now;
  }
}"""


@contextmanager
def viewing(browser: Any, site: Any, doc: str, **options: Any) -> Iterator[View]:
    """Open a document, without the page around it; in the page, ``view`` has all its parts."""
    with signed_in(browser, site, **options) as opened:
        opened.page.evaluate(_SET_UP, doc)
        yield View(opened.page)


class View:
    """A document on the screen, with mouse and keyboard actions on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.text: str = page.evaluate("view.told.text")

    def __call__(self, script: str, argument: Any = None) -> Any:
        """Run a function in the page."""
        return self.page.evaluate(script, argument)

    def find(self, words: str) -> int:
        """Return where some words are, in code points."""
        return self.text.index(words)

    def rect(self, start: int, end: int) -> dict[str, float]:
        """Return the box of some text in one line."""
        return self(
            """([start, end]) => {
                const {x, y, width, height} = view.positions.range(start, end).getBoundingClientRect();
                return {x, y, width, height};
            }""",
            [start, end],
        )

    def edge(self, point: int, *, after: bool = True, backwards: bool = False) -> tuple[float, float]:
        """Return the place between two characters: the edge of the one after it, or of the one before."""
        box = self.rect(point, point + 1) if after else self.rect(point - 1, point)
        at_left = after != backwards
        return (box["x"] + (0.5 if at_left else box["width"] - 0.5), box["y"] + box["height"] / 2)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Select with the mouse."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=5)
        self.page.mouse.up()

    @property
    def span(self) -> list[int] | None:
        """What is selected."""
        return self("view.span()")

    @property
    def selected(self) -> str | None:
        """The words that are selected."""
        span = self.span
        return None if span is None else self.text[span[0] : span[1]]

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def settle(self) -> None:
        """Wait until all changes are on the screen."""
        self("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def rests(self) -> None:
        """Wait until the document has not moved for some frames, as after it was scrolled to a place."""
        self(_RESTS)

    def picture(self, start: int, end: int) -> Image.Image:
        """Return how some text in one line looks on the screen, and a little of what is below it."""
        self.settle()
        box = self.rect(start, end)
        left, top = round(box["x"] + 1), round(box["y"])
        width, height = round(box["x"] + box["width"] - 1) - left, round(box["height"] + 3)
        clip = {"x": left, "y": top, "width": width, "height": height}
        return Image.open(io.BytesIO(self.page.screenshot(clip=clip))).convert("RGB")
