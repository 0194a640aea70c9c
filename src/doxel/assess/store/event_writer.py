"""The event writer: checks events against assignment, text and scale, and appends each to the log once.

One thread appends all queued events in one transaction and answers after the commit.  While one batch is
being committed, the next one queues up.  So batches grow with the load, and no client waits longer than two
commits.

When idle, the writer saves snapshots of documents that were validated or have many new events, so that later
reads need not fold those events.
"""

from __future__ import annotations

import json
import queue
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, Row, func, select, tuple_

from doxel.assess.document_state import find_breaches, fold_events
from doxel.assess.judging_events import Arrival, Event
from doxel.assess.scales import Scale, find_scale
from doxel.assess.store.adjudications import compare_sources, list_adjudications
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS, POOLED, SHARES, now
from doxel.assess.store.event_log import read_state, save_snapshots
from doxel.assess.store.pooled_documents import HeldDocument, Library, find_judging_task
from doxel.errors import BusyError
from doxel.wording import pluralise

__all__ = [
    "EventReceipt",
    "EventWriter",
    "Submission",
    "append_events",
    "build_origin",
    "find_grade_misfit",
    "find_kind_misfit",
    "find_place_misfit",
    "summarise_refusals",
]

_AT_ONCE = 300  # keys per query, because SQLite takes at most 999 values


@dataclass(frozen=True)
class Submission:
    """Events that a user sends to an assignment, in the user's order."""

    user_id: int
    assignment_id: int
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True)
class EventReceipt:
    """The outcome of an event: stored, stored before, or refused with a reason."""

    client: str
    sequence: int
    status: str
    seq: int | None = None
    code: str | None = None
    message: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fields that are set, as plain data for the client."""
        return {name: value for name, value in vars(self).items() if value is not None}


def build_origin(user_id: int, arrival: Arrival) -> str:
    """Return the key that identifies an event; it stays the same when the event is sent again."""
    return f"{user_id}:{arrival.client}:{arrival.sequence}"


_EventContent = tuple[int, str, str, str]  # assignment, document, kind, body


class _KnownEvent(NamedTuple):
    """An event that is in the log: its number and its content."""

    seq: int
    content: _EventContent


@dataclass
class _AppendBatch:
    """The data that one batch of submissions needs, read once for all of them.

    ``known`` are the events that are already stored, by origin; ``fresh`` those of this batch, by assignment
    and document, which no snapshot contains yet; ``adjudications`` the sources of assignments that have any;
    ``shares`` the pairs of a partial assignment and a document that belong together.
    """

    connection: Connection
    library: Library
    assignments: Mapping[int, Row[Any]]
    known: dict[str, _KnownEvent]
    pooled: set[tuple[str, str]]
    shares: set[tuple[int, str]]
    next_seq: int
    adjudications: Mapping[int, tuple[int, ...]]
    rows: list[dict[str, Any]] = field(default_factory=list)
    fresh: dict[tuple[int, str], list[Event]] = field(default_factory=lambda: defaultdict(list))


def append_events(
    connection: Connection,
    library: Library,
    submissions: Sequence[Submission],
    pooled: set[tuple[str, str]] | None = None,
) -> list[list[EventReceipt]]:
    """Append events in the order of their arrival, and return the outcome of each.

    The others are stored even if one event is refused.  Outcomes are valid only after the commit.
    ``pooled`` is a cache of pairs (topic, document) that are pooled, which is never undone: pass the same
    set to each call, and it grows.
    """
    batch = _prepare_batch(connection, library, submissions, set() if pooled is None else pooled)
    outcomes = [
        [_append_event(batch, submission, arrival) for arrival in submission.arrivals]
        for submission in submissions
    ]
    if batch.rows:
        connection.execute(EVENTS.insert(), batch.rows)
    return outcomes


def _prepare_batch(
    connection: Connection,
    library: Library,
    submissions: Sequence[Submission],
    pooled: set[tuple[str, str]],
) -> _AppendBatch:
    ids = sorted({submission.assignment_id for submission in submissions})
    last = select(func.max(EVENTS.c.seq)).scalar_subquery().label("last")
    rows = connection.execute(select(ASSIGNMENTS, last).where(ASSIGNMENTS.c.id.in_(ids))).all()
    assignments = {row.id: row for row in rows}
    origins = {
        build_origin(submission.user_id, arrival)
        for submission in submissions
        for arrival in submission.arrivals
    }
    pairs = {
        (assignments[submission.assignment_id].topic, arrival.doc)
        for submission in submissions
        if submission.assignment_id in assignments
        for arrival in submission.arrivals
    }
    pooled |= _find_pooled_pairs(connection, pairs - pooled)
    next_seq = 1 + (rows[0].last or 0) if rows else 1  # without an assignment, nothing will be stored
    known_events = _find_known_events(connection, origins)
    shares = _find_shares(connection, [row.id for row in rows if row.partial], submissions)
    adjudications = list_adjudications(connection, ids)
    return _AppendBatch(
        connection, library, assignments, known_events, pooled, shares, next_seq, adjudications
    )


def _find_shares(
    connection: Connection, partial: Sequence[int], submissions: Sequence[Submission]
) -> set[tuple[int, str]]:
    """Return the pairs of a partial assignment and a document that belong together; shares may change."""
    if not partial:
        return set()
    pairs = {
        (submission.assignment_id, arrival.doc)
        for submission in submissions
        if submission.assignment_id in partial
        for arrival in submission.arrivals
    }
    key = tuple_(SHARES.c.assignment_id, SHARES.c.doc)
    return {
        (number, doc)
        for portion in _split_keys(sorted(pairs))
        for number, doc in connection.execute(
            select(SHARES.c.assignment_id, SHARES.c.doc).where(key.in_(portion))
        )
    }


def _find_known_events(connection: Connection, origins: Iterable[str]) -> dict[str, _KnownEvent]:
    content = (EVENTS.c.assignment_id, EVENTS.c.doc, EVENTS.c.kind, EVENTS.c.body)
    query = select(EVENTS.c.origin, EVENTS.c.seq, *content)
    events: dict[str, _KnownEvent] = {}
    for portion in _split_keys(sorted(origins)):
        rows = connection.execute(query.where(EVENTS.c.origin.in_(portion)))
        for origin, seq, assignment_id, doc, kind, body in rows:
            events[origin] = _KnownEvent(seq, (assignment_id, doc, kind, body))
    return events


def _find_pooled_pairs(connection: Connection, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    key = tuple_(POOLED.c.topic, POOLED.c.doc)
    pooled: set[tuple[str, str]] = set()
    for portion in _split_keys(sorted(pairs)):
        rows = connection.execute(select(POOLED.c.topic, POOLED.c.doc).where(key.in_(portion)))
        pooled |= {(topic, doc) for topic, doc in rows}
    return pooled


def _split_keys(keys: list[Any]) -> Iterable[list[Any]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))


def _append_event(batch: _AppendBatch, submission: Submission, arrival: Arrival) -> EventReceipt:
    body = json.dumps(arrival.event.body, ensure_ascii=False, sort_keys=True)
    origin = build_origin(submission.user_id, arrival)
    content = (submission.assignment_id, arrival.doc, arrival.event.kind, body)
    if origin in batch.known:
        if batch.known[origin].content == content:
            return EventReceipt(arrival.client, arrival.sequence, "known", batch.known[origin].seq)
        message = "another event of this client is stored under the same sequence number"
        return EventReceipt(arrival.client, arrival.sequence, "refused", code="conflict", message=message)
    refusal = _find_refusal(batch, submission, arrival)
    if refusal is not None:
        code, message = refusal
        return EventReceipt(arrival.client, arrival.sequence, "refused", code=code, message=message)
    seq = batch.next_seq
    batch.next_seq += 1
    batch.known[origin] = _KnownEvent(seq, content)
    batch.fresh[submission.assignment_id, arrival.doc].append(arrival.event)
    batch.rows.append(
        {
            "seq": seq,
            "assignment_id": submission.assignment_id,
            "doc": arrival.doc,
            "user_id": submission.user_id,
            "client": arrival.client,
            "sequence": arrival.sequence,
            "fingerprint": arrival.fingerprint,
            "kind": arrival.event.kind,
            "body": body,
            "at": now(),
            "origin": origin,
            "step": arrival.step,
            "reverts": arrival.reverts,
        }
    )
    return EventReceipt(arrival.client, arrival.sequence, "stored", seq)


def _find_refusal(batch: _AppendBatch, submission: Submission, arrival: Arrival) -> tuple[str, str] | None:
    """Return a code and a sentence if an event cannot be stored, else None."""
    assignment = batch.assignments.get(submission.assignment_id)
    if assignment is None or assignment.user_id != submission.user_id:
        return "forbidden", "this assignment is not yours"
    if assignment.locked:
        return "locked", "the assignment is locked"
    if arrival.event.kind == "decide" and assignment.id not in batch.adjudications:
        return "no-adjudication", "the assignment is not an adjudication: there is nothing to decide"
    return _find_document_refusal(batch, assignment, arrival)


def _find_document_refusal(
    batch: _AppendBatch, assignment: Row[Any], arrival: Arrival
) -> tuple[str, str] | None:
    """Return a code and a sentence if an event does not fit its document, else None."""
    document = batch.library.find(arrival.doc)
    is_pooled = (assignment.topic, arrival.doc) in batch.pooled
    if document is None or not is_pooled or not _is_shared(batch, assignment, arrival.doc):
        part = "your part of the pool" if is_pooled else "the pool"
        return "unknown-document", f"document {arrival.doc} is not in {part}"
    if document.fingerprint != arrival.fingerprint:
        return "other-text", f"the event was made on another version of the text of document {arrival.doc}"
    if arrival.event.kind == "validate":
        return _find_broken_rule(batch, assignment, arrival.doc)
    return _find_misfit(batch.library, document, arrival.event, find_scale(assignment.scale))


def _is_shared(batch: _AppendBatch, assignment: Row[Any], doc: str) -> bool:
    return not assignment.partial or (assignment.id, doc) in batch.shares


_Refusal = tuple[str, str]  # a code and a sentence


def _find_misfit(library: Library, document: HeldDocument, event: Event, scale: Scale) -> _Refusal | None:
    """Return a code and a sentence if an event does not fit the scale or its document, else None."""
    return (
        find_kind_misfit(event, scale)
        or find_place_misfit(library, document, event)
        or find_grade_misfit(event, scale)
    )


def find_kind_misfit(event: Event, scale: Scale) -> _Refusal | None:
    """Return a code and a sentence if the scale has no events of this kind, else None."""
    if event.kind in scale.kinds:
        return None
    return "not-on-this-scale", f"the scale {scale.name} has no events of the kind {event.kind}"


def find_place_misfit(library: Library, document: HeldDocument, event: Event) -> _Refusal | None:
    """Return a code and a sentence if a position or path of an event is not in its document, else None."""
    body = event.body
    match event.kind:
        case "highlight" | "unhighlight":
            is_outside = body["spans"][-1][1] > document.characters
        case "bep":
            is_outside = body["position"] is not None and body["position"] >= document.characters
        case "aspect":
            is_outside = int(body["place"]) >= document.characters
        case _:
            is_outside = False
    if is_outside:
        size = pluralise(document.characters, "character")
        return "outside", f"a position is outside the document, which has {size}"
    if event.kind == "grade" and body["path"] not in library.outline(document.doc).rows:
        return "unknown-path", f"document {document.doc} has no element {body['path']}"
    return None


def find_grade_misfit(event: Event, scale: Scale) -> _Refusal | None:
    """Return a code and a sentence if the scale has no such grades, else None."""
    if event.kind != "grade" or event.body["grades"] is None:
        return None
    fault = scale.find_fault(event.body["grades"])
    return None if fault is None else ("unknown-grade", fault)


def _find_broken_rule(batch: _AppendBatch, assignment: Row[Any], doc: str) -> tuple[str, str] | None:
    """Return a code and a sentence if a document, with all events up to now, is not done, else None."""
    scale = find_scale(assignment.scale)
    before, _ = read_state(batch.connection, assignment.id, doc)
    state = fold_events(batch.fresh[assignment.id, doc], before)
    pooled = find_judging_task(batch.connection, assignment.topic, doc) if scale.grades else None
    paths = [] if pooled is None else pooled.paths
    broken = find_breaches(state, scale, batch.library.graded_outline(doc, scale), paths)
    messages = [breach.message for breach in broken]
    if assignment.id in batch.adjudications:
        differences = compare_sources(
            batch.connection, batch.library, batch.adjudications[assignment.id], scale, doc
        ).differences
        undecided = [difference for difference in differences if difference.place not in state.decisions]
        messages += [f"a difference is not decided: {difference.about}" for difference in undecided]
    if not messages:
        return None
    more = f", and {len(messages) - 1:,} more" if len(messages) > 1 else ""
    return "not-done", f"{messages[0]}{more}"


def summarise_refusals(outcomes: Iterable[EventReceipt]) -> tuple[int, list[str]]:
    """Count the documents that are not done, and describe all refusals in sentences."""
    by_code: dict[str, list[EventReceipt]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.status == "refused":
            by_code[outcome.code or "refused"].append(outcome)
    not_done = by_code.pop("not-done", [])
    notes = [
        f"{pluralise(len(receipts_of_code), 'event was', 'events were')} refused, "
        f"the first because {receipts_of_code[0].message}"
        for receipts_of_code in by_code.values()
    ]
    if not_done:
        documents_are = pluralise(len(not_done), "document is", "documents are")
        notes.append(f"{documents_are} not done, the first because {not_done[0].message}")
    return len(not_done), notes


_MOST_WAITING = 5_000  # submissions; more means that the disk cannot keep up
_MOST_AT_ONCE = 500
_PAUSE = 0.5  # seconds without events, after which there is time for snapshots
_MANY = 64  # events of a document, which take some milliseconds to fold
_MOST_DUE = 16  # documents; saving their snapshots takes some milliseconds, so it needs no pause

FutureReceipts = Future[list[EventReceipt]]


class EventWriter:
    """Appends events to the log; any number of threads may submit them."""

    def __init__(self, store: Store, library: Library) -> None:
        self._store, self._library = store, library
        self._waiting: queue.Queue[tuple[Submission, FutureReceipts] | None] = queue.Queue(_MOST_WAITING)
        self._counts: dict[tuple[int, str], int] = {}
        self._due: set[tuple[int, str]] = set()
        self._pooled: set[tuple[str, str]] = set()
        self._thread = threading.Thread(target=self._work, name="doxel-writer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.put(None)
        self._thread.join()

    def submit(self, submission: Submission) -> FutureReceipts:
        """Queue events and return a future, which is set after the commit."""
        answer: FutureReceipts = Future()
        try:
            self._waiting.put_nowait((submission, answer))
        except queue.Full:
            raise BusyError("too many events are waiting to be written") from None
        return answer

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            # a client may cancel up to this point; from here on its events are written
            batch = [
                (submission, answer) for submission, answer in batch if answer.set_running_or_notify_cancel()
            ]
            try:
                self._write(batch)
            except Exception:  # noqa: BLE001 -- the writer must survive any error of one batch
                self._write_each(batch)
            if len(self._due) >= _MOST_DUE:
                self._keep_snapshots()
        self._keep_snapshots()

    def _next_batch(self) -> list[tuple[Submission, FutureReceipts]] | None:
        """Wait for at least one submission and return all that are queued; None at the end."""
        first = self._first()
        if first is None:
            return None
        batch = [first]
        with suppress(queue.Empty):
            while len(batch) < _MOST_AT_ONCE:
                following = self._waiting.get_nowait()
                if following is None:
                    self._waiting.put(None)  # write this batch before the end
                    break
                batch.append(following)
        return batch

    def _first(self) -> tuple[Submission, FutureReceipts] | None:
        """Wait for the next submission; save snapshots if none comes for a while."""
        if self._due:
            with suppress(queue.Empty):
                return self._waiting.get(timeout=_PAUSE)
            self._keep_snapshots()
        return self._waiting.get()

    def _write(self, batch: Sequence[tuple[Submission, FutureReceipts]]) -> None:
        with self._store.write() as connection:
            outcomes = append_events(
                connection, self._library, [submission for submission, _ in batch], self._pooled
            )
        for (submission, answer), receipts in zip(batch, outcomes, strict=True):
            answer.set_result(receipts)
            self._count(submission, receipts)

    def _write_each(self, batch: Sequence[tuple[Submission, FutureReceipts]]) -> None:
        """Write submissions one by one, so that a bad one does not fail the others."""
        for submission, answer in batch:
            try:
                self._write([(submission, answer)])
            except Exception as error:  # noqa: BLE001 -- the waiting client must learn of any error
                answer.set_exception(error)

    def _count(self, submission: Submission, outcomes: Sequence[EventReceipt]) -> None:
        """Count stored events, and note the documents that are due for a snapshot."""
        for arrival, outcome in zip(submission.arrivals, outcomes, strict=True):
            if outcome.status != "stored":
                continue
            key = (submission.assignment_id, arrival.doc)
            self._counts[key] = self._counts.get(key, 0) + 1
            if arrival.event.kind == "validate" or self._counts[key] >= _MANY:
                self._due.add(key)

    def _keep_snapshots(self) -> None:
        """Save the snapshots that are due; errors are ignored, because snapshots are a cache."""
        due, self._due = self._due, set()
        for key in due:
            self._counts.pop(key, None)
        if due:
            with suppress(Exception), self._store.write() as connection:
                save_snapshots(connection, {key: read_state(connection, *key) for key in due})
