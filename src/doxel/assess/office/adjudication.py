"""Adjudication: a new assignment decides between two or more assignments of a topic, and becomes official.

The adjudicator is somebody without an assignment of the topic.  Their assignment has all documents of the
sources, among which the pool may be split.  At the start it gets what all sources agree on, as events of a
client of its own, so that the log separates these from decisions.  A document without differences is done at
once.  A document that only one person has done is done at once, too: it is taken over unchanged, and listed.
The sources are locked unless the organiser decides otherwise.

The adjudicator signs off when every document is done: then the assignment becomes official, and is locked.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from doxel.assess.document_state import generate_events
from doxel.assess.judging_events import Arrival
from doxel.assess.office.administration import (
    describe_assignment,
    record_action,
    require_assessor,
    require_assignment,
)
from doxel.assess.scales import find_scale
from doxel.assess.store.adjudications import (
    add_sources,
    compare_sources,
    find_source_misfit,
    find_taken_over,
    list_adjudications,
)
from doxel.assess.store.assignments import (
    AssignmentProgress,
    create_assignment,
    list_assignments,
    make_official,
    set_locked,
)
from doxel.assess.store.event_writer import Submission, append_events, summarise_refusals
from doxel.assess.store.pooled_documents import Library, list_judging_tasks, require_text
from doxel.assess.store.shares import list_assigned_documents, list_assigned_tasks, make_partial
from doxel.errors import InputError
from doxel.wording import join_words, pluralise, pluralise_share

__all__ = ["AdjudicationStart", "begin_adjudication", "sign_off"]


@dataclass(frozen=True)
class AdjudicationStart:
    """The new assignment: its id, its number of documents, the number that sources agree on, and notes.

    ``taken_over`` are the documents that one person alone has done, with the name of that person.
    """

    assignment: int
    documents: int
    agreed: int
    notes: tuple[str, ...]
    taken_over: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The extent of the agreement in words."""
        agreement = f"{pluralise_share(self.agreed, self.documents, 'document')} agreed by all and done"
        if not self.taken_over:
            return agreement
        by_name: dict[str, list[str]] = {}
        for doc, name in self.taken_over.items():
            by_name.setdefault(name, []).append(doc)
        sources = "; ".join(f"from {name} {', '.join(docs)}" for name, docs in by_name.items())
        return f"{agreement}; judged by one person alone and taken over: {sources}"


def begin_adjudication(
    connection: Connection,
    library: Library,
    actor: str,
    numbers: Sequence[int],
    name: str,
    *,
    lock: bool = True,
) -> AdjudicationStart:
    """Give a topic to an adjudicator, who decides between the assignments with these numbers."""
    sources = [require_assignment(connection, number) for number in dict.fromkeys(numbers)]
    misfit = find_source_misfit(sources)
    if misfit is not None:
        raise misfit
    adjudications = set(list_adjudications(connection, numbers))
    if adjudications:
        found = f"assignment {min(adjudications)}, which is an adjudication"
        raise InputError("an adjudication", wanted="assignments of assessors", found=found)
    user = require_assessor(connection, name)
    if user.id in {source.user_id for source in sources}:
        wanted = "somebody without an assignment of the topic"
        raise InputError("an adjudicator", wanted=wanted, found=f"{user.name}, whose work is a source")
    topic, scale = sources[0].topic, sources[0].scale
    share = _unite_documents(connection, topic, sources)
    assignment = create_assignment(connection, topic, user.id, scale, sources[0].snapping, share=share)
    ids = [source.id for source in sources]
    add_sources(connection, assignment, ids)
    if lock:
        for source in sources:
            set_locked(connection, source.id, locked=True)
    arrivals, agreed_count, documents = _collect_agreement(connection, library, assignment, ids)
    names = {source.id: source.assessor for source in sources}
    taken_over = {doc: names[number] for doc, number in find_taken_over(connection, ids).items()}
    (outcomes,) = append_events(connection, library, [Submission(user.id, assignment, arrivals)])
    _, notes = summarise_refusals(outcomes)
    lock_state = "locked" if lock else "not locked"
    assessors = join_words([source.assessor for source in sources])
    detail = f"topic {topic}, between {assessors} ({lock_state}), by {user.name}: assignment {assignment}"
    if taken_over:
        detail += f", {pluralise(len(taken_over), 'document')} taken over from one person"
    record_action(connection, actor, "adjudication begun", detail)
    return AdjudicationStart(assignment, documents, agreed_count, tuple(notes), taken_over)


def _unite_documents(
    connection: Connection, topic: str, sources: Sequence[AssignmentProgress]
) -> dict[str, bool] | None:
    """Return the documents of all sources as a share; None if they are all documents of the topic."""
    shared_docs = {doc for source in sources for doc in list_assigned_documents(connection, source)}
    docs = [task.doc for task in list_judging_tasks(connection, topic)]
    return None if shared_docs == set(docs) else {doc: False for doc in docs if doc in shared_docs}


def _collect_agreement(
    connection: Connection, library: Library, assignment: int, sources: Sequence[int]
) -> tuple[tuple[Arrival, ...], int, int]:
    """Return the events that all sources agree on, the number of agreed documents, and of all documents."""
    adjudication = require_assignment(connection, assignment)
    scale, client, count = find_scale(adjudication.scale), f"agreed:{assignment}", itertools.count()
    arrivals: list[Arrival] = []
    agreed_count = 0
    tasks = list_assigned_tasks(connection, adjudication)
    for task in tasks:
        comparison = compare_sources(connection, library, sources, scale, task.doc)
        is_agreed = bool(comparison.states) and not comparison.differences
        agreed_count += is_agreed and len(comparison.states) > 1
        fingerprint = require_text(library, task).fingerprint
        arrivals += [
            Arrival(task.doc, client, next(count), fingerprint, event, step=f"{client}:{task.doc}"[:80])
            for event in generate_events(replace(comparison.agreed, validated=is_agreed))
        ]
    return tuple(arrivals), agreed_count, len(tasks)


def sign_off(connection: Connection, actor: str, number: int) -> None:
    """Make a finished adjudication the official assignment of its topic, and lock it."""
    assignment = require_assignment(connection, number)
    if number not in list_adjudications(connection, [number]):
        found = describe_assignment(assignment)
        raise InputError("sign off", wanted="an adjudication", found=found)
    if not assignment.finished:
        progress = pluralise_share(assignment.validated, assignment.documents, "document")
        raise InputError("sign off", wanted="every document done", found=f"{progress} done")
    for sibling in list_assignments(connection, topic=assignment.topic):
        if assignment.partial and sibling.official and not sibling.partial:
            make_partial(connection, sibling, official=True)  # it stays official for the other documents
    make_official(connection, number)
    set_locked(connection, number, locked=True)
    record_action(connection, actor, "adjudication signed off", describe_assignment(assignment))
