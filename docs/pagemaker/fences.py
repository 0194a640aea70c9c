"""Fenced blocks of Markdown pages: what is shown, what is run, and which file it is.

=====================================  =================================================================
```` ```console ````                   commands after ``$``, each with the output that a terminal shows
```` ```python ````                    a script; a ```` ```text ```` block right after it is its output
```` ```text file=a.run ````           a file that stands in the folder in which the others run
```` ```text file=a.run reads=run format=fol ````   the same, and what doxel takes it for
```` ```text ````                      anything else that is only shown
=====================================  =================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Command", "Fence", "commands", "fences"]

_FENCE = re.compile(
    r"^(?P<marks>`{3,})(?P<info>[^`\n]*)\n(?P<content>.*?)^(?P=marks)[ ]*$", re.MULTILINE | re.DOTALL
)
_COMMAND = re.compile(r"^\$ (?P<typed>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_STATUS = re.compile(r"\s+# exit status (\d+)$")


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language, its settings, its content, and where the content stands in the page."""

    language: str
    settings: dict[str, str]
    content: str
    start: int
    end: int

    @classmethod
    def of(cls, info: str, content: str, start: int = 0, end: int = 0) -> Fence:
        """Make a block from its info string."""
        language, *rest = info.split() or [""]
        return cls(language, dict(word.partition("=")[::2] for word in rest), content, start, end)


@dataclass(frozen=True)
class Command:
    """A command of a console block: what is typed, what is shown and where that stands, how it ends."""

    typed: str
    shown: str
    start: int
    end: int
    status: int = 0


def fences(page: str) -> list[Fence]:
    r"""Return the fenced blocks of a page.

    >>> [(one.language, one.settings, one.content) for one in fences("a\n```text file=b\nc\n```\n")]
    [('text', {'file': 'b'}, 'c\n')]
    """
    return [
        Fence.of(match["info"], match["content"], match.start("content"), match.end("content"))
        for match in _FENCE.finditer(page)
    ]


def commands(content: str) -> list[Command]:
    r"""Return the commands of a console block; a line that ends with a backslash goes on in the next.

    >>> [(one.typed, one.shown, one.status) for one in commands("$ a \\\n b # exit status 1\nout\n$ c\n")]
    [('a  b', 'out\n', 1), ('c', '', 0)]
    """
    found: list[Command] = []
    for match in _COMMAND.finditer(content):
        typed = match["typed"].replace("\\\n", "")
        status = _STATUS.search(typed)
        ends = int(status[1]) if status else 0
        found.append(
            Command(_STATUS.sub("", typed), match["shown"], match.start("shown"), match.end("shown"), ends)
        )
    return found
