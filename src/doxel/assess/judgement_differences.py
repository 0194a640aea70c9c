"""Differences between the judgements of several assessors on a document, and the ways to decide each.

A difference is a stretch of text that somebody highlighted and that not all highlighted alike, the aspects of
such a stretch if not all named the same, an entry point that not all set alike, or an element that not all
graded alike.  Its *place* identifies it in the log: the span of the stretch, the span after ``aspects-``,
``bep``, or the path of the element.  Its *choices* are the outcomes that an adjudicator
can accept: the judgement of each assignment, by its number, and

==============  ================================================================================
union           all text that anybody highlighted, all aspects; of grades, the highest
intersection    the text that all highlighted, the common aspects; of grades, the lowest
majority        the text that more than half highlighted, if there are three assessors or more
none            nothing highlighted, no aspect, no entry point, no grade
==============  ================================================================================

An adjudicator who edits the text instead decides ``edited``, which needs no outcome.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from typing import Any

from doxel.assess.document_state import ElementOutline, State, infer_grades
from doxel.assess.judging_events import Characters, Span, intersect_characters, join_spans
from doxel.assess.scales import Scale

__all__ = ["EDITED", "Difference", "JudgementComparison", "compare_judgements", "count_marks"]

EDITED = "edited"
"""The decision of an adjudicator who has changed the text by hand."""


@dataclass(frozen=True)
class Difference:
    """A difference: its place, its kind (passage, aspects, entry, grades), where it is, and its choices."""

    place: str
    kind: str
    start: int
    end: int
    choices: Mapping[str, Any]
    path: str | None = None

    @property
    def about(self) -> str:
        """The difference in words."""
        if self.kind == "passage":
            return f"the text from {self.start:,} to {self.end:,}"
        if self.kind == "aspects":
            return f"the aspects of the text from {self.start:,} to {self.end:,}"
        return "the entry point" if self.kind == "entry" else f"the grades of {self.path}"

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**vars(self), "choices": dict(self.choices), "about": self.about}


@dataclass(frozen=True)
class JudgementComparison:
    """What all assessors agree on, as a state that is not validated, and their differences in text order."""

    agreed: State = field(default_factory=State)
    differences: tuple[Difference, ...] = ()


def compare_judgements(
    states: Mapping[int, State], scale: Scale, outline: ElementOutline
) -> JudgementComparison:
    """Compare the states of a document in several assignments, by their numbers.

    >>> from doxel.assess.document_state import NO_ELEMENTS
    >>> from doxel.assess.scales import find_scale
    >>> states = {1: State(highlights=((0, 20),), bep=0), 2: State(highlights=((10, 40),), bep=0)}
    >>> compared = compare_judgements(states, find_scale("2006"), NO_ELEMENTS)
    >>> compared.agreed.highlights, compared.agreed.bep
    (((10, 20),), 0)
    >>> [(difference.place, difference.choices["intersection"]) for difference in compared.differences]
    [('0-40', ((10, 20),))]
    """
    if not states:
        return JudgementComparison()
    marks = {number: state.highlights for number, state in states.items()}
    grades = {number: infer_grades(state, scale, outline) for number, state in states.items()}
    common_aspects, aspect_differences = _compare_aspects(states)
    differences = [*_compare_marks(marks), *aspect_differences, *_compare_grades(grades, scale, outline)]
    beps = {number: state.bep for number, state in states.items()}
    if scale.entry_point:
        differences += _compare_entry_points(beps)
    first_bep, *other_beps = beps.values()
    first_grades, *other_grades = grades.values()
    agreed_state = State(
        highlights=reduce(intersect_characters, marks.values()),
        bep=first_bep if all(bep == first_bep for bep in other_beps) else None,
        grades={
            path: grade
            for path, grade in first_grades.items()
            if all(others.get(path) == grade for others in other_grades)
        },
        aspects={place: name for place, (name, _, _) in common_aspects.items()},
        weights={place: weight for place, (_, weight, _) in common_aspects.items() if weight is not None},
        vital={place: vital for place, (_, _, vital) in common_aspects.items() if vital is not None},
    )
    order = {"entry": 0, "passage": 1, "aspects": 2, "grades": 3}
    differences.sort(key=lambda difference: (difference.start, order[difference.kind], difference.place))
    return JudgementComparison(agreed_state, tuple(differences))


def _compare_aspects(states: Mapping[int, State]) -> tuple[dict[str, _Aspect], list[Difference]]:
    """Return the aspects of the stretches for which all named the same, and the differences of the others.

    Names and weights are compared, and not positions, which depend on where a passage begins.
    """
    agreed_text = reduce(intersect_characters, (state.highlights for state in states.values()))
    agreed_aspects: dict[str, _Aspect] = {}
    differences: list[Difference] = []
    for start, end in join_spans(*(state.highlights for state in states.values())):
        aspects = {number: _cut_aspects(state, start, end) for number, state in states.items()}
        names = [set(by_position.values()) for by_position in aspects.values()]
        if all(others == names[0] for others in names):
            best = max(aspects.values(), key=lambda by_position: _count_inside(by_position, agreed_text))
            agreed_aspects.update(best)
            continue
        common = set.intersection(*names)
        first = next(iter(aspects.values()))
        choices = {
            **{str(number): _write_aspects(by_position) for number, by_position in aspects.items()},
            "union": _write_aspects(_join_aspects(list(aspects.values()), end)),
            "intersection": _write_aspects({at: aspect for at, aspect in first.items() if aspect in common}),
            "none": {},
        }
        differences.append(Difference(f"aspects-{start}-{end}", "aspects", start, end, choices))
    return agreed_aspects, differences


_Aspect = tuple[str, str | None, str | None]
"""The name of an aspect, its weight, and "no" if it is not vital."""


def _cut_aspects(state: State, start: int, end: int) -> dict[str, _Aspect]:
    """Return the aspects at the positions of a stretch, in order."""
    places = [str(place) for place in sorted(map(int, state.aspects)) if start <= place < end]
    return {
        place: (state.aspects[place], state.weights.get(place), state.vital.get(place)) for place in places
    }


def _write_aspects(aspects: Mapping[str, _Aspect]) -> dict[str, dict[str, str]]:
    """Return aspects as bodies of events, by position."""
    return {
        place: {
            key: value
            for key, value in zip(("aspect", "weight", "vital"), aspect, strict=True)
            if value is not None
        }
        for place, aspect in aspects.items()
    }


def _count_inside(aspects: Mapping[str, _Aspect], spans: Characters) -> int:
    return sum(start <= int(place) < end for place in aspects for start, end in spans)


def _join_aspects(aspects: Sequence[Mapping[str, _Aspect]], end: int) -> dict[str, _Aspect]:
    """Return all aspects, each name once, at its first position or at the next free one before the end."""
    all_aspects: dict[str, _Aspect] = {}
    for by_position in aspects:
        for place, aspect in by_position.items():
            position = next((at for at in range(int(place), end) if str(at) not in all_aspects), None)
            if position is not None and all(aspect[0] != name for name, _, _ in all_aspects.values()):
                all_aspects[str(position)] = aspect
    return all_aspects


def _compare_marks(marks: Mapping[int, Characters]) -> Iterator[Difference]:
    for start, end in join_spans(*marks.values()):
        stretch = ((start, end),)
        inside = {number: intersect_characters(spans, stretch) for number, spans in marks.items()}
        first, *others = inside.values()
        if all(spans == first for spans in others):
            continue
        choices = {
            **{str(number): spans for number, spans in inside.items()},
            "union": stretch,
            "intersection": reduce(intersect_characters, inside.values()),
            "none": (),
        }
        if len(inside) > 2:
            counts = count_marks(list(inside.values()))
            choices["majority"] = join_spans([span for span, count in counts if 2 * count > len(inside)])
        yield Difference(f"{start}-{end}", "passage", start, end, choices)


def count_marks(marks: Sequence[Characters]) -> list[tuple[Span, int]]:
    """Return the stretches of text in which the number of sets that contain it is the same and not 0.

    >>> count_marks([((0, 4),), ((2, 6),)])
    [((0, 2), 1), ((2, 4), 2), ((4, 6), 1)]
    """
    changes: dict[int, int] = {}
    for spans in marks:
        for start, end in spans:
            changes[start] = changes.get(start, 0) + 1
            changes[end] = changes.get(end, 0) - 1
    count = 0
    counts: list[tuple[Span, int]] = []
    for start, end in pairwise(sorted(changes)):
        count += changes[start]
        if count:
            counts.append(((start, end), count))
    return counts


def _compare_entry_points(beps: Mapping[int, int | None]) -> Iterator[Difference]:
    if len(set(beps.values())) > 1:
        start = min(position for position in beps.values() if position is not None)
        choices = {**{str(number): position for number, position in beps.items()}, "none": None}
        yield Difference("bep", "entry", start, start, choices)


def _compare_grades(
    grades: Mapping[int, Mapping[str, Mapping[str, str]]], scale: Scale, outline: ElementOutline
) -> Iterator[Difference]:
    paths = {path for by_path in grades.values() for path in by_path}
    for path in sorted(paths, key=outline.rows.__getitem__):
        by_number = {number: by_path.get(path) for number, by_path in grades.items()}
        given_grades = [grade for grade in by_number.values() if grade is not None]
        if len(given_grades) == len(by_number) and all(grade == given_grades[0] for grade in given_grades):
            continue
        row = outline.rows[path]
        highest, lowest = max(given_grades, key=scale.rank), min(given_grades, key=scale.rank)
        choices = {
            **{str(number): None if grade is None else dict(grade) for number, grade in by_number.items()},
            "union": dict(highest),
            "intersection": dict(lowest),
            "none": None,
        }
        yield Difference(path, "grades", int(outline.start[row]), int(outline.end[row]), choices, path)
