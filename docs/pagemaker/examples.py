"""The examples of the pages: run as a reader would run them, and compared with what the page shows.

Each page has a folder of its own, in which its files stand and its blocks run one after the other.
Commands get a terminal, so that they print what a reader sees; the folder ``doxel-demo`` is there, as
``doxel demo`` leaves it.  In what a page shows, ``...`` stands for anything; blank lines, and blanks at the
end of a line, do not count.
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

LANGUAGES = {"console", "python", "text", "xml", "json"}
ROOT = Path(__file__).resolve().parents[2]
_COLUMNS = 80
_DIRECTLY_AFTER = re.compile(r"`{3,}\s*`{3,}text\s*\n")


@dataclass(frozen=True)
class Example:
    """One thing to run: what, what the page shows of its output and where, and how it should end."""

    kind: str
    code: str
    shown: str
    start: int
    end: int
    status: int = 0

    def run(self, folder: Path) -> tuple[int, str]:
        """Run it in a folder, and return its exit status and all that it printed."""
        if self.kind == "python":
            return _in_terminal([sys.executable, "-c", self.code], folder)
        if self.code.startswith("make "):  # a reader's make would run this very test again
            dry = ["make", "--dry-run", "--directory", str(ROOT), *self.code.split()[1:]]
            return _in_terminal(dry, folder)
        return _in_terminal(["bash", "-c", self.code], folder)


def examples(page: str) -> Iterator[Fence | Example]:
    """Yield the files and examples of a page in order."""
    blocks = fences(page)
    for fence, after in zip(blocks, [*blocks[1:], None], strict=False):
        if fence.language not in LANGUAGES:
            raise ValueError(f"a block in {fence.language!r}: wanted one of {', '.join(sorted(LANGUAGES))}")
        if "file" in fence.settings:
            yield fence
        elif fence.language == "console":
            for one in commands(fence.content):
                place = fence.start + one.start, fence.start + one.end
                yield Example("console", one.typed, one.shown, *place, one.status)
        elif fence.language == "python":
            is_output = after is not None and _DIRECTLY_AFTER.fullmatch(page[fence.end : after.start])
            shown = (after.content, after.start, after.end) if after and is_output else ("", 0, 0)
            yield Example("python", fence.content, *shown)


def matches(shown: str, printed: str) -> bool:
    r"""Tell whether what was printed is what the page shows.

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
    """Write a file that a page shows."""
    path = folder / fence.settings["file"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fence.content, encoding="utf-8")


def make_demo(folder: Path) -> Path:
    """Run the demo in a folder, and return where it left its files."""
    status, printed = _in_terminal(["bash", "-c", "doxel demo"], folder)
    if status:
        raise RuntimeError(f"doxel demo ended with {status}: {printed}")
    return folder / "doxel-demo"


def _in_terminal(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Run a command with a plain terminal of 80 columns, and return its status and what it printed."""
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
        printed = b"".join(_read(ours))
    os.close(ours)
    return process.returncode, printed.decode("utf-8", "replace").replace("\r\n", "\n")


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 65_536)
        except OSError:  # how Linux says that nobody writes any more
            return
        if not data:
            return
        yield data


def refresh(pages: Iterable[Path]) -> list[Path]:
    """Run the examples of pages and write into them what is printed now; return the pages that changed.

    An output that still matches stays as it is, with its ``...``; one that is not shown stays hidden.
    """
    changed: list[Path] = []
    with tempfile.TemporaryDirectory() as place:
        demo = make_demo(Path(place))
        for number, page in enumerate(pages):
            before = page.read_text(encoding="utf-8")
            folder = Path(place) / f"page-{number}"
            folder.mkdir()
            shutil.copytree(demo, folder / "doxel-demo")
            after = _refreshed(before, folder)
            if after != before:
                page.write_text(after, encoding="utf-8")
                changed.append(page)
    return changed


def _refreshed(page: str, folder: Path) -> str:
    changes: list[tuple[int, int, str]] = []
    for one in examples(page):
        if isinstance(one, Fence):
            place_file(one, folder)
            continue
        status, printed = one.run(folder)
        if status != one.status:
            raise RuntimeError(f"{one.code!r} ended with {status}, not {one.status}: {printed}")
        if one.shown and not matches(one.shown, printed):
            changes.append((one.start, one.end, "".join(f"{line}\n" for line in _lines(printed))))
    for start, end, content in reversed(changes):
        page = page[:start] + content + page[end:]
    return page
