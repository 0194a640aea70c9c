"""Count the files of doxel whose code a command runs.

``python -m tools.count_files ARGUMENTS...`` runs ``doxel ARGUMENTS`` twice in one process and profiles the
second call, when everything has been imported: what remains are the files a reader has to follow.  It prints
them in the order in which they are first entered, with the number of functions called in each.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType

import doxel
from doxel.cli.main import cli

__all__ = ["count_files"]

_SOURCE = str(Path(doxel.__file__).parent)


def count_files(arguments: list[str]) -> dict[str, int]:
    """Return the files that a command enters, and how many different functions of each."""
    entered: dict[str, set[str]] = defaultdict(set)

    def record(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(_SOURCE):
            entered[name.removeprefix(_SOURCE + "/")].add(frame.f_code.co_qualname)

    _run(arguments)
    gc.collect()
    gc.disable()  # or a generator of the code before this one may end while files are counted
    threading.setprofile(record)  # runs are read by a thread of their own
    sys.setprofile(record)
    try:
        _run(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        gc.enable()
    return {name: len(functions) for name, functions in entered.items()}


def _run(arguments: list[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        cli.main(arguments, prog_name="doxel", standalone_mode=False)


def main() -> None:
    """Print the files and functions of the command that the arguments name."""
    counts = count_files(sys.argv[1:])
    for name, functions in counts.items():
        print(f"{functions:5}  {name}")
    print(f"{len(counts)} files, {sum(counts.values())} functions")


if __name__ == "__main__":
    main()
