"""Fenced blocks of Markdown pages, by language and settings.

=====================================  =================================================================
```` ```console ````                   commands after ``$``, each with its output in a terminal
```` ```python ````                    a script; a ```` ```text ```` block directly after it is its output
```` ```text file=a.run ````           a file in the folder in which the examples run
```` ```text file=a.run reads=run format=fol ````   the same, and the type and format of the file
```` ```diff ````                      a change to the file named in its first line, ``+++ FILE``
```` ```text ````                      any other text
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
    """A fenced block: its language, its settings, its content, and the offsets of the content in the page."""

    language: str
    settings: dict[str, str]
    content: str
    start: int
    end: int

    @classmethod
    def of(cls, info: str, content: str, start: int = 0, end: int = 0) -> Fence:
        """Make a block from its info string."""
        language, *words = info.split() or [""]
        return cls(language, dict(word.partition("=")[::2] for word in words), content, start, end)


@dataclass(frozen=True)
class Command:
    """A command of a console block: its text, its output with the offsets, and its exit status."""

    typed: str
    shown: str
    start: int
    end: int
    status: int = 0


def fences(page: str) -> list[Fence]:
    r"""Return the fenced blocks of a page.

    >>> [(fence.language, fence.settings, fence.content) for fence in fences("a\n```text file=b\nc\n```\n")]
    [('text', {'file': 'b'}, 'c\n')]
    """
    return [
        Fence.of(match["info"], match["content"], match.start("content"), match.end("content"))
        for match in _FENCE.finditer(page)
    ]


def commands(content: str) -> list[Command]:
    r"""Return the commands of a console block; a backslash at the end continues a line.

    >>> [
    ...     (command.typed, command.shown, command.status)
    ...     for command in commands("$ a \\\n b # exit status 1\nout\n$ c\n")
    ... ]
    [('a  b', 'out\n', 1), ('c', '', 0)]
    """
    blocks: list[Command] = []
    for match in _COMMAND.finditer(content):
        typed = match["typed"].replace("\\\n", "")
        status = _STATUS.search(typed)
        ends = int(status[1]) if status else 0
        blocks.append(
            Command(_STATUS.sub("", typed), match["shown"], match.start("shown"), match.end("shown"), ends)
        )
    return blocks
