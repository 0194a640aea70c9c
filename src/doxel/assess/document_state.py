"""Document states: the fold of a document's events, and the rules for when the document is done.

Events are applied in the order in which the server stored them.  Undo never removes an event; it adds one or
more events that restore what the first one changed.

A document is done when it keeps the rules of its scale:

- There is a best entry point if and only if something is highlighted (2006).
- No grade is missing.  2005: every element with highlighted text needs one; elements inside an element
  graded too small are too small as well, and need none.  2002, 2003: every pooled element needs one.
- 2005: exhaustivity is 0 exactly where nothing is highlighted.  2003: it is 0 exactly where specificity is.
  2002: relevance is 0 exactly where coverage is N.
- An element has at least the degree of every element inside it; too small ranks between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from doxel.assess.judging_events import (
    EDITS,
    MOST_SPANS,
    Characters,
    Event,
    intersect_characters,
    join_spans,
    subtract_characters,
)
from doxel.assess.scales import Scale
from doxel.spans import Coverage, Ints
from doxel.wording import pluralise

__all__ = [
    "EMPTY_STATE",
    "NO_ELEMENTS",
    "Breach",
    "ElementOutline",
    "State",
    "apply_event",
    "find_breaches",
    "fold_events",
    "generate_events",
    "infer_grades",
    "invert_event",
    "list_elements_to_grade",
    "state_from_json",
    "state_to_json",
]


@dataclass(frozen=True)
class State:
    """One assessor's judgement of one document.

    ``grades`` holds the grades of elements by path; ``pooled_shown`` is true once the assessor has looked
    at the pooled parts, and stays true.
    """

    highlights: Characters = ()
    bep: int | None = None
    grades: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    validated: bool = False
    note: str = ""
    pooled_shown: bool = False


EMPTY_STATE = State()


def fold_events(events: Iterable[Event], state: State = EMPTY_STATE) -> State:
    """Apply events in turn and return the resulting state.

    >>> fold_events(
    ...     [Event("highlight", {"spans": [[0, 9]]}), Event("unhighlight", {"spans": [[3, 5]]})]
    ... ).highlights
    ((0, 3), (5, 9))
    """
    for event in events:
        state = apply_event(state, event)
    return state


def generate_events(state: State) -> Iterator[Event]:
    """Yield events that produce a state, except ``pooled_shown``: only the assessor's own event sets it.

    >>> list(generate_events(State(highlights=((0, 4),), bep=0)))
    [Event(kind='highlight', body={'spans': [[0, 4]]}), Event(kind='bep', body={'position': 0})]
    """
    for at in range(0, len(state.highlights), MOST_SPANS):
        yield from _build_marks("highlight", state.highlights[at : at + MOST_SPANS])
    if state.bep is not None:
        yield Event("bep", {"position": state.bep})
    for path in sorted(state.grades):
        yield Event("grade", {"path": path, "grades": dict(sorted(state.grades[path].items()))})
    if state.note:
        yield Event("note", {"text": state.note})
    if state.validated:
        yield Event("validate", {})


def apply_event(state: State, event: Event) -> State:
    """Return the state after one event; edits reopen the document, notes and ``show`` do not."""
    new_state = _change_state(state, event)
    return replace(new_state, validated=False) if event.kind in EDITS else new_state


def _change_state(state: State, event: Event) -> State:
    body = event.body
    changes: dict[str, Any] = {}  # unknown kinds, stored by a later version, change nothing
    match event.kind:
        case "highlight":
            changes["highlights"] = join_spans(state.highlights, body["spans"])
        case "unhighlight":
            changes["highlights"] = subtract_characters(state.highlights, body["spans"])
        case "bep":
            changes["bep"] = body["position"]
        case "grade":
            others = {path: grades for path, grades in state.grades.items() if path != body["path"]}
            own = {} if body["grades"] is None else {body["path"]: dict(body["grades"])}
            changes["grades"] = {**others, **own}
        case "validate" | "reopen":
            changes["validated"] = event.kind == "validate"
        case "note":
            changes["note"] = body["text"]
        case "show":
            changes["pooled_shown"] = state.pooled_shown or body["pooled"]
    return replace(state, **changes)


def invert_event(state: State, event: Event) -> tuple[Event, ...]:
    """Return the events that restore ``state`` after ``event`` was applied to it.

    Only what the event changed is restored: text that was already highlighted stays so.  A document that
    was validated before is validated again.  A ``show`` event cannot be undone.

    >>> [undo] = invert_event(State(highlights=((0, 4),)), Event("highlight", {"spans": [[2, 8]]}))
    >>> undo
    Event(kind='unhighlight', body={'spans': [[4, 8]]})
    """
    undo = _invert_change(state, event)
    was_validated = event.kind in EDITS and state.validated
    return (*undo, Event("validate", {})) if was_validated else undo


def _invert_change(state: State, event: Event) -> tuple[Event, ...]:
    body = event.body
    undo: tuple[Event, ...] = ()
    match event.kind:
        case "highlight":
            undo = _build_marks("unhighlight", subtract_characters(body["spans"], state.highlights))
        case "unhighlight":
            undo = _build_marks("highlight", intersect_characters(state.highlights, body["spans"]))
        case "bep":
            undo = (Event("bep", {"position": state.bep}),)
        case "grade":
            grades = state.grades.get(body["path"])
            old_grades = None if grades is None else dict(grades)
            undo = (Event("grade", {"path": body["path"], "grades": old_grades}),)
        case "validate" | "reopen":
            undo = (Event("validate" if state.validated else "reopen", {}),)
        case "note":
            undo = (Event("note", {"text": state.note}),)
    return undo


def _build_marks(kind: str, spans: Characters) -> tuple[Event, ...]:
    return (Event(kind, {"spans": [list(span) for span in spans]}),) if spans else ()


def state_to_json(state: State) -> dict[str, Any]:
    """Return a state as plain JSON; equal states give equal JSON."""
    return {
        "highlights": [list(span) for span in state.highlights],
        "bep": state.bep,
        "grades": {path: dict(state.grades[path]) for path in sorted(state.grades)},
        "validated": state.validated,
        "note": state.note,
        "pooled_shown": state.pooled_shown,
    }


def state_from_json(data: Mapping[str, Any]) -> State:
    """Return the state that :func:`state_to_json` wrote."""
    highlights = tuple((start, end) for start, end in data["highlights"])
    return State(**{**data, "highlights": highlights})


TOO_SMALL = "?"


@dataclass(frozen=True)
class ElementOutline:
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


NO_ELEMENTS = ElementOutline((), *(np.zeros(0, dtype=np.int64) for _ in range(3)))


@dataclass(frozen=True)
class Breach:
    """A broken rule: a code, a sentence, and the path of the element concerned."""

    code: str
    message: str
    path: str | None = None


def find_breaches(
    state: State, scale: Scale, outline: ElementOutline, pooled: Iterable[str] = ()
) -> list[Breach]:
    """Return the rules that a document breaks, in document order; it is done when there are none.

    ``pooled`` are the paths of pooled elements.  A scale without grades uses neither them nor the outline.
    """
    broken = list(_check_entry_point(state)) if scale.entry_point else []
    if not scale.grades:
        return broken
    rows = {outline.rows[path]: grades for path, grades in state.grades.items() if path in outline.rows}
    by_row = [
        *_find_missing_grades(state, scale, outline, rows, pooled),
        *_find_contradictions(state, scale, outline, rows),
        *_check_grade_order(scale, outline, rows),
    ]
    return broken + [breach for _, breach in sorted(by_row, key=lambda pair: (pair[0], pair[1].code))]


def _check_entry_point(state: State) -> Iterator[Breach]:
    if state.highlights and state.bep is None:
        yield Breach("bep-missing", "something is highlighted, and there is no best entry point")
    if state.bep is not None and not state.highlights:
        yield Breach("bep-alone", "there is a best entry point, and nothing is highlighted")


_BreachesByRow = Iterator[tuple[int, Breach]]
_GradesByRow = Mapping[int, Mapping[str, str]]


def _find_missing_grades(
    state: State, scale: Scale, outline: ElementOutline, rows: _GradesByRow, pooled: Iterable[str]
) -> _BreachesByRow:
    if scale.highlights:
        required_rows = np.flatnonzero(outline.highlighted(state) > 0).tolist()
    else:
        required_rows = [outline.rows[path] for path in list_elements_to_grade(outline, pooled)]
    for row in required_rows:
        if row not in rows and not (scale.highlights and _is_inside_too_small(outline, rows, row)):
            path = outline.path[row]
            yield row, Breach("grade-missing", f"{path} has no grade", path)


def list_elements_to_grade(outline: ElementOutline, pooled: Iterable[str]) -> list[str]:
    """Return the elements that need grades on a scale without highlights: the pooled ones, or the root.

    >>> nowhere = np.array([0])
    >>> list_elements_to_grade(ElementOutline(["/a[1]"], nowhere, nowhere, nowhere - 1), ["/b[1]"])
    ['/a[1]']
    """
    return [path for path in pooled if path in outline.rows] or list(outline.path[:1])


def _is_inside_too_small(outline: ElementOutline, rows: _GradesByRow, row: int) -> bool:
    return any(rows[above]["exhaustivity"] == TOO_SMALL for above in outline.ancestors(row) if above in rows)


def _find_contradictions(
    state: State, scale: Scale, outline: ElementOutline, rows: _GradesByRow
) -> _BreachesByRow:
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


def _check_grade_order(scale: Scale, outline: ElementOutline, rows: _GradesByRow) -> _BreachesByRow:
    for row, grades in rows.items():
        above = next((ancestor for ancestor in outline.ancestors(row) if ancestor in rows), None)
        if above is not None and scale.rank(rows[above]) < scale.rank(grades):
            degree = str(scale.degree)
            inner, outer = (f"{outline.path[at]} has {rows[at][degree]}" for at in (row, above))
            yield row, Breach("grade-order", f"{inner}, {outer} around it", outline.path[row])


def infer_grades(state: State, scale: Scale, outline: ElementOutline) -> dict[str, Mapping[str, str]]:
    """Return the grades of elements, given and inferred, in document order.

    On the scale of 2005, every element with highlighted text inside a too small element is too small.
    """
    grades = {row: state.grades[path] for path, row in outline.rows.items() if path in state.grades}
    if scale.name == "2005":
        for row in np.flatnonzero(outline.highlighted(state) > 0).tolist():
            if row not in grades and _is_inside_too_small(outline, grades, row):
                grades[row] = {"exhaustivity": TOO_SMALL}
    return {outline.path[row]: grades[row] for row in sorted(grades)}
