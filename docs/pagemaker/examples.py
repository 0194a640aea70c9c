"""The examples of the pages: run them as a reader would, and compare their output with the page.

Each page has its own folder, which contains its files; its blocks run there one after the other.  Commands
get a terminal, so that they print what a reader sees, the folder ``doxel-demo`` that ``doxel demo`` writes,
and the folder ``examples``.  In the output of a page, ``...`` matches anything; blank lines and trailing
blanks are ignored.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pagemaker.fences import Fence, commands, fences

__all__ = ["Example", "examples", "matches", "refresh"]

LANGUAGES = {"bash", "console", "diff", "json", "nginx", "python", "text", "xml", "yaml"}
ROOT = Path(__file__).resolve().parents[2]
_COLUMNS = 80
_DIRECTLY_AFTER = re.compile(r"`{3,}\s*`{3,}text\s*\n")


@dataclass(frozen=True)
class Example:
    """A command or script: its code, the output on the page with its offsets, and the exit status."""

    kind: str
    code: str
    shown: str
    start: int
    end: int
    status: int = 0

    def run(self, folder: Path) -> tuple[int, str]:
        """Run the example in a folder, and return its exit status and its output."""
        if self.kind == "python":
            return _in_terminal([sys.executable, "-c", self.code], folder)
        if self.code.startswith("make "):  # make would run this test again
            dry = ["make", "--dry-run", "--directory", str(ROOT), *self.code.split()[1:]]
            return _in_terminal(dry, folder)
        return _in_terminal(["bash", "-c", self.code], folder)


def examples(page: str) -> Iterator[Fence | Example]:
    """Yield the files and examples of a page in order."""
    blocks = fences(page)
    for fence, after in zip(blocks, [*blocks[1:], None], strict=False):
        if fence.language not in LANGUAGES:
            raise ValueError(
                f"unknown language {fence.language!r}; use one of {', '.join(sorted(LANGUAGES))}"
            )
        if "file" in fence.settings:
            yield fence
        elif fence.language == "console":
            for command in commands(fence.content):
                offsets = fence.start + command.start, fence.start + command.end
                yield Example("console", command.typed, command.shown, *offsets, command.status)
        elif fence.language == "python":
            is_output = after is not None and _DIRECTLY_AFTER.fullmatch(page[fence.end : after.start])
            output = (after.content, after.start, after.end) if after and is_output else ("", 0, 0)
            yield Example("python", fence.content, *output)


def matches(shown: str, printed: str) -> bool:
    r"""Return whether an output matches the page.

    >>> matches("a ... c\n", "a  \n"), matches("a ... c", "\na b c\n"), matches("a\n...\nd", "a\nb\nc\nd\n")
    (False, True, True)
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in _lines(shown)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _lines(output: str) -> list[str]:
    return [line.rstrip() for line in output.splitlines() if line.strip()]


def place_file(fence: Fence, folder: Path) -> None:
    """Write a file of a page."""
    path = folder / fence.settings["file"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fence.content, encoding="utf-8")


def make_demo(folder: Path) -> Path:
    """Run the demo in a folder, and return the folder of its files."""
    status, output = _in_terminal(["bash", "-c", "doxel demo"], folder)
    if status:
        raise RuntimeError(f"doxel demo ended with {status}: {output}")
    return folder / "doxel-demo"


def _in_terminal(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in a plain terminal of 80 columns, and return its status and output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, _COLUMNS, 0, 0))
    tools = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}",
        "TERM": "dumb",
        "COLUMNS": str(_COLUMNS),
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
    }
    with subprocess.Popen(  # noqa: S603 -- the commands are those of our own pages
        arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        output = b"".join(_read(ours))
    os.close(ours)
    return process.returncode, output.decode("utf-8", "replace").replace("\r\n", "\n")


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 65_536)
        except OSError:  # on Linux: the other end is closed
            return
        if not data:
            return
        yield data


def refresh(pages: Iterable[Path]) -> list[Path]:
    """Run the examples of pages, write the current output into the pages, and return the changed ones.

    An output that still matches stays unchanged, with its ``...``.
    """
    changed_pages: list[Path] = []
    with tempfile.TemporaryDirectory() as place:
        demo = make_demo(Path(place))
        for number, page in enumerate(pages):
            before = page.read_text(encoding="utf-8")
            folder = Path(place) / f"page-{number}"
            folder.mkdir()
            shutil.copytree(demo, folder / "doxel-demo")
            (folder / "examples").symlink_to(ROOT / "examples")
            after = _refreshed(before, folder)
            if after != before:
                page.write_text(after, encoding="utf-8")
                changed_pages.append(page)
    return changed_pages


def _refreshed(page: str, folder: Path) -> str:
    changes: list[tuple[int, int, str]] = []
    for example in examples(page):
        if isinstance(example, Fence):
            place_file(example, folder)
            continue
        status, output = example.run(folder)
        if status != example.status:
            raise RuntimeError(f"{example.code!r} ended with {status}, not {example.status}: {output}")
        if example.shown and not matches(example.shown, output):
            changes.append((example.start, example.end, "".join(f"{line}\n" for line in _lines(output))))
    for start, end, content in reversed(changes):
        page = page[:start] + content + page[end:]
    return page
