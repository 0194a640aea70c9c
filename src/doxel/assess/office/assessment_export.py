"""Export assessments from the database, in any format, at any time.

The states of the official assignments, or of one assessor's, are collected into
:class:`~doxel.assessments.Assessments` and converted to the format.  Documents that are not done are left
out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection as Some
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import Connection

from doxel._version import __version__
from doxel.assess.document_state import ElementOutline, State, infer_grades
from doxel.assess.scales import Scale, find_scale
from doxel.assess.store.assignments import AssignmentProgress, list_assignments
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import format_time, now
from doxel.assess.store.event_log import read_folded_states, save_states
from doxel.assess.store.pooled_documents import JudgingTask, Library, list_judging_tasks, require_text
from doxel.assessments import Assessments
from doxel.assessments.assessment_conversion import convert_assessments
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessments import BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.errors import InputError
from doxel.files import write_atomically, write_file
from doxel.wording import pluralise_share

__all__ = [
    "ABOUT_SUFFIX",
    "ExportedAssessments",
    "choose_assignments",
    "collect_assessments",
    "export_assessments",
    "write_export",
]

ABOUT_SUFFIX = ".about.json"
"""The suffix of the file that describes the source of an export."""


@dataclass(frozen=True)
class ExportedAssessments:
    """Exported assessments: the file's content, a description of their source, notes and losses.

    ``about`` gives the text rule and the fingerprint of the collection, and the assignments.
    """

    assessments: Assessments
    data: bytes
    about: dict[str, Any]
    notes: tuple[str, ...]
    losses: tuple[str, ...]


def export_assessments(
    store: Store,
    library: Library,
    format_name: str,
    *,
    assessor: str | None = None,
    topics: Some[str] = (),
    scale: str | None = None,
    include_open: bool = False,
    lossy: bool = False,
) -> ExportedAssessments:
    """Return the assessments of the official assignments, or of one assessor, in a format.

    Documents that are not done are left out and counted, unless ``include_open``.  It is an error if the
    format cannot hold everything, unless ``lossy``.
    """
    target = find_assessment_format(format_name)
    with store.read() as connection:
        assignments = choose_assignments(connection, assessor=assessor, topics=topics, scale=scale)
        collected = collect_assessments(connection, library, assignments, include_open=include_open)
    save_states(store, collected.folded)
    if not collected.assessments.judged.height:
        raise InputError("nothing to export", wanted="documents that are done", found="none")
    # sizes follow from the text, and the about file lists assignments: a format without them loses nothing
    spare = {"pool", "docsize"} - target.holds["judged"]
    assessments = replace(
        collected.assessments,
        judged=collected.assessments.judged.with_columns(
            pl.lit(None, dtype=JUDGED.schema[column]).alias(column) for column in sorted(spare)
        ),
    )
    converted = convert_assessments(assessments, target, library.collection)
    if converted.losses and not lossy:
        raise InputError(
            f"{target.name} cannot hold everything",
            wanted="--lossy, to leave out the following",
            found=", ".join(converted.losses),
        )
    about = {"format": target.name, **_describe_source(collected, library), "losses": list(converted.losses)}
    data = target.write(converted.thing)
    return ExportedAssessments(
        converted.thing, data, about, (*collected.notes, *converted.notes), converted.losses
    )


def _describe_source(collected: CollectedAssessments, library: Library) -> dict[str, Any]:
    """Describe the source of assessments: collection, scale, assignments and time of the export."""
    assignments = [
        {"assignment": assignment.id, "topic": assignment.topic, "assessor": assignment.assessor}
        for assignment in collected.assignments
    ]
    return {
        "text_rule": library.text_rule,
        "fingerprint": library.fingerprint,
        "scale": collected.assessments.scale,
        "exported": format_time(now()),
        "doxel": __version__,
        "documents": collected.assessments.judged.height,
        "left_out": sum(collected.left_out.values()),
        "assignments": assignments,
    }


def write_export(exported: ExportedAssessments, path: str | os.PathLike[str]) -> Path:
    """Write an export and the about file that describes its source; return the path of the about file."""
    write_file(path, exported.data)
    about_path = Path(f"{os.fspath(path)}{ABOUT_SUFFIX}")
    with write_atomically(about_path) as stream:
        stream.write(json.dumps(exported.about, indent=1, ensure_ascii=False).encode() + b"\n")
    return about_path


_MANY = 4  # events; folding more takes longer than reading a snapshot


@dataclass(frozen=True)
class CollectedAssessments:
    """Assessments, the assignments they come from, and the number of documents left out per assignment.

    ``folded`` are states that were folded from many events, by assignment and document: worth a snapshot.
    """

    assessments: Assessments
    assignments: tuple[AssignmentProgress, ...]
    left_out: Mapping[int, int]
    folded: Mapping[tuple[int, str], tuple[State, int]] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """One sentence per assignment with documents that are not done."""
        return [
            f"topic {assignment.topic} of {assignment.assessor}: "
            f"{pluralise_share(count, assignment.documents, 'document')} not done and left out"
            for assignment in self.assignments
            if (count := self.left_out[assignment.id])
        ]


@dataclass
class _Rows:
    judged: list[dict[str, object]] = field(default_factory=list)
    highlights: list[dict[str, object]] = field(default_factory=list)
    elements: list[dict[str, object]] = field(default_factory=list)
    beps: list[dict[str, object]] = field(default_factory=list)


def choose_assignments(
    connection: Connection, *, assessor: str | None = None, topics: Some[str] = (), scale: str | None = None
) -> list[AssignmentProgress]:
    """Return the official assignments, or those of one assessor, of all or some topics; all on one scale."""
    matches = [
        assignment
        for assignment in list_assignments(connection)
        if (assignment.official if assessor is None else assignment.assessor == assessor.strip().lower())
        and (not topics or assignment.topic in topics)
        and (scale is None or assignment.scale == scale)
    ]
    if not matches:
        wanted = "official assignments" if assessor is None else f"assignments of {assessor}"
        raise InputError("no assignments", wanted=wanted, found="none")
    scales = sorted({assignment.scale for assignment in matches})
    if len(scales) > 1:
        wanted = "one scale, chosen with --scale"
        raise InputError("assignments of several scales", wanted=wanted, found=", ".join(scales))
    return matches


def collect_assessments(
    connection: Connection,
    library: Library,
    assignments: Sequence[AssignmentProgress],
    *,
    include_open: bool = False,
) -> CollectedAssessments:
    """Return the assessments of documents that are done, or with ``include_open`` of all that were begun."""
    rows = _Rows()
    left_out: dict[int, int] = {}
    folded: dict[tuple[int, str], tuple[State, int]] = {}
    for assignment in assignments:
        by_doc = read_folded_states(connection, assignment.id)
        slow = {doc: entry for doc, entry in by_doc.items() if entry.fresh > _MANY}
        folded |= {(assignment.id, doc): (entry.state, entry.seq) for doc, entry in slow.items()}
        states = {doc: entry.state for doc, entry in by_doc.items()}
        tasks = list_judging_tasks(connection, assignment.topic)
        judged = [task for task in tasks if _is_included(states.get(task.doc), include_open=include_open)]
        left_out[assignment.id] = len(tasks) - len(judged)
        for task in judged:
            _add_rows(rows, assignment, task, states[task.doc], library)
    assessments = Assessments(
        scale=assignments[0].scale,
        judged=JUDGED.from_rows(rows.judged),
        highlights=HIGHLIGHTS.from_rows(rows.highlights),
        elements=ELEMENTS.from_rows(rows.elements),
        beps=BEPS.from_rows(rows.beps),
    )
    return CollectedAssessments(assessments, tuple(assignments), left_out, folded)


def _is_included(state: State | None, *, include_open: bool) -> bool:
    return state is not None and (state.validated or include_open)


def _add_rows(
    rows: _Rows, assignment: AssignmentProgress, pooled: JudgingTask, state: State, library: Library
) -> None:
    key: dict[str, object] = {"topic": assignment.topic, "doc": pooled.doc}
    document = require_text(library, pooled)
    rows.judged.append({**key, "pool": str(assignment.id), "docsize": document.characters})
    rows.highlights += [{**key, "start": start, "end": end} for start, end in state.highlights]
    if state.bep is not None:
        rows.beps.append({**key, "position": state.bep})
    scale = find_scale(assignment.scale)
    if scale.grades:
        outline = library.outline(pooled.doc)
        rows.elements += [{**key, **row} for row in _build_element_rows(state, scale, outline, pooled.paths)]


def _build_element_rows(
    state: State, scale: Scale, outline: ElementOutline, pooled: Some[str]
) -> Iterator[dict[str, object]]:
    relevant = outline.highlighted(state)
    for path, grades in infer_grades(state, scale, outline).items():
        row: dict[str, object] = {"path": path, **grades}
        if scale.name == "2005":
            at = outline.rows[path]
            row |= {"size": int(outline.end[at] - outline.start[at]), "rsize": int(relevant[at])}
        if scale.name == "2003":
            row |= {"inpool": path in pooled, "inferred": False, "inconsistent": False}
        yield row
