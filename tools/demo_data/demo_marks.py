"""The marks of the bundled campaign's assessors: quotations, never positions.

Each topic has one JSON file.  A quotation survives every change of the handbook that leaves its words
unchanged, and fails loudly after one that changes them::

    {
        "topic": "7",
        "note": "the assessor's remarks",
        "relevant": {
            "pooling": {
                "bep": "A pool rests on a bet.",
                "passages": [
                    {"quote": "...", "exhaustivity": 2},
                    {"quote_from": "...", "quote_to": "...", "exhaustivity": 1},
                ],
            }
        },
        "nonrelevant": ["rank-correlation"],
        "grades_2002": {
            "pooling": [
                {"path": "/article[1]", "begins": "Pooling: choosing", "relevance": 3, "coverage": "L"}
            ]
        },
        "grades_2003": {
            "pooling": [
                {
                    "path": "/article[1]",
                    "begins": "Pooling: choosing",
                    "exhaustivity": 3,
                    "specificity": 1,
                    "inferred": true,
                }
            ]
        },
    }

A long passage is given by its first and its last words.  The exhaustivity of a passage is 2 (it answers
the topic), 1 (it touches it) or ? (too small a fragment to tell).  An element graded by hand is named by its
path and guarded by its first words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doxel.errors import InputError

__all__ = ["GradedElement", "MarkedDocument", "Passage", "TopicMarks", "read_marks"]

MARKS = Path(__file__).resolve().parent / "marks"

_SCALES: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "grades_2002": {"relevance": (0, 1, 2, 3), "coverage": ("N", "L", "S", "E")},
    "grades_2003": {
        "exhaustivity": (0, 1, 2, 3),
        "specificity": (0, 1, 2, 3),
        "inferred": (True, False, None),
    },
}
_EXHAUSTIVITY = (1, 2, "?")


@dataclass(frozen=True, slots=True)
class Passage:
    """Highlighted text: from the start of ``first`` to the end of ``last``, which may be equal."""

    first: str
    last: str
    exhaustivity: str


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A document with relevant text: ``bep`` quotes the words at which to start reading."""

    doc: str
    bep: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class GradedElement:
    """An element graded by hand; its text must begin with ``begins``."""

    doc: str
    path: str
    begins: str
    grades: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TopicMarks:
    """All judgements of one topic."""

    topic: str
    note: str
    relevant: tuple[MarkedDocument, ...]
    nonrelevant: tuple[str, ...]
    grades_2002: tuple[GradedElement, ...]
    grades_2003: tuple[GradedElement, ...]
    file: str


def read_marks(folder: Path = MARKS) -> tuple[TopicMarks, ...]:
    """Read the marks of all topics, in the order of their ids."""
    read = [
        _topic(_object(path.read_bytes(), path.name), path.name) for path in sorted(folder.glob("*.json"))
    ]
    return tuple(sorted(read, key=lambda marks: (len(marks.topic), marks.topic)))


def _object(data: bytes, file: str) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except ValueError as error:
        raise InputError("marks", file=file, wanted="a JSON object", found=str(error)) from None
    return _check_keys(content, ("topic", "note", "relevant", "nonrelevant"), tuple(_SCALES), "marks", file)


def _check_keys(
    value: Any, required: tuple[str, ...], optional: tuple[str, ...], label: str, file: str
) -> dict[str, Any]:
    """Return an object after checking that it has the required keys and no others but the optional ones."""
    keys = set(value) if isinstance(value, dict) else set()
    if not set(required) <= keys <= {*required, *optional}:
        key_list = ", ".join(sorted(keys)) or type(value).__name__
        raise InputError(label, file=file, wanted=f"the keys {', '.join(required)}", found=key_list)
    return dict(value)


def _topic(marks: dict[str, Any], file: str) -> TopicMarks:
    relevant = tuple(_document(doc, value, file) for doc, value in marks["relevant"].items())
    in_both = sorted({document.doc for document in relevant} & set(marks["nonrelevant"]))
    if in_both:
        raise InputError(
            "judgement", file=file, wanted="relevant or not", found=f"{in_both[0]} in both lists"
        )
    by_hand = {scale: _graded(marks.get(scale, {}), scale, file) for scale in _SCALES}
    return TopicMarks(
        topic=marks["topic"],
        note=marks["note"],
        relevant=relevant,
        nonrelevant=tuple(marks["nonrelevant"]),
        grades_2002=by_hand["grades_2002"],
        grades_2003=by_hand["grades_2003"],
        file=file,
    )


def _document(doc: str, value: Any, file: str) -> MarkedDocument:
    marked = _check_keys(value, ("bep", "passages"), (), f"document {doc}", file)
    passages = tuple(_passage(passage, doc, file) for passage in marked["passages"])
    if not passages:
        raise InputError(f"document {doc}", file=file, wanted="at least one passage", found="none")
    return MarkedDocument(doc, marked["bep"], passages)


def _passage(value: Any, doc: str, file: str) -> Passage:
    label = f"a passage of document {doc}"
    ends = ("quote",) if isinstance(value, dict) and "quote" in value else ("quote_from", "quote_to")
    passage = _check_keys(value, (*ends, "exhaustivity"), (), label, file)
    _check_grade(passage["exhaustivity"], _EXHAUSTIVITY, f"the exhaustivity of {label}", file)
    return Passage(passage[ends[0]], passage[ends[-1]], str(passage["exhaustivity"]))


def _graded(by_document: Any, scale: str, file: str) -> tuple[GradedElement, ...]:
    graded: list[GradedElement] = []
    for doc, elements in by_document.items():
        for value in elements:
            label = f"a graded element of document {doc}"
            required = tuple(name for name, grades in _SCALES[scale].items() if None not in grades)
            element = _check_keys(value, ("path", "begins", *required), tuple(_SCALES[scale]), label, file)
            grades = {name: element.get(name) for name in _SCALES[scale]}
            for name, grade in grades.items():
                _check_grade(grade, _SCALES[scale][name], f"the {name} of {label}", file)
            graded.append(GradedElement(doc, element["path"], element["begins"], grades))
    return tuple(graded)


def _check_grade(value: Any, wanted: tuple[Any, ...], label: str, file: str) -> None:
    if not any(type(value) is type(grade) and value == grade for grade in wanted):
        raise InputError(label, file=file, wanted=f"one of {', '.join(map(repr, wanted))}", found=repr(value))
