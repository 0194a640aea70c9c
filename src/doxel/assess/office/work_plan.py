"""Plans that distribute documents among people in whole topics or in shares, or level untouched documents.

A plan is first computed and shown, and then applied.  Three kinds of plans exist:

- *whole*: each topic goes, as a whole, to as many people as the overlap.
- *split*: the documents of each topic are divided among people, so that as many of them as the overlap
  judge each document.  Pairs of people share about equally many documents.
- *level*: documents that nobody has begun move from people with much left to people with little.  Documents
  of people who do not take part any more go to the others.

Work that exists counts: a topic or document that has enough assessors gets no more.  Nothing that somebody
has begun is ever moved.  Adjudications decide between assessors: they do not count, and are not changed.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from doxel.assess.judging_events import is_text
from doxel.assess.office.administration import record_action, require_assessor
from doxel.assess.scales import SNAPPINGS, check_snapping, find_scale
from doxel.assess.store.accounts import User
from doxel.assess.store.adjudications import list_adjudications
from doxel.assess.store.assignments import AssignmentProgress, create_assignment, list_assignments
from doxel.assess.store.database_schema import EVENTS
from doxel.assess.store.pooled_documents import build_topic_key, list_documents, list_topics
from doxel.assess.store.shares import (
    list_assigned_documents,
    make_partial,
    make_share_official,
    read_share,
    write_share,
)
from doxel.errors import InputError
from doxel.wording import join_words, pluralise

__all__ = ["PLAN_KINDS", "PlanRequest", "PlannedShare", "WorkPlan", "apply_plan", "make_plan"]

PLAN_KINDS = ("whole", "split", "level")

_Judges = defaultdict[tuple[str, str], set[int]]  # the users who have a document, by topic and document


@dataclass(frozen=True)
class PlanRequest:
    """What an organiser asks for: the kind of plan, topics, people, overlap, scale and snapping."""

    kind: str
    topics: tuple[str, ...]
    people: tuple[str, ...]
    overlap: int = 1
    scale: str = "2006"
    snapping: str = SNAPPINGS[0]


@dataclass
class PlannedShare:
    """The documents that a person gets and gives away in a topic.

    ``assignment`` is the present assignment, None for a new one.  ``added`` and ``removed`` are documents,
    each with whether its judgement is official; ``is_whole``: the new assignment has the whole topic.
    """

    topic: str
    user: User
    assignment: AssignmentProgress | None
    scale: str
    snapping: str
    is_whole: bool = False
    size: int = 0
    added: dict[str, bool] = field(default_factory=dict)
    removed: dict[str, bool] = field(default_factory=dict)

    @property
    def gained(self) -> int:
        """The number of documents that the person gets."""
        return self.size if self.is_whole else len(self.added)


@dataclass(frozen=True)
class WorkPlan:
    """A plan: its changes, the documents left to each person before and after it, and notes on the rest."""

    request: PlanRequest
    shares: tuple[PlannedShare, ...]
    before: Mapping[str, int]
    after: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def digest(self) -> str:
        """A key of the content, to notice that the plan has changed since it was shown."""
        content = [
            (share.topic, share.user.id, share.is_whole, sorted(share.added), sorted(share.removed))
            for share in self.shares
        ]
        return hashlib.sha256(repr(content).encode()).hexdigest()[:32]


def make_plan(connection: Connection, request: PlanRequest) -> WorkPlan:
    """Compute a plan; nothing is changed."""
    return _Planner(connection, request).plan()


def apply_plan(connection: Connection, actor: str, plan: WorkPlan) -> int:
    """Apply a plan that was made in the same transaction, and return the number of changed assignments."""
    changed_ids = {share.assignment.id for share in plan.shares if share.assignment is not None}
    has_official = {
        item.topic
        for item in list_assignments(connection)
        if item.official and not item.partial and item.id not in changed_ids
    }
    for share in plan.shares:
        current = share.assignment
        if current is None:
            create_assignment(
                connection,
                share.topic,
                share.user.id,
                share.scale,
                share.snapping,
                share=None if share.is_whole else share.added,
                official=None if share.is_whole else share.topic not in has_official,
            )
            continue
        if not current.partial:
            make_partial(connection, current, official=current.official)
        documents = {**read_share(connection, current.id), **share.added}
        remaining_documents = {
            doc: official for doc, official in documents.items() if doc not in share.removed
        }
        write_share(connection, current.id, remaining_documents)
        if share.topic not in has_official:  # the documents decide which parts of it are official
            make_share_official(connection, current.id)
    if plan.shares:
        names = join_words(sorted({share.user.name for share in plan.shares}))
        changed_topics: list[str] = sorted({share.topic for share in plan.shares}, key=build_topic_key)
        topics = join_words(changed_topics)
        detail = f"{plan.request.kind}: topics {topics} among {names}, overlap {plan.request.overlap}"
        record_action(connection, actor, "work distributed", detail)
    return len(plan.shares)


@dataclass(frozen=True)
class _Slot:
    """A document that an assessor has and has not begun."""

    assignment: AssignmentProgress
    holder: User
    doc: str
    official: bool


class _Planner:
    """Reads the present state once, and computes a plan from it."""

    def __init__(self, connection: Connection, request: PlanRequest) -> None:
        self._connection, self._request = connection, request
        self._check_request()
        self._people = [require_assessor(connection, name) for name in dict.fromkeys(request.people)]
        self._all = list_assignments(connection)
        self._adjudications = set(list_adjudications(connection))
        self._left = Counter({person.name: 0 for person in self._people})
        for assignment in self._all:
            self._left[assignment.assessor] += assignment.documents - assignment.validated
        self._before = dict(self._left)
        self._shares: dict[tuple[str, int], PlannedShare] = {}
        self._notes: list[str] = []

    def _check_request(self) -> None:
        request = self._request
        if request.kind not in PLAN_KINDS:
            raise InputError("a plan", wanted=f"one of {', '.join(PLAN_KINDS)}", found=repr(request.kind))
        find_scale(request.scale)
        check_snapping(request.snapping)
        for label, values in (("topic", request.topics), ("person", request.people)):
            if not values or not all(is_text(value, 1_000) for value in values):
                found = "none" if not values else "a text that is not a name"
                raise InputError("a plan", wanted=f"at least one {label}", found=found)
        known_topics = {topic for topic, _ in list_topics(self._connection)}
        for topic in request.topics:
            if topic not in known_topics:
                raise InputError(f"topic {topic}", wanted="a topic with pooled documents", found="none")
        if request.kind != "level" and not 1 <= request.overlap <= len(set(request.people)):
            people = pluralise(len(set(request.people)), "person", "people")
            wanted = f"from 1 up to the number of people, here {people}"
            raise InputError("the overlap", wanted=wanted, found=f"{request.overlap}")

    def plan(self) -> WorkPlan:
        """Return the plan."""
        match self._request.kind:
            case "whole":
                self._assign_whole()
            case "split":
                self._note_enough([topic for topic in self._request.topics if not self._split_topic(topic)])
            case _:
                self._level()
        shares = [share for share in self._shares.values() if share.is_whole or share.added or share.removed]
        shares.sort(key=lambda share: (build_topic_key(share.topic), share.user.name))
        names = sorted({person.name for person in self._people} | {share.user.name for share in shares})
        before = {name: self._before.get(name, 0) for name in names}
        after = {name: self._left[name] for name in names}
        return WorkPlan(self._request, tuple(shares), before, after, tuple(self._notes))

    def _of_topic(self, topic: str) -> list[AssignmentProgress]:
        return [assignment for assignment in self._all if assignment.topic == topic]

    def _find_share(self, topic: str, user: User, model: AssignmentProgress | None = None) -> PlannedShare:
        """Return the planned share of a person in a topic; a new one has the scale of the model."""
        key = (topic, user.id)
        if key not in self._shares:
            assignment = next((item for item in self._of_topic(topic) if item.user_id == user.id), None)
            like = assignment or model
            scale = self._request.scale if like is None else like.scale
            snapping = self._request.snapping if like is None else like.snapping
            self._shares[key] = PlannedShare(topic, user, assignment, scale, snapping)
        return self._shares[key]

    def _assign_whole(self) -> None:
        sizes = dict(list_topics(self._connection))
        enough: list[str] = []
        for topic in self._request.topics:
            present = self._of_topic(topic)
            vacancies = self._request.overlap - sum(item.id not in self._adjudications for item in present)
            if vacancies <= 0:
                enough.append(topic)
                continue
            holders = {assignment.user_id for assignment in present}
            candidates = [person for person in self._people if person.id not in holders]
            chosen_people = sorted(candidates, key=lambda person: self._left[person.name])[:vacancies]
            for person in chosen_people:
                share = self._find_share(topic, person)
                share.is_whole, share.size = True, sizes[topic]
                self._left[person.name] += sizes[topic]
            if len(chosen_people) < vacancies:
                more = pluralise(vacancies - len(chosen_people), "more assessor is", "more assessors are")
                self._notes.append(f"topic {topic}: {more} wanted, but the people chosen have it already")
        self._note_enough(enough)

    def _note_enough(self, topics: Sequence[str]) -> None:
        if topics:
            have = pluralise(len(topics), "topic has", "topics have")
            self._notes.append(f"{have} enough assessors already: {join_words(topics)}")

    def _split_topic(self, topic: str) -> bool:
        """Divide a topic among people; return whether a document lacked assessors."""
        present = self._of_topic(topic)
        docs_of = {
            item.user_id: set(list_assigned_documents(self._connection, item))
            for item in present
            if item.id not in self._adjudications
        }
        holders = {item.user_id for item in present if item.locked or not item.partial}
        candidates = [person for person in self._people if person.id not in holders]
        official = self._list_official(present)
        chooser = _Chooser(candidates)
        incomplete_count = unserved_count = 0
        for doc in list_documents(self._connection, topic):
            judges = [user_id for user_id, docs in docs_of.items() if doc in docs]
            vacancies = self._request.overlap - len(judges)
            incomplete_count += vacancies > 0
            for person in chooser.choose(judges, vacancies, is_new=doc not in official):
                self._find_share(topic, person).added[doc] = doc not in official
                self._left[person.name] += 1
                official.add(doc)
                vacancies -= 1
            unserved_count += vacancies > 0
        if unserved_count:
            documents = pluralise(unserved_count, "document lacks", "documents lack")
            self._notes.append(f"topic {topic}: {documents} assessors; choose more people")
        return bool(incomplete_count)

    def _list_official(self, present: Iterable[AssignmentProgress]) -> set[str]:
        """Return the documents of a topic that have an official judge."""
        official: set[str] = set()
        for item in present:
            if item.official and item.partial:
                share = read_share(self._connection, item.id)
                official |= {doc for doc, is_official in share.items() if is_official}
            elif item.official:
                official |= set(list_assigned_documents(self._connection, item))
        return official

    def _level(self) -> None:
        slots = self._list_untouched()
        judges: _Judges = defaultdict(set)
        for item in self._all:
            if item.topic in self._request.topics:
                for doc in list_assigned_documents(self._connection, item):
                    judges[item.topic, doc].add(item.user_id)
        participants = {person.id for person in self._people}
        for holder in [user_id for user_id in slots if user_id not in participants]:
            for slot in slots.pop(holder):
                self._move(slot, judges, self._people)
        while self._move_one(slots, judges):
            pass

    def _move_one(self, slots: dict[int, list[_Slot]], judges: _Judges) -> bool:
        """Move one document from somebody with much left to somebody with less; return whether one moved."""
        for giver in sorted(self._people, key=lambda person: -self._left[person.name]):
            much = self._left[giver.name]
            takers = [person for person in self._people if much - self._left[person.name] > 1]
            for place in range(len(slots.get(giver.id, ())) - 1, -1, -1) if takers else ():
                if self._move(slots[giver.id][place], judges, takers):
                    slots[giver.id].pop(place)
                    return True
        return False

    def _move(self, slot: _Slot, judges: _Judges, takers: Sequence[User]) -> bool:
        """Give a document to the person with the least left who may take it; return whether anybody may."""
        topic, key = slot.assignment.topic, (slot.assignment.topic, slot.doc)
        for person in sorted(takers, key=lambda candidate: self._left[candidate.name]):
            if person.id in judges[key] or not self._may_take(person, slot.assignment):
                continue
            self._find_share(topic, slot.holder, slot.assignment).removed[slot.doc] = slot.official
            self._find_share(topic, person, slot.assignment).added[slot.doc] = slot.official
            judges[key] = (judges[key] - {slot.holder.id}) | {person.id}
            self._left[slot.holder.name] -= 1
            self._left[person.name] += 1
            return True
        return False

    def _may_take(self, person: User, source: AssignmentProgress) -> bool:
        """Return whether a person has no assignment of the topic, or one that fits and can grow."""
        assignment = next((item for item in self._of_topic(source.topic) if item.user_id == person.id), None)
        fits = assignment is None or (not assignment.locked and assignment.scale == source.scale)
        return fits and (assignment is None or assignment.id not in self._adjudications)

    def _list_untouched(self) -> dict[int, list[_Slot]]:
        """Return the documents that their assessors have not begun, by user."""
        slots: dict[int, list[_Slot]] = {}
        for item in self._all:
            if item.topic not in self._request.topics or item.locked or item.id in self._adjudications:
                continue
            query = select(EVENTS.c.doc).where(EVENTS.c.assignment_id == item.id).distinct()
            begun_docs = set(self._connection.execute(query).scalars())
            share = read_share(self._connection, item.id) if item.partial else {}
            holder = User(item.user_id, item.assessor, "assessor", disabled=False, created=0)
            slots.setdefault(item.user_id, []).extend(
                _Slot(item, holder, doc, share.get(doc, item.official))
                for doc in list_assigned_documents(self._connection, item)
                if doc not in begun_docs
            )
        return slots


class _Chooser:
    """Chooses assessors for one document after another, so that all get equally many."""

    def __init__(self, people: Sequence[User]) -> None:
        self._people = people
        self._counts: Counter[int] = Counter()
        self._firsts: Counter[int] = Counter()
        self._pairs: Counter[frozenset[int]] = Counter()

    def choose(self, judges: Sequence[int], vacancies: int, *, is_new: bool) -> list[User]:
        """Return people for a document that has some judges; the first of a new document is official."""
        chosen_people: list[User] = []
        group = list(judges)
        while len(chosen_people) < vacancies:
            candidates = [person for person in self._people if person.id not in group]
            if not candidates:
                break
            is_first = is_new and not chosen_people
            person = min(candidates, key=lambda candidate: self._rank(candidate, group, is_first=is_first))
            self._pairs.update(frozenset((person.id, judge)) for judge in group)
            self._counts[person.id] += 1
            self._firsts[person.id] += is_first
            group.append(person.id)
            chosen_people.append(person)
        return chosen_people

    def _rank(self, person: User, group: Sequence[int], *, is_first: bool) -> tuple[int, int, int]:
        """Return a sort key: by documents, then by those shared with the group, then by official ones."""
        shared = sum(self._pairs[frozenset((person.id, judge))] for judge in group)
        return (self._counts[person.id], shared, self._firsts[person.id] if is_first else 0)
