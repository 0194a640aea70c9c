"""Render Markdown that organisers write, such as the guidelines, as HTML that is safe to show.

Markup in the text is shown as text, and links lead to web pages only; so nothing in it can run.
"""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt

__all__ = ["render_markdown"]


@lru_cache(maxsize=8)
def render_markdown(text: str) -> str:
    r"""Return Markdown as HTML; headings start at the second level, because a page has one title.

    >>> render_markdown("# Judge *fairly* <b>")
    '<h2>Judge <em>fairly</em> &lt;b&gt;</h2>\n'
    """
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 50}).enable("table").disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return str(parser.renderer.render(tokens, parser.options, {}))
