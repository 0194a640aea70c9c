"""The rules of each scale for when a document is done.

- There is a best entry point if and only if something is highlighted (2005, 2006).
- No grade is missing.  2005: every element with highlighted text needs one; elements inside an element
  graded too small are too small as well, and need none.  2002, 2003: every pooled element needs one.
- 2005: exhaustivity is 0 exactly where nothing is highlighted.  2003: it is 0 exactly where specificity is.
  2002: relevance is 0 exactly where coverage is N.
- An element has at least the degree of every element inside it; too small ranks between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from doxel.assess.fold import State
from doxel.assess.scales import Scale
from doxel.spans import Coverage, Ints
from doxel.wording import pluralise

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
        """Yield the rows of an element's ancestors, nearest first."""
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
    """A broken rule: a code, a sentence, and the path of the element concerned."""

    code: str
    message: str
    path: str | None = None


def breaches(state: State, scale: Scale, outline: Outline, pooled: Iterable[str] = ()) -> list[Breach]:
    """Return the rules that a document breaks, in document order; it is done when there are none.

    ``pooled`` are the paths of pooled elements.  A scale without grades uses neither them nor the outline.
    """
    broken = list(_entry_point(state)) if scale.highlights else []
    if not scale.grades:
        return broken
    rows = {outline.rows[path]: grades for path, grades in state.grades.items() if path in outline.rows}
    by_row = [
        *_missing(state, scale, outline, rows, pooled),
        *_contradictions(state, scale, outline, rows),
        *_order(scale, outline, rows),
    ]
    return broken + [breach for _, breach in sorted(by_row, key=lambda pair: (pair[0], pair[1].code))]


def _entry_point(state: State) -> Iterator[Breach]:
    if state.highlights and state.bep is None:
        yield Breach("bep-missing", "something is highlighted, and there is no best entry point")
    if state.bep is not None and not state.highlights:
        yield Breach("bep-alone", "there is a best entry point, and nothing is highlighted")


Found = Iterator[tuple[int, Breach]]
Grades = Mapping[int, Mapping[str, str]]


def _missing(state: State, scale: Scale, outline: Outline, rows: Grades, pooled: Iterable[str]) -> Found:
    if scale.highlights:
        required_rows = np.flatnonzero(outline.highlighted(state) > 0).tolist()
    else:
        required_rows = [outline.rows[path] for path in to_grade(outline, pooled)]
    for row in required_rows:
        if row not in rows and not (scale.highlights and _inside_too_small(outline, rows, row)):
            path = outline.path[row]
            yield row, Breach("grade-missing", f"{path} has no grade", path)


def to_grade(outline: Outline, pooled: Iterable[str]) -> list[str]:
    """Return the elements that need grades on a scale without highlights: the pooled ones, or the root.

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
            highlighted = pluralise(int(marked[row]), "highlighted character")
            contradiction = f"exhaustivity {grades['exhaustivity']} with {highlighted}"
        else:
            first, second = scale.grades
            is_zero, is_nothing = grades[first] == "0", grades[second] == scale.grades[second][0]
            contradiction = f"{first} {grades[first]} with {second} {grades[second]}"
        if is_zero != is_nothing:
            path = outline.path[row]
            yield row, Breach("grade-contradiction", f"{path} has {contradiction}", path)


def _order(scale: Scale, outline: Outline, rows: Grades) -> Found:
    for row, grades in rows.items():
        above = next((ancestor for ancestor in outline.ancestors(row) if ancestor in rows), None)
        if above is not None and scale.rank(rows[above]) < scale.rank(grades):
            degree = str(scale.degree)
            inner, outer = (f"{outline.path[at]} has {rows[at][degree]}" for at in (row, above))
            yield row, Breach("grade-order", f"{inner}, {outer} around it", outline.path[row])


def effective_grades(state: State, scale: Scale, outline: Outline) -> dict[str, Mapping[str, str]]:
    """Return the grades of elements, given and inferred, in document order.

    On the scale of 2005, every element with highlighted text inside a too small element is too small.
    """
    grades = {row: state.grades[path] for path, row in outline.rows.items() if path in state.grades}
    if scale.name == "2005":
        for row in np.flatnonzero(outline.highlighted(state) > 0).tolist():
            if row not in grades and _inside_too_small(outline, grades, row):
                grades[row] = {"exhaustivity": TOO_SMALL}
    return {outline.path[row]: grades[row] for row in sorted(grades)}
