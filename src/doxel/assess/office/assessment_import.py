"""Import assessments of an earlier campaign as events, to continue them or to compare with them.

They become assignments of one assessor.  The events' client is named after a digest of their content, so
importing the same assessments again changes nothing.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from sqlalchemy import Connection, func, select

from doxel.assess.document_state import State, generate_events
from doxel.assess.judging_events import EVENT_KINDS, Arrival, Event, Span, join_spans
from doxel.assess.office.administration import record_action, require_user
from doxel.assess.scales import Scale, find_scale
from doxel.assess.store.accounts import User
from doxel.assess.store.assignments import create_assignment
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS, POOLED
from doxel.assess.store.event_writer import Submission, append_events, summarise_refusals
from doxel.assess.store.pooled_documents import Library, add_pooled_documents, bind_collection
from doxel.assessments import Assessments
from doxel.assessments.assessment_spans import describe_resolution, resolve_assessments
from doxel.assessments.assessments import ASSESSMENT_TABLES
from doxel.assessments.judged_pairs import highlight_whole_documents
from doxel.errors import InputError
from doxel.pooling import PooledDocument, PooledPart
from doxel.wording import pluralise

__all__ = ["ImportedAssessments", "import_assessments"]

_KEY = ["topic", "doc"]
_DocumentKey = tuple[str, str]


@dataclass(frozen=True)
class ImportedAssessments:
    """The result of an import: assignments, documents, counts of events, and notes about the rest.

    ``open`` counts documents that were imported but are not done, because they break a rule of the scale.
    """

    assignments: tuple[int, ...]
    documents: int
    stored: int
    known: int
    open: int
    notes: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether everything was imported."""
        return not self.notes


def import_assessments(
    store: Store, library: Library, assessments: Assessments, assessor: str
) -> ImportedAssessments:
    """Store assessments as the work of an assessor, who gets an assignment for each of their topics."""
    sound_assessments, notes = _prepare_assessments(assessments, library)
    scale = find_scale(sound_assessments.scale)
    events = {
        key: list(generate_events(state)) for key, state in _build_states(sound_assessments, scale).items()
    }
    client = f"import:{_compute_digest(events)}"
    with store.write() as connection:
        bind_collection(connection, library)
        user = require_user(connection, assessor)
        _add_documents(connection, library, sound_assessments)
        assignments = {
            topic: _find_assignment(connection, topic, user, scale, client)
            for topic in sound_assessments.topics
        }
        submissions = _build_submissions(events, assignments, user, client, library)
        outcomes = append_events(connection, library, submissions)
        detail = f"{pluralise(len(events), 'document')} for {pluralise(len(assignments), 'topic')}"
        record_action(connection, user.name, "imported", detail)
    receipts = [receipt for document_receipts in outcomes for receipt in document_receipts]
    open_count, refusals = summarise_refusals(receipts)
    return ImportedAssessments(
        assignments=tuple(assignments.values()),
        documents=len(events),
        stored=sum(receipt.status == "stored" for receipt in receipts),
        known=sum(receipt.status == "known" for receipt in receipts),
        open=open_count,
        notes=(*notes, *refusals),
    )


def _prepare_assessments(assessments: Assessments, library: Library) -> tuple[Assessments, list[str]]:
    """Return the assessments that can be stored, and notes about what was not found or is not kept."""
    notes: list[str] = []
    if assessments.scale == "documents":
        highlighted_assessments, count = highlight_whole_documents(assessments, library.collection)
        assessments = replace(highlighted_assessments, scale="2006")
        relevant = pluralise(count, "relevant document is", "relevant documents are")
        notes.append(f"{relevant} highlighted from end to end")
    resolution = resolve_assessments(assessments, library.collection)
    notes += describe_resolution(resolution)
    is_sound = pl.col("problem").is_null()
    tables: dict[str, Any] = {name: getattr(resolution, name).filter(is_sound) for name in ASSESSMENT_TABLES}
    tables |= {
        name: tables[name].join(tables["judged"].select(_KEY), on=_KEY, how="semi", maintain_order="left")
        for name in ASSESSMENT_TABLES
        if name != "judged"
    }
    if not tables["judged"].height:
        raise InputError("no assessments to import", wanted="documents of the collection", found="none")
    sound_assessments = replace(resolution, **tables)
    return sound_assessments, [*notes, *_describe_losses(sound_assessments)]


def _describe_losses(assessments: Assessments) -> list[str]:
    """Describe the parts of assessments that no event can represent."""
    relevant = assessments.relevant_highlights
    graded_count = relevant.filter(pl.col("grade").is_not_null()).height
    empty_count = relevant.filter(pl.col("start") == pl.col("end")).height
    further_beps = assessments.beps.height - assessments.beps.unique(_KEY).height
    counts = {
        (
            "highlight has a grade, which is left out: no scale grades highlights",
            "highlights have grades, which are left out: no scale grades highlights",
        ): graded_count,
        (
            "highlight of grade 0 is left out: its document is judged, this text is not relevant",
            "highlights of grade 0 are left out: their documents are judged, this text is not relevant",
        ): assessments.highlights.height - relevant.height,
        ("highlight without text is left out", "highlights without text are left out"): empty_count,
        (
            "aspect has a weight that is left out: it is not among those of the judging page",
            "aspects have weights that are left out: they are not among those of the judging page",
        ): assessments.aspects.filter(pl.col("weight").is_not_null() & (pl.col("weight") != 1)).height
        - sum(_write_weight(weight) is not None for weight in assessments.aspects["weight"]),
        ("further best entry point is left out", "further best entry points are left out"): further_beps,
    }
    return [pluralise(count, *words) for words, count in counts.items() if count]


def _build_states(assessments: Assessments, scale: Scale) -> dict[_DocumentKey, State]:
    """Return the state of each judged document, marked as done."""
    spans: dict[_DocumentKey, list[Span]] = defaultdict(list)
    beps: dict[_DocumentKey, int] = {}
    grades: dict[_DocumentKey, dict[str, dict[str, str]]] = defaultdict(dict)
    aspects: dict[_DocumentKey, dict[str, str]] = defaultdict(dict)
    if scale.highlights:
        rows = assessments.relevant_highlights.select(*_KEY, "start", "end", "aspect").iter_rows()
        for topic, doc, start, end, aspect in rows:
            spans[topic, doc].append((start, end))
            if aspect is not None:
                _name_passage(aspects[topic, doc], start, end, aspect)
        for topic, doc, position in assessments.beps.select(*_KEY, "position").iter_rows():
            beps.setdefault((topic, doc), position)
    names = list(scale.grades)
    for topic, doc, path, *values in assessments.elements.select(*_KEY, "path", *names).iter_rows():
        element_grades = dict(zip(names, values, strict=True))
        if element_grades and scale.find_fault(element_grades) is None:  # U, not assessed, is not a grade
            grades[topic, doc][path] = element_grades
    declarations = {
        (topic, name): (_write_weight(weight), "no" if vital is False else None)
        for topic, name, weight, vital in assessments.aspects.select(
            "topic", "aspect", "weight", "vital"
        ).iter_rows()
    }

    def state_aspects(key: _DocumentKey, at: int) -> dict[str, str]:
        """Return the declared weights (``at`` 0) or non-vital marks (``at`` 1) of aspects, by position."""
        values = {
            place: declarations.get((key[0], name), (None, None))[at] for place, name in aspects[key].items()
        }
        return {place: value for place, value in values.items() if value is not None}

    return {
        key: State(
            join_spans(spans[key]),
            beps.get(key),
            grades[key],
            validated=True,
            aspects=aspects[key],
            weights=state_aspects(key, 0),
            vital=state_aspects(key, 1),
        )
        for key in assessments.judged.select(_KEY).iter_rows()
    }


def _write_weight(weight: float | None) -> str | None:
    """Return a weight as events write it; None if they cannot.

    >>> _write_weight(2.0), _write_weight(0.5), _write_weight(7.5), _write_weight(None)
    ('2', '0.5', None, None)
    """
    (choices,) = (part.values for part in EVENT_KINDS["aspect"].body if part.name == "weight")
    return next((text for text in choices if text is not None and float(text) == weight), None)


def _name_passage(names: dict[str, str], start: int, end: int, aspect: str) -> None:
    """Add the name of an aspect at the first position of a passage that has no other name yet."""
    for place in range(start, end):
        if names.setdefault(str(place), aspect) == aspect:
            return


def _compute_digest(events: Mapping[_DocumentKey, Sequence[Event]]) -> str:
    content = [
        [*key, [[event.kind, event.body] for event in document_events]]
        for key, document_events in events.items()
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


def _add_documents(connection: Connection, library: Library, assessments: Assessments) -> None:
    """Add the judged documents that are not pooled yet, after those that are."""
    pooled_keys = {(topic, doc) for topic, doc in connection.execute(select(POOLED.c.topic, POOLED.c.doc))}
    last = connection.execute(select(func.max(POOLED.c.place))).scalar() or 0
    parts = _collect_parts(assessments)
    new_keys = [key for key in assessments.judged.select(_KEY).iter_rows() if key not in pooled_keys]
    add_pooled_documents(
        connection,
        library,
        [
            PooledDocument(topic, doc, last + number, tuple(parts[topic, doc]))
            for number, (topic, doc) in enumerate(new_keys, 1)
        ],
    )


def _collect_parts(assessments: Assessments) -> dict[_DocumentKey, list[PooledPart]]:
    """Return the elements that were pooled in the earlier campaign, if its scale grades pooled elements."""
    parts: dict[_DocumentKey, list[PooledPart]] = defaultdict(list)
    if assessments.scale in {"2002", "2003"}:
        elements = assessments.elements.filter(pl.col("inpool").fill_null(value=True))
        for topic, doc, path in elements.select(*_KEY, "path").iter_rows():
            parts[topic, doc].append(PooledPart(path, None, None))
    return parts


def _find_assignment(connection: Connection, topic: str, user: User, scale: Scale, client: str) -> int:
    """Return the id of the assessor's assignment for a topic: a new one, or one without other work in it."""
    is_own = (ASSIGNMENTS.c.topic == topic) & (ASSIGNMENTS.c.user_id == user.id)
    row = connection.execute(select(ASSIGNMENTS).where(is_own)).first()
    if row is None:
        return create_assignment(connection, topic, user.id, scale.name)
    foreign_events = (
        select(EVENTS.c.seq).where(EVENTS.c.assignment_id == row.id, EVENTS.c.client != client).limit(1)
    )
    imported_events = (
        select(EVENTS.c.seq).where(EVENTS.c.assignment_id == row.id, EVENTS.c.client == client).limit(1)
    )
    if connection.execute(foreign_events).first() and not connection.execute(imported_events).first():
        wanted = "an assessor who has not begun it"
        raise InputError(f"topic {topic}", wanted=wanted, found=f"work of {user.name} on it")
    if row.locked or row.scale != scale.name:
        wanted = f"an unlocked assignment of scale {scale.name}"
        found = "a locked assignment" if row.locked else f"an assignment of scale {row.scale}"
        raise InputError(f"topic {topic} of {user.name}", wanted=wanted, found=found)
    return int(row.id)


def _build_submissions(
    events: Mapping[_DocumentKey, Sequence[Event]],
    assignments: Mapping[str, int],
    user: User,
    client: str,
    library: Library,
) -> list[Submission]:
    count = itertools.count()
    submissions: list[Submission] = []
    for (topic, doc), document_events in events.items():
        fingerprint = library[doc].fingerprint
        arrivals = tuple(Arrival(doc, client, next(count), fingerprint, event) for event in document_events)
        submissions.append(Submission(user.id, assignments[topic], arrivals))
    return submissions
