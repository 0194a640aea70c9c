"""What a user model is: declared once, at the end of its file.

A model says which targets there are, and gives for pairs of a result and a target in the same document,
or that are the same element, the probability that a user who looks at the result reaches the target.
Everything about results and targets is a column; a model is one function over columns, and the parameters
of the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from doxel.spans import Floats, Ints

__all__ = ["Places", "UserModel"]


@dataclass(frozen=True)
class Places:
    """Results or targets, as columns; where something is not known or does not apply it is -1.

    ``row`` and ``last`` are the element and the row after its last descendant; ``words`` counts words
    that begin in the place, ``words_before_start`` and ``words_before_end`` those before its borders;
    ``coverage`` is the place in N, L, S, E of its coverage on the scale of 2002.
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
        """Return some of the places."""
        return Places(**{one.name: getattr(self, one.name)[rows] for one in fields(self)})


@dataclass(frozen=True)
class UserModel:
    """A user model: its name, what it says in a line, and the function.

    ``targets`` says what users look for: the elements of a recall base, best entry points (then results
    are entry points too, one a document), or the exact elements of 2002.  ``ideal`` says which list serves
    the model best: one sure entry a target (``units``), the targets themselves (``targets``), or that
    nobody knows (None).  A model that leads nowhere but from an element to itself (``only_same``) gets no
    other pairs, and one that does not need words no words: both are costly to make.
    """

    name: str
    about: str
    probability: Callable[[Places, Places, Mapping[str, Any]], Floats]
    targets: Literal["base", "entry points", "exact elements"] = "base"
    ideal: Literal["units", "targets"] | None = None
    needs_words: bool = False
    only_same: bool = False
