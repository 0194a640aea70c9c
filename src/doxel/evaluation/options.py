"""The options of an evaluation, checked: each is one of some words, and a slip is not taken for another."""

from __future__ import annotations

from typing import Any

from doxel.errors import InputError
from doxel.measures.views import LIMIT
from doxel.runs.tasks import TASKS, task_named
from doxel.wording import did_you_mean

__all__ = ["check_drawing", "checked_limit", "checked_option", "checked_task"]

_WORDS = {
    "topics": ("assessed", "run"),
    "order": ("rank", "file", "score"),
    "sizes": ("declared", "collection"),
    "on_invalid": ("reject", "repair"),
    "on_error": ("raise", "skip"),
}


def checked_option(name: str, value: Any) -> str:
    """Return the value of an option, or say which there are.

    >>> checked_option("topics", "asessed")
    Traceback (most recent call last):
    doxel.errors.InputError: topics: wanted assessed or run, found 'asessed'; did you mean assessed?
    """
    if value in _WORDS[name]:
        return str(value)
    raise _refused(name, _WORDS[name], value)


def checked_task(value: str | None) -> str | None:
    """Return a task by doxel's name for it, however its year wrote it.

    >>> checked_task("CO.Focussed")
    'focused'
    """
    found = None if value is None else task_named(str(value))
    if value is None or found is not None:
        return found
    raise _refused("task", tuple(TASKS), value)


def checked_limit(value: Any) -> int | None:
    """Return the number of results of a topic that count, None for all."""
    limit: int | None = LIMIT.accept(value, owner="evaluate")
    return limit


def check_drawing(*, level: float = 0.95, resamples: int = 1, splits: int = 1, seed: int = 0) -> None:
    """Refuse settings of intervals and tests under which nothing could be drawn.

    >>> check_drawing(resamples=0)
    Traceback (most recent call last):
    doxel.errors.InputError: resamples: wanted a whole number from 1, found 0
    """
    if not 0 < level < 1:
        raise InputError("level", wanted="a share between 0 and 1", found=str(level))
    for what, number, lowest in (("resamples", resamples, 1), ("splits", splits, 1), ("seed", seed, 0)):
        if number < lowest:
            raise InputError(what, wanted=f"a whole number from {lowest}", found=str(number))


def _refused(name: str, words: tuple[str, ...], value: Any) -> InputError:
    return InputError(name, wanted=" or ".join(words), found=f"{value!r}{did_you_mean(str(value), words)}")
