"""A document in a page of its own, for tests of what is on the screen: text, marks, caret, gutter, no panel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assess.pages import signed_in

__all__ = ["viewing"]

_SET_UP = """async ([doc, look]) => {
  const [{render}, {Positions}, {Painter}, {Caret}, {Gutter}] = await Promise.all(
    ['render', 'positions', 'paint', 'caret', 'gutter'].map((name) => import(`/static/view/${name}.js`)));
  const get = async (path) => (await fetch(path)).json();
  const [told, styles] = await Promise.all(
    [get(`/api/pools/1/documents/${encodeURIComponent(doc)}`), get('/api/styles')]);
  document.body.innerHTML = `<p id="before" tabindex="0">Before.</p><div id="scroller">
    <div class="sheet"><nav id="gutter" aria-label="Elements"></nav><div id="document"></div></div></div>
    <p id="after" tabindex="0">After.</p>`;
  document.body.className = 'view-test';
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`body.view-test { margin: 0 } #scroller { height: calc(100vh - 120px); overflow: auto }`);
  document.adoptedStyleSheets = [sheet];
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = '/static/view/view.css';
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
    span: () => positions.spanOf(getSelection()),
    selected: () => { const span = positions.spanOf(getSelection());
                      return span && rendered.text.slice(...span); }};
}"""


@contextmanager
def viewing(browser: Any, site: Any, doc: str, **options: Any) -> Iterator[Any]:
    """Open a document; the page then has ``view`` with all its parts, and what was ``chosen`` in the gutter."""
    with signed_in(browser, site, **options) as opened:
        opened.page.evaluate(_SET_UP, [doc, None])
        yield opened.page
