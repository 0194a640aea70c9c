"""The handbook as pages: the articles that ship with the package, rendered from their one source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from doxel.markup import XmlParser
from pagemaker.escaping import anchor, element, text
from pagemaker.markdown import Heading
from pagemaker.template import Page

__all__ = ["PARTS", "Article", "articles", "pages"]

# The order in which to read; an article that no part lists, or the other way round, is an error.
PARTS = {
    "Foundations": [
        "inex-history",
        "focused-retrieval",
        "retrieval-tasks",
        "topics-and-nexi",
        "structural-hints",
        "relevance-dimensions",
        "highlighting",
        "best-entry-points",
        "quantisation",
        "too-small-elements",
        "full-recall-base",
        "ideal-recall-base",
        "overlap",
        "near-misses",
        "text-positions",
    ],
    "Measures": [
        "expected-search-length",
        "inex-eval",
        "inex-eval-ng",
        "xcg-gain",
        "cumulated-gain",
        "effort-precision",
        "hixeval",
        "interpolated-precision",
        "generalised-precision",
        "best-in-context",
        "tolerance-to-irrelevance",
        "user-models",
        "generalised-recall",
        "expected-precision-recall",
        "structural-relevance",
        "fetch-and-browse",
    ],
    "Practice": [
        "pooling",
        "assessment-procedure",
        "assessor-agreement",
        "significance-testing",
        "multiple-comparisons",
        "rank-correlation",
        "reading-curves",
        "averaging-topics",
        "ties-and-order",
        "chunk-retrieval",
        "chunking-ceilings",
        "span-measures",
        "stereotypical-systems",
        "choosing-a-measure",
        "runs-and-validity",
        "measuring-measures",
        "restricted-reading",
    ],
}
_ABOUT = {
    "Foundations": "What is retrieved, what is judged, and what there is to find.",
    "Measures": "Each family of measures: what it rewards, a worked example, where it misleads.",
    "Practice": "Pools and assessors, significance and curves, chunks, and how to choose.",
}


@dataclass(frozen=True)
class Article:
    """An article, parsed."""

    slug: str
    root: Any

    @property
    def title(self) -> str:
        """The title as plain text."""
        return _words(self.root.find("head/title"))

    @property
    def summary(self) -> str:
        """The summary as plain text."""
        return _words(self.root.find("head/summary"))


def _words(node: Any) -> str:
    return " ".join("".join(node.itertext()).split())


def articles() -> dict[str, Article]:
    """Return all articles of the package, in the order of the parts."""
    parser = XmlParser()
    found = {
        path.name.removesuffix(".xml"): parser.parse(path.read_bytes(), path.name)
        for path in (files("doxel") / "data" / "handbook").iterdir()
        if path.name.endswith(".xml")
    }
    listed = [slug for slugs in PARTS.values() for slug in slugs]
    if set(listed) != set(found):
        raise ValueError(f"parts and articles differ in {', '.join(sorted(set(listed) ^ set(found)))}")
    return {slug: Article(slug, found[slug]) for slug in listed}


def pages() -> list[Page]:
    """Return the contents and all articles."""
    known = articles()
    order = list(known.values())
    made = [_contents(known)]
    for place, article in enumerate(order):
        before = order[place - 1] if place else None
        after = order[place + 1] if place + 1 < len(order) else None
        writer = _Writer(article, known)
        made.append(
            Page(
                path=f"handbook/{article.slug}.html",
                title=article.title,
                body=writer.body(),
                headings=writer.headings,
                previous=_neighbour(before),
                next=_neighbour(after),
            )
        )
    return made


def _neighbour(article: Article | None) -> tuple[str, str] | None:
    return None if article is None else (f"handbook/{article.slug}.html", article.title)


def _contents(known: dict[str, Article]) -> Page:
    pieces = [
        element("h1", "A handbook of structured retrieval evaluation"),
        element(
            "p",
            f"{len(known)} articles on how to measure a search system that returns parts of documents. They "
            "are also a small test collection: doxel ships with them as XML, and its demo searches them.",
            class_="summary",
        ),
    ]
    headings = []
    for part, slugs in PARTS.items():
        headings.append(Heading(2, anchor(part), text(part)))
        items = [
            element(
                "li",
                element("a", text(known[slug].title), href=f"{slug}.html")
                + element("p", text(known[slug].summary)),
            )
            for slug in slugs
        ]
        pieces += [
            element("h2", text(part), id=anchor(part)),
            element("p", text(_ABOUT[part])),
            element("ul", "\n".join(items), class_="articles"),
        ]
    first = known[PARTS["Foundations"][0]]
    return Page("handbook/index.html", "Handbook", "\n".join(pieces), headings, next=_neighbour(first))


@dataclass
class _Writer:
    """Writes one article; anchors are given out once each."""

    article: Article
    known: dict[str, Article]
    headings: list[Heading] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def body(self) -> str:
        """Return the article as HTML."""
        root = self.article.root
        self.taken |= {"content", *(f"ref-{one.get('id')}" for one in root.iter("reference"))}
        keywords = "".join(element("li", self.inline(one)) for one in root.iter("keyword"))
        pieces = [
            element("h1", self.inline(root.find("head/title"))),
            element("p", self.inline(root.find("head/summary")), class_="summary"),
            element("ul", keywords, class_="keywords", aria_label="Keywords"),
            *(self.section(one, 2) for one in root.find("body").iterchildren("section")),
            self.references(),
        ]
        return "\n".join(piece for piece in pieces if piece)

    def section(self, node: Any, level: int) -> str:
        """Return a section with its heading, and the sections in it one level deeper."""
        title = node.find("title")
        name = self._anchor(node.get("id") or anchor(_words(title)))
        words = self.inline(title)
        self.headings.append(Heading(level, name, words))
        pieces = [element(f"h{min(level, 6)}", words, id=name)]
        for child in _elements(node):
            if child.tag == "section":
                pieces.append(self.section(child, level + 1))
            elif child is not title:
                pieces.append(self.block(child))
        return "\n".join(pieces)

    def _anchor(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}-{number}"
        self.taken.add(name)
        return name

    def block(self, node: Any) -> str:
        """Return a block element."""
        writers: dict[str, Callable[[Any], str]] = {
            "p": lambda one: element("p", self.inline(one)),
            "list": self._list,
            "table": self._table,
            "formula": lambda one: element("div", _subscripts(self.inline(one)), class_="formula"),
            "example": self._example,
            "note": lambda one: element("aside", self._mixed(one), class_="note"),
            "quote": self._quote,
            "figure-text": lambda one: element("figure", element("p", self.inline(one)), class_="text"),
        }
        if node.tag not in writers:
            raise ValueError(f"{self.article.slug}, line {node.sourceline}: no way to show <{node.tag}>")
        return writers[node.tag](node)

    def _mixed(self, node: Any) -> str:
        """Return what holds either blocks or inline content."""
        if any(child.tag in {"p", "list"} for child in _elements(node)):
            loose = element("p", text(node.text.strip())) if node.text and node.text.strip() else ""
            return loose + "".join(self.block(child) for child in _elements(node))
        return element("p", self.inline(node))

    def _list(self, node: Any) -> str:
        items = [element("li", self._item(item)) for item in node.iterchildren("item")]
        return element("ol" if node.get("type") == "number" else "ul", "\n".join(items))

    def _item(self, node: Any) -> str:
        """Return an item: inline content, paragraphs, or inline content and then a list."""
        inner = [child for child in _elements(node) if child.tag in {"p", "list"}]
        if any(child.tag == "p" for child in inner):
            return self._mixed(node)
        return self.inline(node, without={"list"}) + "".join(self.block(child) for child in inner)

    def _table(self, node: Any) -> str:
        caption = node.find("caption")
        rows = list(node.iterchildren("row"))
        head = rows[:1] if rows and all(cell.tag == "hcell" for cell in _elements(rows[0])) else []
        said = "" if caption is None else element("caption", self.inline(caption))
        top = element("thead", self._rows(head, "col")) if head else ""
        body = element("tbody", self._rows(rows[len(head) :], "row"))
        return element("div", element("table", f"{said}{top}\n{body}"), class_="scroll", tabindex="0")

    def _rows(self, rows: Iterable[Any], scope: str) -> str:
        return "\n".join(
            element(
                "tr",
                "".join(
                    element("th", self.inline(cell), scope=scope)
                    if cell.tag == "hcell"
                    else element("td", self.inline(cell))
                    for cell in _elements(row)
                ),
            )
            for row in rows
        )

    def _example(self, node: Any) -> str:
        title = node.find("title")
        name = element("p", self.inline(title), class_="name") if title is not None else ""
        inside = [self.block(child) for child in _elements(node) if child is not title]
        return element("div", "\n".join([name, *inside]), class_="example")

    def _quote(self, node: Any) -> str:
        source = node.find("source")
        said = [self.block(child) for child in _elements(node) if child is not source]
        footer = element("footer", self.inline(source)) if source is not None else ""
        return element("blockquote", "\n".join([*said, footer]))

    def inline(self, node: Any, without: Iterable[str] = ()) -> str:
        """Return text with its inline elements; comments and instructions leave nothing."""
        pieces = [text(node.text or "")]
        for child in node:
            if isinstance(child.tag, str) and child.tag not in without:
                pieces.append(self._inline_element(child))
            pieces.append(text(child.tail or ""))
        return "".join(pieces)

    def _inline_element(self, node: Any) -> str:
        plain = {"em": "em", "term": "dfn", "code": "code", "sub": "sub", "sup": "sup"}
        if node.tag in plain:
            return element(plain[node.tag], self.inline(node))
        if node.tag == "math":
            return element("span", _subscripts(self.inline(node)), class_="math")
        if node.tag == "link":
            target = node.get("ref")
            if target not in self.known:
                raise ValueError(f"{self.article.slug}, line {node.sourceline}: no article {target!r}")
            return element("a", self.inline(node) or text(self.known[target].title), href=f"{target}.html")
        if node.tag == "cite":
            return self._cite(node)
        raise ValueError(f"{self.article.slug}, line {node.sourceline}: no way to show <{node.tag}>")

    def _cite(self, node: Any) -> str:
        names = [one.get("id") for one in self.article.root.iter("reference")]
        if node.get("ref") not in names:
            raise ValueError(f"{self.article.slug}, line {node.sourceline}: no reference {node.get('ref')!r}")
        words = self.inline(node) or f"[{names.index(node.get('ref')) + 1}]"
        return element("a", words, href=f"#ref-{node.get('ref')}")

    def references(self) -> str:
        """Return the list of references, nothing where there is none."""
        items = [
            element("li", self.inline(one), id=f"ref-{one.get('id')}")
            for one in self.article.root.iter("reference")
        ]
        if not items:
            return ""
        name = self._anchor("references")
        self.headings.append(Heading(2, name, "References"))
        return element("h2", "References", id=name) + element("ol", "\n".join(items), class_="references")


def _subscripts(formula: str) -> str:
    """Lower the index of a letter; names such as char_rec have more letters before the line.

    >>> _subscripts("size(e_i) of char_rec")
    'size(e<sub>i</sub>) of char_rec'
    """
    return re.sub(r"\b([A-Za-z])_([A-Za-z0-9])\b", r"\1<sub>\2</sub>", formula)


def _elements(node: Any) -> list[Any]:
    return [child for child in node if isinstance(child.tag, str)]
