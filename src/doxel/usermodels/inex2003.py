"""The browsing model of 2003: users move to elements inside, around or elsewhere in the document.

P(e' -> e) is

- 1 if e' is e;
- (len(e')/len(e))^a if e' is inside e, with a = 7/8 if e' is exact, 3/4 if it is too small, else 1/2;
- (len(e)/len(e'))^a if e is inside e', with a = 7/8 if e' is exact, 3/4 if it is too large, else 1/2;
- 1/(2 + d) otherwise, with d the number of words between them.

Lengths are in words; a place without words reaches only itself and is reached only from itself (003,
section 3.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from doxel.spans import Floats
from doxel.usermodels.model import Places, UserModel

__all__ = ["INEX2003"]

_TOO_LARGE, _TOO_SMALL, _EXACT = 1, 2, 3  # L, S and E


def _probability(results: Places, targets: Places, parameters: Mapping[str, Any]) -> Floats:
    del parameters
    is_element = results.row >= 0
    is_same = is_element & (results.row == targets.row)
    inside_span = (results.start >= targets.start) & (results.end <= targets.end)
    inside = np.where(is_element, (results.row > targets.row) & (results.row < targets.last), inside_span)
    around_span = (targets.start >= results.start) & (targets.end <= results.end)
    around = np.where(is_element, (targets.row > results.row) & (targets.row < results.last), around_span)
    own, other = np.maximum(results.words, 1), np.maximum(targets.words, 1)
    up = (own / other) ** _exponent(results, _TOO_SMALL)
    down = (other / own) ** _exponent(results, _TOO_LARGE)
    between = np.maximum(
        np.maximum(
            targets.words_before_start - results.words_before_end,
            results.words_before_start - targets.words_before_end,
        ),
        0,
    )
    away = 1.0 / (2.0 + between)
    chance = np.where(inside, up, np.where(around, down, away))
    has_words = (results.words > 0) & (targets.words > 0)
    return np.where(is_same, 1.0, np.where(has_words, np.minimum(chance, 1.0), 0.0))


def _exponent(results: Places, nearly: int) -> Floats:
    return np.where(results.coverage == _EXACT, 7 / 8, np.where(results.coverage == nearly, 3 / 4, 1 / 2))


INEX2003 = UserModel(
    "inex2003",
    "a result leads into, out of and around itself, by lengths and distances in words",
    _probability,
    targets="exact elements",
    ideal="targets",
    needs_words=True,
)
