"""How far everyone has come, how quickly, and what an organiser should look at first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, select

from doxel.assess.clock import now, written
from doxel.assess.pooled import topics
from doxel.assess.pools import Pool, Step, last_steps, pools
from doxel.assess.schema import POOLS, USERS

__all__ = ["Attention", "PoolProgress", "Progress", "TopicProgress", "Work", "progress", "work_of"]

_DAY = 86_400_000
_WEEK = 7  # days that say how quickly someone works, and after which silence is noticed


@dataclass(frozen=True)
class Work:
    """How far some documents have come: done, begun, when something was done last, and how many a day.

    ``pace`` is the number of documents that were finished in the last week, by day; whoever began later is
    counted from then on.
    """

    documents: int
    done: int
    begun: int
    last: int | None
    pace: float

    @property
    def untouched(self) -> int:
        """How many were not begun."""
        return self.documents - self.done - self.begun

    @property
    def left(self) -> int:
        """How many are not done."""
        return self.documents - self.done

    @property
    def days(self) -> float | None:
        """How many days the rest will take, None where nothing says so."""
        if not self.left:
            return 0.0
        return self.left / self.pace if self.pace else None

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        told = {"documents": self.documents, "done": self.done, "begun": self.begun, "pace": self.pace}
        return {**told, "days_left": self.days, "last": None if self.last is None else written(self.last)}


def work_of(documents: int, steps: Iterable[Step], at: int) -> Work:
    """Count what was done to some documents, as it is at a moment.

    >>> steps = [Step(1, "a", "validated", 0), Step(1, "b", "validated", 86_400_000), Step(1, "c", "open", 9)]
    >>> work = work_of(5, steps, at=2 * 86_400_000)
    >>> work.done, work.begun, work.untouched, work.pace, work.days
    (2, 1, 2, 1.0, 3.0)
    """
    known = list(steps)
    done = [step.at for step in known if step.status == "validated"]
    recent = [moment for moment in done if moment > at - _WEEK * _DAY]
    first = min((step.at for step in known), default=at)
    days = min(_WEEK, max(1.0, (at - first) / _DAY))
    return Work(
        documents=documents,
        done=len(done),
        begun=len(known) - len(done),
        last=max((step.at for step in known), default=None),
        pace=len(recent) / days,
    )


@dataclass(frozen=True)
class PoolProgress:
    """A pool, how far it is, since when it is there, and whether its assessor cannot sign in any more."""

    pool: Pool
    work: Work
    created: int
    is_abandoned: bool


KINDS = ("no-assessor", "assessor-gone", "no-official", "silent", "not-begun", "to-lock")
"""What may need attention, most urgent first."""


@dataclass(frozen=True)
class Attention:
    """Something an organiser should look at: what, in a sentence, and about which topic and pool."""

    kind: str
    sentence: str
    topic: str
    pool: int | None = None

    @property
    def urgency(self) -> int:
        """Its place among the kinds: 0 is most urgent."""
        return KINDS.index(self.kind)


@dataclass(frozen=True)
class TopicProgress:
    """A topic, how many documents it has, its pools, and what needs attention."""

    topic: str
    documents: int
    pools: tuple[PoolProgress, ...]
    attention: tuple[Attention, ...]

    @property
    def official(self) -> PoolProgress | None:
        """The pool that counts."""
        return next((one for one in self.pools if one.pool.official), None)

    @property
    def is_closed(self) -> bool:
        """Whether there is nothing more to do: all pools are locked, and the official one is finished."""
        official = self.official
        return official is not None and official.pool.finished and all(one.pool.locked for one in self.pools)

    @property
    def urgency(self) -> tuple[int, float]:
        """What to sort by: what needs attention first, then what is least done; finished topics come last."""
        kind = min((one.urgency for one in self.attention), default=len(KINDS))
        shares = [one.work.done / max(1, one.work.documents) for one in self.pools]
        return (kind, min(shares, default=0.0))


@dataclass(frozen=True)
class Progress:
    """Everything at one moment: topics and assessors, those that need attention first.

    ``total`` counts the documents of the official pools, and those of topics that have none.
    """

    at: int
    total: Work
    topics: tuple[TopicProgress, ...]
    assessors: tuple[tuple[str, Work, int], ...]

    @property
    def attention(self) -> list[Attention]:
        """All that needs attention, most urgent first."""
        return sorted((one for topic in self.topics for one in topic.attention), key=lambda one: one.urgency)

    @property
    def pools(self) -> list[PoolProgress]:
        """All pools, in the order of topics."""
        return [one for topic in self.topics for one in topic.pools]


def progress(connection: Connection, at: int | None = None) -> Progress:
    """Return how far everyone has come."""
    moment = now() if at is None else at
    steps: dict[int, list[Step]] = defaultdict(list)
    for step in last_steps(connection):
        steps[step.pool].append(step)
    found = _pools(connection, steps, moment)
    listed = [_topic(topic, count, found[topic], moment) for topic, count in topics(connection)]
    return Progress(
        at=moment,
        total=_total(listed, steps, moment),
        topics=tuple(sorted(listed, key=lambda one: one.urgency)),
        assessors=_assessors([one for topic in listed for one in topic.pools], steps, moment),
    )


def _pools(
    connection: Connection, steps: Mapping[int, Sequence[Step]], at: int
) -> defaultdict[str, list[PoolProgress]]:
    columns = (POOLS.c.id, POOLS.c.created, USERS.c.disabled)
    question = select(*columns).join(USERS, USERS.c.id == POOLS.c.user_id)
    more = {number: (created, disabled) for number, created, disabled in connection.execute(question)}
    found: defaultdict[str, list[PoolProgress]] = defaultdict(list)
    for pool in pools(connection, steps=chain.from_iterable(steps.values())):
        work = work_of(pool.documents, steps.get(pool.id, ()), at)
        found[pool.topic].append(PoolProgress(pool, work, *more[pool.id]))
    return found


def _topic(topic: str, documents: int, found: Sequence[PoolProgress], at: int) -> TopicProgress:
    attention: list[Attention] = []
    if not found:
        attention.append(Attention("no-assessor", f"Topic {topic} has no assessor.", topic))
    elif not any(one.pool.official for one in found):
        attention.append(Attention("no-official", f"Topic {topic} has no official pool.", topic))
    for one in found:
        attention += _noticed(one, at)
    in_turn = sorted(found, key=lambda one: not one.pool.official)
    return TopicProgress(topic, documents, tuple(in_turn), tuple(attention))


def _noticed(one: PoolProgress, at: int) -> Iterable[Attention]:
    pool, work = one.pool, one.work
    about = f"topic {pool.topic}"
    if pool.locked:
        return
    if pool.finished:
        yield Attention("to-lock", f"{pool.assessor} has finished {about}: lock it?", pool.topic, pool.id)
    elif one.is_abandoned:
        sentence = f"{pool.assessor} cannot sign in any more, and has not finished {about}."
        yield Attention("assessor-gone", sentence, pool.topic, pool.id)
    elif work.last is None:
        if at - one.created > _WEEK * _DAY:
            days = (at - one.created) // _DAY
            sentence = f"{pool.assessor} has had {about} for {days:,} days, and not begun it."
            yield Attention("not-begun", sentence, pool.topic, pool.id)
    elif at - work.last > _WEEK * _DAY:
        days = (at - work.last) // _DAY
        sentence = f"{pool.assessor} has not worked on {about} for {days:,} days."
        yield Attention("silent", sentence, pool.topic, pool.id)


def _total(listed: Iterable[TopicProgress], steps: Mapping[int, Sequence[Step]], at: int) -> Work:
    documents = 0
    taken: list[Step] = []
    for topic in listed:
        documents += topic.documents
        if topic.official is not None:
            taken += steps.get(topic.official.pool.id, ())
    return work_of(documents, taken, at)


def _assessors(
    found: Iterable[PoolProgress], steps: Mapping[int, Sequence[Step]], at: int
) -> tuple[tuple[str, Work, int], ...]:
    """Return each assessor's name, work and number of pools: whoever needs longest comes first."""
    held: dict[str, list[PoolProgress]] = defaultdict(list)
    for one in found:
        held[one.pool.assessor].append(one)
    listed = []
    for name, some in held.items():
        own = [step for one in some for step in steps.get(one.pool.id, ())]
        listed.append((name, work_of(sum(one.work.documents for one in some), own, at), len(some)))
    return tuple(sorted(listed, key=lambda row: (-_days(row[1]), row[0])))


def _days(work: Work) -> float:
    return float("inf") if work.days is None else work.days
