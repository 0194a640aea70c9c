"""HTML documents: their text and elements, by the rule ``html-text-nodes``.

A document's text is the concatenation of its text nodes in document order, not normalised, after the
parser has repaired broken markup (:class:`doxel.markup.HtmlParser`).  The content of ``script``,
``style`` and ``template`` is not text; they remain as elements without text, so that positions count
them.  Comments leave a break in the text of their parent.

Headings open ``section`` elements: from the heading to the next heading of its level or above, or to the
end of the element around it.  If that element is a section already (``section``, ``article``,
``aside``, ``nav``), its first heading belongs to it and opens no other section.  A ``hgroup`` counts as
its heading, and so does a ``div`` or ``header`` with nothing but a heading and elements such as links.

The encoding is given by a byte order mark, else by a ``meta`` element, else it is UTF-8.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from doxel.documents.parsing.node_columns import (
    NodeColumns,
    OutlineBuilder,
    SourceKind,
    SourceReader,
    mark_sections,
)
from doxel.errors import InputError
from doxel.files.contents import decode_source
from doxel.markup import Declarations, HtmlParser

__all__ = ["HTML", "find_declared_encoding", "outline_html"]

_NO_TEXT = frozenset({"script", "style", "template"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SECTIONS = frozenset({"section", "article", "aside", "nav"})
_WRAPPERS = frozenset({"div", "header"})
_BESIDE_HEADING = frozenset({"a", "span", "button", "small", "img", "svg", "br"})
_ODD = re.compile(r"[^\w.-]")  # allowed in HTML names, but not in paths
_META = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEAD = 4096
# Browsers read pages with these declarations as Windows-1252.
_WINDOWS = frozenset({"iso8859-1", "ascii"})
# Python codecs that are not character sets.
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})
_BREAK = etree.Comment


def outline_html(root: etree._Element, name: str) -> tuple[str, OutlineBuilder]:
    """Return the text of a parsed HTML document, and its elements."""
    walk = _HtmlWalk(name)
    walk.element(root)
    return "".join(walk.texts), walk.outline


class _HtmlWalk:
    """Walks a tree once and collects text and elements; recursive, since the parser limits the depth."""

    def __init__(self, name: str) -> None:
        self.outline = OutlineBuilder(name)
        self.texts: list[str] = []
        self._at = 0

    def element(self, node: Any, *, in_heading: bool = False) -> None:
        """Add an element; inside a heading no sections are opened."""
        self.outline.open(_make_local_name(node.tag), self._at, node.items())
        if node.tag not in _NO_TEXT:
            self._text(node.text)
            self._children(node, in_heading=in_heading)
        self.outline.close(self._at)

    def _children(self, node: Any, *, in_heading: bool) -> None:
        children = list(node)
        levels = [None if in_heading else _find_heading_level(child) for child in children]
        heading = (
            next((n for n, level in enumerate(levels) if level), None) if node.tag in _SECTIONS else None
        )
        open_sections = 0
        for child, level, (endings, begins) in zip(
            children, levels, mark_sections(levels, heading), strict=True
        ):
            for _ in range(endings):
                self.outline.close(self._at)
            if begins:
                self.outline.open("section", self._at)
            open_sections += begins - endings
            if isinstance(child.tag, str):
                self.element(child, in_heading=in_heading or level is not None)
            else:
                self.outline.open(_BREAK, self._at)
                self.outline.close(self._at)
            self._text(child.tail)
        for _ in range(open_sections):
            self.outline.close(self._at)

    def _text(self, text: str | None) -> None:
        if text:
            self.texts.append(text)
            self._at += len(text)


def _make_local_name(tag: str) -> str:
    """Return a tag as a name that paths allow, without its namespace prefix."""
    return _ODD.sub("_", tag.rpartition(":")[2]) or "_"


def _find_heading_level(node: Any) -> int | None:
    """Return the level of a heading, or of an element that counts as one; else None."""
    if node.tag in _HEADINGS:
        return _HEADINGS[node.tag]
    if node.tag == "hgroup":
        return next((_HEADINGS[child.tag] for child in node if child.tag in _HEADINGS), None)
    if node.tag in _WRAPPERS:
        levels = [_HEADINGS[child.tag] for child in node if child.tag in _HEADINGS]
        is_bare = all(child.tag in _HEADINGS or child.tag in _BESIDE_HEADING for child in node)
        if len(levels) == 1 and is_bare and not any(text.strip() for text in _iterate_own_texts(node)):
            return levels[0]
    return None


def _iterate_own_texts(node: Any) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        yield child.tail or ""


def find_declared_encoding(data: bytes, name: str) -> str | None:
    """Return the encoding that a page declares near its beginning, by Python's name for it.

    >>> find_declared_encoding(b'<meta charset="Latin1">', "a.html")
    'cp1252'
    """
    meta = _META.search(data, 0, _HEAD)
    if meta is None:
        return None
    label = meta[1].decode("ascii")
    encoding = _find_charset(label)
    if encoding is None:
        line = data.count(b"\n", 0, meta.start(1)) + 1
        wanted = "a known text encoding"
        raise InputError("charset", file=name, line=line, wanted=wanted, found=repr(label))
    # a declaration found as ASCII cannot be in UTF-16: such pages are UTF-8
    return "cp1252" if encoding in _WINDOWS else "utf-8" if encoding.startswith("utf-") else encoding


def _find_charset(label: str) -> str | None:
    try:
        encoding = codecs.lookup(label).name
        b" ".decode(encoding, "ignore")  # fails for codecs that turn bytes into bytes
    except (LookupError, UnicodeError):
        return None
    return None if encoding in _NO_CHARSETS else encoding


def _open_reader(_declared: Declarations) -> SourceReader:
    parser = HtmlParser()

    def read(columns: NodeColumns, data: bytes, name: str) -> bytes:
        source = decode_source(data, name, declared=find_declared_encoding(data, name))
        text, outline = outline_html(parser.parse(source, name), name)
        outline.add_to(columns)
        return text.encode()

    return read


HTML = SourceKind("html", rule="html-text-nodes", suffixes=(".html", ".htm"), open=_open_reader)
