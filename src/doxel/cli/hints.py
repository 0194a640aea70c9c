"""A second sentence after an error about a file: what the file is, where it was given for something else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from doxel.errors import DoxelError, InputError

__all__ = ["hint"]

_LARGEST = 50_000_000  # bytes that are read once more, only to say what they are
_OPTIONS = {
    "-a": "assessments",
    "--assessments": "assessments",
    "-t": "topics",
    "--topic-file": "topics",
}
_OF_RUNS = ("evaluate", "compare", "report", "check", "pool", "evalj")
_POSITIONAL = {**dict.fromkeys(_OF_RUNS, "runs"), "topics": "topics"}
_GIVEN = {
    "runs": "runs are named without an option",
    "assessments": "assessments are named with -a",
    "topics": "topics are named with -t",
}


def hint(error: DoxelError, arguments: Sequence[str]) -> str | None:
    """Return what may help after an error: None for most, and whenever nothing is certain."""
    if not isinstance(error, InputError) or error.file is None:
        return None
    path, wanted = Path(error.file), _wanted(error.file, arguments)
    try:
        if path.is_dir():
            is_run = "runs" in wanted and "directory" in error.problem
            return f"a run is a file: {path}/* names those in the folder" if is_run else None
        if not wanted or not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        found = _kinds(path)
    except (OSError, DoxelError):
        return None
    if not found or wanted <= found.keys():
        return None
    kind, name = next(iter(found.items()))
    what = "a run" if kind == "runs" else kind
    where = f"; {_GIVEN[kind]}" if arguments[0] in _OF_RUNS else ""
    return f"{path} can be read as {what} ({name}){where}"


def _wanted(file: str, arguments: Sequence[str]) -> set[str]:
    """Return what a file was given for: by the options before it, or by the command."""
    found = {
        _OPTIONS.get(before, _POSITIONAL.get(arguments[0]))
        for before, word in pairwise(arguments)
        if word == file or file.startswith(f"{word.rstrip('/')}/")
    }
    return {kind for kind in found if kind is not None}


def _kinds(path: Path) -> dict[str, str]:
    """Return as what a file can be read, from its beginning to its end."""
    from doxel.cli.convert import KINDS
    from doxel.files import read_bytes

    data = read_bytes(path)
    found: dict[str, str] = {}
    for kind in KINDS:
        chosen = kind.recognised(data)
        try:
            if chosen is not None:
                chosen.read(data, str(path))
                found[kind.name] = chosen.name
        except DoxelError:
            continue
    return found
