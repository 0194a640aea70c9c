"""The handbook: a Sphinx parser for the articles that ship with the package, and their table of contents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.parsers import Parser

from doxel.markup import XmlParser
from pagemaker import rst

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["PARTS", "ArticleWriter", "HandbookParser", "contents", "sources"]

# The reading order. Every article must be in one part.
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


_SLUGS = frozenset(slug for slugs in PARTS.values() for slug in slugs)
_INDEX = re.compile(r"\b([A-Za-z])_([A-Za-z0-9])\b")


def sources() -> dict[str, bytes]:
    """Return the XML of all articles by slug, in reading order."""
    articles = {
        path.name.removesuffix(".xml"): path.read_bytes()
        for path in (files("doxel") / "data" / "handbook").iterdir()
        if path.name.endswith(".xml")
    }
    order = [slug for slugs in PARTS.values() for slug in slugs]
    if set(order) != set(articles):
        raise ValueError(f"parts and articles differ in {', '.join(sorted(set(order) ^ set(articles)))}")
    return {slug: articles[slug] for slug in order}


def contents() -> str:
    """Return the first page of the handbook: the articles of each part, with their summaries."""
    articles = {slug: XmlParser().parse(xml, slug) for slug, xml in sources().items()}
    about = (
        f"{len(articles)} articles on how to measure a search system that returns parts of documents. They "
        "are also a small test collection: doxel ships with them as XML, and its demo searches them."
    )
    pieces = [rst.heading("Handbook of structured retrieval evaluation"), about, rst.toctree(articles)]
    for part, slugs in PARTS.items():
        pieces += [rst.heading(part, 2), _ABOUT[part]]
        pieces += [
            f":doc:`{slug}`\n   {rst.escape(plain_text(articles[slug].find('head/summary')))}"
            for slug in slugs
        ]
    return "\n\n".join(pieces) + "\n"


def plain_text(node: Any) -> str:
    """Return the text of an element without markup, white space normalised."""
    return " ".join("".join(node.itertext()).split())


class HandbookParser(Parser):
    """Parses an article of the handbook."""

    supported = ("handbook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Add the content of an article to a document."""
        slug = PurePath(document["source"]).stem
        root = XmlParser().parse(inputstring.encode(), f"{slug}.xml")
        ArticleWriter(slug, root, document).write()


class ArticleWriter:
    """Turns one article into document nodes."""

    def __init__(self, slug: str, root: Any, document: nodes.document) -> None:
        self.slug = slug
        self.root = root
        self.document = document
        self.references = [reference.get("id") for reference in root.iter("reference")]

    def write(self) -> None:
        """Add the article to the document."""
        article = self._section(self.root.find("head/title"))
        article += self._paragraph(self.root.find("head/summary"), "summary")
        keywords = ", ".join(plain_text(keyword) for keyword in self.root.iter("keyword"))
        article += nodes.paragraph("", f"Keywords: {keywords}", classes=["keywords"])
        article += [self.section(node) for node in self.root.find("body").iterchildren("section")]
        if self.references:
            article += self._reference_list()
        self.document += article

    def section(self, node: Any) -> nodes.section:
        """Return a section, with the sections in it."""
        title = node.find("title")
        section = self._section(title, node.get("id"))
        for child in _elements(node):
            if child is not title:
                section += self.section(child) if child.tag == "section" else self.block(child)
        return section

    def _section(self, title: Any, name: str | None = None) -> nodes.section:
        section = nodes.section("", nodes.title("", "", *self.inline(title)))
        section["names"] = [nodes.fully_normalize_name(plain_text(title))]
        if name:
            section["ids"] = [name]
        self.document.note_implicit_target(section)
        return section

    def block(self, node: Any) -> nodes.Node:
        """Return a block element."""
        writers: dict[str, Callable[[Any], nodes.Node]] = {
            "p": self._paragraph,
            "list": self._list,
            "table": self._table,
            "formula": lambda formula: self._paragraph(formula, "formula"),
            "example": self._example,
            "note": lambda note: nodes.note("", *self._blocks(note)),
            "quote": self._quote,
            "figure-text": lambda figure: self._paragraph(figure, "figure-text"),
        }
        if node.tag not in writers:
            raise self._error(node, f"<{node.tag}> is not supported here")
        return writers[node.tag](node)

    def _paragraph(self, node: Any, *classes: str) -> nodes.paragraph:
        return nodes.paragraph("", "", *self.inline(node), classes=list(classes))

    def _blocks(self, node: Any) -> list[nodes.Node]:
        """Return the content of an element that contains either blocks or inline content."""
        inner = [child for child in _elements(node) if child.tag in {"p", "list"}]
        if not any(child.tag == "p" for child in inner):
            before = nodes.paragraph("", "", *self.inline(node, without=inner))
            return [before, *map(self.block, inner)]
        text = (node.text or "").strip()
        return [*([nodes.paragraph("", text)] if text else []), *map(self.block, _elements(node))]

    def _list(self, node: Any) -> nodes.Node:
        items = [nodes.list_item("", *self._blocks(item)) for item in node.iterchildren("item")]
        if node.get("type") == "number":
            return nodes.enumerated_list("", *items, enumtype="arabic", prefix="", suffix=".")
        return nodes.bullet_list("", *items, bullet="-")

    def _table(self, node: Any) -> nodes.table:
        rows = list(node.iterchildren("row"))
        columns = max(len(_elements(row)) for row in rows)
        head = rows[:1] if all(cell.tag == "hcell" for cell in _elements(rows[0])) else []
        body = rows[len(head) :]
        stub = bool(body) and all(_elements(row)[0].tag == "hcell" for row in body)
        group = nodes.tgroup("", cols=columns)
        group += [
            nodes.colspec(colwidth=1, **({"stub": 1} if stub and not n else {})) for n in range(columns)
        ]
        if head:
            group += nodes.thead("", *map(self._row, head))
        group += nodes.tbody("", *map(self._row, body))
        table = nodes.table("", classes=["colwidths-auto"])
        if (caption := node.find("caption")) is not None:
            table += nodes.title("", "", *self.inline(caption))
        table += group
        return table

    def _row(self, row: Any) -> nodes.row:
        cells = [nodes.entry("", nodes.paragraph("", "", *self.inline(cell))) for cell in _elements(row)]
        return nodes.row("", *cells)

    def _example(self, node: Any) -> nodes.admonition:
        title = node.find("title")
        words = [nodes.Text("Example")] if title is None else self.inline(title)
        inside = [self.block(child) for child in _elements(node) if child is not title]
        return nodes.admonition("", nodes.title("", "", *words), *inside, classes=["example"])

    def _quote(self, node: Any) -> nodes.block_quote:
        source = node.find("source")
        quote = nodes.block_quote(
            "", *(self.block(child) for child in _elements(node) if child is not source)
        )
        if source is not None:
            quote += nodes.attribution("", "", *self.inline(source))
        return quote

    def inline(self, node: Any, without: Iterable[Any] = ()) -> list[nodes.Node]:
        """Return text with its inline elements; comments and processing instructions are dropped."""
        skipped = list(without)
        pieces = [nodes.Text(node.text or "")]
        for child in node:
            if isinstance(child.tag, str) and child not in skipped:
                pieces.append(self._inline_element(child))
            pieces.append(nodes.Text(child.tail or ""))
        if node.tag in {"formula", "math"}:
            pieces = [part for piece in pieces for part in _lower_indices(piece)]
        return [piece for piece in pieces if piece.astext()]

    def _inline_element(self, node: Any) -> nodes.Node:
        plain = {
            "em": nodes.emphasis,
            "code": nodes.literal,
            "sub": nodes.subscript,
            "sup": nodes.superscript,
        }
        if node.tag in plain:
            return plain[node.tag]("", "", *self.inline(node))
        if node.tag in {"math", "term"}:
            return nodes.inline("", "", *self.inline(node), classes=[node.tag])
        if node.tag == "link":
            return self._link(node)
        if node.tag == "cite":
            return self._cite(node)
        raise self._error(node, f"<{node.tag}> is not supported here")

    def _link(self, node: Any) -> nodes.reference:
        target, words = node.get("ref"), self.inline(node)
        if target not in _SLUGS or not words:
            raise self._error(node, f"no article {target!r}, or no text")
        return nodes.reference("", "", *words, refuri=f"{target}.html", internal=True)

    def _cite(self, node: Any) -> nodes.reference:
        name = node.get("ref")
        if name not in self.references:
            raise self._error(node, f"no reference {name!r}")
        words = self.inline(node) or [nodes.Text(f"[{self.references.index(name) + 1}]")]
        return nodes.reference("", "", *words, refid=f"ref-{name}", internal=True)

    def _reference_list(self) -> nodes.section:
        section = nodes.section("", nodes.title("", "References"), names=["references"])
        self.document.note_implicit_target(section)
        items = [
            nodes.list_item("", self._paragraph(reference), ids=[f"ref-{reference.get('id')}"])
            for reference in self.root.iter("reference")
        ]
        section += nodes.enumerated_list("", *items, enumtype="arabic", prefix="", suffix=".")
        return section

    def _error(self, node: Any, message: str) -> ValueError:
        return ValueError(f"{self.slug}, line {node.sourceline}: {message}")


def _lower_indices(piece: nodes.Node) -> Iterator[nodes.Node]:
    """Write the index of a single letter (e_i) as a subscript; longer names (char_rec) stay."""
    if not isinstance(piece, nodes.Text):
        yield piece
        return
    end = 0
    for match in _INDEX.finditer(piece):
        yield nodes.Text(piece[end : match.end(1)])
        yield nodes.subscript("", match[2])
        end = match.end()
    yield nodes.Text(piece[end:])


def _elements(node: Any) -> list[Any]:
    return [child for child in node if isinstance(child.tag, str)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the parser with Sphinx."""
    app.add_source_suffix(".xml", "handbook")
    app.add_source_parser(HandbookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
