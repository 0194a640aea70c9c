"""An assessor at the judging page: mouse and keyboard, the page on the screen, and the server's state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from assess.site_fixtures import Site
from browser import Opened
from pages.judging.served_site import judging

__all__ = ["Judge", "judged"]

# The place of words on the screen: the text of the document is walked in reading order.
_PLACE = """
([words, occurrence]) => {
  const walker = document.createTreeWalker(document.getElementById("document"), NodeFilter.SHOW_TEXT);
  const nodes = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push([text.length, node]);
    text += node.data;
  }
  let at = -1;
  for (let count = 0; count <= occurrence; count += 1) at = text.indexOf(words, at + 1);
  if (at < 0) throw new Error(`there is no "${words}"`);
  const place = (offset) => {
    const [from, node] = nodes.findLast(([begin]) => begin <= offset);
    return [node, offset - from];
  };
  const rectangle = (offset, length) => {
    const [node, inside] = place(offset);
    const range = document.createRange();
    range.setStart(node, inside);
    range.setEnd(node, Math.min(inside + length, node.data.length));
    node.parentElement.scrollIntoView({ block: "nearest" });
    const rect = range.getBoundingClientRect();
    const isRightToLeft = getComputedStyle(node.parentElement).direction === "rtl";
    return { left: rect.left, right: rect.right, y: (rect.top + rect.bottom) / 2, isRightToLeft };
  };
  const first = String.fromCodePoint(text.codePointAt(at)).length;
  const last = Array.from(words).at(-1).length;
  return [rectangle(at, first), rectangle(at + words.length - last, last)];
}
"""


class Judge:
    """A user at the judging page of an assignment."""

    def __init__(self, opened: Opened, site: Site, assignment: int, name: str) -> None:
        self.page, self._opened = opened.page, opened
        self._site, self._assignment, self._name = site, assignment, name

    def in_tab(self, page: Any) -> Judge:
        """Return the same user in another tab."""
        return Judge(Opened(page), self._site, self._assignment, self._name)

    def forgive(self, *words: str) -> None:
        """Ignore the browser's errors about requests that fail on purpose."""
        failed = [
            complaint for complaint in self._opened.complaints if any(word in complaint for word in words)
        ]
        self._opened.complaints[:] = [
            complaint for complaint in self._opened.complaints if complaint not in failed
        ]

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def place(self, words: str, occurrence: int = 0) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where some words begin and end on the screen."""
        begin, end = self.page.evaluate(_PLACE, [words, occurrence])
        start = begin["right"] - 1 if begin["isRightToLeft"] else begin["left"] + 1
        stop = end["left"] + 1 if end["isRightToLeft"] else end["right"] - 1
        return (start, begin["y"]), (stop, end["y"])

    def caret(self, words: str, occurrence: int = 0) -> None:
        """Click before some words."""
        self.page.mouse.click(*self.place(words, occurrence)[0])

    def drag(self, words: str, until: str | None = None, occurrence: int = 0) -> None:
        """Select with the mouse, from the start of some words to their end, or to the end of others."""
        begin, end = self.place(words, occurrence)
        if until is not None:
            _, end = self.place(until)
        self.page.mouse.move(*begin)
        self.page.mouse.down()
        self.page.mouse.move((begin[0] + end[0]) / 2, end[1])
        self.page.mouse.move(*end)
        self.page.mouse.up()

    def gutter(self, path: str) -> Any:
        """Return the bracket of an element beside the text."""
        doc = self.page.evaluate("document.body.dataset.open")
        row = self._site.service.library.outline(doc).rows[path]
        return self.page.locator(f"#gutter .bracket[data-row='{row}']")

    def selected(self) -> str:
        """Return the text that is selected."""
        return self.page.evaluate("getSelection().toString()")

    def said(self, words: str) -> None:
        """Wait until the page shows a message."""
        self.page.wait_for_function(
            "words => document.getElementById('announcement').textContent.includes(words)", arg=words
        )

    def saves(self, words: str) -> None:
        """Wait until the save state shows a text."""
        self.page.wait_for_function(
            "words => document.getElementById('save').textContent.trim() === words", arg=words
        )

    def opens(self, doc: str) -> None:
        """Wait until a document is open."""
        self.page.wait_for_function("doc => document.body.dataset.open === doc", arg=doc)

    def reload(self) -> None:
        """Load the page again when all events are on the disk: until then it asks before it is left."""
        self.page.wait_for_function("() => dispatchEvent(new Event('beforeunload', { cancelable: true }))")
        self.page.reload()

    def state(self, doc: str | None = None) -> dict[str, Any]:
        """Wait until everything is saved, and return the server's state of a document."""
        self.saves("Saved")
        return self.known(doc)

    def known(self, doc: str | None = None) -> dict[str, Any]:
        """Return the server's current state of a document."""
        doc = doc or self.page.evaluate("document.body.dataset.open")
        answer = self._site.visitor(self._name).get(
            f"/api/assignments/{self._assignment}/states/{quote(doc)}"
        )
        return json.loads(answer.text)["state"]

    def lists(self, *texts: str) -> None:
        """Wait until the page lists these passages and no others."""
        self.page.wait_for_function(
            "texts => JSON.stringify([...document.querySelectorAll('#passages li .go')]"
            ".map((passage) => passage.innerText)) === JSON.stringify(texts)",
            arg=list(texts),
        )

    def texts(self, doc: str | None = None) -> list[str]:
        """Return the highlighted texts that the server has."""
        state = self.state(doc)
        doc = doc or self.page.evaluate("document.body.dataset.open")
        text = self._site.service.library.text(doc)
        return [text[start:end] for start, end in state["highlights"]]


@contextmanager
def judged(browser: Any, site: Site, doc: str, *, assignment: int = 1, **options: Any) -> Iterator[Judge]:
    """Open a document to judge it; anna does, unless another name is given."""
    with judging(browser, site, doc, assignment=assignment, **options) as opened:
        judge = Judge(opened, site, assignment, options.get("name", "anna"))
        judge.opens(doc)
        yield judge
