"""When a document may be called done: the rules of its scale.

- A best entry point if and only if something is highlighted (2005, 2006).
- No grade missing: of any element with highlighted text (2005; inside an element that is too small all
  others are so too, and need no grade), of any pooled element (2002, 2003).
- 2005: exhaustivity is 0 exactly where nothing is highlighted.  2003: it is 0 exactly where specificity is.
  2002: relevance is 0 exactly where coverage is N.
- An element has at least the degree of every element inside it; too small stands between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxel.assess.fold import State
from doxel.assess.scales import Scale
from doxel.spans import Coverage, Ints
from doxel.wording import counted

__all__ = ["NO_ELEMENTS", "Breach", "Outline", "breaches", "effective_grades", "to_grade"]

TOO_SMALL = "?"


@dataclass(frozen=True)
class Outline:
    """The elements of a document in document order: path, start, end, and row of the parent (-1: root)."""

    path: Sequence[str]
    start: Ints
    end: Ints
    parent: Ints

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each element by path."""
        return {path: row for row, path in enumerate(self.path)}

    def ancestors(self, row: int) -> Iterator[int]:
        """Yield the rows of the elements around one, nearest first."""
        while (row := int(self.parent[row])) >= 0:
            yield row

    def highlighted(self, state: State) -> Ints:
        """Return how many characters of each element are highlighted."""
        start, end = (np.array([span[side] for span in state.highlights], dtype=np.int64) for side in (0, 1))
        nowhere = np.zeros_like(self.start)
        return Coverage(np.zeros_like(start), start, end).covered(nowhere, self.start, self.end)


NO_ELEMENTS = Outline((), *(np.zeros(0, dtype=np.int64) for _ in range(3)))


@dataclass(frozen=True)
class Breach:
    """A rule that does not hold: a code, a sentence, and the element it is about."""

    code: str
    message: str
    path: str | None = None


def breaches(state: State, scale: Scale, outline: Outline, pooled: Iterable[str] = ()) -> list[Breach]:
    """Return everything that keeps a document from being done, in document order.

    ``pooled`` are the paths of pooled elements.  Where no elements are graded, neither they nor the outline
    are looked at.
    """
    found = list(_entry_point(state)) if scale.highlights else []
    if not scale.grades:
        return found
    rows = {outline.rows[path]: grades for path, grades in state.grades.items() if path in outline.rows}
    by_row = [
        *_missing(state, scale, outline, rows, pooled),
        *_contradictions(state, scale, outline, rows),
        *_order(scale, outline, rows),
    ]
    return found + [breach for _, breach in sorted(by_row, key=lambda one: (one[0], one[1].code))]


def _entry_point(state: State) -> Iterator[Breach]:
    if state.highlights and state.bep is None:
        yield Breach("bep-missing", "something is highlighted, and there is no best entry point")
    if state.bep is not None and not state.highlights:
        yield Breach("bep-alone", "there is a best entry point, and nothing is highlighted")


Found = Iterator[tuple[int, Breach]]
Grades = Mapping[int, Mapping[str, str]]


def _missing(state: State, scale: Scale, outline: Outline, rows: Grades, pooled: Iterable[str]) -> Found:
    if scale.highlights:
        wanted = np.flatnonzero(outline.highlighted(state) > 0).tolist()
    else:
        wanted = [outline.rows[path] for path in to_grade(outline, pooled)]
    for row in wanted:
        if row not in rows and not (scale.highlights and _inside_too_small(outline, rows, row)):
            path = outline.path[row]
            yield row, Breach("grade-missing", f"{path} has no grade", path)


def to_grade(outline: Outline, pooled: Iterable[str]) -> list[str]:
    """Return the elements that must have grades where text is not highlighted: the pooled ones, or the root.

    >>> nowhere = np.array([0])
    >>> to_grade(Outline(["/a[1]"], nowhere, nowhere, nowhere - 1), ["/b[1]"])
    ['/a[1]']
    """
    return [path for path in pooled if path in outline.rows] or list(outline.path[:1])


def _inside_too_small(outline: Outline, rows: Grades, row: int) -> bool:
    return any(rows[above]["exhaustivity"] == TOO_SMALL for above in outline.ancestors(row) if above in rows)


def _contradictions(state: State, scale: Scale, outline: Outline, rows: Grades) -> Found:
    marked = outline.highlighted(state) if scale.highlights else None
    for row, grades in rows.items():
        if marked is not None:
            is_zero, is_nothing = grades["exhaustivity"] == "0", not marked[row]
            highlighted = counted(int(marked[row]), "highlighted character")
            said = f"exhaustivity {grades['exhaustivity']} with {highlighted}"
        else:
            first, second = scale.grades
            is_zero, is_nothing = grades[first] == "0", grades[second] == scale.grades[second][0]
            said = f"{first} {grades[first]} with {second} {grades[second]}"
        if is_zero != is_nothing:
            yield row, Breach("grade-contradiction", f"{outline.path[row]} has {said}", outline.path[row])


def _order(scale: Scale, outline: Outline, rows: Grades) -> Found:
    for row, grades in rows.items():
        above = next((one for one in outline.ancestors(row) if one in rows), None)
        if above is not None and scale.rank(rows[above]) < scale.rank(grades):
            degree = str(scale.degree)
            inner, outer = (f"{outline.path[one]} has {rows[one][degree]}" for one in (row, above))
            yield row, Breach("grade-order", f"{inner}, {outer} around it", outline.path[row])


def effective_grades(state: State, scale: Scale, outline: Outline) -> dict[str, Mapping[str, str]]:
    """Return the grades of elements with what follows from them, in document order.

    On the scale of 2005 everything highlighted inside an element that is too small is too small.
    """
    given = {row: state.grades[path] for path, row in outline.rows.items() if path in state.grades}
    if scale.name == "2005":
        for row in np.flatnonzero(outline.highlighted(state) > 0).tolist():
            if row not in given and _inside_too_small(outline, given, row):
                given[row] = {"exhaustivity": TOO_SMALL}
    return {outline.path[row]: given[row] for row in sorted(given)}
