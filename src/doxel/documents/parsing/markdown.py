"""Markdown documents, by the rule ``markdown-source``: the text is the decoded file, unchanged.

Positions are those of the source, as chunkers count them: line ends and marks such as ``#``, ``-`` and
``|`` are characters like any other.  Elements are the blocks of CommonMark and tables, named as in HTML:
``h1`` to ``h6``, ``p``, ``ul``, ``ol``, ``li``, ``pre``, ``blockquote``, ``table``, ``tr``, ``hr``;
``html`` is raw HTML, ``metadata`` the front matter; the root is ``document``.  Headings open nested
``section`` elements, in the document and in any other block that contains headings.

An element begins with its first character after the marks of the blocks around it, and ends with its
last character that is not white space; a section ends with the last line before the heading that ends it.
Paragraphs of a tight list are their items' text, as in HTML.  Text that is not a block, such as a link
definition, belongs to the element around it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from doxel.documents.parsing.node_columns import NodeColumns, OutlineBuilder, SourceKind, mark_sections
from doxel.errors import InputError, MissingExtraError
from doxel.files.budget import check_time
from doxel.files.contents import decode_source, encode_source

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["MARKDOWN", "outline_markdown"]

_DEEPEST = 100  # nested blocks; the parser silently drops deeper ones, so this reader refuses them
_TAGS = {
    "heading": None,  # the parser's own name: h1 to h6
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "table": "table",
    "tr": "tr",
    "fence": "pre",
    "code_block": "pre",
    "html_block": "html",
    "hr": "hr",
}
_HOLDERS = frozenset({"li", "blockquote"})
_LINE_END = re.compile(r"\r\n?|\n")
_SPACE = re.compile(r"[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\r\n]|\Z)[ \t]*")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_FRONT = {"---": ("---", "..."), "+++": ("+++",)}
_KEY = re.compile(r"[\w\"'][^:=]*[:=]|#|\[")


@dataclass(slots=True)
class _MarkdownBlock:
    """A block and its lines: from ``first`` to before ``last``."""

    tag: str
    first: int
    last: int
    keeps_indent: bool = False
    attributes: tuple[tuple[str, str], ...] = ()
    children: list[_MarkdownBlock] = field(default_factory=list)

    @property
    def heading(self) -> int | None:
        return int(self.tag[1]) if self.tag[0] == "h" and self.tag[1:].isdigit() else None


class _Lines:
    """The lines of a source; computes where blocks begin and end."""

    def __init__(self, text: str) -> None:
        self.text = text
        breaks = [match.span() for match in _LINE_END.finditer(text)]
        self.starts = [0, *(end for _, end in breaks)]
        self.ends = [*(start for start, _ in breaks), len(text)]

    def line(self, number: int) -> str:
        return self.text[self.starts[number] : self.ends[number]]

    def start(self, block: _MarkdownBlock, holders: Iterable[_MarkdownBlock]) -> int:
        """Return the start of a block: after the marks of the blocks around it."""
        at, stop = self.starts[block.first], self.ends[block.first]
        for holder in holders:
            mark = _QUOTE if holder.tag == "blockquote" else _ITEM if holder.first == block.first else _SPACE
            match = mark.match(self.text, at, stop)
            at = match.end() if match else at
        indent = None if block.keeps_indent else _SPACE.match(self.text, at, stop)
        return indent.end() if indent else at

    def end(self, first: int, last: int) -> int:
        """Return the end of the last line that is not blank, of the lines from first to before last."""
        last = min(last, len(self.starts))
        while last > first and not (line := self.line(last - 1).rstrip()):
            last -= 1
        return self.starts[last - 1] + len(line) if last > first else self.starts[first]


def outline_markdown(text: str, name: str) -> OutlineBuilder:
    """Return the blocks of a Markdown source as elements."""
    lines = _Lines(text)
    front = _count_front_matter_lines(lines)
    root = _MarkdownBlock("document", 0, len(lines.starts))
    if front:
        root.children.append(_MarkdownBlock("metadata", 0, front))
    content = text[lines.starts[front] :] if front < root.last else ""
    _add_blocks(root, _parse_tokens(content, name), front, name)
    outline = OutlineBuilder(name)
    outline.open(root.tag, 0)
    _emit_children(outline, lines, root, (), lines.end(0, root.last))
    outline.close(len(text))
    return outline


def _count_front_matter_lines(lines: _Lines) -> int:
    """Return the number of lines of front matter, which is between rules and begins with a key."""
    closing = _FRONT.get(lines.line(0).rstrip(), ())
    if not closing or len(lines.starts) < 3 or not _KEY.match(lines.line(1)):
        return 0
    return next((n + 1 for n in range(2, len(lines.starts)) if lines.line(n).rstrip() in closing), 0)


def _parse_tokens(text: str, name: str) -> list[Token]:
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise MissingExtraError("reading Markdown", "text") from None
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])  # only blocks carry line numbers
    began = time.monotonic()

    def check_block(*_: object) -> bool:
        """Stop before a block if the time is up; otherwise leave it to the rules that follow."""
        check_time(began, name)
        return False

    parser.block.ruler.before("table", "time", check_block)
    return parser.parse(text)


def _add_blocks(root: _MarkdownBlock, tokens: Iterable[Token], skipped: int, name: str) -> None:
    """Turn the parser's opening and closing tokens into a tree of blocks."""
    path = [root]
    for token in tokens:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind not in _TAGS or token.hidden:
            continue
        if token.nesting < 0:
            path.pop()
            continue
        first, last = (skipped + line for line in token.map or (0, 0))
        block = _MarkdownBlock(
            _TAGS[kind] or token.tag, first, last, kind == "code_block", _find_attributes(token)
        )
        if block.tag in _HOLDERS and token.level >= _DEEPEST - 1:
            wanted = f"blocks nested at most {_DEEPEST} deep"
            raise InputError("nested too deeply", file=name, line=first + 1, wanted=wanted, found="more")
        path[-1].children.append(block)
        if token.nesting > 0:
            path.append(block)


def _find_attributes(token: Token) -> tuple[tuple[str, str], ...]:
    """Return the language of a fenced block, or the first number of a numbered list if that is not 1."""
    info = token.info.split() if token.type == "fence" else []
    language = (("language", info[0]),) if info else ()
    return language + tuple((key, str(value)) for key, value in token.attrs.items() if key == "start")


def _emit_children(
    outline: OutlineBuilder,
    lines: _Lines,
    block: _MarkdownBlock,
    holders: tuple[_MarkdownBlock, ...],
    end: int,
) -> None:
    """Add the children of a block to the outline, with the sections that headings among them open."""
    inside = (*holders, block) if block.tag in _HOLDERS else holders
    open_sections = 0
    marks = mark_sections(child.heading for child in block.children)
    for child, (endings, begins) in zip(block.children, marks, strict=True):
        for _ in range(endings):
            outline.close(lines.end(block.first, child.first))
        start = lines.start(child, inside)
        if begins:
            outline.open("section", start)
        open_sections += begins - endings
        stop = lines.end(child.first, child.last)
        outline.open(child.tag, start, child.attributes)
        _emit_children(outline, lines, child, inside, stop)
        outline.close(stop)
    for _ in range(open_sections):
        outline.close(end)


def _read_markdown(columns: NodeColumns, data: bytes, name: str) -> bytes:
    text = decode_source(data, name)
    encoded = encode_source(text, name)
    outline_markdown(text, name).add_to(columns)
    return encoded


MARKDOWN = SourceKind(
    "markdown",
    rule="markdown-source",
    suffixes=(".md", ".markdown", ".mdown", ".mkd"),
    open=lambda _declared: _read_markdown,
)
