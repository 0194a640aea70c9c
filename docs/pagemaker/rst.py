"""Pieces of reStructuredText for the generated pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["escape", "heading", "literal", "table", "toctree"]

_UNDERLINES = "=-~"


def escape(text: str) -> str:
    r"""Return plain text with all markup characters escaped.

    >>> print(escape("char_rec of |G|"))
    char\_rec of \|G\|
    """
    return re.sub(r"([\\`*_|])", r"\\\1", text)


def literal(text: str) -> str:
    """Return text as inline code."""
    return f"``{text}``"


def heading(words: str, level: int = 1) -> str:
    """Return a heading; level 1 is the title of a page.

    >>> print(heading("Sets"))
    Sets
    ====
    """
    return f"{words}\n{_UNDERLINES[level - 1] * len(words)}"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", numeric: bool = False
) -> str:
    """Return a table of cells that are inline markup; the first column heads its rows."""
    lines = [f".. list-table:: {caption}".rstrip(), "   :header-rows: 1", "   :stub-columns: 1"]
    lines += ["   :class: numbers", ""] if numeric else [""]
    for row in (header, *rows):
        lines += [f"   {'*' if column == 0 else ' '} - {cell}" for column, cell in enumerate(row)]
    return "\n".join(lines)


def toctree(pages: Iterable[str], *, caption: str = "") -> str:
    """Return a hidden toctree directive, which only feeds the navigation."""
    options = ["   :hidden:", *([f"   :caption: {caption}"] if caption else [])]
    return "\n".join([".. toctree::", *options, "", *(f"   {page}" for page in pages)])
