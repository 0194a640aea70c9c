"""What an assessor does, as events: small, complete in themselves, and never changed once stored.

============  ============================================  =====================================
kind          body                                          what it does
============  ============================================  =====================================
highlight     ``{"spans": [[start, end], ...]}``            adds these characters
unhighlight   ``{"spans": [[start, end], ...]}``            takes these characters away
bep           ``{"position": 17}`` or null                  sets or removes the best entry point
grade         ``{"path": "/a[1]", "grades": {...}}``        grades an element; null: not any more
validate      ``{}``                                        says that the document is done
reopen        ``{}``                                        says that it is not
note          ``{"text": "..."}``                           replaces the note
show          ``{"pooled": true}``                          looks at what systems found, or no more
============  ============================================  =====================================

Every event names the client that made it, its number there, and the text it was made on: so the same
event may arrive any number of times, and never on another text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from doxel.assess.characters import joined
from doxel.errors import InputError

__all__ = ["EDITS", "KINDS", "MOST_SPANS", "Arrival", "Event", "is_text", "parse_arrival", "parse_event"]

MOST_SPANS = 1_000
MOST_NOTE = 10_000  # characters
MOST_PATH = 4_000
_MOST = 1 << 53  # beyond that JavaScript does not count
_UNKEEPABLE = re.compile(r"[\x00\ud800-\udfff]")
_CLIENT = re.compile(r"[A-Za-z0-9:._-]{1,80}")


@dataclass(frozen=True)
class Event:
    """One thing an assessor did to one document; ``body`` is plain JSON."""

    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Arrival:
    """An event as a client sends it: for which document, and how the client counts it."""

    doc: str
    client: str
    sequence: int
    fingerprint: str
    event: Event


def parse_event(kind: object, body: object) -> Event:
    """Return an event, or refuse what is none.

    >>> parse_event("highlight", {"spans": [[4, 6], [0, 5]]})
    Event(kind='highlight', body={'spans': [[0, 6]]})
    >>> parse_event("bep", {"position": -1})
    Traceback (most recent call last):
    doxel.errors.InputError: position: wanted a whole number from 0, or null, found -1
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError("the kind of an event", wanted=f"one of {', '.join(KINDS)}", found=_shown(kind))
    if not isinstance(body, dict):
        raise InputError(f"the body of {kind}", wanted="an object", found=_shown(body))
    wanted, parse = KINDS[kind]
    if set(body) != set(wanted):
        found = ", ".join(map(_shown, sorted(body))) or "nothing"
        raise InputError(f"the body of {kind}", wanted=", ".join(wanted) or "nothing", found=found)
    return Event(kind, parse(body))


def parse_arrival(data: object) -> Arrival:
    """Return what a client sent, or refuse it."""
    if not isinstance(data, dict):
        raise InputError("an event", wanted="an object", found=_shown(data))
    wanted = {"doc", "client", "sequence", "fingerprint", "kind", "body"}
    if set(data) != wanted:
        found = ", ".join(map(_shown, sorted(data))) or "nothing"
        raise InputError("an event", wanted=", ".join(sorted(wanted)), found=found)
    client, sequence = data["client"], data["sequence"]
    if not isinstance(client, str) or not _CLIENT.fullmatch(client):
        raise InputError("client", wanted="1 to 80 letters, digits and : . _ -", found=_shown(client))
    if not _is_number(sequence):
        raise InputError("sequence", wanted="a whole number from 0", found=_shown(sequence))
    for key in ("doc", "fingerprint"):
        _text(data[key], key, MOST_PATH)
    event = parse_event(data["kind"], data["body"])
    return Arrival(data["doc"], client, sequence, data["fingerprint"], event)


def _spans(body: Mapping[str, Any]) -> dict[str, Any]:
    spans = body["spans"]
    if not isinstance(spans, list) or not 1 <= len(spans) <= MOST_SPANS:
        raise InputError("spans", wanted=f"a list of 1 to {MOST_SPANS:,} spans", found=_shown(spans))
    for span in spans:
        whole = isinstance(span, list) and len(span) == 2 and all(map(_is_number, span))
        if not whole or span[0] >= span[1]:
            raise InputError("a span", wanted="[start, end], the end after the start", found=_shown(span))
    return {"spans": [list(span) for span in joined(spans)]}


def _position(body: Mapping[str, Any]) -> dict[str, Any]:
    position = body["position"]
    if position is not None and not _is_number(position):
        raise InputError("position", wanted="a whole number from 0, or null", found=_shown(position))
    return {"position": position}


def _grade(body: Mapping[str, Any]) -> dict[str, Any]:
    grades = body["grades"]
    _text(body["path"], "path", MOST_PATH)
    is_graded = isinstance(grades, dict) and grades and all(map(_is_word, (*grades, *grades.values())))
    if grades is not None and not is_graded:
        raise InputError("grades", wanted="grades by name, or null", found=_shown(grades))
    return {"path": body["path"], "grades": None if grades is None else dict(sorted(grades.items()))}


def _nothing(body: Mapping[str, Any]) -> dict[str, Any]:
    del body
    return {}


def _note(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"text": _text(body["text"], "text", MOST_NOTE)}


def _show(body: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(body["pooled"], bool):
        raise InputError("pooled", wanted="true or false", found=_shown(body["pooled"]))
    return {"pooled": body["pooled"]}


KINDS: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "highlight": (("spans",), _spans),
    "unhighlight": (("spans",), _spans),
    "bep": (("position",), _position),
    "grade": (("path", "grades"), _grade),
    "validate": ((), _nothing),
    "reopen": ((), _nothing),
    "note": (("text",), _note),
    "show": (("pooled",), _show),
}
"""Each kind with the keys of its body, and what makes sure of them."""

EDITS = frozenset({"highlight", "unhighlight", "bep", "grade"})
"""The kinds that change an assessment, and so reopen a document."""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST


def _is_word(value: object) -> bool:
    return is_text(value, 20)


def _text(value: object, what: str, most: int) -> str:
    if isinstance(value, str) and is_text(value, most):
        return value
    raise InputError(what, wanted=f"a text of at most {most:,} characters", found=_shown(value))


def is_text(value: object, most: int) -> bool:
    """Tell whether something is a text of at most so many characters that can be kept.

    A NUL is the one character that PostgreSQL cannot keep, half of a surrogate pair one that UTF-8 cannot.
    """
    return isinstance(value, str) and len(value) <= most and _UNKEEPABLE.search(value) is None


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
