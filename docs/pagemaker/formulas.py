r"""A Sphinx extension that writes formulas as MathML, which needs no script and no network.

``html_math_renderer = "mathml"`` selects it.  A word of several letters is one upright name (``nxCG``), a
space between two factors is kept, and ``, \quad`` starts a new line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["to_mathml"]

_NAME = re.compile(
    r"(?P<command>\\text\{[^}]*\}|\\[A-Za-z]+\s*)"
    r"|(?P<word>[A-Za-z]{2,})"
    r"|(?P<product>(?<=[\w)\]}])\s+(?=[\w(]|\\sum|\\frac|\\alpha))"
)
_NEW_LINE = re.compile(r",\s*\\quad\s*")


def to_mathml(latex: str, *, as_block: bool = False) -> str:
    """Return a formula as MathML, one element per line of the formula.

    Raises
    ------
    MathError
        The formula is not valid.

    >>> to_mathml("nxCG > 0").split()[2:]
    ['<mi>nxCG</mi>', '<mo>&gt;</mo>', '<mn>0</mn>', '</math>']
    """
    if latex.count("{") != latex.count("}"):
        raise MathError(f"unbalanced braces in {latex!r}")
    lines = _NEW_LINE.split(latex.strip()) if as_block else [latex]
    return "".join(tex2mathml(_NAME.sub(_spell_out, line), as_block=as_block) for line in lines)


def _spell_out(match: re.Match[str]) -> str:
    """Return LaTeX for an upright word, and a thin space between two factors."""
    if match["word"]:
        return rf"\mathrm{{{match['word']}}}"
    return match["command"] or r"\,"


def _visit_math(writer: Any, node: nodes.math) -> None:
    writer.body.append(to_mathml(node.astext()))
    raise nodes.SkipNode


def _visit_math_block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{to_mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
