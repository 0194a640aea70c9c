"""HTML documents: their text and their elements, by the rule ``html-text-nodes``.

A document's text is the concatenation of its text nodes in document order, nothing normalised, as the
parser gives them after repairing what is broken (:class:`doxel.markup.HtmlParser`).  What is in
``script``, ``style`` and ``template`` is no text; they stay as elements without any, so that they are
counted.  Comments leave a break in the text of their parent.

Headings open ``section`` elements: from the heading to the next one of its level or above, or to the
end of the element that holds it.  Where that is a section already (``section``, ``article``,
``aside``, ``nav``), its first heading is its own and opens no other.  A ``hgroup``, and a ``div`` or
``header`` in which nothing stands beside a heading but links and the like, is taken for that heading.

The encoding is what a byte order mark says, else what a ``meta`` element declares, else UTF-8.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from doxel.documents.columns import NodeColumns
from doxel.documents.declare import Kind, Reader
from doxel.documents.encoding import decode_source
from doxel.documents.outline import Outline, section_marks
from doxel.errors import InputError
from doxel.markup import Declarations, HtmlParser

__all__ = ["HTML", "declared_encoding", "outline_of"]

_NO_TEXT = frozenset({"script", "style", "template"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SECTIONS = frozenset({"section", "article", "aside", "nav"})
_WRAPPERS = frozenset({"div", "header"})
_BESIDE_HEADING = frozenset({"a", "span", "button", "small", "img", "svg", "br"})
_ODD = re.compile(r"[^\w.-]")  # HTML allows nearly everything in a name, a path does not
_META = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEAD = 4096
# What pages that say so are in fact, as every browser knows.
_WINDOWS = frozenset({"iso8859-1", "ascii"})
# What Python knows by name beside character sets.
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
_BREAK = etree.Comment


def outline_of(root: etree._Element, name: str) -> tuple[str, Outline]:
    """Return the text of a parsed document, and its elements."""
    walk = _Walk(name)
    walk.element(root)
    return "".join(walk.texts), walk.outline


class _Walk:
    """Goes through a tree once, gathering text and elements; as deep as the parser allows."""

    def __init__(self, name: str) -> None:
        self.outline = Outline(name)
        self.texts: list[str] = []
        self._at = 0

    def element(self, node: Any, *, in_heading: bool = False) -> None:
        """Add an element; what stands in a heading opens no sections."""
        self.outline.open(_local_name(node.tag), self._at, node.items())
        if node.tag not in _NO_TEXT:
            self._text(node.text)
            self._children(node, in_heading=in_heading)
        self.outline.close(self._at)

    def _children(self, node: Any, *, in_heading: bool) -> None:
        children = list(node)
        levels = [None if in_heading else _heading_level(child) for child in children]
        own = next((n for n, level in enumerate(levels) if level), None) if node.tag in _SECTIONS else None
        begun = 0
        for child, level, (ended, begins) in zip(children, levels, section_marks(levels, own), strict=True):
            for _ in range(ended):
                self.outline.close(self._at)
            if begins:
                self.outline.open("section", self._at)
            begun += begins - ended
            if isinstance(child.tag, str):
                self.element(child, in_heading=in_heading or level is not None)
            else:
                self.outline.open(_BREAK, self._at)
                self.outline.close(self._at)
            self._text(child.tail)
        for _ in range(begun):
            self.outline.close(self._at)

    def _text(self, text: str | None) -> None:
        if text:
            self.texts.append(text)
            self._at += len(text)


def _local_name(tag: str) -> str:
    """Return a name that can stand in a path, without the prefix of a namespace."""
    return _ODD.sub("_", tag.rpartition(":")[2]) or "_"


def _heading_level(node: Any) -> int | None:
    """Return the level of a heading, or of an element that stands for one; else None."""
    if node.tag in _HEADINGS:
        return _HEADINGS[node.tag]
    if node.tag == "hgroup":
        return next((_HEADINGS[child.tag] for child in node if child.tag in _HEADINGS), None)
    if node.tag in _WRAPPERS:
        levels = [_HEADINGS[child.tag] for child in node if child.tag in _HEADINGS]
        others = all(child.tag in _HEADINGS or child.tag in _BESIDE_HEADING for child in node)
        if len(levels) == 1 and others and not any(text.strip() for text in _own_texts(node)):
            return levels[0]
    return None


def _own_texts(node: Any) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        yield child.tail or ""


def declared_encoding(data: bytes, name: str) -> str | None:
    """Return the encoding that a page declares near its beginning, as Python calls it.

    >>> declared_encoding(b'<meta charset="Latin1">', "a.html")
    'cp1252'
    """
    found = _META.search(data, 0, _HEAD)
    if found is None:
        return None
    declared = found[1].decode("ascii")
    encoding = _charset(declared)
    if encoding is None:
        line = data.count(b"\n", 0, found.start(1)) + 1
        wanted = "a known encoding of text"
        raise InputError("charset", file=name, line=line, wanted=wanted, found=repr(declared))
    # a declaration that could be read as ASCII cannot be in UTF-16: such pages are in UTF-8
    return "cp1252" if encoding in _WINDOWS else "utf-8" if encoding.startswith("utf-") else encoding


def _charset(declared: str) -> str | None:
    try:
        encoding = codecs.lookup(declared).name
        b" ".decode(encoding, "ignore")  # some turn bytes into bytes
    except (LookupError, UnicodeError):
        return None
    return None if encoding in _NO_CHARSETS else encoding


def _open(_declared: Declarations) -> Reader:
    parser = HtmlParser()

    def read(columns: NodeColumns, data: bytes, name: str) -> bytes:
        source = decode_source(data, name, declared=declared_encoding(data, name))
        text, outline = outline_of(parser.parse(source, name), name)
        outline.add_to(columns)
        return text.encode()

    return read


HTML = Kind("html", rule="html-text-nodes", suffixes=(".html", ".htm"), open=_open)
