"""The progress and pace of topics and assessors, what needs attention, and the status of the assessment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from sqlalchemy import Connection, func, select

from doxel.assess.store.assignments import AssignmentProgress, WorkStep, find_last_steps, list_assignments
from doxel.assess.store.database import Store
from doxel.assess.store.database_schema import ASSIGNMENTS, EVENTS, SETTINGS, USERS, format_time, now
from doxel.assess.store.pooled_documents import list_topics
from doxel.assess.store.shares import count_shared_documents
from doxel.wording import pluralise

__all__ = [
    "AssessmentStatus",
    "AssignmentOverview",
    "Attention",
    "AttentionGroup",
    "Progress",
    "TopicProgress",
    "Work",
    "count_work",
    "read_assessment_status",
    "read_progress",
]

_DAY = 86_400_000
_WEEK = 7  # days over which the pace is measured, and after which inactivity is reported


@dataclass(frozen=True)
class Work:
    """The progress on a set of documents: done, begun, the time of the last step, and the pace.

    ``pace`` is the number of documents finished per day in the last week, or since the first step if that
    is more recent.
    """

    documents: int
    done: int
    begun: int
    last: int | None
    pace: float

    @property
    def untouched(self) -> int:
        """The number of documents that were not begun."""
        return self.documents - self.done - self.begun

    @property
    def left(self) -> int:
        """The number of documents that are not done."""
        return self.documents - self.done

    @property
    def days(self) -> float | None:
        """The estimated number of days for the rest, None if the pace is 0."""
        if not self.left:
            return 0.0
        return self.left / self.pace if self.pace else None

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        counts = {"documents": self.documents, "done": self.done, "begun": self.begun, "pace": self.pace}
        return {
            **counts,
            "days_left": self.days,
            "last": None if self.last is None else format_time(self.last),
        }


def count_work(documents: int, steps: Iterable[WorkStep], at: int) -> Work:
    """Summarise the last steps of a set of documents at a given time.

    >>> steps = [
    ...     WorkStep(1, "a", "validated", 0),
    ...     WorkStep(1, "b", "validated", 86_400_000),
    ...     WorkStep(1, "c", "open", 9),
    ... ]
    >>> work = count_work(5, steps, at=2 * 86_400_000)
    >>> work.done, work.begun, work.untouched, work.pace, work.days
    (2, 1, 2, 1.0, 3.0)
    """
    last_steps = list(steps)
    finish_times = [step.at for step in last_steps if step.status == "validated"]
    recent_times = [moment for moment in finish_times if moment > at - _WEEK * _DAY]
    first = min((step.at for step in last_steps), default=at)
    days = min(_WEEK, max(1.0, (at - first) / _DAY))
    return Work(
        documents=documents,
        done=len(finish_times),
        begun=len(last_steps) - len(finish_times),
        last=max((step.at for step in last_steps), default=None),
        pace=len(recent_times) / days,
    )


@dataclass(frozen=True)
class AssignmentOverview:
    """An assignment, its progress, its creation time, and whether its assessor's account is disabled."""

    assignment: AssignmentProgress
    work: Work
    created: int
    is_abandoned: bool


ATTENTION_KINDS = (
    "no-assessor",
    "no-share",
    "assessor-gone",
    "no-official",
    "silent",
    "not-begun",
    "to-lock",
)
"""The kinds of things that need attention, most urgent first."""

_GROUP_TITLES = {
    "no-assessor": ("topic has no assessor", "topics have no assessor"),
    "no-share": ("topic has documents that nobody judges", "topics have documents that nobody judges"),
    "assessor-gone": (
        "assignment is of somebody who can no longer sign in",
        "assignments are of people who can no longer sign in",
    ),
    "no-official": ("topic has no official assignment", "topics have no official assignment"),
    "silent": ("assignment has not moved for a week", "assignments have not moved for a week"),
    "not-begun": ("assignment was not begun for a week", "assignments were not begun for a week"),
    "to-lock": ("assignment is finished and can be locked", "assignments are finished and can be locked"),
}


@dataclass(frozen=True)
class Attention:
    """A notice for organisers: its kind, a sentence, and the topic and assignment concerned."""

    kind: str
    sentence: str
    topic: str
    assignment: int | None = None

    @property
    def urgency(self) -> int:
        """The rank of its kind: 0 is most urgent."""
        return ATTENTION_KINDS.index(self.kind)


@dataclass(frozen=True)
class AttentionGroup:
    """All notices of one kind, under one title."""

    kind: str
    notices: tuple[Attention, ...]

    @property
    def title(self) -> str:
        """The number of notices and their subject."""
        return pluralise(len(self.notices), *_GROUP_TITLES[self.kind])


@dataclass(frozen=True)
class TopicProgress:
    """A topic, its number of documents, its assignments, and what needs attention."""

    topic: str
    documents: int
    assignments: tuple[AssignmentOverview, ...]
    attention: tuple[Attention, ...]

    @property
    def official(self) -> tuple[AssignmentOverview, ...]:
        """The official assignments: one, or several that have parts of the topic."""
        return tuple(item for item in self.assignments if item.assignment.official)

    @property
    def is_closed(self) -> bool:
        """Whether all assignments are locked and the official ones are finished."""
        official = self.official
        all_locked = all(item.assignment.locked for item in self.assignments)
        return bool(official) and all(item.assignment.finished for item in official) and all_locked

    @property
    def urgency(self) -> tuple[int, float]:
        """A sort key: topics that need attention come first, then those least done, finished topics last."""
        kind = min((notice.urgency for notice in self.attention), default=len(ATTENTION_KINDS))
        shares = [item.work.done / max(1, item.work.documents) for item in self.assignments]
        return (kind, min(shares, default=0.0))


@dataclass(frozen=True)
class Progress:
    """The progress of all topics and assessors at one time, those that need attention first.

    ``total`` counts the documents of all topics; the work on them is that of the official assignments.
    """

    at: int
    total: Work
    topics: tuple[TopicProgress, ...]
    assessors: tuple[tuple[str, Work, int], ...]

    @property
    def attention(self) -> list[Attention]:
        """Everything that needs attention, most urgent first."""
        notices = (notice for topic in self.topics for notice in topic.attention)
        return sorted(notices, key=lambda notice: notice.urgency)

    @property
    def attention_groups(self) -> list[AttentionGroup]:
        """Everything that needs attention, grouped by kind, the most urgent kind first."""
        groups = groupby(self.attention, key=lambda notice: notice.kind)
        return [AttentionGroup(kind, tuple(notices)) for kind, notices in groups]

    @property
    def assignments(self) -> list[AssignmentOverview]:
        """All assignments, in the order of topics."""
        return [item for topic in self.topics for item in topic.assignments]


def read_progress(connection: Connection, at: int | None = None) -> Progress:
    """Return the progress of all topics and assessors, now or at a given time."""
    moment = now() if at is None else at
    steps: dict[int, list[WorkStep]] = defaultdict(list)
    for step in find_last_steps(connection):
        steps[step.assignment].append(step)
    by_topic = _collect_assignments(connection, steps, moment)
    shared_counts = count_shared_documents(connection)
    all_topics = [
        _build_topic(topic, count, by_topic[topic], moment, shared_counts.get(topic, 0))
        for topic, count in list_topics(connection)
    ]
    return Progress(
        at=moment,
        total=_sum_topics(all_topics, steps, moment),
        topics=tuple(sorted(all_topics, key=lambda topic: topic.urgency)),
        assessors=_collect_assessors(
            [item for topic in all_topics for item in topic.assignments], steps, moment
        ),
    )


def _collect_assignments(
    connection: Connection, steps: Mapping[int, Sequence[WorkStep]], at: int
) -> defaultdict[str, list[AssignmentOverview]]:
    columns = (ASSIGNMENTS.c.id, ASSIGNMENTS.c.created, USERS.c.disabled)
    query = select(*columns).join(USERS, USERS.c.id == ASSIGNMENTS.c.user_id)
    details = {number: (created, disabled) for number, created, disabled in connection.execute(query)}
    by_topic: defaultdict[str, list[AssignmentOverview]] = defaultdict(list)
    for assignment in list_assignments(connection, steps=chain.from_iterable(steps.values())):
        work = count_work(assignment.documents, steps.get(assignment.id, ()), at)
        by_topic[assignment.topic].append(AssignmentOverview(assignment, work, *details[assignment.id]))
    return by_topic


def _build_topic(
    topic: str, documents: int, items: Sequence[AssignmentOverview], at: int, shared_count: int
) -> TopicProgress:
    """Return the progress of a topic; ``covered`` of its documents are in shares."""
    attention: list[Attention] = []
    if items and all(item.assignment.partial for item in items) and shared_count < documents:
        uncovered = pluralise(documents - shared_count, "document", "documents")
        attention.append(Attention("no-share", f"Topic {topic}: {uncovered} in nobody’s share.", topic))
    if not items:
        attention.append(Attention("no-assessor", f"Topic {topic} has no assessor.", topic))
    elif not any(item.assignment.official for item in items):
        attention.append(Attention("no-official", f"Topic {topic} has no official assignment.", topic))
    for item in items:
        attention += _find_attention(item, at)
    official_first = sorted(items, key=lambda item: not item.assignment.official)
    return TopicProgress(topic, documents, tuple(official_first), tuple(attention))


def _find_attention(item: AssignmentOverview, at: int) -> Iterable[Attention]:
    assignment, work = item.assignment, item.work
    name = f"topic {assignment.topic}"
    if assignment.locked or not assignment.documents:
        return
    if assignment.finished:
        yield Attention(
            "to-lock", f"{assignment.assessor} has finished {name}: lock it?", assignment.topic, assignment.id
        )
    elif item.is_abandoned:
        sentence = f"{assignment.assessor} can no longer sign in and has not finished {name}."
        yield Attention("assessor-gone", sentence, assignment.topic, assignment.id)
    elif work.last is None:
        if at - item.created > _WEEK * _DAY:
            days = (at - item.created) // _DAY
            sentence = f"{assignment.assessor} has had {name} for {days:,} days and has not begun it."
            yield Attention("not-begun", sentence, assignment.topic, assignment.id)
    elif at - work.last > _WEEK * _DAY:
        days = (at - work.last) // _DAY
        sentence = f"{assignment.assessor} has not worked on {name} for {days:,} days."
        yield Attention("silent", sentence, assignment.topic, assignment.id)


def _sum_topics(
    all_topics: Iterable[TopicProgress], steps: Mapping[int, Sequence[WorkStep]], at: int
) -> Work:
    documents = 0
    official_steps: list[WorkStep] = []
    for topic in all_topics:
        documents += topic.documents
        last_steps = {}
        for item in topic.official:  # of several, the official one of a document is not looked up: it is done
            for step in steps.get(item.assignment.id, ()):
                if step.doc not in last_steps or step.status == "validated":
                    last_steps[step.doc] = step
        official_steps += last_steps.values()
    return count_work(documents, official_steps, at)


def _collect_assessors(
    items: Iterable[AssignmentOverview], steps: Mapping[int, Sequence[WorkStep]], at: int
) -> tuple[tuple[str, Work, int], ...]:
    """Return each assessor's name, work and number of assignments, those who need longest first."""
    by_name: dict[str, list[AssignmentOverview]] = defaultdict(list)
    for item in items:
        by_name[item.assignment.assessor].append(item)
    rows = []
    for name, assignments in by_name.items():
        own_steps = [step for item in assignments for step in steps.get(item.assignment.id, ())]
        rows.append(
            (
                name,
                count_work(sum(item.work.documents for item in assignments), own_steps, at),
                len(assignments),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-_estimate_days(row[1]), row[0])))


def _estimate_days(work: Work) -> float:
    return float("inf") if work.days is None else work.days


@dataclass(frozen=True)
class AssessmentStatus:
    """All assignments, topics without an assessor, the number of events, and the collection's fingerprint."""

    assignments: tuple[AssignmentProgress, ...]
    waiting: tuple[str, ...]
    events: int
    fingerprint: str | None
    text_rule: str | None

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        rows = [assignment.as_json() for assignment in self.assignments]
        return {**vars(self), "assignments": rows, "waiting": list(self.waiting)}


def read_assessment_status(store: Store) -> AssessmentStatus:
    """Return the status of an assessment."""
    with store.read() as connection:
        all_assignments = list_assignments(connection)
        assigned_topics = {assignment.topic for assignment in all_assignments}
        settings = {row.name: row.value for row in connection.execute(select(SETTINGS))}
        return AssessmentStatus(
            assignments=tuple(all_assignments),
            waiting=tuple(topic for topic, _ in list_topics(connection) if topic not in assigned_topics),
            events=connection.execute(select(func.count()).select_from(EVENTS)).scalar() or 0,
            fingerprint=settings.get("fingerprint"),
            text_rule=settings.get("text_rule"),
        )
