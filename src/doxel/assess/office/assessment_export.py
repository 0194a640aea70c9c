"""Export assessments from the database, in any format, at any time.

The states of the official assignments, or of one assessor's, are collected into
:class:`~doxel.assessments.Assessments` and converted to the format.  Documents that are not done are left
out.  A set of assessments has one scale: if the assignments have several, one is chosen.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection as Some
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import Connection, func, select

from doxel._version import __version__
from doxel.assess.document_state import ElementOutline, State, infer_grades, list_passages
from doxel.assess.scales import Scale, find_scale
from doxel.assess.store.assignments import AssignmentProgress, list_assignments
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import EVENTS, format_time, now
from doxel.assess.store.event_log import read_folded_states, save_states
from doxel.assess.store.pooled_documents import JudgingTask, Library, require_text
from doxel.assess.store.shares import list_assigned_tasks
from doxel.assessments import Assessments
from doxel.assessments.assessment_conversion import convert_assessments
from doxel.assessments.assessment_files import find_assessment_format
from doxel.assessments.assessments import ASPECTS, BEPS, ELEMENTS, HIGHLIGHTS, JUDGED
from doxel.assessments.web_annotations import WEB_ANNOTATION, Provenance, write_annotations
from doxel.errors import InputError
from doxel.files import defer_signals, is_stream, write_atomically, write_file
from doxel.wording import join_words, pluralise_share, quote_value

__all__ = [
    "ABOUT_SUFFIX",
    "FILE_TYPES",
    "ExportedAssessments",
    "FileType",
    "choose_assignments",
    "collect_assessments",
    "count_scales",
    "export_assessments",
    "find_shared_scale",
    "name_export",
    "write_export",
]

ABOUT_SUFFIX = ".about.json"
"""The suffix of the file that describes the source of an export."""


@dataclass(frozen=True)
class FileType:
    """The ending and the media type of files of a format, and what the format is for."""

    ending: str
    media: str
    purpose: str


FILE_TYPES: Mapping[str, FileType] = {
    "qrels": FileType("qrels", "text/plain", "to score runs with doxel, or with the tools of INEX"),
    "jsonl": FileType("jsonl", "application/jsonl", "to score retrieved chunks, or to read in a program"),
    "web-annotation": FileType(
        "jsonld", "application/ld+json", "to show the passages in annotation tools; with people and dates"
    ),
    "inex2006": FileType("xml", "application/xml", "the format in which INEX published 2006 and 2007"),
    "inex2005": FileType("xml", "application/xml", "the format in which INEX published 2005"),
    "inex2003": FileType("xml", "application/xml", "the format in which INEX published 2003 and 2004"),
    "inex2002": FileType("xml", "application/xml", "the format in which INEX published 2002"),
    "trec": FileType("qrels", "text/plain", "to score whole documents with trec_eval"),
    "beir": FileType("tsv", "text/tab-separated-values", "to score whole documents with tools of BEIR"),
    "qrels-json": FileType("json", "application/json", "to score whole documents in Python"),
    "chroma": FileType("csv", "text/csv", "to score chunkers with Chroma's evaluation"),
}
"""The types of the files, by format, the most common formats first."""


def name_export(campaign: str, about: Mapping[str, Any]) -> str:
    """Return a file name for an export, from its campaign, its scale and its format in ``about``.

    >>> about = {"format": "qrels", "scale": "2006"}
    >>> name_export("Spring 2027: fruit", about)
    'spring-2027-fruit-2006.qrels'
    """
    words = "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in campaign.lower()).split()
    parts = ["-".join(words)[:60] or "official", str(about["scale"])]
    return f"{'-'.join(parts)}.{FILE_TYPES[about['format']].ending}"


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
        selection = collect_assessments(
            connection, library, assignments, include_open=include_open, official_only=assessor is None
        )
        provenance = _read_provenance(connection, selection) if target is WEB_ANNOTATION else {}
    save_states(store, selection.folded)
    if not selection.assessments.judged.height:
        raise InputError("nothing to export", wanted="documents that are done", found="none")
    # sizes follow from the text, and the about file lists assignments: a format without them loses nothing
    unneeded_columns = {"pool", "docsize"} - target.holds["judged"]
    assessments = replace(
        selection.assessments,
        judged=selection.assessments.judged.with_columns(
            pl.lit(None, dtype=JUDGED.schema[column]).alias(column) for column in sorted(unneeded_columns)
        ),
    )
    conversion = convert_assessments(assessments, target, library.collection)
    if conversion.losses and not lossy:
        raise InputError(
            f"{target.name} cannot hold everything",
            wanted="--lossy, to leave out the following",
            found=", ".join(conversion.losses),
        )
    about = {
        "format": target.name,
        **_describe_source(selection, library),
        "losses": list(conversion.losses),
    }
    if target is WEB_ANNOTATION:
        data = write_annotations(conversion.thing, provenance)
    else:
        data = target.write(conversion.thing)
    return ExportedAssessments(
        conversion.thing, data, about, (*selection.notes, *conversion.notes), conversion.losses
    )


def _read_provenance(
    connection: Connection, selection: CollectedAssessments
) -> dict[tuple[str, str], Provenance]:
    """Return for each judged document who judged it, and the times of the first and the last event."""
    first, last = func.min(EVENTS.c.at), func.max(EVENTS.c.at)
    query = select(EVENTS.c.doc, first, last).group_by(EVENTS.c.doc)
    keys = set(selection.assessments.judged.select("topic", "doc", "pool").iter_rows())
    return {
        (assignment.topic, doc): Provenance(assignment.assessor, format_time(begin), format_time(end))
        for assignment in selection.assignments
        for doc, begin, end in connection.execute(query.where(EVENTS.c.assignment_id == assignment.id))
        if (assignment.topic, doc, str(assignment.id)) in keys
    }


def _describe_source(selection: CollectedAssessments, library: Library) -> dict[str, Any]:
    """Describe the source of assessments: collection, scale, assignments and time of the export."""
    assignments = [
        {"assignment": assignment.id, "topic": assignment.topic, "assessor": assignment.assessor}
        for assignment in selection.assignments
    ]
    return {
        "text_rule": library.text_rule,
        "fingerprint": library.fingerprint,
        "scale": selection.assessments.scale,
        "exported": format_time(now()),
        "doxel": __version__,
        "documents": selection.assessments.judged.height,
        "left_out": sum(selection.left_out.values()),
        "assignments": assignments,
    }


def write_export(export: ExportedAssessments, path: str | os.PathLike[str]) -> Path | None:
    """Write an export and the about file that describes its source; return the path of the about file.

    An export to stdout, a pipe or a device has no about file.
    """
    if is_stream(path):
        write_file(path, export.data)
        return None
    about_path = Path(f"{os.fspath(path)}{ABOUT_SUFFIX}")
    with defer_signals(), write_atomically(about_path) as stream:
        stream.write(json.dumps(export.about, indent=1, ensure_ascii=False).encode() + b"\n")
        stream.flush()  # a full disk is reported before the export changes
        write_file(path, export.data)
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


_StatedAspect = tuple[str | None, str | None]


@dataclass
class _Rows:
    judged: list[dict[str, object]] = field(default_factory=list)
    highlights: list[dict[str, object]] = field(default_factory=list)
    elements: list[dict[str, object]] = field(default_factory=list)
    beps: list[dict[str, object]] = field(default_factory=list)
    aspects: dict[tuple[str, str], dict[str, _StatedAspect]] = field(default_factory=dict)
    """By topic and aspect, and then by document: the stated weights, and whether the aspect is vital."""


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
        if topics:
            wanted += f" of topic {join_words(list(topics))}"
        if scale is not None:
            wanted += f" on the scale {scale}"
        raise InputError("no assignments", wanted=wanted, found="none")
    scales = sorted({assignment.scale for assignment in matches})
    if len(scales) > 1:
        wanted = "one scale, chosen with --scale"
        raise InputError("assignments of several scales", wanted=wanted, found=", ".join(scales))
    return matches


def find_shared_scale(connection: Connection, assessors: Sequence[str], topics: Some[str] = ()) -> str:
    """Return the scale that all assessors share, of several the one on which they share a topic.

    It is an error if they share none, or several.
    """
    pairs = [
        {
            (assignment.topic, assignment.scale)
            for assignment in list_assignments(connection)
            if assignment.assessor == name.strip().lower() and (not topics or assignment.topic in topics)
        }
        for name in assessors
    ]
    for name, assessor_pairs in zip(assessors, pairs, strict=True):
        if not assessor_pairs:
            raise InputError("no assignments", wanted=f"assignments of {name}", found="none")
    shared = sorted(set.intersection(*({scale for _, scale in assessor_pairs} for assessor_pairs in pairs)))
    same_topic = sorted({scale for _, scale in set.intersection(*pairs)})
    scales = same_topic if len(shared) > 1 else shared
    if len(scales) != 1:
        wanted = "one scale that all share" + (", chosen with --scale" if shared else "")
        raise InputError("assessors", wanted=wanted, found=", ".join(shared) or "none")
    return scales[0]


def count_scales(connection: Connection) -> dict[str, int]:
    """Return the scales of the official assignments, each with the number of its documents that are done."""
    counts: Counter[str] = Counter()
    for assignment in list_assignments(connection):
        if assignment.official:
            counts[assignment.scale] += assignment.validated
    return dict(sorted(counts.items(), reverse=True))


def collect_assessments(
    connection: Connection,
    library: Library | None,
    assignments: Sequence[AssignmentProgress],
    *,
    include_open: bool = False,
    official_only: bool = False,
) -> CollectedAssessments:
    """Return the assessments of documents that are done; with ``include_open``, of all that were begun.

    With ``official_only``, leave out documents of partial assignments of which others have the official
    judgement.  Without a library, the sizes of documents are unknown, and grades cannot be inferred.
    """
    rows = _Rows()
    left_out: dict[int, int] = {}
    folded_states: dict[tuple[int, str], tuple[State, int]] = {}
    for assignment in assignments:
        by_doc = read_folded_states(connection, assignment.id)
        slow = {doc: entry for doc, entry in by_doc.items() if entry.fresh > _MANY}
        folded_states |= {(assignment.id, doc): (entry.state, entry.seq) for doc, entry in slow.items()}
        states = {doc: entry.state for doc, entry in by_doc.items()}
        tasks = list_assigned_tasks(connection, assignment, official_only=official_only)
        included_tasks = [
            task for task in tasks if _is_included(states.get(task.doc), include_open=include_open)
        ]
        left_out[assignment.id] = len(tasks) - len(included_tasks)
        for task in included_tasks:
            _add_rows(rows, assignment, task, states[task.doc], library)
    assessments = Assessments(
        scale=assignments[0].scale,
        judged=JUDGED.from_rows(rows.judged),
        highlights=HIGHLIGHTS.from_rows(rows.highlights),
        elements=ELEMENTS.from_rows(rows.elements),
        beps=BEPS.from_rows(rows.beps),
        aspects=ASPECTS.from_rows(list(_join_stated_aspects(rows.aspects))),
    )
    return CollectedAssessments(assessments, tuple(assignments), left_out, folded_states)


def _is_included(state: State | None, *, include_open: bool) -> bool:
    return state is not None and (state.validated or include_open)


def _add_rows(
    rows: _Rows, assignment: AssignmentProgress, task: JudgingTask, state: State, library: Library | None
) -> None:
    key: dict[str, object] = {"topic": assignment.topic, "doc": task.doc}
    size = None if library is None else require_text(library, task).characters
    rows.judged.append({**key, "pool": str(assignment.id), "docsize": size})
    rows.highlights += [
        {**key, "start": start, "end": end, "aspect": aspect} for start, end, aspect in list_passages(state)
    ]
    for place, name in state.aspects.items():
        is_inside = any(start <= int(place) < end for start, end in state.highlights)
        if is_inside and (place in state.weights or place in state.vital):
            statements = rows.aspects.setdefault((assignment.topic, name), {})
            statements[f"{task.doc} at {place}"] = (state.weights.get(place), state.vital.get(place))
    if state.bep is not None:
        rows.beps.append({**key, "position": state.bep})
    scale = find_scale(assignment.scale)
    if scale.grades and library is None:
        wanted = "the collection, whose elements were graded"
        raise InputError(f"assessments on the scale {scale.name}", wanted=wanted, found="none")
    if scale.grades and library is not None:
        outline = library.outline(task.doc)
        rows.elements += [{**key, **row} for row in _build_element_rows(state, scale, outline, task.paths)]


def _join_stated_aspects(
    aspects: Mapping[tuple[str, str], Mapping[str, _StatedAspect]],
) -> Iterator[dict[str, object]]:
    """Yield the weight of each aspect, and whether it is vital; two different weights are an error."""
    for (topic, name), statements in aspects.items():
        weights = {weight: place for place, (weight, _) in statements.items() if weight is not None}
        if len(weights) > 1:
            found = ", ".join(f"{weight} ({place})" for weight, place in weights.items())
            about = f"topic {topic}, aspect {quote_value(name)}"
            raise InputError(about, wanted="one weight in all documents", found=found)
        vital = False if any(vital == "no" for _, vital in statements.values()) else None
        weight = next((float(weight) for weight in weights), None)
        yield {"topic": topic, "aspect": name, "weight": weight, "vital": vital}


def _build_element_rows(
    state: State, scale: Scale, outline: ElementOutline, pooled: Some[str]
) -> Iterator[dict[str, object]]:
    relevant = outline.count_highlighted(state)
    for path, grades in infer_grades(state, scale, outline).items():
        row: dict[str, object] = {"path": path, **grades}
        if scale.name == "2005":
            at = outline.rows[path]
            row |= {"size": int(outline.end[at] - outline.start[at]), "rsize": int(relevant[at])}
        if scale.name == "2003":
            row |= {"inpool": path in pooled, "inferred": False, "inconsistent": False}
        yield row
