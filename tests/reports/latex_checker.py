"""A small LaTeX reader for tests: it finds the tables of a text and refuses what LaTeX would not compile."""

from __future__ import annotations

import re

__all__ = ["LatexError", "read_tables"]

# The commands that our tables may use, with their number of arguments.
COMMANDS = {
    "toprule": 0,
    "midrule": 0,
    "bottomrule": 0,
    "linewidth": 0,
    "footnotesize": 0,
    "dagger": 0,
    "ddagger": 0,
    "infty": 0,
    "delta": 0,
    "multicolumn": 3,
    "textbf": 1,
    "textsuperscript": 1,
    "rlap": 1,
    **dict.fromkeys(
        [f"text{name}" for name in ("backslash", "asciitilde", "asciicircum", "less", "greater", "bar")], 1
    ),
}
MATHEMATICAL = {"dagger", "ddagger", "infty", "delta"}
TOKEN = re.compile(r"\\\\|\\([A-Za-z]+)|\\([&%$#_{}])|([{}&$])|([#^_~%])|([^\\{}&$#^_~%]+)|(\\)", re.DOTALL)


class LatexError(ValueError):
    """An error that LaTeX would report."""


def read_tables(text: str) -> list[list[list[str]]]:
    """Return the tables of a text as rows of cells, as a reader sees them; refuse what does not compile."""
    text = re.sub(r"(?<!\\)%.*\n", "", text)
    pattern = r"\\begin\{tabular\}\{((?:[lrc]|@\{\})+)\}\n(.*?)\\end\{tabular\}"
    if re.sub(pattern, "", text, flags=re.DOTALL).strip():
        raise LatexError("text outside of tables, or a table that does not end")
    return [
        _read_rows(match[2], len(match[1].replace("@{}", "")))
        for match in re.finditer(pattern, text, re.DOTALL)
    ]


def _read_rows(body: str, columns: int) -> list[list[str]]:
    rows: list[list[str]] = []
    *lines, rest = re.split(r"\\\\(?=\n)", body)
    if _show(rest).strip():
        raise LatexError(f"a row without an end: {rest!r}")
    for line in lines:
        if re.match(r"\s*[\[*]", line):
            raise LatexError(f"LaTeX would read this as an argument of the line break before it: {line!r}")
        cells = _split_cells(line)
        width = sum(int(match[1]) if (match := re.search(r"\\multicolumn\{(\d+)\}", c)) else 1 for c in cells)
        if width != columns:
            raise LatexError(f"{width} cells in a table of {columns} columns: {line!r}")
        rows.append([_show(cell).strip() for cell in cells])
    return rows


def _split_cells(line: str) -> list[str]:
    """Split a row at the ampersands that are not escaped or inside braces."""
    cells, depth = [""], 0
    for match in TOKEN.finditer(line):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if match[0] == "&" and depth == 0:
            cells.append("")
        else:
            cells[-1] += match[0]
    return cells


def _show(text: str) -> str:
    """Return text as it is printed, without rules; refuse unknown commands and loose special characters."""
    pieces, depth, is_math = [], 0, False
    for match in TOKEN.finditer(text):
        command, escaped, mark, special, plain, lost = match.groups()
        if special or lost or match[0] == "\\\\":
            raise LatexError(f"{match[0]!r} is not escaped: {text!r}")
        if command is not None and command not in COMMANDS:
            raise LatexError(f"an unknown command: {match[0]}")
        if command in MATHEMATICAL and not is_math:
            raise LatexError(f"{match[0]} outside of formulas: {text!r}")
        if command is not None and COMMANDS[command] and not text[match.end() :].startswith("{"):
            raise LatexError(f"{match[0]} without its argument: {text!r}")
        is_math ^= mark == "$"
        depth += {"{": 1, "}": -1}.get(mark or "", 0)
        if depth < 0:
            raise LatexError(f"a brace too many: {text!r}")
        pieces.append(f"<{command}>" if command else escaped or plain or "")
    if depth or is_math:
        raise LatexError(f"an open brace or formula: {text!r}")
    return re.sub(r"<(toprule|midrule|bottomrule)>", "", "".join(pieces))
