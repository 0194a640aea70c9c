"""Hints after errors about files: the kind of a file that was passed as something else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from doxel.errors import DoxelError, InputError

__all__ = ["hint"]

_LARGEST = 50_000_000  # bytes; larger files are not read again for a hint
_OPTIONS = {
    "-a": "assessments",
    "--assessments": "assessments",
    "-t": "topics",
    "--topic-file": "topics",
}
_RUN_COMMANDS = ("evaluate", "compare", "report", "check", "pool", "evalj")
_POSITIONAL = {**dict.fromkeys(_RUN_COMMANDS, "runs"), "topics": "topics"}
_ADVICE = {
    "runs": "pass runs without an option",
    "assessments": "pass assessments with -a",
    "topics": "pass topics with -t",
}


def hint(error: DoxelError, arguments: Sequence[str]) -> str | None:
    """Return a hint about the file in an error; None for most errors, and in case of doubt."""
    if not isinstance(error, InputError) or error.file is None:
        return None
    path, expected = Path(error.file), _expected_kinds(error.file, arguments)
    try:
        if path.is_dir():
            is_run = "runs" in expected and "directory" in error.problem
            return f"a run is a file; pass {path}/* for all files in the folder" if is_run else None
        if not expected or not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        formats = _readable_formats(path)
    except (OSError, DoxelError):
        return None
    if not formats or expected <= formats.keys():
        return None
    kind, name = next(iter(formats.items()))
    label = "a run" if kind == "runs" else kind
    where = f"; {_ADVICE[kind]}" if arguments[0] in _RUN_COMMANDS else ""
    return f"{path} can be read as {label} ({name}){where}"


def _expected_kinds(file: str, arguments: Sequence[str]) -> set[str]:
    """Return the kinds that a file was passed as, by the option before it or by the command."""
    kinds = {
        _OPTIONS.get(before, _POSITIONAL.get(arguments[0]))
        for before, word in pairwise(arguments)
        if word == file or file.startswith(f"{word.rstrip('/')}/")
    }
    return {kind for kind in kinds if kind is not None}


def _readable_formats(path: Path) -> dict[str, str]:
    """Return the kinds that the whole file can be read as, each with its format."""
    from doxel.cli.convert import KINDS
    from doxel.files import read_bytes

    data = read_bytes(path)
    formats: dict[str, str] = {}
    for kind in KINDS:
        file_format = kind.recognised(data)
        try:
            if file_format is not None:
                file_format.read(data, str(path))
                formats[kind.name] = file_format.name
        except DoxelError:
            continue
    return formats
