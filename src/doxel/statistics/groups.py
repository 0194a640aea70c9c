"""Groups of runs that a test does not tell apart, as letters beside a ranking."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

__all__ = ["letters", "shortened", "undivided"]


def undivided(means: npt.ArrayLike, differ: npt.ArrayLike) -> list[list[int]]:
    """Return the largest groups of runs of which no two differ, best first; a run may be in several.

    ``differ`` says for every pair whether it differs.  Two runs that do not differ share a group, and
    two that differ share none.

    >>> undivided([0.9, 0.8, 0.1], [[False, False, True], [False, False, True], [True, True, False]])
    [[0, 1], [2]]
    """
    apart = np.asarray(differ, dtype=bool)
    order = np.argsort(-np.asarray(means, dtype=np.float64), kind="stable").tolist()
    covered = np.zeros(apart.shape, dtype=bool)
    groups: list[list[int]] = []
    for place, one in enumerate(order):
        # the furthest run first: its group takes in those between
        for other in [run for run in reversed(order[place:]) if not apart[one, run]]:
            if covered[one, other]:
                continue
            group = list(dict.fromkeys([one, other]))
            for run in order:
                if run not in group and not apart[run, group].any():
                    group.append(run)
            group.sort(key=order.index)
            covered[np.ix_(group, group)] = True
            groups.append(group)
    return groups


def letters(means: npt.ArrayLike, differ: npt.ArrayLike) -> list[str]:
    """Return the letters of each run: runs that share one are not told apart.

    >>> letters([0.9, 0.5, 0.1], [[False, False, True], [False, False, False], [True, False, False]])
    ['a', 'ab', 'b']
    """
    found = [""] * len(np.asarray(means))
    for number, group in enumerate(undivided(means, differ)):
        for run in group:
            found[run] += _letter(number)
    return found


def shortened(letters: str) -> str:
    """Return the letters of a run with a dash where three or more follow one another.

    >>> shortened("abd"), shortened("bcde"), shortened("y1z1a2")
    ('abd', 'b–e', 'y1–a2')
    """
    known = re.findall(r"[a-z]\d*", letters)
    first = [_number(one) for one in known]
    if len(known) > 2 and first == list(range(first[0], first[0] + len(first))):
        return f"{known[0]}–{known[-1]}"
    return letters


def _number(letter: str) -> int:
    return ord(letter[0]) - ord("a") + 26 * int(letter[1:] or 0)


def _letter(number: int) -> str:
    """Return a, b, ... z, then a1, b1, ..."""
    again, letter = divmod(number, 26)
    return chr(ord("a") + letter) + (str(again) if again else "")
