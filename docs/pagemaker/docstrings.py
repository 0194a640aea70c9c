"""Docstrings as HTML: the little reStructuredText that this project writes.

Paragraphs, lists, ``literals``, formulas (``.. math::``), literal blocks (``::``), examples (``>>>``)
and the sections of numpydoc (``Parameters`` and the like).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from pagemaker import mathml
from pagemaker.escaping import element, text

__all__ = ["inline", "render"]

_LITERAL = re.compile(r"``(.+?)``|:\w+:`~?([^`]+)`")
_UNDERLINE = re.compile(r"-{3,}\s*$")
_LEAD = re.compile(r"^(Rewards|When it misleads|Neighbours|References?):\s")
_MATH = ".. math::"
_ENTRY = ("Parameters", "Raises", "Returns", "Yields", "Attributes")


def inline(words: str) -> str:
    """Return words with their literals.

    >>> inline("``a < b`` of :func:`~doxel.spans.merge_spans`")
    '<code>a &lt; b</code> of <code>merge</code>'
    """
    pieces: list[str] = []
    place = 0
    for match in _LITERAL.finditer(words):
        literal = match[1] if match[1] is not None else _short(match[0], match[2])
        pieces += [text(words[place : match.start()]), element("code", text(literal))]
        place = match.end()
    return "".join(pieces) + text(words[place:])


def _short(written: str, name: str) -> str:
    """Return what to show of a reference: with a tilde, only its last name."""
    return name.rpartition(".")[2] if "~" in written else name


def render(docstring: str, *, level: int = 3) -> str:
    """Return a docstring as HTML; its sections have headings of a level."""
    lines = inspect.cleandoc(docstring).split("\n")
    return "\n".join(_blocks(lines, level))


def _blocks(lines: list[str], level: int) -> Iterator[str]:
    """Yield the blocks of some lines, one after the other."""
    section = ""
    place = 0
    while place < len(lines):
        if not lines[place].strip():
            place += 1
            continue
        if place + 1 < len(lines) and _UNDERLINE.match(lines[place + 1]):
            section = lines[place].strip()
            yield element(f"h{level}", text(section), class_="section")
            place += 2
            continue
        end = _end(lines, place)
        yield _block(lines[place:end], section)
        place = end


def _end(lines: list[str], start: int) -> int:
    """Return where the block that starts here ends: at a blank line, unless what follows is indented."""
    place = start + 1
    while place < len(lines):
        if lines[place].strip():
            place += 1
            continue
        after = next((line for line in lines[place:] if line.strip()), "")
        opens = lines[place - 1].rstrip().endswith("::") and not lines[start].startswith(_MATH)
        inside_literal = lines[start].rstrip().endswith("::") and not lines[start].startswith(_MATH)
        if not (after.startswith(" ") and (opens or inside_literal)):
            return place
        place += 1
    return place


def _block(lines: list[str], section: str) -> str:
    first = lines[0]
    if first.startswith(_MATH):
        return mathml.block(" ".join([first.removeprefix(_MATH), *lines[1:]]))
    if first.startswith(">>>"):
        return element("pre", element("code", text("\n".join(lines))))
    if first.startswith(("* ", "- ")):
        return _list(lines)
    if section in _ENTRY:
        return _entries(lines)
    opening = next((place for place, line in enumerate(lines) if line.rstrip().endswith("::")), None)
    if opening is not None:
        return _literal(lines, opening)
    return _paragraph(" ".join(line.strip() for line in lines))


def _paragraph(words: str) -> str:
    lead = _LEAD.match(words)
    if lead is None:
        return element("p", inline(words))
    return element("p", element("strong", text(f"{lead[1]}:")) + " " + inline(words[lead.end() :]))


def _list(lines: list[str]) -> str:
    items: list[str] = []
    for line in lines:
        if line.startswith(("* ", "- ")):
            items.append(line[2:].strip())
        else:
            items[-1] += f" {line.strip()}"
    return element("ul", "".join(element("li", inline(item)) for item in items))


def _entries(lines: list[str]) -> str:
    """Return what a section of numpydoc lists: names, each with an indented explanation."""
    items: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith(" ") and items:
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        else:
            items.append((line.strip(), ""))
    shown = [
        element("dt", element("code", text(name))) + element("dd", inline(about.strip()))
        for name, about in items
    ]
    return element("dl", "".join(shown))


def _literal(lines: list[str], opening: int) -> str:
    """Return a paragraph that ends with two colons, and the literal block below it."""
    words = " ".join(line.strip() for line in lines[: opening + 1]).removesuffix("::").strip()
    below = inspect.cleandoc("\n" + "\n".join(lines[opening + 1 :]))
    before = element("p", inline(f"{words}:")) if words else ""
    return before + element("pre", element("code", text(below)))
