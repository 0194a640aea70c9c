"""What can be asked of a search, with ranges and defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass

from doxel.errors import InputError
from doxel.topics.structure import Structure

__all__ = ["FIELDS", "OVERLAPS", "TASKS", "Options"]

TASKS = ("thorough", "focused", "relevant-in-context", "best-in-context", "documents")
OVERLAPS = ("score", "specificity", "bottom-up")
FIELDS = ("title", "castitle")
_STRUCTURE = Structure("strict", "vague")


@dataclass(frozen=True)
class Options:
    """How topics are answered.

    ``overlap`` is how the overlap of elements is removed where the task wants none; ``field`` the part of
    the topics that is the query, None for what their kind suggests; ``structure`` how queries with
    structure are taken; ``smallest`` how many characters an element must have that the query does not
    name; ``size_prior`` the power of its size by which the score of an element is multiplied, below 0 in
    favour of small ones, because the larger of two holds whatever the smaller does; ``limit`` the results
    of a topic.
    """

    task: str = "focused"
    overlap: str = "score"
    field: str | None = None
    structure: Structure = _STRUCTURE
    smallest: int = 50
    size_prior: float = -0.3
    limit: int = 1500

    def __post_init__(self) -> None:
        for what, value, known in (
            ("the task of a search", self.task, TASKS),
            ("the removal of overlap", self.overlap, OVERLAPS),
            ("the part of topics to search for", self.field or FIELDS[0], FIELDS),
        ):
            if value not in known:
                raise InputError(what, wanted=f"one of {', '.join(known)}", found=repr(value))
        for what, number in (("the smallest size", self.smallest), ("the limit", self.limit)):
            if number < 1:
                raise InputError(what, wanted="a whole number from 1", found=str(number))
        if not math.isfinite(self.size_prior) or abs(self.size_prior) > 2.0:
            raise InputError(
                "the power of the size", wanted="a number from -2 to 2", found=str(self.size_prior)
            )
