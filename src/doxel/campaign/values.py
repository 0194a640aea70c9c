"""The values that a configuration may have, kind by kind: each accepts one, or says what was wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doxel.errors import DoxelError, InputError
from doxel.evaluation.options import checked_limit, checked_option, checked_task
from doxel.evaluation.sets import expand
from doxel.topics.structure import Structure

__all__ = [
    "accept_fingerprint",
    "accept_flag",
    "accept_ids",
    "accept_limit",
    "accept_measures",
    "accept_option",
    "accept_path",
    "accept_paths",
    "accept_structure",
    "accept_task",
    "accept_text",
    "accept_texts",
    "accept_whole",
    "accept_word",
]


_LARGEST = 10**9
_LONGEST_STEP, _MOST_STEPS = 255, 100  # bytes that a file system allows, and more than anybody has


def _wrong(wanted: str) -> InputError:
    """Return the error about a value that is none of the wanted; where it stands, whoever read it knows."""
    return InputError("a value", wanted=wanted)


def accept_text(value: Any) -> str:
    """Take a text."""
    if isinstance(value, str) and value.strip():
        return value
    raise _wrong("a string that is not empty")


def accept_texts(value: Any) -> tuple[str, ...]:
    """Take texts; one may stand alone."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(one, str) and one.strip() for one in listed):
        return tuple(listed)
    raise _wrong("a string, or a list of strings, none of them empty")


def accept_path(value: Any) -> str:
    """Take the path of a file or folder."""
    path = accept_text(value)
    steps = path.split("/")
    if "\0" in path or len(steps) > _MOST_STEPS or any(len(step.encode()) > _LONGEST_STEP for step in steps):
        raise _wrong("a path that can be one")
    return path


def accept_paths(value: Any) -> tuple[str, ...]:
    """Take paths and patterns; one may stand alone."""
    return tuple(map(accept_path, accept_texts(value)))


def accept_ids(value: Any) -> tuple[str, ...]:
    """Take ids of topics, each once; numbers are their digits."""
    if not isinstance(value, list) or not all(_is_id(one) for one in value):
        raise _wrong('a list of topic ids, such as ["1", "2"]')
    found = tuple(str(one).strip() for one in value)
    if len(set(found)) < len(found):
        raise _wrong("each topic once")
    return found


def _is_id(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number or (isinstance(value, str) and bool(value.strip()))


def accept_whole(lowest: int) -> Callable[[Any], int]:
    """Return what takes whole numbers."""

    def accept(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= _LARGEST:
            return value
        raise _wrong(f"a whole number from {lowest}")

    return accept


def accept_flag(value: Any) -> bool:
    """Take true or false."""
    if isinstance(value, bool):
        return value
    raise _wrong("true or false")


def accept_word(words: tuple[str, ...]) -> Callable[[Any], str]:
    """Return what takes one of some words."""

    def accept(value: Any) -> str:
        if value in words:
            return str(value)
        raise _wrong(" or ".join(words))

    return accept


def accept_fingerprint(value: Any) -> str:
    """Take the fingerprint of a collection."""
    if isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef"):
        return value
    raise _wrong("a fingerprint as 'doxel campaign status' prints it: 32 digits from 0 to f")


def _decided(accept: Callable[[Any], Any], value: Any) -> Any:
    """Let another room decide; whatever it says of the value is what was wanted."""
    try:
        return accept(value)
    except DoxelError as error:
        raise _wrong(getattr(error, "wanted", None) or str(error)) from None


def accept_option(name: str) -> Callable[[Any], Any]:
    """Return what takes the words of an option of ``evaluate``."""
    return lambda value: _decided(lambda given: checked_option(name, given), value)


def accept_task(value: Any) -> Any:
    """Take a task, however its year wrote it."""
    return _decided(checked_task, accept_text(value))


def accept_measures(value: Any) -> tuple[str, ...]:
    """Take measures and sets of them."""
    found = accept_texts(value)
    _decided(expand, found)
    return found


def accept_limit(value: Any) -> int | str | None:
    """Take a number of results, or none."""
    if value == "none":
        return "none"
    taken: int | None = _decided(checked_limit, value)
    return taken


def accept_structure(value: Any) -> str:
    """Take what is said of structure: target=strict, SCAS."""
    _decided(Structure.parse, accept_text(value))
    return accept_text(value)
