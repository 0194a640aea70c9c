"""Judging events: each action of an assessor on a document, as a small record that never changes.

``static/core/judging_events.json`` declares the empty state and the kinds of events, for this module and for
the page.  The declaration of a kind gives

- ``about``: what events of the kind do;
- ``on``: what a scale must have to allow them, ``highlights`` or ``grades``; nothing if every scale does;
- ``edits``: whether they change the judgement, and so reopen the document;
- ``sets``: the values that they give to fields of the state;
- ``body``: the fields of the body, each with its type: ``spans``, ``position``, ``path``, ``place`` (a
  position in digits), ``grades``, ``text``, ``name`` (a text or null), ``flag``, or a list of the
  possible values, which are strings or null.  ``into`` names the field of the state that the value is folded
  into.  A field with a ``default`` may be missing from a body;
- ``fold``: how values are folded into the state.  ``replace`` takes the new value, ``join`` and ``subtract``
  add and remove characters, ``put`` stores a value at the path or place in the field ``at``, or removes it
  if it is null, and ``latch`` stays true once it was true, so that it cannot be undone.

Every event carries its client, the client's sequence number and the fingerprint of the text.  So the same
event may arrive any number of times and is stored once, and an event about another text is refused.  The
body is stored as it arrives: defaults are filled in by those who read it.

The events of one action carry the same ``step``.  Undoing adds a step of events that restore what the action
changed, and ``reverts`` names the step that they undo; a redo reverts the step of the undo.  So the log holds
the history of a document: every browser can undo the newest of these steps, whenever they were made.

Highlights are sets of characters of one document, kept as sorted spans that do not touch.  Highlighting is
the union of two such sets, removing a highlight their difference.  The sets are small, some tens of spans,
and events are applied one at a time: plain loops are several times faster here than arrays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import chain
from typing import Any

from doxel.errors import InputError

__all__ = [
    "EDITS",
    "EVENT_KINDS",
    "Arrival",
    "BodyField",
    "Characters",
    "Event",
    "EventKind",
    "Span",
    "intersect_characters",
    "is_text",
    "join_spans",
    "parse_arrival",
    "parse_event",
    "subtract_characters",
]

_MOST_NAME = 4_000  # characters
_LARGEST_INTEGER = 1 << 53  # JavaScript represents larger integers inexactly
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_PLACE = re.compile(r"0|[1-9][0-9]{0,14}")
_LABEL = re.compile(r"[A-Za-z0-9:._-]{1,80}")


@dataclass(frozen=True)
class BodyField:
    """A declared field of the bodies of a kind; ``values`` are those of a choice."""

    name: str
    type: str
    into: str | None = None
    most: int = 0
    values: tuple[str | None, ...] = ()
    is_optional: bool = False
    default: Any = None

    @property
    def wanted(self) -> str:
        """The values that the field may have, in words."""
        words = {
            "spans": f"a list of 1 to {self.most:,} spans [start, end]",
            "position": "a whole number from 0, or null",
            "path": "the path of an element",
            "place": "a position, in digits",
            "name": f"a text of 1 to {self.most:,} characters, not blank, or null",
            "grades": "grades by name, or null",
            "text": _describe_text(self.most),
            "flag": "true or false",
            "choice": f"one of {', '.join('null' if value is None else value for value in self.values)}",
        }
        return words[self.type]

    def read(self, body: Mapping[str, Any]) -> Any:
        """Return the value of the field in the body of an event; a missing one has its default."""
        return body.get(self.name, self.default) if self.is_optional else body[self.name]


@dataclass(frozen=True)
class EventKind:
    """A declared kind of events (the module's docstring explains the parts)."""

    name: str
    about: str
    fold: str
    body: tuple[BodyField, ...]
    at: str | None = None
    on: str | None = None
    edits: bool = False
    sets: Mapping[str, Any] = field(default_factory=dict)

    @property
    def folded(self) -> tuple[tuple[str, BodyField], ...]:
        """The fields that are folded into the state, each after the name of its field there."""
        return tuple((part.into, part) for part in self.body if part.into is not None)


def _read_kinds() -> dict[str, EventKind]:
    file = files("doxel.assess").joinpath("static", "core", "judging_events.json")
    kinds = json.loads(file.read_text(encoding="utf-8"))["kinds"]
    return {
        name: EventKind(**{**declaration, "name": name, "body": tuple(_read_body(declaration["body"]))})
        for name, declaration in kinds.items()
    }


def _read_body(body: Mapping[str, Any]) -> Iterator[BodyField]:
    for name, declaration in body.items():
        type_ = declaration["type"]
        choice = {"type": "choice", "values": tuple(type_)} if isinstance(type_, list) else {}
        yield BodyField(**{**declaration, **choice, "name": name, "is_optional": "default" in declaration})


EVENT_KINDS = _read_kinds()
"""The declared kinds of events, by name."""

EDITS = frozenset(name for name, kind in EVENT_KINDS.items() if kind.edits)
"""The kinds that change an assessment and therefore reopen the document."""


@dataclass(frozen=True)
class Event:
    """One action of an assessor on one document; ``body`` is plain JSON."""

    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Arrival:
    """An event as a client sends it, with its document and the client's sequence number.

    ``step`` groups the events of one action; ``reverts`` is the step that this one undoes.
    """

    doc: str
    client: str
    sequence: int
    fingerprint: str
    event: Event
    step: str | None = None
    reverts: str | None = None


def parse_event(kind: object, body: object) -> Event:
    """Parse the kind and the body of an event, or raise an error.

    >>> parse_event("highlight", {"spans": [[4, 6], [0, 5]]})
    Event(kind='highlight', body={'spans': [[0, 6]]})
    >>> parse_event("bep", {"position": -1})
    Traceback (most recent call last):
    doxel.errors.InputError: position: wanted a whole number from 0, or null, found -1
    """
    if not isinstance(kind, str) or kind not in EVENT_KINDS:
        raise InputError(
            "the kind of an event", wanted=f"one of {', '.join(EVENT_KINDS)}", found=_quote_ascii(kind)
        )
    if not isinstance(body, dict):
        raise InputError(f"the body of {kind}", wanted="an object", found=_quote_ascii(body))
    fields = {field.name: field for field in EVENT_KINDS[kind].body}
    required = [name for name, field in fields.items() if not field.is_optional]
    if not set(required) <= set(body) <= set(fields):
        optional = [f"optionally {name}" for name, field in fields.items() if field.is_optional]
        body_keys = ", ".join(map(_quote_ascii, sorted(body))) or "nothing"
        wanted = ", ".join([*required, *optional]) or "nothing"
        raise InputError(f"the body of {kind}", wanted=wanted, found=body_keys)
    return Event(
        kind,
        {name: _PARSERS[field.type](field, body[name]) for name, field in fields.items() if name in body},
    )


def parse_arrival(data: object) -> Arrival:
    """Parse an event that a client sent, or raise an error."""
    if not isinstance(data, dict):
        raise InputError("an event", wanted="an object", found=_quote_ascii(data))
    keys = {"doc", "client", "sequence", "fingerprint", "kind", "body"}
    if not keys <= set(data) <= keys | {"step", "reverts"}:
        data_keys = ", ".join(map(_quote_ascii, sorted(data))) or "nothing"
        raise InputError("an event", wanted=", ".join(sorted(keys)), found=data_keys)
    client, sequence = data["client"], data["sequence"]
    for key in ("client", "step", "reverts"):
        label = data.get(key)
        is_label = isinstance(label, str) and _LABEL.fullmatch(label)
        if not is_label and (key == "client" or label is not None):
            raise InputError(key, wanted="1 to 80 letters, digits and : . _ -", found=_quote_ascii(label))
    if not _is_number(sequence):
        raise InputError("sequence", wanted="a whole number from 0", found=_quote_ascii(sequence))
    for key in ("doc", "fingerprint"):
        _check_text(data[key], key, _MOST_NAME)
    event = parse_event(data["kind"], data["body"])
    steps = (data.get("step"), data.get("reverts"))
    return Arrival(data["doc"], client, sequence, data["fingerprint"], event, *steps)


def _parse_spans(field: BodyField, spans: Any) -> list[list[int]]:
    if not isinstance(spans, list) or not 1 <= len(spans) <= field.most:
        raise _build_error(field, spans)
    for span in spans:
        is_pair = isinstance(span, list) and len(span) == 2 and all(map(_is_number, span))
        if not is_pair or span[0] >= span[1]:
            raise InputError("a span", wanted="[start, end] with start before end", found=_quote_ascii(span))
    return [list(span) for span in join_spans(spans)]


def _parse_position(field: BodyField, position: Any) -> Any:
    if position is not None and not _is_number(position):
        raise _build_error(field, position)
    return position


def _parse_place(field: BodyField, place: Any) -> str:
    if not isinstance(place, str) or not _PLACE.fullmatch(place):
        raise _build_error(field, place)
    return place


def _parse_name(field: BodyField, name: Any) -> Any:
    if name is not None and not (is_text(name, field.most) and name.strip()):
        raise _build_error(field, name)
    return name


def _parse_grades(field: BodyField, grades: Any) -> dict[str, str] | None:
    is_graded = isinstance(grades, dict) and grades and all(map(_is_word, (*grades, *grades.values())))
    if grades is not None and not is_graded:
        raise _build_error(field, grades)
    return None if grades is None else dict(sorted(grades.items()))


def _parse_text(field: BodyField, text: Any) -> str:
    return _check_text(text, field.name, field.most)


def _parse_flag(field: BodyField, flag: Any) -> bool:
    if not isinstance(flag, bool):
        raise _build_error(field, flag)
    return flag


def _parse_choice(field: BodyField, value: Any) -> Any:
    if value not in field.values:
        raise _build_error(field, value)
    return value


_PARSERS: dict[str, Callable[[BodyField, Any], Any]] = {
    "spans": _parse_spans,
    "position": _parse_position,
    "path": _parse_text,
    "place": _parse_place,
    "name": _parse_name,
    "grades": _parse_grades,
    "text": _parse_text,
    "flag": _parse_flag,
    "choice": _parse_choice,
}


def _build_error(field: BodyField, value: object) -> InputError:
    return InputError(field.name, wanted=field.wanted, found=_quote_ascii(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST_INTEGER


def _is_word(value: object) -> bool:
    return is_text(value, 20)


def _check_text(value: object, label: str, most: int) -> str:
    if isinstance(value, str) and is_text(value, most):
        return value
    raise InputError(label, wanted=_describe_text(most), found=_quote_ascii(value))


def _describe_text(most: int) -> str:
    return f"a text of at most {most:,} characters"


def is_text(value: object, most: int) -> bool:
    """Return whether a value is a text of at most ``most`` characters that the database can store.

    PostgreSQL cannot store NUL, and UTF-8 cannot encode half of a surrogate pair.
    """
    return isinstance(value, str) and len(value) <= most and _UNSTORABLE.search(value) is None


def _quote_ascii(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


Span = tuple[int, int]
Characters = tuple[Span, ...]


def join_spans(*sets: Iterable[Span]) -> Characters:
    """Return the characters that are in any of the sets.

    >>> join_spans([(5, 9), (0, 2)], [(2, 4)])
    ((0, 4), (5, 9))
    """
    spans: list[Span] = []
    first, last = 0, -1
    for start, end in sorted(map(tuple, chain.from_iterable(sets))):
        if start <= last:
            last = max(last, end)
        elif start < end:
            if last >= 0:
                spans.append((first, last))
            first, last = start, end
    return (*spans, (first, last)) if last >= 0 else ()


def intersect_characters(first: Iterable[Span], second: Iterable[Span]) -> Characters:
    """Return the characters that are in both sets.

    >>> intersect_characters([(0, 6), (8, 9)], [(4, 20)])
    ((4, 6), (8, 9))
    """
    lefts, rights = join_spans(first), join_spans(second)
    spans: list[Span] = []
    left = right = 0
    while left < len(lefts) and right < len(rights):
        start = max(lefts[left][0], rights[right][0])
        end = min(lefts[left][1], rights[right][1])
        if start < end:
            spans.append((start, end))
        if lefts[left][1] <= rights[right][1]:
            left += 1
        else:
            right += 1
    return tuple(spans)


def subtract_characters(first: Iterable[Span], second: Iterable[Span]) -> Characters:
    """Return the characters of the first set that are not in the second.

    >>> subtract_characters([(0, 10)], [(3, 4), (8, 20)])
    ((0, 3), (4, 8))
    """
    spans, removed = join_spans(first), join_spans(second)
    if not spans or not removed:
        return spans
    ends = [0, *(end for _, end in removed)]
    starts = [*(start for start, _ in removed), max(spans[-1][1], removed[-1][1])]
    return intersect_characters(spans, zip(ends, starts, strict=True))
