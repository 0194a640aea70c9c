"""Texts that were shortened: dots replace their beginning, their end or parts between.

A text is located by its parts; the passages that the dots replace do not belong to it.  Only if it declares
where it begins and ends, and its parts agree with the document there, does it count as the whole passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from doxel.alignment.folding import fold
from doxel.alignment.text_index import DOTS, Place, TextIndex, find_places

__all__ = ["PlacedPart", "find_parts", "is_shortened"]

_MOST_PARTS = 8  # between dots
_LEAST_PART = 10  # folded characters of the longest part
_MOST_PLACES = 16  # of the longest part
_NEARBY = 5_000  # characters before and after it in which the others are


class PlacedPart(NamedTuple):
    """The place of a part of a text, its share of the text, and the number of places of the whole text."""

    place: Place
    coverage: float
    places: int


def is_shortened(text: str, folded: str) -> bool:
    """Return whether a text is a passage of which parts were replaced by dots; the passage is folded.

    >>> is_shortened("It was ... of times", "itwasthebestoftimes")
    True
    """
    parts = [fold(part).text for part in DOTS.split(text)]
    if len(parts) == 1 or not any(parts) or not folded.startswith(parts[0]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = folded.find(part, at) + len(part)
        if at < len(part):
            return False
    return folded.endswith(parts[-1]) and at + len(parts[-1]) <= len(folded)


def find_parts(index: TextIndex, text: str, offset: int = -1) -> list[PlacedPart]:
    """Return the spans of a text with dots for omitted parts, if all its other parts are found.

    The longest part is searched for first, the others near it.  Of several places, those nearest to each
    other, or to a declared offset, are taken.

    >>> index = TextIndex(["It was the best of times, it was the worst of times."])
    >>> [part.place.start for part in find_parts(index, "was the best of ... the worst")]
    [3, 32]
    """
    parts = [part for part in DOTS.split(text) if fold(part).text]
    sizes = [len(fold(part).text) for part in parts]
    if not 1 < len(parts) <= _MOST_PARTS or max(sizes) < _LEAST_PART:
        return []
    longest = sizes.index(max(sizes))
    places, _ = find_places(index, parts[longest], fold(parts[longest]))
    choices = [
        choice for place in places[:_MOST_PLACES] if (choice := _find_around(index, parts, longest, place))
    ]
    if not choices:
        return []
    distances = [
        abs(choice[0].start - offset) if offset >= 0 else choice[-1].end - choice[0].start
        for choice in choices
    ]
    nearest = min(distances)
    return [
        PlacedPart(place, size / sum(sizes), distances.count(nearest))
        for place, size in zip(choices[distances.index(nearest)], sizes, strict=True)
    ]


def _find_around(index: TextIndex, parts: Sequence[str], number: int, place: Place) -> list[Place]:
    """Return the places of all parts around the place of one of them, in order; none if any is missing."""
    begin = max(0, place.start - _NEARBY)
    passages = (
        (index.passage(place.document, begin, place.start), begin, reversed(parts[:number])),
        (index.passage(place.document, place.end, place.end + _NEARBY), place.end, parts[number + 1 :]),
    )
    before_and_after: list[list[Place]] = [[], []]
    for side, (passage, offset, side_parts) in enumerate(passages):
        for part in side_parts:
            matches, _ = find_places(TextIndex([passage]), part, fold(part))
            if not matches:
                return []
            match = matches[0 if side else -1]
            before_and_after[side].append(Place(place.document, offset + match.start, offset + match.end))
            passage = passage[match.end :] if side else passage[: match.start]  # noqa: PLW2901
            offset += match.end if side else 0  # noqa: PLW2901
    before, after = before_and_after
    return [*reversed(before), place, *after]
