r"""The formulas of docstrings, written in a little LaTeX, as MathML: no script, and any browser shows it.

Known are words (``nxCG``), numbers, the signs of the keyboard, ``_`` and ``^`` with a letter or a group,
``\frac``, ``\text`` and the names below.  Anything else is an error, so that a formula is never shown
wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagemaker.escaping import text

__all__ = ["block"]

_TOKEN = re.compile(
    r"(?P<space>\s+)|\\(?P<name>[A-Za-z]+)|(?P<word>[A-Za-z]+)|(?P<number>\d+(?:\.\d+)?)|(?P<sign>.)"
)
_SYMBOLS = {"alpha": "α", "beta": "β", "pi": "π", "infty": "∞"}
_OPERATORS = {
    "sum": "∑",
    "prod": "∏",
    "le": "≤",
    "ge": "≥",
    "cap": "∩",
    "cup": "∪",
    "subseteq": "⊆",
    "setminus": "∖",
    "cdot": "·",
    "times": "×",
    "in": "∈",
}
_TALL = {"∑", "∏"}  # what stands below and above these, not beside them
_SIGNS = {"-": "−"}
_BRACKETS = set("()[]|")
_SEPARATE = re.compile(r",\s*\\quad\s*")

Token = tuple[str, str]


def block(latex: str) -> str:
    r"""Return formulas on lines of their own; ``, \quad`` separates one from the next.

    >>> block(r"\frac{a}{b}")
    '<div class="formula"><math display="block"><mfrac><mi>a</mi><mi>b</mi></mfrac></math></div>'
    """
    lines = [
        f'<math display="block">{_Reader(line).whole()}</math>' for line in _SEPARATE.split(latex.strip())
    ]
    return f'<div class="formula">{"".join(lines)}</div>'


def _ends_a_thing(piece: str) -> bool:
    return not piece.startswith("<mo") or piece.endswith((">)</mo>", ">]</mo>"))


def _begins_a_thing(piece: str) -> bool:
    return not piece.startswith("<mo") or piece.endswith((">(</mo>", ">[</mo>", ">∑</mo>"))


class _Reader:
    """Reads one formula from left to right."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = list(self._split())
        self.next = 0

    def _split(self) -> Iterator[Token]:
        for match in _TOKEN.finditer(self.latex):
            kind = match.lastgroup or "sign"
            yield kind, match[kind]

    def whole(self) -> str:
        """Return the formula."""
        found = self._row()
        if self.next < len(self.tokens):
            raise ValueError(f"a closing brace too many in {self.latex!r}")
        return found

    def _row(self) -> str:
        """Read up to the end, or to a closing brace; blanks show where two things stand side by side."""
        pieces: list[str] = []
        apart = False
        while self.next < len(self.tokens) and self.tokens[self.next] != ("sign", "}"):
            if self.tokens[self.next][0] == "space":
                self.next += 1
                apart = True
                continue
            piece = self._scripted()
            if apart and pieces and _ends_a_thing(pieces[-1]) and _begins_a_thing(piece):
                pieces.append('<mspace width="0.2em"/>')
            pieces.append(piece)
            apart = False
        return "".join(pieces)

    def _scripted(self) -> str:
        """Read an atom, and what hangs below or above it."""
        base = self._atom()
        hung: dict[str, str] = {}
        while self.next < len(self.tokens) and self.tokens[self.next] in {("sign", "_"), ("sign", "^")}:
            side = self.tokens[self.next][1]
            self.next += 1
            hung[side] = self._atom()
        if not hung:
            return base
        tall = any(sign in base for sign in _TALL)
        tag = ("munder" if tall else "msub") if "_" in hung else ("mover" if tall else "msup")
        if len(hung) == 2:
            tag = "munderover" if tall else "msubsup"
        return f"<{tag}>{base}{hung.get('_', '')}{hung.get('^', '')}</{tag}>"

    def _atom(self) -> str:
        kind, value = self._take()
        if kind == "name":
            return self._named(value)
        if kind == "word":
            return f"<mi>{value}</mi>"
        if kind == "number":
            return f"<mn>{value}</mn>"
        if value == "{":
            inside = self._row()
            self._close()
            return f"<mrow>{inside}</mrow>"
        fixed = ' stretchy="false"' if value in _BRACKETS else ""
        return f"<mo{fixed}>{text(_SIGNS.get(value, value))}</mo>"

    def _named(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "text":
            return f"<mtext>{text(self._verbatim())}</mtext>"
        if name == "quad":
            return '<mspace width="1em"/>'
        if name in _SYMBOLS:
            return f"<mi>{_SYMBOLS[name]}</mi>"
        if name in _OPERATORS:
            return f"<mo>{_OPERATORS[name]}</mo>"
        raise ValueError(f"no MathML for \\{name} in {self.latex!r}")

    def _argument(self) -> str:
        found = self._atom()
        inside = found.removeprefix("<mrow>").removesuffix("</mrow>")
        return inside if inside.count("<m") == 1 else found

    def _verbatim(self) -> str:
        if self._take() != ("sign", "{"):
            raise ValueError(f"no text in braces in {self.latex!r}")
        words = ""
        while (token := self._take()) != ("sign", "}"):
            words += token[1]
        return words.replace(" ", "\N{NO-BREAK SPACE}")

    def _take(self) -> Token:
        if self.next == len(self.tokens):
            raise ValueError(f"something is missing at the end of {self.latex!r}")
        self.next += 1
        return self.tokens[self.next - 1]

    def _close(self) -> None:
        if self._take() != ("sign", "}"):
            raise ValueError(f"a closing brace is missing in {self.latex!r}")
