"""The user models: identity, near misses, the browsing model of 2003, distances to entry points of 2006.

A model defines which targets users look for, and the probability that a user who looks at a result reaches
a target of the same document.  It is one function over columns of results and targets and the parameters of
the measure.

*identity*: the classical user, who sees the results in the list and nothing else.

*parent*, *child*, *sibling* (near misses in the tree): a result leads to itself with probability 1, to its
parent element, to each child or to each sibling with probability p, and to nothing else.  p is a parameter of
the measure, or written per model: ``parent(.5)+child(.2)``; of joined models the largest probability counts.

*inex2003*: users move to elements inside, around or elsewhere in the document.  P(e' -> e) is

- 1 if e' is e;
- (len(e')/len(e))^a if e' is inside e, with a = 7/8 if e' is exact, 3/4 if it is too small, else 1/2;
- (len(e)/len(e'))^a if e is inside e', with a = 7/8 if e' is exact, 3/4 if it is too large, else 1/2;
- 1/(2 + d) otherwise, with d the number of words between them.

Lengths are in words; a place without words reaches only itself and is reached only from itself (003,
section 3.4).  These are the exponents as printed; the words of the paper suggest the opposite order, in which
exact coverage leads most surely: exponents="words" takes a = 1/2 if e' is exact, and 7/8 instead of 1/2.

*bep_distance* (Best in Context 2006): the nearer a result starts to the best entry point, the likelier a user
finds it.  s(x, b) = A L / (A L + d), with d the distance between the two starts in characters and L the mean
length of a document (001, section 7.2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

import numpy as np

from doxel.errors import MeasureError
from doxel.spans import Booleans, Floats, Ints

__all__ = [
    "BEP_DISTANCE",
    "IDENTITY",
    "INEX2003",
    "NEAR_MISSES",
    "PlaceColumns",
    "UserModel",
    "compute_nearness",
    "join_near_misses",
]


@dataclass(frozen=True)
class PlaceColumns:
    """Results or targets as columns; -1 marks a value that is unknown or does not apply.

    ``row`` is the element, ``last`` the row after its last descendant, ``parent`` its parent element.
    ``words`` counts the words that start in the place, ``words_before_start`` and ``words_before_end`` the
    words before its borders.  ``coverage`` is its coverage on the scale of 2002, as an index into N, L, S, E.
    """

    start: Ints
    end: Ints
    row: Ints
    last: Ints
    words: Ints
    words_before_start: Ints
    words_before_end: Ints
    coverage: Ints
    parent: Ints

    def take(self, rows: Ints) -> PlaceColumns:
        """Return the places in ``rows``."""
        return PlaceColumns(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})


@dataclass(frozen=True)
class UserModel:
    """A user model: its name, a one-line description and its probability function.

    ``targets``: what users look for, namely the elements of a recall base, best entry points (results are
    then entry points too, one per document), or the elements with exact coverage of 2002.

    ``ideal``: the list that serves the model best: one certain entry per target (``units``), the targets
    themselves (``targets``), or unknown (None), which is treated as one target per rank.

    ``needs_words``: whether the function uses the columns of words.  ``only_same``: whether a result leads
    only to itself.  Columns of words and pairs of different elements are costly, so they are computed
    only for models that need them.

    ``near_misses``: the relatives that a result leads to, each with its probability; None stands for the
    measure's parameter p.
    """

    name: str
    about: str
    probability: Callable[[PlaceColumns, PlaceColumns, Mapping[str, Any]], Floats]
    targets: Literal["base", "entry points", "exact elements"] = "base"
    ideal: Literal["units", "targets"] | None = None
    needs_words: bool = False
    only_same: bool = False
    near_misses: tuple[tuple[str, float | None], ...] = ()


def _compute_identity_chance(
    results: PlaceColumns, targets: PlaceColumns, parameters: Mapping[str, Any]
) -> Floats:
    del parameters
    return np.where(_is_same(results, targets), 1.0, 0.0)


def _is_same(results: PlaceColumns, targets: PlaceColumns) -> Booleans:
    """Mark results that are the target itself: the same element, or the same span outside of elements."""
    same_span = (results.start == targets.start) & (results.end == targets.end)
    return np.asarray((results.row == targets.row) & ((results.row >= 0) | same_span), dtype=bool)


IDENTITY = UserModel(
    "identity",
    "a result leads to itself and to nothing else",
    _compute_identity_chance,
    ideal="units",
    only_same=True,
)


_RELATIVES: dict[str, Callable[[PlaceColumns, PlaceColumns], Booleans]] = {
    "parent": lambda results, targets: (results.parent >= 0) & (results.parent == targets.row),
    "child": lambda results, targets: (targets.parent >= 0) & (targets.parent == results.row),
    "sibling": lambda results, targets: (results.parent >= 0) & (results.parent == targets.parent),
}


def _compute_near_chance(
    results: PlaceColumns,
    targets: PlaceColumns,
    parameters: Mapping[str, Any],
    *,
    near_misses: Sequence[tuple[str, float | None]],
) -> Floats:
    chance = np.zeros(len(results.row))
    for relative, own in near_misses:
        probability = parameters["p"] if own is None else own
        chance = np.maximum(chance, np.where(_RELATIVES[relative](results, targets), probability, 0.0))
    return np.where(_is_same(results, targets), 1.0, chance)


def _build_near_model(name: str, near_misses: tuple[tuple[str, float | None], ...]) -> UserModel:
    relatives = {"parent": "its parent element", "child": "each child", "sibling": "each sibling"}
    targets = " and ".join(dict.fromkeys(relatives[relative] for relative, _ in near_misses))
    return UserModel(
        name,
        f"a result leads to itself, and with probability p to {targets}",
        partial(_compute_near_chance, near_misses=near_misses),
        near_misses=near_misses,
    )


NEAR_MISSES = tuple(_build_near_model(relative, ((relative, None),)) for relative in _RELATIVES)

_NEAR_MODEL = re.compile(r"\s*(\w+)\s*(?:\(\s*(\d+\.?\d*|\.\d+)\s*\))?\s*")


def join_near_misses(text: str) -> UserModel:
    """Return the model that joins near misses, such as ``parent(.5)+child(.2)``.

    >>> join_near_misses("parent(.5)+child").near_misses
    (('parent', 0.5), ('child', None))
    >>> join_near_misses("parent(2)")
    Traceback (most recent call last):
    doxel.errors.MeasureError: model: wanted a probability above 0 to 1 in 'parent(2)', found 2
    """
    near_misses: list[tuple[str, float | None]] = []
    for part in text.split("+"):
        match = _NEAR_MODEL.fullmatch(part)
        if match is None or match[1] not in _RELATIVES:
            raise MeasureError(
                "model: wanted near misses such as 'parent(.5)+child(.2)', of parent, child and sibling, "
                f"found {text!r}"
            )
        if match[2] is not None and not 0 < float(match[2]) <= 1:
            raise MeasureError(f"model: wanted a probability above 0 to 1 in {part!r}, found {match[2]}")
        near_misses.append((match[1], None if match[2] is None else float(match[2])))
    return _build_near_model(text, tuple(near_misses))


_TOO_LARGE, _TOO_SMALL, _EXACT = 1, 2, 3  # L, S and E
_EXPONENTS = {
    "printed": (7 / 8, 3 / 4, 1 / 2),
    "words": (1 / 2, 3 / 4, 7 / 8),
}  # exact, nearly fitting, others


def _compute_inex2003_chance(
    results: PlaceColumns, targets: PlaceColumns, parameters: Mapping[str, Any]
) -> Floats:
    exponents = _EXPONENTS[parameters["exponents"]]
    is_element = results.row >= 0
    is_same = is_element & (results.row == targets.row)
    inside_span = (results.start >= targets.start) & (results.end <= targets.end)
    inside = np.where(is_element, (results.row > targets.row) & (results.row < targets.last), inside_span)
    around_span = (targets.start >= results.start) & (targets.end <= results.end)
    around = np.where(is_element, (targets.row > results.row) & (targets.row < results.last), around_span)
    own, other = np.maximum(results.words, 1), np.maximum(targets.words, 1)
    up = (own / other) ** _choose_exponent(results, _TOO_SMALL, exponents)
    down = (other / own) ** _choose_exponent(results, _TOO_LARGE, exponents)
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


def _choose_exponent(results: PlaceColumns, fitting: int, exponents: tuple[float, float, float]) -> Floats:
    exact, nearly, others = exponents
    return np.where(results.coverage == _EXACT, exact, np.where(results.coverage == fitting, nearly, others))


INEX2003 = UserModel(
    "inex2003",
    "a result leads into, out of and around itself, by lengths and distances in words",
    _compute_inex2003_chance,
    targets="exact elements",
    ideal="targets",
    needs_words=True,
)


def compute_nearness(distance: Floats, scale: float) -> Floats:
    """Return s(x, b) for each distance; ``scale`` is A times L.

    >>> compute_nearness(np.array([0.0, 300.0]), 100.0).tolist()
    [1.0, 0.25]
    """
    return np.divide(scale, scale + distance, out=np.ones_like(distance), where=distance != 0)


def _compute_bep_distance_chance(
    results: PlaceColumns, targets: PlaceColumns, parameters: Mapping[str, Any]
) -> Floats:
    distance = np.abs(results.start - targets.start).astype(np.float64)
    return compute_nearness(distance, parameters["A"] * parameters["L"])


BEP_DISTANCE = UserModel(
    "bep_distance",
    "a result leads to the best entry point of its document, more likely the nearer it starts",
    _compute_bep_distance_chance,
    targets="entry points",
    ideal="units",
)
