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
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from doxel.assess.judging_events import (
    EVENT_KINDS,
    BodyField,
    Characters,
    Event,
    EventKind,
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
    "list_passages",
    "state_from_json",
    "state_to_json",
]


@dataclass(frozen=True)
class State:
    """One assessor's judgement of one document.

    ``grades`` holds the grades of elements by path; ``aspects`` holds names of aspects by a position, which
    belong to the passage around it; by the same positions, ``weights`` holds weights other than 1, and
    ``vital`` "no" if an answer need not have the aspect; ``decisions`` holds those of an adjudication, by the
    place of the difference; ``pooled_shown`` is true once the assessor has looked at the pooled parts, and
    stays true.
    """

    highlights: Characters = ()
    bep: int | None = None
    grades: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    validated: bool = False
    note: str = ""
    aspects: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, str] = field(default_factory=dict)
    vital: Mapping[str, str] = field(default_factory=dict)
    flagged: bool = False
    decisions: Mapping[str, str] = field(default_factory=dict)
    pooled_shown: bool = False


EMPTY_STATE = State()


def list_passages(state: State) -> Iterator[tuple[int, int, str | None]]:
    """Yield start, end and aspect of each passage; a passage of two aspects twice, one of none with None.

    >>> list(list_passages(State(highlights=((0, 9), (20, 30)), aspects={"3": "x", "5": "y", "15": "z"})))
    [(0, 9, 'x'), (0, 9, 'y'), (20, 30, None)]
    """
    names_by_position = sorted((int(place), name) for place, name in state.aspects.items())
    for start, end in state.highlights:
        names = dict.fromkeys(name for place, name in names_by_position if start <= place < end)
        yield from ((start, end, name) for name in names or [None])


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


def apply_event(state: State, event: Event) -> State:
    """Return the state after one event; edits reopen the document, notes and ``show`` do not."""
    kind = EVENT_KINDS.get(event.kind)
    if kind is None:  # stored by a later version
        return state
    changes = {"validated": False, **kind.sets} if kind.edits else dict(kind.sets)
    path = event.body[kind.at] if kind.at else None
    for name, part in kind.folded:
        changes[name] = _fold_value(kind.fold, getattr(state, name), part.read(event.body), path)
    return replace(state, **changes)


def _fold_value(fold: str, old: Any, value: Any, path: str | None) -> Any:
    match fold:
        case "join":
            return join_spans(old, value)
        case "subtract":
            return subtract_characters(old, value)
        case "put":
            others = {other: entry for other, entry in old.items() if other != path}
            return others if value is None else {**others, path: value}
        case "latch":
            return old or value
        case _:
            return value


def invert_event(state: State, event: Event) -> tuple[Event, ...]:
    """Return the events that restore ``state`` after ``event`` was applied to it.

    Only what the event changed is restored: text that was already highlighted stays so.  A document that
    was validated before is validated again.  A ``show`` event cannot be undone.

    >>> [undo] = invert_event(State(highlights=((0, 4),)), Event("highlight", {"spans": [[2, 8]]}))
    >>> undo
    Event(kind='unhighlight', body={'spans': [[4, 8]]})
    """
    return tuple(_find_events(apply_event(state, event), state))


def generate_events(state: State) -> Iterator[Event]:
    """Yield events that produce a state, except ``pooled_shown``: only the assessor's own event sets it.

    >>> list(generate_events(State(highlights=((0, 4),), bep=0)))
    [Event(kind='highlight', body={'spans': [[0, 4]]}), Event(kind='bep', body={'position': 0})]
    """
    return _find_events(EMPTY_STATE, state)


def _find_events(state: State, target: State) -> Iterator[Event]:
    """Yield the events that change one state into another, except for those that cannot be undone."""

    def find_turn(kind: EventKind) -> int:
        """Kinds that set values come last, and among them those that set the values of the target."""
        return (1 + _has_set(kind, target)) if kind.sets else 0

    for kind in sorted(EVENT_KINDS.values(), key=find_turn):
        for body in _find_bodies(kind, state, target):
            event = Event(kind.name, body)
            yield event
            state = apply_event(state, event)


def _has_set(kind: EventKind, state: State) -> bool:
    return all(getattr(state, name) == value for name, value in kind.sets.items())


def _find_bodies(kind: EventKind, state: State, target: State) -> Iterator[dict[str, Any]]:
    """Yield the bodies of a kind's events that lead from a state towards another."""
    pairs = [(part, getattr(state, name), getattr(target, name)) for name, part in kind.folded]
    match kind.fold:
        case "join" | "subtract":
            for part, old, new in pairs:
                spans = (
                    subtract_characters(new, old) if kind.fold == "join" else subtract_characters(old, new)
                )
                for at in range(0, len(spans), part.most):
                    yield {part.name: _to_json(spans[at : at + part.most])}
        case "put":
            changed_values = {
                path for _, old, new in pairs for path in {**old, **new} if old.get(path) != new.get(path)
            }
            for path in sorted(changed_values):
                yield {str(kind.at): path, **_build_body((part, new.get(path)) for part, _, new in pairs)}
        case "replace":
            is_setting = _has_set(kind, target) and not _has_set(kind, state)
            if is_setting or any(old != new for _, old, new in pairs):
                yield _build_body((part, new) for part, _, new in pairs)


def _build_body(values: Iterable[tuple[BodyField, Any]]) -> dict[str, Any]:
    """Return a body with these values; those that are the default of their field are left out."""
    return {
        part.name: _to_json(value) for part, value in values if not part.is_optional or value != part.default
    }


def state_to_json(state: State) -> dict[str, Any]:
    """Return a state as plain JSON; equal states give equal JSON."""
    return {field.name: _to_json(getattr(state, field.name)) for field in fields(State)}


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _to_json(value[key]) for key in sorted(value)}
    return value


def state_from_json(data: Mapping[str, Any]) -> State:
    """Return the state that :func:`state_to_json` wrote, in this version or another.

    Fields that are missing are empty, and fields that this version does not know are ignored.

    >>> state_from_json({"bep": 3, "mood": "fine"}) == State(bep=3)
    True
    """
    field_names = [field.name for field in fields(State) if field.name in data]
    return State(**{name: _from_json(data[name]) for name in field_names})


def _from_json(value: Any) -> Any:
    return tuple(map(_from_json, value)) if isinstance(value, list) else value


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

    def count_highlighted(self, state: State) -> Ints:
        """Return the number of highlighted characters of each element."""
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
        required_rows = np.flatnonzero(outline.count_highlighted(state) > 0).tolist()
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
    counts = outline.count_highlighted(state) if scale.highlights else None
    for row, grades in rows.items():
        if counts is not None:
            is_zero, is_nothing = grades["exhaustivity"] == "0", not counts[row]
            highlighted = pluralise(int(counts[row]), "highlighted character")
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
        for row in np.flatnonzero(outline.count_highlighted(state) > 0).tolist():
            if row not in grades and _is_inside_too_small(outline, grades, row):
                grades[row] = {"exhaustivity": TOO_SMALL}
    return {outline.path[row]: grades[row] for row in sorted(grades)}
