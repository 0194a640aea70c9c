"""Groups of runs that do not differ significantly, shown as letters beside a ranking."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

__all__ = ["letters", "shortened", "undivided"]


def undivided(means: npt.ArrayLike, differ: npt.ArrayLike) -> list[list[int]]:
    """Return the largest groups of runs in which no two runs differ, best group first.

    ``differ`` is a matrix of booleans: whether two runs differ.  Two runs share a group exactly if they do
    not differ; a run may be in several groups.

    >>> undivided([0.9, 0.8, 0.1], [[False, False, True], [False, False, True], [True, True, False]])
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


def letters(means: npt.ArrayLike, differ: npt.ArrayLike) -> list[str]:
    """Return the group letters of each run; runs that share a letter do not differ.

    >>> letters([0.9, 0.5, 0.1], [[False, False, True], [False, False, False], [True, False, False]])
    ['a', 'ab', 'b']
    """
    labels = [""] * len(np.asarray(means))
    for number, group in enumerate(undivided(means, differ)):
        for run in group:
            labels[run] += _letter(number)
    return labels


def shortened(letters: str) -> str:
    """Abbreviate three or more consecutive letters of a run with a dash.

    >>> shortened("abd"), shortened("bcde"), shortened("y1z1a2")
    ('abd', 'b–e', 'y1–a2')
    """
    labels = re.findall(r"[a-z]\d*", letters)
    numbers = [_number(label) for label in labels]
    if len(labels) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{labels[0]}–{labels[-1]}"
    return letters


def _number(letter: str) -> int:
    return ord(letter[0]) - ord("a") + 26 * int(letter[1:] or 0)


def _letter(number: int) -> str:
    """Return a, b, ... z, then a1, b1, ..."""
    cycle, letter = divmod(number, 26)
    return chr(ord("a") + letter) + (str(cycle) if cycle else "")
