"""HTML from pieces: every text is escaped here, or comes from a function that did it."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["anchor", "attributes", "element", "table", "text"]


def text(words: object) -> str:
    """Return words as HTML shows them.

    >>> text('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return html.escape(str(words), quote=True)


def attributes(named: Mapping[str, str | None]) -> str:
    """Return attributes as they stand in a tag; those that are None are left out."""
    return "".join(f' {name}="{text(value)}"' for name, value in named.items() if value is not None)


def element(tag: str, content: str, /, **named: str | None) -> str:
    """Return an element around HTML; ``class_`` is its class, and an underscore a hyphen.

    >>> element("a", "here", href="x.html?a&b", class_="link")
    '<a href="x.html?a&amp;b" class="link">here</a>'
    """
    spelt = {name.rstrip("_").replace("_", "-"): value for name, value in named.items()}
    return f"<{tag}{attributes(spelt)}>{content}</{tag}>"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", numeric: bool = False
) -> str:
    """Return a table of cells that are HTML; the first column heads its rows.

    It stands in a box of its own, which scrolls where the screen is narrower than the table.
    """
    top = "".join(element("th", cell, scope="col") for cell in header)
    lines = [
        element("th", row[0], scope="row") + "".join(element("td", cell) for cell in row[1:]) for row in rows
    ]
    body = "\n".join(element("tr", line) for line in lines)
    said = element("caption", caption) if caption else ""
    inside = f"{said}<thead>{element('tr', top)}</thead>\n<tbody>\n{body}\n</tbody>"
    whole = element("table", inside, class_="numbers" if numeric else None)
    return element("div", whole, class_="scroll", tabindex="0")


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it where the heading is plain words.

    >>> anchor("What each measure requires: nxCG@10")
    'what-each-measure-requires-nxcg10'
    """
    plain = unicodedata.normalize("NFKC", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain)) or "section"
