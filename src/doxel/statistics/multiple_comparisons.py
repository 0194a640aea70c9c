"""Corrections of p values for multiple comparisons, and groups of runs that do not differ significantly."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from doxel.errors import InputError
from doxel.spans import Floats

__all__ = [
    "CORRECTIONS",
    "assign_letters",
    "correct_p_values",
    "group_equal_runs",
    "shorten_letters",
    "write_letter",
]


def _correct_by_bonferroni(p: Floats) -> Floats:
    return np.minimum(p * len(p), 1.0)


def _correct_by_holm(p: Floats) -> Floats:
    """Step down: multiply the smallest p by the number of tests, the next by one less; never decreasing."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _correct_by_benjamini_hochberg(p: Floats) -> Floats:
    """Step up: control the false discovery rate instead of the chance of any false discovery."""
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return adjusted


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _correct_by_holm,
    "bonferroni": _correct_by_bonferroni,
    "benjamini-hochberg": _correct_by_benjamini_hochberg,
    "none": lambda p: p,
}


def correct_p_values(p: npt.ArrayLike, correction: str) -> Floats:
    """Return the adjusted p values, in the order of ``p``.

    >>> correct_p_values([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if correction not in CORRECTIONS:
        raise InputError("a correction", wanted=f"one of {', '.join(CORRECTIONS)}", found=repr(correction))
    values = np.asarray(p, dtype=np.float64)
    return CORRECTIONS[correction](values) if len(values) else values


def group_equal_runs(means: npt.ArrayLike, differ: npt.ArrayLike) -> list[list[int]]:
    """Return the largest groups of runs in which no two runs differ, best group first.

    ``differ`` is a matrix of booleans: whether two runs differ.  Two runs share a group exactly if they do
    not differ; a run may be in several groups.

    >>> group_equal_runs([0.9, 0.8, 0.1], [[False, False, True], [False, False, True], [True, True, False]])
    [[0, 1], [2]]
    """
    is_different = np.asarray(differ, dtype=bool)
    order = np.argsort(-np.asarray(means, dtype=np.float64), kind="stable").tolist()
    covered = np.zeros(is_different.shape, dtype=bool)
    groups: list[list[int]] = []
    for place, run in enumerate(order):
        # the lowest run first: its group includes the runs in between
        for other in [lower for lower in reversed(order[place:]) if not is_different[run, lower]]:
            if covered[run, other]:
                continue
            group = list(dict.fromkeys([run, other]))
            for candidate in order:
                if candidate not in group and not is_different[candidate, group].any():
                    group.append(candidate)
            group.sort(key=order.index)
            covered[np.ix_(group, group)] = True
            groups.append(group)
    return groups


def assign_letters(means: npt.ArrayLike, differ: npt.ArrayLike) -> list[str]:
    """Return the group letters of each run; runs that share a letter do not differ.

    >>> assign_letters([0.9, 0.5, 0.1], [[False, False, True], [False, False, False], [True, False, False]])
    ['a', 'ab', 'b']
    """
    labels = [""] * len(np.asarray(means))
    for number, group in enumerate(group_equal_runs(means, differ)):
        for run in group:
            labels[run] += write_letter(number)
    return labels


def shorten_letters(letters: str) -> str:
    """Abbreviate three or more consecutive letters of a run with a dash.

    >>> shorten_letters("abd"), shorten_letters("bcde"), shorten_letters("y1z1a2")
    ('abd', 'b–e', 'y1–a2')
    """
    labels = re.findall(r"[a-z]\d*", letters)
    numbers = [_parse_letter(label) for label in labels]
    if len(labels) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{labels[0]}–{labels[-1]}"
    return letters


def _parse_letter(letter: str) -> int:
    return ord(letter[0]) - ord("a") + 26 * int(letter[1:] or 0)


def write_letter(number: int) -> str:
    """Return the letter of a number: a, b, ... z, then a1, b1, ..."""
    cycle, letter = divmod(number, 26)
    return chr(ord("a") + letter) + (str(cycle) if cycle else "")
