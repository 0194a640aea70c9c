"""The command line as tests call it, and collections as tests compare them."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from doxel.cli.main import main
from doxel.documents import Collection, read_collection

__all__ = ["Outcome", "contents", "doxel", "doxel_process", "is_sentence", "write_files"]


@dataclass(frozen=True)
class Outcome:
    """What a call of the command line gave."""

    status: int
    out: str
    err: str

    @property
    def messages(self) -> list[str]:
        """The lines on stderr."""
        return self.err.splitlines()


def doxel(*arguments: object) -> Outcome:
    """Call the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as left,
    ):
        main([str(argument) for argument in arguments])
    return Outcome(int(left.value.code or 0), out.getvalue(), err.getvalue())


def doxel_process(
    *arguments: object,
    prefix: tuple[str, ...] = (),
    before: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: Any = subprocess.PIPE,
) -> Outcome:
    """Call the command line in a process of its own."""
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "doxel", *map(str, arguments)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
        text=True,
        timeout=60,
        preexec_fn=before,  # noqa: PLW1509 -- no threads are running that could hold a lock
        env={**os.environ, **(environment or {})},
    )
    return Outcome(done.returncode, done.stdout or "", done.stderr)


def is_sentence(message: str) -> bool:
    """Tell whether a line on stderr is one sentence of doxel's, not a piece of a traceback."""
    return message.startswith("doxel: ") and "Traceback" not in message and "Error(" not in message


def write_files(folder: Path, files: Mapping[str, bytes | str]) -> Path:
    """Write files below a folder and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def contents(collection: Collection | Path) -> list[dict[str, Any]]:
    """Return all that a collection holds, document by document, however it is divided into parts."""
    opened = read_collection(collection) if isinstance(collection, Path) else collection
    columns = ("doc", "source", "source_hash", "text_hash", "elements", "characters", "attributes", "breaks")
    return [
        {
            **row,
            "text": opened.text(number),
            "table": opened[row["doc"]].elements.rows(),
            "attribute rows": opened.attributes(number).rows(),
            "break rows": opened.breaks(number).rows(),
        }
        for number, row in enumerate(opened.documents.select(columns).iter_rows(named=True))
    ]
