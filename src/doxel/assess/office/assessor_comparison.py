"""Comparison of the assessors of a topic: the documents they judged alike, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from doxel.assess.document_state import State, infer_grades
from doxel.assess.judging_events import Characters, intersect_characters, subtract_characters
from doxel.assess.office.assessment_agreement import AssessorAgreement, compare_assessors
from doxel.assess.office.assessment_export import collect_assessments
from doxel.assess.office.group_agreement import GroupAgreement, compare_group
from doxel.assess.scales import find_scale
from doxel.assess.store.adjudications import list_adjudications
from doxel.assess.store.assignments import AssignmentProgress, find_statuses
from doxel.assess.store.event_log import read_state
from doxel.assess.store.pooled_documents import Library
from doxel.assess.store.shares import list_assigned_documents
from doxel.errors import InputError, RefusedError

__all__ = [
    "AssessorComparison",
    "ComparedDocument",
    "DocumentDifferences",
    "choose_pair",
    "compare_assignments",
    "compare_topic",
    "find_differences",
]


def compare_topic(
    connection: Connection, library: Library, assignments: Sequence[AssignmentProgress]
) -> GroupAgreement | None:
    """Compare all assessors of a topic who share the most common scale; None if no two share a document.

    Adjudications are left out, because they are not independent of the others.
    """
    adjudications = list_adjudications(connection)
    independent = [assignment for assignment in assignments if assignment.id not in adjudications]
    scales = Counter(assignment.scale for assignment in independent)
    if not scales:
        return None
    scale = max(scales, key=lambda name: (scales[name], name))
    assessments = {
        assignment.assessor: collect_assessments(connection, library, [assignment]).assessments
        for assignment in independent
        if assignment.scale == scale
    }
    counts = Counter(doc for judgements in assessments.values() for doc in judgements.judged["doc"])
    if not any(count > 1 for count in counts.values()):
        return None
    return compare_group(assessments, library.collection)


def choose_pair(
    assignments: Sequence[AssignmentProgress], assessor: str | None, other_assessor: str | None
) -> tuple[AssignmentProgress, AssignmentProgress]:
    """Return the assignments of two assessors of a topic; without a name, the official one or the next."""
    by_rank = sorted(assignments, key=lambda assignment: (not assignment.official, assignment.id))
    first, second = (
        _find_assessor(assignments, name) if name else None for name in (assessor, other_assessor)
    )
    first = first or next((assignment for assignment in by_rank if assignment != second), None)
    second = second or next((assignment for assignment in by_rank if assignment != first), None)
    if first is None or second is None:
        raise RefusedError(404, "not-found", "nobody else has this topic: there is nothing to compare")
    if first == second:
        raise InputError("a comparison", wanted="two different assessors", found=f"{first.assessor} twice")
    return first, second


def _find_assessor(assignments: Sequence[AssignmentProgress], name: str) -> AssignmentProgress:
    for assignment in assignments:
        if assignment.assessor == name.strip().lower():
            return assignment
    names = ", ".join(assignment.assessor for assignment in assignments)
    raise InputError("an assessor of the topic", wanted=f"one of {names}", found=repr(name[:80]))


@dataclass(frozen=True)
class ComparedDocument:
    """The differences of two assessors in a document; None where they have not both done it.

    ``both``, ``only_one`` and ``only_other`` count marked characters, ``differing`` the elements whose
    grades differ.  ``missing`` names the assessors who have not done the document.
    """

    doc: str
    missing: tuple[str, ...]
    both: int | None = None
    only_one: int | None = None
    only_other: int | None = None
    bep_distance: float | None = None
    differing: int | None = None

    @property
    def marked(self) -> int:
        """The number of characters that anyone marked."""
        return (self.both or 0) + (self.only_one or 0) + (self.only_other or 0)

    @property
    def difference(self) -> tuple[bool, int, float]:
        """A sort key, largest difference first if reversed: documents that were not compared come last."""
        alone = (self.only_one or 0) + (self.only_other or 0)
        return (not self.missing, alone + (self.differing or 0), self.bep_distance or 0.0)

    @property
    def is_alike(self) -> bool:
        """Whether both judged the document alike."""
        return not self.missing and self.difference == (True, 0, 0.0)


@dataclass(frozen=True)
class AssessorComparison:
    """Two compared assignments of a topic; ``agreement`` is None if no document is done by both."""

    one: AssignmentProgress
    other: AssignmentProgress
    agreement: AssessorAgreement | None
    documents: tuple[ComparedDocument, ...]

    @property
    def figures(self) -> dict[str, Any] | None:
        """The agreement figures of the topic, None if there are none."""
        return None if self.agreement is None else self.agreement.characters.row(-1, named=True)


def compare_assignments(
    connection: Connection, library: Library, first: AssignmentProgress, second: AssignmentProgress
) -> AssessorComparison:
    """Compare two assignments of a topic, the documents with the largest differences first."""
    if first.scale != second.scale:
        raise InputError(
            "two assignments", wanted="the same scale", found=f"{first.scale} and {second.scale}"
        )
    done_pair = [
        {doc for doc, status in find_statuses(connection, assignment.id).items() if status == "validated"}
        for assignment in (first, second)
    ]
    figures = None
    if done_pair[0] & done_pair[1]:
        pair = [
            collect_assessments(connection, library, [assignment]).assessments
            for assignment in (first, second)
        ]
        figures = compare_assessors(pair[0], pair[1], library.collection)
    rows = {} if figures is None else {row["doc"]: row for row in figures.documents.iter_rows(named=True)}
    documents = []
    second_docs = set(list_assigned_documents(connection, second))
    for doc in (doc for doc in list_assigned_documents(connection, first) if doc in second_docs):
        missing_assessors = tuple(
            assignment.assessor
            for assignment, done_docs in zip((first, second), done_pair, strict=True)
            if doc not in done_docs
        )
        counts = {name: rows[doc][name] for name in _COUNTS} if doc in rows else {}
        documents.append(ComparedDocument(doc, missing_assessors, **counts))
    documents.sort(key=lambda document: document.difference, reverse=True)
    return AssessorComparison(first, second, figures, tuple(documents))


_COUNTS = ("both", "only_one", "only_other", "bep_distance", "differing")


@dataclass(frozen=True)
class DocumentDifferences:
    """The differences of two assessors in a document: characters, entry points, and grades by path."""

    agreed: Characters
    only_one: Characters
    only_other: Characters
    beps: tuple[int | None, int | None]
    grades: tuple[tuple[str, dict[str, str] | None, dict[str, str] | None], ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        marks = {name: getattr(self, name) for name in ("agreed", "only_one", "only_other")}
        return {
            **{name: [list(span) for span in spans] for name, spans in marks.items()},
            "beps": list(self.beps),
            "grades": [
                {"path": path, "one": grade, "other": other_grade} for path, grade, other_grade in self.grades
            ],
        }


def find_differences(
    connection: Connection,
    library: Library,
    assignment: AssignmentProgress,
    other: AssignmentProgress,
    doc: str,
) -> DocumentDifferences:
    """Return the current differences of two assignments in a document."""
    first, second = (read_state(connection, item.id, doc)[0] for item in (assignment, other))
    return DocumentDifferences(
        agreed=intersect_characters(first.highlights, second.highlights),
        only_one=subtract_characters(first.highlights, second.highlights),
        only_other=subtract_characters(second.highlights, first.highlights),
        beps=(first.bep, second.bep),
        grades=_find_grade_differences(library, assignment, doc, first, second),
    )


def _find_grade_differences(
    library: Library, assignment: AssignmentProgress, doc: str, first: State, second: State
) -> tuple[tuple[str, dict[str, str] | None, dict[str, str] | None], ...]:
    """Return the elements whose grades differ, in document order."""
    scale = find_scale(assignment.scale)
    if not scale.grades:
        return ()
    outline = library.outline(doc)
    grades, others = (infer_grades(state, scale, outline) for state in (first, second))
    rows = [
        (path, dict(grades[path]) if path in grades else None, dict(others[path]) if path in others else None)
        for path in sorted({*grades, *others}, key=outline.rows.__getitem__)
    ]
    return tuple(row for row in rows if row[1] != row[2])
