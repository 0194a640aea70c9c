"""The one template of all pages: navigation, content, contents of the page, neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pagemaker.escaping import element, text
from pagemaker.markdown import Heading

__all__ = ["Page", "whole_page"]

NAVIGATION = {
    "index.html": "doxel",
    "tutorial.html": "Tutorial",
    "handbook/index.html": "Handbook",
    "measures/index.html": "Measures",
    "formats.html": "Formats",
    "commands.html": "Commands",
    "api.html": "Python",
    "architecture.html": "Architecture",
    "glossary.html": "Glossary",
}
_FEW = 3  # a page with fewer headings needs no contents


@dataclass(frozen=True)
class Page:
    """A page to be written: where, its title, its content as HTML, and what leads on from it.

    ``previous`` and ``next`` are a path and a title.
    """

    path: str
    title: str
    body: str
    headings: Sequence[Heading] = field(default_factory=list)
    previous: tuple[str, str] | None = None
    next: tuple[str, str] | None = None


def whole_page(page: Page, *, version: str) -> str:
    """Return a page as a file."""
    up = "../" * page.path.count("/")
    title = page.title if page.path == "index.html" else f"{page.title} · doxel"
    return f"""<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{text(title)}</title>
<link rel="stylesheet" href="{up}style.css"/>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header><nav aria-label="Documentation">{_navigation(page.path, up)}</nav></header>
<div class="page">
{_beside(page.headings)}
<main id="content">
{page.body.replace("</h1>", "</h1>" + _folded(page.headings), 1)}
{_neighbours(page, up)}
</main>
</div>
<footer><p>doxel {text(version)}</p></footer>
</body>
</html>
"""


def _navigation(path: str, up: str) -> str:
    here = path if path in NAVIGATION else f"{path.partition('/')[0]}/index.html"
    links = [
        element("a", text(words), href=f"{up}{target}", aria_current="page" if target == here else None)
        for target, words in NAVIGATION.items()
    ]
    return "\n".join(links)


def _beside(headings: Sequence[Heading]) -> str:
    """Return the contents of a page as they stand beside it, where the screen is wide."""
    listed = _contents(headings)
    inside = element("p", "On this page") + listed
    return element("nav", inside, class_="contents", aria_label="On this page") if listed else ""


def _folded(headings: Sequence[Heading]) -> str:
    """Return the contents of a page as they stand below its title, folded, where the screen is narrow."""
    listed = _contents(headings)
    return (
        element("details", element("summary", "On this page") + listed, class_="contents") if listed else ""
    )


def _contents(headings: Sequence[Heading]) -> str:
    shown = [heading for heading in headings if heading.level <= 3]
    if len(shown) < _FEW:
        return ""
    top = min(heading.level for heading in shown)
    items = [
        element("li", _linked(heading), class_="deeper" if heading.level > top else None) for heading in shown
    ]
    return element("ul", "".join(items))


def _linked(heading: Heading) -> str:
    return element("a", heading.words, href=f"#{heading.anchor}")


def _neighbours(page: Page, up: str) -> str:
    links: list[str] = []
    for relation, neighbour, before, after in (
        ("prev", page.previous, "← ", ""),
        ("next", page.next, "", " →"),
    ):
        if neighbour is not None:
            target, words = neighbour
            links.append(element("a", f"{before}{text(words)}{after}", href=f"{up}{target}", rel=relation))
    return element("nav", "\n".join(links), class_="neighbours", aria_label="Neighbours") if links else ""
