"""The options of a search, with ranges and defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass

from doxel.errors import InputError
from doxel.topics.query_structure import Structure

__all__ = ["FIELDS", "OVERLAPS", "TASKS", "Options"]

TASKS = ("thorough", "focused", "relevant-in-context", "best-in-context", "documents")
OVERLAPS = ("score", "specificity", "bottom-up")
FIELDS = ("title", "castitle")
_STRUCTURE = Structure("strict", "vague")


@dataclass(frozen=True)
class Options:
    """The options of a search.

    ``overlap`` is the way to remove overlap for tasks without overlap; ``field`` the topic field to use as
    the query, None to select it by the kind of topic; ``structure`` the interpretation of structure in
    queries; ``smallest`` the minimum size in characters of elements that the query does not name;
    ``size_prior`` the exponent of the size by which the score of an element is multiplied: below 0 it
    favours small elements, because a large element contains everything that a small one in it does;
    ``limit`` the number of results per topic.
    """

    task: str = "focused"
    overlap: str = "score"
    field: str | None = None
    structure: Structure = _STRUCTURE
    smallest: int = 50
    size_prior: float = -0.3
    limit: int = 1500

    def __post_init__(self) -> None:
        for label, value, choices in (
            ("the task of a search", self.task, TASKS),
            ("the removal of overlap", self.overlap, OVERLAPS),
            ("the topic field to search for", self.field or FIELDS[0], FIELDS),
        ):
            if value not in choices:
                raise InputError(label, wanted=f"one of {', '.join(choices)}", found=repr(value))
        for label, number in (("the smallest size", self.smallest), ("the limit", self.limit)):
            if number < 1:
                raise InputError(label, wanted="a whole number from 1", found=str(number))
        if not math.isfinite(self.size_prior) or abs(self.size_prior) > 2.0:
            raise InputError("the size prior", wanted="a number from -2 to 2", found=str(self.size_prior))
