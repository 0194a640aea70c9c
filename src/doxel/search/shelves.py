"""Shelves: one index of the engine for elements of about the same size.

BM25, whose constants are fixed, then compares the length of an element with elements of similar length:
among surnames, a paragraph would look very long, and an article even longer.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["SHELVES", "Shelf", "shelf_of"]


@dataclass(frozen=True)
class Shelf:
    """Elements of ``smallest`` to ``largest`` (exclusive) characters."""

    name: str
    smallest: int
    largest: int


_SIZES = (1, 50, 400, 3_200, 25_600, 2**62)
SHELVES = tuple(Shelf(f"shelf-{number}", *sizes) for number, sizes in enumerate(pairwise(_SIZES), 1))


def shelf_of(size: int) -> Shelf:
    """Return the shelf for elements of a size of at least one character.

    >>> shelf_of(49).name, shelf_of(50).name
    ('shelf-1', 'shelf-2')
    """
    return SHELVES[bisect_right(_SIZES, size) - 1]
