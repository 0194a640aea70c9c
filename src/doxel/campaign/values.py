"""Checks of configuration values: each function returns a valid value or raises an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from doxel.errors import DoxelError, InputError
from doxel.evaluation.options import checked_limit, checked_option, checked_task
from doxel.evaluation.sets import expand
from doxel.topics.query_structure import Structure

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
_LONGEST_STEP, _MOST_STEPS = (
    255,
    100,
)  # bytes per step that file systems allow; more steps than any real path has


def _wrong(wanted: str) -> InputError:
    """Return the error for an invalid value; the reader adds file and line."""
    return InputError("value", wanted=wanted)


def accept_text(value: Any) -> str:
    """Accept a string that is not empty."""
    if isinstance(value, str) and value.strip():
        return value
    raise _wrong("a string that is not empty")


def accept_texts(value: Any) -> tuple[str, ...]:
    """Accept a list of strings, or one string."""
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(text, str) and text.strip() for text in listed):
        return tuple(listed)
    raise _wrong("a string, or a list of strings, none of them empty")


def accept_path(value: Any) -> str:
    """Accept the path of a file or folder."""
    path = accept_text(value)
    steps = path.split("/")
    if "\0" in path or len(steps) > _MOST_STEPS or any(len(step.encode()) > _LONGEST_STEP for step in steps):
        raise _wrong("a valid path")
    return path


def accept_paths(value: Any) -> tuple[str, ...]:
    """Accept a list of paths and patterns, or one of them."""
    return tuple(map(accept_path, accept_texts(value)))


def accept_ids(value: Any) -> tuple[str, ...]:
    """Accept a list of distinct topic ids; numbers become strings."""
    if not isinstance(value, list) or not all(_is_id(topic) for topic in value):
        raise _wrong('a list of topic ids, such as ["1", "2"]')
    topics = tuple(str(topic).strip() for topic in value)
    if len(set(topics)) < len(topics):
        raise _wrong("each topic only once")
    return topics


def _is_id(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number or (isinstance(value, str) and bool(value.strip()))


def accept_whole(lowest: int) -> Callable[[Any], int]:
    """Return a function that accepts whole numbers from ``lowest``."""

    def accept(value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= _LARGEST:
            return value
        raise _wrong(f"a whole number from {lowest}")

    return accept


def accept_flag(value: Any) -> bool:
    """Accept true or false."""
    if isinstance(value, bool):
        return value
    raise _wrong("true or false")


def accept_word(words: tuple[str, ...]) -> Callable[[Any], str]:
    """Return a function that accepts one of ``words``."""

    def accept(value: Any) -> str:
        if value in words:
            return str(value)
        raise _wrong(" or ".join(words))

    return accept


def accept_fingerprint(value: Any) -> str:
    """Accept the fingerprint of a collection."""
    if isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef"):
        return value
    raise _wrong("a fingerprint as 'doxel campaign status' prints it: 32 digits from 0 to f")


def _delegate(accept: Callable[[Any], Any], value: Any) -> Any:
    """Check a value with a function of another room; its error becomes ours."""
    try:
        return accept(value)
    except DoxelError as error:
        raise _wrong(getattr(error, "wanted", None) or str(error)) from None


def accept_option(name: str) -> Callable[[Any], Any]:
    """Return a function that accepts the values of an option of ``evaluate``."""
    return lambda value: _delegate(lambda word: checked_option(name, word), value)


def accept_task(value: Any) -> Any:
    """Accept a task, by any name that a year gave it."""
    return _delegate(checked_task, accept_text(value))


def accept_measures(value: Any) -> tuple[str, ...]:
    """Accept measures and named sets."""
    measures = accept_texts(value)
    _delegate(expand, measures)
    return measures


def accept_limit(value: Any) -> int | str | None:
    """Accept a number of results, or ``none``."""
    if value == "none":
        return "none"
    limit: int | None = _delegate(checked_limit, value)
    return limit


def accept_structure(value: Any) -> str:
    """Accept how structure is matched: target=strict, SCAS."""
    _delegate(Structure.parse, accept_text(value))
    return accept_text(value)
