"""The handbook as Markdown: the same words in the same order, for chunk retrieval.

Each article becomes one Markdown file with one line per paragraph.  Every character of its XML text that is
not white space is also in the Markdown, and the writer records its offset there, so that highlights in the
XML become spans of the Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from doxel.assessments.assessments import HIGHLIGHTS, JUDGED, Assessments
from doxel.errors import InputError
from doxel.files import read_bytes, write_atomically
from doxel.markup import XmlParser
from doxel.spans import Ints

__all__ = ["MarkdownArticle", "article_as_markdown", "markdown_highlights", "write_handbook_markdown"]

_AROUND = {"em": ("*", "*"), "term": ("**", "**"), "code": ("`", "`")}
_AROUND |= {"sub": ("<sub>", "</sub>"), "sup": ("<sup>", "</sup>"), "math": ("", "")}
_SPECIAL = frozenset("\\`*[]<|")
_AT_START = frozenset("-+#>=~")
_REFERENCE = re.compile(r"&#?\w+;")


@dataclass(frozen=True)
class MarkdownArticle:
    """An article as Markdown; ``places`` has the offset of each character of the XML text, -1 for none."""

    text: str
    places: Ints

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the Markdown that corresponds to a span of the XML text."""
        offsets = self.places[start:end]
        offsets = offsets[offsets >= 0]
        if not len(offsets):
            wanted = "a span that contains more than white space"
            raise InputError("span", wanted=wanted, found=f"{start} to {end}")
        return int(offsets[0]), int(offsets[-1]) + 1


def article_as_markdown(data: bytes, name: str) -> MarkdownArticle:
    """Return an article of the handbook as Markdown."""
    root = XmlParser().parse(data, name)
    etree.strip_tags(root, etree.Comment, etree.ProcessingInstruction)
    writer = _Writer()
    _Article(writer, name).block(root, 1)
    return MarkdownArticle("".join(writer.pieces) + "\n", np.array(writer.places, dtype=np.int64))


def write_handbook_markdown(source: Path, folder: Path) -> dict[str, MarkdownArticle]:
    """Write all articles of a folder as Markdown to another folder; return them by document id."""
    folder.mkdir(parents=True, exist_ok=True)
    articles = {
        path.stem: article_as_markdown(read_bytes(path), str(path)) for path in sorted(source.glob("*.xml"))
    }
    for doc, article in articles.items():
        with write_atomically(folder / f"{doc}.md") as stream:
            stream.write(article.text.encode())
    return articles


def markdown_highlights(assessments: Assessments, articles: Mapping[str, MarkdownArticle]) -> Assessments:
    """Return the highlights of the XML articles as spans of their Markdown."""
    rows = [
        {
            **row,
            **dict(zip(("start", "end"), articles[row["doc"]].span(row["start"], row["end"]), strict=True)),
        }
        for row in assessments.highlights.select("topic", "doc", "start", "end").to_dicts()
    ]
    judged = assessments.judged.select("topic", "doc")
    return Assessments(scale="2006", judged=JUDGED.fit(judged), highlights=HIGHLIGHTS.from_rows(rows))


class _Writer:
    """Writes blocks one after another and records the offset of every character of the article."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: list[int] = []
        self.prefix = ""  # of every line
        self._at = 0
        self._is_fresh = True  # nothing written yet in this document, or after the mark of an item
        self._is_line_start = True
        self._owes_space = False

    def mark(self, text: str) -> None:
        """Write Markdown syntax that is not text of the article."""
        if text:
            if self._owes_space and not text.startswith("\n"):
                self._owes_space = False
                self._put(" ")
            self._put(text)

    def begin(self, mark: str = "", *, tight: bool = False) -> None:
        """Begin a block after a blank line, or on the next line if ``tight``, unless one has just begun."""
        if not self._is_fresh:
            self._put("\n" if tight else f"\n{self.prefix.rstrip()}\n")
            self._put(self.prefix)
        self._owes_space = False
        self._put(mark)
        self._is_fresh = False
        self._is_line_start = True

    def hold(self, prefix: str, mark: str | None = None) -> Callable[[], None]:
        """Begin a block that contains blocks, and return the function that ends it.

        Its lines begin with ``prefix``, the first one with ``mark``.
        """
        before = self.prefix
        self.begin(prefix if mark is None else mark)
        self.prefix += prefix
        self._is_fresh = True

        def end() -> None:
            self.prefix = before
            self._is_fresh = False

        return end

    def text(self, text: str | None, *, raw: bool = False) -> None:
        """Write text of the article, with white space collapsed; ``raw`` for code, without escapes."""
        for number, character in enumerate(text or ""):
            if character.isspace():
                self.places.append(-1)
                self._owes_space = not self._is_line_start
                continue
            if self._owes_space:
                self._put(" ")
                self._owes_space = False
            if not raw and self._needs_escape(text or "", number):
                self._put("\\")
            self.places.append(self._at)
            self._put(character)
            self._is_line_start = False

    def skip(self, text: str | None) -> None:
        """Skip the white space between blocks."""
        if (text or "").strip():
            raise InputError("text between blocks", wanted="white space", found=repr(text))
        self.places.extend([-1] * len(text or ""))

    def _needs_escape(self, text: str, number: int) -> bool:
        character = text[number]
        if character == "_":  # inside a word it needs no escape
            return not (text[number - 1 : number].isalnum() and text[number + 1 : number + 2].isalnum())
        if character == "&":
            return _REFERENCE.match(text, number) is not None
        return character in _SPECIAL or (self._is_line_start and character in _AT_START)

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self._at += len(text)


class _Article:
    """Visits the elements of an article in order."""

    def __init__(self, writer: _Writer, name: str) -> None:
        self._to, self._name = writer, name

    def block(self, node: Any, level: int) -> None:
        """Write a block element."""
        write = getattr(self, f"_{node.tag.replace('-', '_')}", None)
        if write is None:
            wanted = "an element that has a form in Markdown"
            raise InputError("article", file=self._name, line=node.sourceline, wanted=wanted, found=node.tag)
        write(node, level)

    def _blocks(self, node: Any, level: int) -> None:
        self._to.skip(node.text)
        for child in node:
            self.block(child, level)
            self._to.skip(child.tail)

    _article = _head = _body = _back = _blocks

    def _section(self, node: Any, level: int) -> None:
        self._blocks(node, level + 1)

    def _title(self, node: Any, level: int) -> None:
        self._paragraph(node, f"{'#' * min(level, 6)} ")

    def _p(self, node: Any, _level: int) -> None:
        self._paragraph(node)

    _summary = _p

    def _keywords(self, node: Any, _level: int) -> None:
        self._to.begin("Keywords: ")
        self._to.skip(node.text)
        for number, keyword in enumerate(node):
            self._to.mark(", " if number else "")
            self._inline(keyword)
            self._to.skip(keyword.tail)

    def _formula(self, node: Any, _level: int) -> None:
        self._to.begin("```text")
        self._to.begin(tight=True)
        self._inline(node, raw=True)
        self._to.begin("```", tight=True)

    _figure_text = _formula

    def _note(self, node: Any, _level: int) -> None:
        end = self._to.hold("> ")
        self._paragraph(node, "**Note.** ")
        end()

    def _quote(self, node: Any, level: int) -> None:
        end = self._to.hold("> ")
        self._blocks(node, level)
        end()

    def _source(self, node: Any, _level: int) -> None:
        self._paragraph(node, "— ")

    def _example(self, node: Any, level: int) -> None:
        self._to.skip(node.text)
        for child in node:
            if child.tag == "title":
                self._paragraph(child, "**Example.** ")
            else:
                self.block(child, level)
            self._to.skip(child.tail)

    def _list(self, node: Any, level: int) -> None:
        is_tight = not any(child.tag in {"p", "list"} for item in node for child in item)
        self._to.skip(node.text)
        for number, item in enumerate(node, 1):
            mark = f"{number}. " if node.get("type") == "number" else "- "
            self._item(item, mark, level, tight=is_tight and number > 1)
            self._to.skip(item.tail)

    def _references(self, node: Any, level: int) -> None:
        self._to.begin(f"{'#' * 2} References")
        self._list(node, level)

    def _item(self, node: Any, mark: str, level: int, *, tight: bool) -> None:
        if tight:
            self._to.begin(mark, tight=True)
            self._inline(node)
            return
        end = self._to.hold(" " * len(mark), mark)
        if len(node) and node[0].tag == "p":
            self._blocks(node, level)
        else:
            nested = [child for child in node if child.tag == "list"]
            self._to.begin()
            self._inline(node, blocks=nested, level=level)
        end()

    def _table(self, node: Any, _level: int) -> None:
        self._to.skip(node.text)
        head = True
        for child in node:
            if child.tag == "caption":
                self._paragraph(child, "**Table.** ")
            else:
                self._to.begin("| ", tight=not head)
                self._row(child)
                if head:
                    self._to.begin("|" + " --- |" * len(child), tight=True)
                head = False
            self._to.skip(child.tail)

    def _row(self, node: Any) -> None:
        self._to.skip(node.text)
        for number, cell in enumerate(node):
            self._to.mark(" | " if number else "")
            self._inline(cell)
            self._to.skip(cell.tail)
        self._to.mark(" |")

    def _paragraph(self, node: Any, mark: str = "") -> None:
        self._to.begin(mark)
        self._inline(node)

    def _inline(self, node: Any, *, raw: bool = False, blocks: Any = (), level: int = 0) -> None:
        """Write mixed content; ``blocks`` are its children that are written as blocks."""
        self._to.text(node.text, raw=raw)
        for child in node:
            if child in blocks:
                self.block(child, level)
                self._to.skip(child.tail)
                continue
            before, after = ("", "") if raw else self._around(child)
            self._to.mark(before)
            self._inline(child, raw=raw or child.tag == "code")
            self._to.mark(after)
            self._to.text(child.tail, raw=raw)

    def _around(self, node: Any) -> tuple[str, str]:
        if node.tag == "link":
            return "[", f"]({node.get('ref')}.md)"
        if node.tag == "cite":
            return "", ""
        return _AROUND[node.tag]
