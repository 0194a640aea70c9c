"""Markdown pages as HTML, with anchors, links between pages, named files and pictures in place."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pagemaker.escaping import anchor, element, text
from pagemaker.fences import Fence

__all__ = ["Heading", "Rendered", "render"]

# Pages that stand above the folder of the documentation, and where they are built.
ABOVE = {"CHANGELOG.md": "changelog.html", "CONTRIBUTING.md": "contributing.html"}


@dataclass(frozen=True)
class Heading:
    """A heading of a page: its level, its anchor and its words as HTML."""

    level: int
    anchor: str
    words: str


@dataclass(frozen=True)
class Rendered:
    """A page: its title, its content as HTML, its headings below the title."""

    title: str
    body: str
    headings: list[Heading] = field(default_factory=list)


def render(source: str, *, folder: Path) -> Rendered:
    """Return a Markdown page as HTML; pictures are taken from ``folder``."""
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable("table")
    tokens = parser.parse(source)
    headings = _anchored(tokens, parser)
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs["href"] = link(str(child.attrs["href"]))
    rules: dict[str, Any] = parser.renderer.rules  # type: ignore[attr-defined]
    rules["fence"] = _fence
    rules["table_open"] = lambda *_: '<div class="scroll" tabindex="0"><table>\n'
    rules["table_close"] = lambda *_: "</table></div>\n"
    rules["image"] = lambda tokens, index, *_: _image(tokens[index], folder)
    title = next((one for one in headings if one.level == 1), Heading(1, "top", "doxel"))
    body = parser.renderer.render(tokens, parser.options, {})
    return Rendered(_plain(title.words), body, [one for one in headings if one.level > 1])


def link(target: str) -> str:
    """Return where a link of a Markdown page leads in the built pages.

    >>> link("formats.md#runs"), link("../CHANGELOG.md"), link("https://www.w3.org/a.md")
    ('formats.html#runs', 'changelog.html', 'https://www.w3.org/a.md')
    """
    page, mark, place = target.partition("#")
    if "://" in page:
        return target
    name = PurePosixPath(page).name
    if name in ABOVE:  # one folder less far up than in the sources
        page = page.removesuffix(name).removeprefix("../") + ABOVE[name]
    elif page.endswith(".md"):
        page = str(PurePosixPath(page.removeprefix("docs/")).with_suffix(".html"))
    return f"{page}{mark}{place}"


def _anchored(tokens: Sequence[Token], parser: MarkdownIt) -> list[Heading]:
    """Give every heading an anchor of its own."""
    found: list[Heading] = []
    taken: dict[str, int] = {}
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = parser.renderer.render([content], parser.options, {})
        name = anchor(_plain(words))
        taken[name] = taken.get(name, 0) + 1
        name = name if taken[name] == 1 else f"{name}-{taken[name] - 1}"
        opening.attrs["id"] = name
        found.append(Heading(int(opening.tag[1]), name, words))
    return found


def _plain(words: str) -> str:
    bare = re.sub(r"<[^>]+>", "", words)
    return bare.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def _fence(tokens: Sequence[Token], index: int, *_: Any) -> str:
    fence = Fence.of(tokens[index].info, tokens[index].content)
    code = text(fence.content)
    if fence.language == "console":
        code = re.sub(r"^\$ .*(?:\\\n.*)*", lambda typed: element("b", typed[0]), code, flags=re.MULTILINE)
    block = element("pre", element("code", code), class_=fence.language or None, tabindex="0")
    if "file" in fence.settings:
        name = element("figcaption", text(fence.settings["file"]))
        return element("figure", name + block, class_="file") + "\n"
    return f"{block}\n"


def _image(token: Token, folder: Path) -> str:
    """Put a drawing into the page, so that it follows the page's colours; a picture (.png) as it is."""
    source = str(token.attrs["src"])
    if source.endswith(".png"):
        data = base64.b64encode((folder / source).read_bytes()).decode()
        words = text(token.content)
        return f'<img class="picture" alt="{words}" src="data:image/png;base64,{data}"/>'
    if not source.endswith(".svg"):
        raise ValueError(f"only drawings (.svg) and pictures (.png) can be shown, not {source}")
    drawing = (folder / source).read_text(encoding="utf-8")
    bare = re.sub(r"^<\?xml.*?\?>\s*", "", drawing, flags=re.DOTALL).strip()
    return element("span", bare, class_="scroll drawing", tabindex="0")
