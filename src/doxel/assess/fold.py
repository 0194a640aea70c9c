"""Document states: the state of a document is the fold of its events, in the order the server stored them.

Undo never removes an event.  It adds one or more events that restore what the first one changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from doxel.assess.characters import Characters, common, joined, without
from doxel.assess.events import EDITS, MOST_SPANS, Event

__all__ = ["EMPTY", "State", "apply", "fold", "inverse", "retold", "state_from_json", "state_to_json"]


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


EMPTY = State()


def fold(events: Iterable[Event], state: State = EMPTY) -> State:
    """Apply events in turn and return the resulting state.

    >>> fold([Event("highlight", {"spans": [[0, 9]]}), Event("unhighlight", {"spans": [[3, 5]]})]).highlights
    ((0, 3), (5, 9))
    """
    for event in events:
        state = apply(state, event)
    return state


def retold(state: State) -> Iterator[Event]:
    """Yield events that produce a state, except ``pooled_shown``: only the assessor's own event sets it.

    >>> list(retold(State(highlights=((0, 4),), bep=0)))
    [Event(kind='highlight', body={'spans': [[0, 4]]}), Event(kind='bep', body={'position': 0})]
    """
    for at in range(0, len(state.highlights), MOST_SPANS):
        yield from _marks("highlight", state.highlights[at : at + MOST_SPANS])
    if state.bep is not None:
        yield Event("bep", {"position": state.bep})
    for path in sorted(state.grades):
        yield Event("grade", {"path": path, "grades": dict(sorted(state.grades[path].items()))})
    if state.note:
        yield Event("note", {"text": state.note})
    if state.validated:
        yield Event("validate", {})


def apply(state: State, event: Event) -> State:
    """Return the state after one event; edits reopen the document, notes and ``show`` do not."""
    new_state = _changed(state, event)
    return replace(new_state, validated=False) if event.kind in EDITS else new_state


def _changed(state: State, event: Event) -> State:
    body = event.body
    changes: dict[str, Any] = {}  # unknown kinds, stored by a later version, change nothing
    match event.kind:
        case "highlight":
            changes["highlights"] = joined(state.highlights, body["spans"])
        case "unhighlight":
            changes["highlights"] = without(state.highlights, body["spans"])
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


def inverse(state: State, event: Event) -> tuple[Event, ...]:
    """Return the events that restore ``state`` after ``event`` was applied to it.

    Only what the event changed is restored: text that was already highlighted stays so.  A document that
    was validated before is validated again.  A ``show`` event cannot be undone.

    >>> [undo] = inverse(State(highlights=((0, 4),)), Event("highlight", {"spans": [[2, 8]]}))
    >>> undo
    Event(kind='unhighlight', body={'spans': [[4, 8]]})
    """
    undo = _undo(state, event)
    was_validated = event.kind in EDITS and state.validated
    return (*undo, Event("validate", {})) if was_validated else undo


def _undo(state: State, event: Event) -> tuple[Event, ...]:
    body = event.body
    undo: tuple[Event, ...] = ()
    match event.kind:
        case "highlight":
            undo = _marks("unhighlight", without(body["spans"], state.highlights))
        case "unhighlight":
            undo = _marks("highlight", common(state.highlights, body["spans"]))
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


def _marks(kind: str, spans: Characters) -> tuple[Event, ...]:
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
