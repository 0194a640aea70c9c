"""The options of an evaluation, with checks that report misspelt values."""

from __future__ import annotations

from typing import Any

from doxel.errors import InputError
from doxel.measures.measure_parameters import LIMIT
from doxel.runs.run import TASK_NAMES, find_task
from doxel.wording import did_you_mean

__all__ = ["check_limit", "check_option", "check_resampling", "check_task"]

_WORDS = {
    "topics": ("assessed", "run"),
    "order": ("rank", "file", "score"),
    "sizes": ("declared", "collection"),
    "on_invalid": ("reject", "repair"),
    "on_error": ("raise", "skip"),
    "on_mismatch": ("error", "score"),
    "unjudged": ("nonrelevant", "remove"),
    "compat": ("inex_eval", "trec_eval", "bioasq", "locomo"),
}


def check_option(name: str, value: Any) -> str:
    """Return the value of an option; raise an error with the valid values if it is unknown.

    >>> check_option("topics", "asessed")
    Traceback (most recent call last):
    doxel.errors.InputError: topics: wanted assessed or run, found 'asessed'; did you mean assessed?
    """
    if value in _WORDS[name]:
        return str(value)
    raise _make_option_error(name, _WORDS[name], value)


def check_task(value: str | None) -> str | None:
    """Return doxel's name of a task from any of its spellings over the years.

    >>> check_task("CO.Focussed")
    'focused'
    """
    name = None if value is None else find_task(str(value))
    if value is None or name is not None:
        return name
    raise _make_option_error("task", tuple(TASK_NAMES), value)


def check_limit(value: Any) -> int | None:
    """Return the number of results per topic that count, None for all."""
    limit: int | None = LIMIT.accept(value, owner="evaluate")
    return limit


def check_resampling(*, level: float = 0.95, resamples: int = 1, splits: int = 1, seed: int = 0) -> None:
    """Raise an error for settings of intervals and tests that are out of range.

    >>> check_resampling(resamples=0)
    Traceback (most recent call last):
    doxel.errors.InputError: resamples: wanted a whole number from 1, found 0
    """
    if not 0 < level < 1:
        raise InputError("level", wanted="a share between 0 and 1", found=str(level))
    for name, number, lowest in (("resamples", resamples, 1), ("splits", splits, 1), ("seed", seed, 0)):
        if number < lowest:
            raise InputError(name, wanted=f"a whole number from {lowest}", found=str(number))


def _make_option_error(name: str, words: tuple[str, ...], value: Any) -> InputError:
    return InputError(name, wanted=" or ".join(words), found=f"{value!r}{did_you_mean(str(value), words)}")
