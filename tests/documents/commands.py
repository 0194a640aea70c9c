"""Helpers that call the command line and compare collections."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from doxel.cli.main import main
from doxel.documents import Collection, read_collection
from doxel.files.checksums import compute_seal

__all__ = [
    "Outcome",
    "change_manifest",
    "contents",
    "doxel",
    "doxel_process",
    "is_sentence",
    "names_in",
    "remove_checksums",
    "write_files",
]


@dataclass(frozen=True)
class Outcome:
    """Exit status and output of a call of the command line."""

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
        pytest.raises(SystemExit) as caught,
    ):
        main([str(argument) for argument in arguments])
    return Outcome(int(caught.value.code or 0), out.getvalue(), err.getvalue())


def doxel_process(
    *arguments: object,
    prefix: tuple[str, ...] = (),
    before: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: Any = subprocess.PIPE,
) -> Outcome:
    """Call the command line in a separate process, with as many threads as it takes by itself.

    Under a limit that ``before`` sets, Python would keep compiled modules that are cut short.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "POLARS_MAX_THREADS"}
    cache = {"PYTHONDONTWRITEBYTECODE": "1"} if before else {}
    process = subprocess.run(
        [*prefix, sys.executable, "-m", "doxel", *map(str, arguments)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
        text=True,
        timeout=600,  # for a process that hangs; a busy machine must not fail a test
        preexec_fn=before,
        env={**inherited, **cache, **(environment or {})},
    )
    return Outcome(process.returncode, process.stdout or "", process.stderr)


def is_sentence(message: str) -> bool:
    """Return whether a line on stderr is a message of doxel, not part of a traceback."""
    return message.startswith("doxel: ") and "Traceback" not in message and "Error(" not in message


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest of a collection, and compute its checksum again if it has one."""
    path = folder / "manifest.json"
    data = json.loads(path.read_bytes())
    had_checksum = data.pop("checksum", None) is not None
    change(data)
    path.write_text(json.dumps({**data, "checksum": compute_seal(data)} if had_checksum else data))


def remove_checksums(folder: Path) -> Path:
    """Turn a collection into one of format 1, as doxel 1.x wrote it."""

    def remove(data: dict[str, Any]) -> None:
        data["format"] = 1
        for part in data["parts"]:
            del part["files"]

    change_manifest(folder, remove)
    path = folder / "manifest.json"
    data = json.loads(path.read_bytes())
    del data["checksum"], data["adopting"]
    path.write_text(json.dumps(data))
    return folder


def write_files(folder: Path, files: Mapping[str, bytes | str]) -> Path:
    """Write files below a folder and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, hidden ones included, in alphabetical order."""
    return sorted(path.name for path in folder.iterdir())


def contents(collection: Collection | Path) -> list[dict[str, Any]]:
    """Return the whole content of a collection, document by document, independent of its parts."""
    collection = read_collection(collection) if isinstance(collection, Path) else collection
    columns = ("doc", "source", "source_hash", "text_hash", "elements", "characters", "attributes", "breaks")
    documents = collection.documents.select(columns).rows(named=True)
    forest = collection.forest(range(len(documents)))
    elements = forest.frame().with_columns(
        pl.col("parent") - pl.Series(np.where(forest.parent < 0, 0, forest.first[forest.document])),
        pl.col("subtree_end") - pl.Series(forest.first[forest.document]),
    )
    return [
        {
            **document,
            "text": collection.text(number),
            "table": elements[first:end].rows(),
            "attribute rows": collection.attributes(number).rows() if document["attributes"] else [],
            "break rows": collection.breaks(number).rows() if document["breaks"] else [],
        }
        for number, (document, (first, end)) in enumerate(
            zip(documents, pairwise(forest.first.tolist()), strict=True)
        )
    ]
