"""The notes and flags of assessors, collected for organisers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, func, select

from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS, USERS, format_time
from doxel.assess.store.pooled_documents import build_topic_key

__all__ = ["AssessorNote", "list_notes"]


@dataclass(frozen=True)
class AssessorNote:
    """The note of an assessor on a document, and whether it is flagged; ``at`` is the last change."""

    assignment: int
    topic: str
    doc: str
    assessor: str
    text: str
    flagged: bool
    at: int

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {**vars(self), "at": format_time(self.at)}


def list_notes(
    connection: Connection, *, topics: Iterable[str] = (), flagged_only: bool = False
) -> list[AssessorNote]:
    """Return the notes and flags of all assignments, flags first, then by topic and document."""
    last = (
        select(func.max(EVENTS.c.seq))
        .where(EVENTS.c.kind.in_(["note", "flag"]))
        .group_by(EVENTS.c.assignment_id, EVENTS.c.doc, EVENTS.c.kind)
    )
    query = (
        select(ASSIGNMENTS.c.id, ASSIGNMENTS.c.topic, EVENTS.c.doc, USERS.c.name)
        .add_columns(EVENTS.c.body, EVENTS.c.at)
        .select_from(EVENTS)
        .join(ASSIGNMENTS, ASSIGNMENTS.c.id == EVENTS.c.assignment_id)
        .join(USERS, USERS.c.id == ASSIGNMENTS.c.user_id)
        .where(EVENTS.c.seq.in_(last))
        .order_by(EVENTS.c.seq)
    )
    topic_filter = set(topics)
    notes: dict[tuple[int, str], AssessorNote] = {}
    for number, topic, doc, assessor, body, at in connection.execute(query):
        if not topic_filter or topic in topic_filter:
            empty = AssessorNote(number, topic, doc, assessor, "", flagged=False, at=at)
            changes = {key: value for key, value in json.loads(body).items() if key in ("text", "flagged")}
            notes[number, doc] = replace(notes.get((number, doc), empty), at=at, **changes)
    listed_notes = [
        note for note in notes.values() if note.flagged or (note.text.strip() and not flagged_only)
    ]
    return sorted(
        listed_notes, key=lambda note: (not note.flagged, build_topic_key(note.topic), note.doc, note.at)
    )
