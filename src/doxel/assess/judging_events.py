"""Judging events: each action of an assessor on a document, as a small record that never changes.

============  ============================================  =====================================
kind          body                                          effect
============  ============================================  =====================================
highlight     ``{"spans": [[start, end], ...]}``            highlights these characters
unhighlight   ``{"spans": [[start, end], ...]}``            removes the highlight from them
bep           ``{"position": 17}`` or null                  sets or removes the best entry point
grade         ``{"path": "/a[1]", "grades": {...}}``        grades an element; null: removes its grades
validate      ``{}``                                        marks the document as done
reopen        ``{}``                                        marks it as not done
note          ``{"text": "..."}``                           replaces the note
show          ``{"pooled": true}``                          shows or hides the pooled parts
============  ============================================  =====================================

Every event carries its client, the client's sequence number and the fingerprint of the text.  So the same
event may arrive any number of times and is stored once, and an event about another text is refused.

Highlights are sets of characters of one document, kept as sorted spans that do not touch.  Highlighting is
the union of two such sets, removing a highlight their difference.  The sets are small, some tens of spans,
and events are applied one at a time: plain loops are several times faster here than arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from doxel.errors import InputError

__all__ = [
    "EDITS",
    "EVENT_KINDS",
    "MOST_SPANS",
    "Arrival",
    "Characters",
    "Event",
    "Span",
    "intersect_characters",
    "is_text",
    "join_spans",
    "parse_arrival",
    "parse_event",
    "subtract_characters",
]

MOST_SPANS = 1_000
MOST_NOTE = 10_000  # characters
MOST_PATH = 4_000
_LARGEST_INTEGER = 1 << 53  # JavaScript represents larger integers inexactly
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_CLIENT = re.compile(r"[A-Za-z0-9:._-]{1,80}")


@dataclass(frozen=True)
class Event:
    """One action of an assessor on one document; ``body`` is plain JSON."""

    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Arrival:
    """An event as a client sends it, with its document and the client's sequence number."""

    doc: str
    client: str
    sequence: int
    fingerprint: str
    event: Event


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
    keys, parse = EVENT_KINDS[kind]
    if set(body) != set(keys):
        body_keys = ", ".join(map(_quote_ascii, sorted(body))) or "nothing"
        raise InputError(f"the body of {kind}", wanted=", ".join(keys) or "nothing", found=body_keys)
    return Event(kind, parse(body))


def parse_arrival(data: object) -> Arrival:
    """Parse an event that a client sent, or raise an error."""
    if not isinstance(data, dict):
        raise InputError("an event", wanted="an object", found=_quote_ascii(data))
    keys = {"doc", "client", "sequence", "fingerprint", "kind", "body"}
    if set(data) != keys:
        data_keys = ", ".join(map(_quote_ascii, sorted(data))) or "nothing"
        raise InputError("an event", wanted=", ".join(sorted(keys)), found=data_keys)
    client, sequence = data["client"], data["sequence"]
    if not isinstance(client, str) or not _CLIENT.fullmatch(client):
        raise InputError("client", wanted="1 to 80 letters, digits and : . _ -", found=_quote_ascii(client))
    if not _is_number(sequence):
        raise InputError("sequence", wanted="a whole number from 0", found=_quote_ascii(sequence))
    for key in ("doc", "fingerprint"):
        _check_text(data[key], key, MOST_PATH)
    event = parse_event(data["kind"], data["body"])
    return Arrival(data["doc"], client, sequence, data["fingerprint"], event)


def _parse_spans(body: Mapping[str, Any]) -> dict[str, Any]:
    spans = body["spans"]
    if not isinstance(spans, list) or not 1 <= len(spans) <= MOST_SPANS:
        raise InputError("spans", wanted=f"a list of 1 to {MOST_SPANS:,} spans", found=_quote_ascii(spans))
    for span in spans:
        is_pair = isinstance(span, list) and len(span) == 2 and all(map(_is_number, span))
        if not is_pair or span[0] >= span[1]:
            raise InputError("a span", wanted="[start, end] with start before end", found=_quote_ascii(span))
    return {"spans": [list(span) for span in join_spans(spans)]}


def _parse_position(body: Mapping[str, Any]) -> dict[str, Any]:
    position = body["position"]
    if position is not None and not _is_number(position):
        raise InputError("position", wanted="a whole number from 0, or null", found=_quote_ascii(position))
    return {"position": position}


def _parse_grade(body: Mapping[str, Any]) -> dict[str, Any]:
    grades = body["grades"]
    _check_text(body["path"], "path", MOST_PATH)
    is_graded = isinstance(grades, dict) and grades and all(map(_is_word, (*grades, *grades.values())))
    if grades is not None and not is_graded:
        raise InputError("grades", wanted="grades by name, or null", found=_quote_ascii(grades))
    return {"path": body["path"], "grades": None if grades is None else dict(sorted(grades.items()))}


def _parse_nothing(body: Mapping[str, Any]) -> dict[str, Any]:
    del body
    return {}


def _parse_note(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"text": _check_text(body["text"], "text", MOST_NOTE)}


def _parse_show(body: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(body["pooled"], bool):
        raise InputError("pooled", wanted="true or false", found=_quote_ascii(body["pooled"]))
    return {"pooled": body["pooled"]}


EVENT_KINDS: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "highlight": (("spans",), _parse_spans),
    "unhighlight": (("spans",), _parse_spans),
    "bep": (("position",), _parse_position),
    "grade": (("path", "grades"), _parse_grade),
    "validate": ((), _parse_nothing),
    "reopen": ((), _parse_nothing),
    "note": (("text",), _parse_note),
    "show": (("pooled",), _parse_show),
}
"""Each kind of event, with the keys of its body and the function that parses it."""

EDITS = frozenset({"highlight", "unhighlight", "bep", "grade"})
"""The kinds that change an assessment and therefore reopen the document."""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST_INTEGER


def _is_word(value: object) -> bool:
    return is_text(value, 20)


def _check_text(value: object, label: str, most: int) -> str:
    if isinstance(value, str) and is_text(value, most):
        return value
    raise InputError(label, wanted=f"a text of at most {most:,} characters", found=_quote_ascii(value))


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
