"""Random Markdown, generated from a known tree of blocks, and random scraps of Markdown."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from documents.shapes import sectioned

__all__ = ["known_blocks", "scraps"]

_SCRAPS = (
    *("#", "##", "# ", "\n", "\n\n", "\r\n", "\r", "- ", "* ", "1. ", "  ", "    ", "\t", "> ", ">", "```"),
    *(
        "|",
        "|-|-|",
        "| a |",
        "---",
        "===",
        "<div>",
        "<!-- ",
        "[a]: b",
        "\\",
        "`",
        "text",
        "é",
        "😀",
        "\u2028",
    ),
    *("+++", "key: value", "...", "2) ", "-", "\ufeff", "&amp;", "*", "</div>", "\u00a0", "~~~\n", "\x0c"),
)

scraps = st.lists(st.one_of(st.sampled_from(_SCRAPS), st.text(max_size=2)), max_size=60).map("".join)
"""Any text: all of it must be readable as a Markdown document."""


def _leaf(draw: st.DrawFn, number: int) -> tuple[list[str], Any]:
    kind = draw(st.sampled_from(("p", "p", "pre", "heading", "table", "hr", "html")))
    word = f"w{number}w"
    if kind == "heading":
        level = draw(st.integers(1, 6))
        if level < 3 and draw(st.booleans()):
            return [word, "=-"[level - 1] * 3], f"h{level}"
        return [f"{'#' * level} {word} 😀"], f"h{level}"
    lines = {
        "p": [f"{word} one", "two 😀"],
        "pre": ["```python", f"# {word}", "", "- no list", "```"],
        "table": [f"| {word} | b |", "|---|:-:|", "| 1 | 2 |"],
        "hr": ["***"],
        "html": [f"<div>{word}", "</div>"],
    }[kind]
    return lines, ("table", ["tr", "tr"]) if kind == "table" else kind


def _blocks(draw: st.DrawFn, depth: int, counter: list[int]) -> tuple[list[str], list[Any]]:
    """Return lines and shapes of random blocks, with a blank line between any two."""
    lines: list[str] = []
    shapes: list[Any] = []
    for _ in range(draw(st.integers(1, 4))):
        counter[0] += 1
        kind = draw(st.sampled_from(("leaf", "leaf", "ul", "ol", "blockquote"))) if depth < 3 else "leaf"
        if kind == "leaf":
            block, shape = _leaf(draw, counter[0])
        elif kind == "blockquote":
            inner, inner_shapes = _blocks(draw, depth + 1, counter)
            block, shape = [f"> {line}".rstrip() for line in inner], (kind, sectioned(inner_shapes))
        else:
            block, shape = _list(draw, depth, counter, kind)
        # without a paragraph between them two lists, or two quotes, could become one
        between = ["", f"between{counter[0]}", ""]
        lines += [*block, *between]
        shapes += [shape, "p"]
    return lines[:-1], shapes


def _list(draw: st.DrawFn, depth: int, counter: list[int], kind: str) -> tuple[list[str], Any]:
    lines: list[str] = []
    items: list[Any] = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        mark = "- " if kind == "ul" else f"{number}. "
        inner, inner_shapes = _blocks(draw, depth + 1, counter)
        indented = [" " * len(mark) + line if line else "" for line in inner]
        lines += [mark + inner[0], *indented[1:], ""]
        items.append(("li", sectioned(inner_shapes)))
    return lines[:-1], (kind, items)


@st.composite
def known_blocks(draw: st.DrawFn) -> tuple[str, Any]:
    """A source and the shape of its document."""
    lines, shapes = _blocks(draw, 0, [0])
    line_end = draw(st.sampled_from(("\n", "\r\n", "\r")))
    front = draw(st.sampled_from(([], ["---", "title: a # b", "", "tags: [x]", "---"])))
    children = [*(["metadata"] if front else []), *sectioned(shapes)]
    return line_end.join([*front, *lines]), ("document", children)
