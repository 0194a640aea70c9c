"""The declaration of a user model, and the columns that it computes with.

A model defines which targets users look for, and the probability that a user who looks at a result reaches
a target of the same document.  It is one function over columns (:class:`Places`) and the parameters of the
measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from doxel.spans import Floats, Ints

__all__ = ["Places", "UserModel"]


@dataclass(frozen=True)
class Places:
    """Results or targets as columns; -1 marks a value that is unknown or does not apply.

    ``row`` is the element and ``last`` the row after its last descendant.  ``words`` counts the words that
    start in the place, ``words_before_start`` and ``words_before_end`` the words before its borders.
    ``coverage`` is its coverage on the scale of 2002, as an index into N, L, S, E.
    """

    start: Ints
    end: Ints
    row: Ints
    last: Ints
    words: Ints
    words_before_start: Ints
    words_before_end: Ints
    coverage: Ints

    def take(self, rows: Ints) -> Places:
        """Return the places in ``rows``."""
        return Places(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})


@dataclass(frozen=True)
class UserModel:
    """A user model: its name, a one-line description and its probability function.

    ``targets``: what users look for, namely the elements of a recall base, best entry points (results are
    then entry points too, one per document), or the elements with exact coverage of 2002.

    ``ideal``: the list that serves the model best: one certain entry per target (``units``), the targets
    themselves (``targets``), or unknown (None).

    ``needs_words``: whether the function uses the columns of words.  ``only_same``: whether a result leads
    only to itself.  Columns of words and pairs of different elements are costly, so they are computed
    only for models that need them.
    """

    name: str
    about: str
    probability: Callable[[Places, Places, Mapping[str, Any]], Floats]
    targets: Literal["base", "entry points", "exact elements"] = "base"
    ideal: Literal["units", "targets"] | None = None
    needs_words: bool = False
    only_same: bool = False
