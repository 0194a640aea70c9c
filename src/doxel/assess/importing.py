"""Assessments of an earlier campaign into the database, as events: to go on from them, or to compare.

They become a pool of some assessor.  The events are numbered by what they say: importing the same again
changes nothing.
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

from doxel.assess.accounts import User
from doxel.assess.appending import Submission, append, refusals
from doxel.assess.audit import record
from doxel.assess.characters import Span, joined
from doxel.assess.events import Arrival, Event
from doxel.assess.fold import State, retold
from doxel.assess.library import Library
from doxel.assess.managing import user_named
from doxel.assess.pooled import add_pooled, remember_collection
from doxel.assess.pools import assign
from doxel.assess.scales import Scale, scale_named
from doxel.assess.schema import EVENTS, POOLED, POOLS
from doxel.assess.store import Store
from doxel.assessments import Assessments
from doxel.assessments.assessments import TABLES
from doxel.assessments.resolve import problems, resolve, unfound
from doxel.assessments.whole_documents import with_whole_highlights
from doxel.errors import InputError
from doxel.pooling import PooledDocument, PooledPart
from doxel.wording import counted

__all__ = ["Imported", "import_assessments"]

_KEY = ["topic", "doc"]
Key = tuple[str, str]


@dataclass(frozen=True)
class Imported:
    """What became of assessments: pools, documents, new events, and sentences about the rest.

    ``open`` counts documents that are there but not done, because a rule of the scale does not hold.
    """

    pools: tuple[int, ...]
    documents: int
    stored: int
    known: int
    open: int
    notes: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether everything that was said is in the database."""
        return not self.notes


def import_assessments(store: Store, library: Library, assessments: Assessments, assessor: str) -> Imported:
    """Store assessments as the work of an assessor, who gets pools of their topics."""
    made, notes = _fit(assessments, library)
    scale = scale_named(made.scale)
    events = {key: list(retold(state)) for key, state in _states(made, scale).items()}
    client = f"import:{_digest(events)}"
    with store.write() as connection:
        remember_collection(connection, library)
        user = user_named(connection, assessor)
        _add_documents(connection, library, made)
        pools = {topic: _pool(connection, topic, user, scale, client) for topic in made.topics}
        submissions = _submissions(events, pools, user, client, library)
        outcomes = append(connection, library, submissions)
        told = f"{counted(len(events), 'document')} for {counted(len(pools), 'topic')}"
        record(connection, user.name, "imported", told)
    flat = [outcome for some in outcomes for outcome in some]
    open_count, refused = refusals(flat)
    return Imported(
        pools=tuple(pools.values()),
        documents=len(events),
        stored=sum(one.status == "stored" for one in flat),
        known=sum(one.status == "known" for one in flat),
        open=open_count,
        notes=(*notes, *refused),
    )


def _fit(assessments: Assessments, library: Library) -> tuple[Assessments, list[str]]:
    """Return assessments as they can be stored, and what could not be found or kept."""
    found = assessments
    notes: list[str] = []
    if found.scale == "documents":
        whole, count = with_whole_highlights(found, library.collection)
        found = replace(whole, scale="2006")
        relevant = counted(count, "relevant document is", "relevant documents are")
        notes.append(f"{relevant} highlighted from end to end")
    found = resolve(found, library.collection)
    notes += unfound(problems(found))
    sound = pl.col("problem").is_null()
    tables: dict[str, Any] = {name: getattr(found, name).filter(sound) for name in TABLES}
    tables |= {
        name: tables[name].join(tables["judged"].select(_KEY), on=_KEY, how="semi", maintain_order="left")
        for name in TABLES
        if name != "judged"
    }
    if not tables["judged"].height:
        raise InputError("no assessments to import", wanted="documents of the collection", found="none")
    made = replace(found, **tables)
    return made, [*notes, *_unkept(made)]


def _unkept(made: Assessments) -> list[str]:
    """Say what assessments hold that no event can say."""
    graded = made.highlights.filter(pl.col("grade").is_not_null()).height
    empty = made.highlights.filter(pl.col("start") == pl.col("end")).height
    further = made.beps.height - made.beps.unique(_KEY).height
    noted = {
        ("highlight has a grade: no scale knows it", "highlights have grades: no scale knows them"): graded,
        ("highlight without text is left out", "highlights without text are left out"): empty,
        ("further best entry point is left out", "further best entry points are left out"): further,
    }
    return [counted(count, *words) for words, count in noted.items() if count]


def _states(made: Assessments, scale: Scale) -> dict[Key, State]:
    """Return what the assessments say of each judged document, as a state that is called done."""
    spans: dict[Key, list[Span]] = defaultdict(list)
    beps: dict[Key, int] = {}
    grades: dict[Key, dict[str, dict[str, str]]] = defaultdict(dict)
    if scale.highlights:
        for topic, doc, start, end in made.highlights.select(*_KEY, "start", "end").iter_rows():
            spans[topic, doc].append((start, end))
        for topic, doc, position in made.beps.select(*_KEY, "position").iter_rows():
            beps.setdefault((topic, doc), position)
    names = list(scale.grades)
    for topic, doc, path, *values in made.elements.select(*_KEY, "path", *names).iter_rows():
        given = dict(zip(names, values, strict=True))
        if given and scale.fault(given) is None:  # U, not assessed, is no grade
            grades[topic, doc][path] = given
    return {
        key: State(joined(spans[key]), beps.get(key), grades[key], validated=True)
        for key in made.judged.select(_KEY).iter_rows()
    }


def _digest(events: Mapping[Key, Sequence[Event]]) -> str:
    said = [[*key, [[event.kind, event.body] for event in some]] for key, some in events.items()]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def _add_documents(connection: Connection, library: Library, made: Assessments) -> None:
    """Add the judged documents that no pool has, after those that it has."""
    known = {(topic, doc) for topic, doc in connection.execute(select(POOLED.c.topic, POOLED.c.doc))}
    last = connection.execute(select(func.max(POOLED.c.place))).scalar() or 0
    parts = _parts(made)
    fresh = [key for key in made.judged.select(_KEY).iter_rows() if key not in known]
    add_pooled(
        connection,
        library,
        [
            PooledDocument(topic, doc, last + number, tuple(parts[topic, doc]))
            for number, (topic, doc) in enumerate(fresh, 1)
        ],
    )


def _parts(made: Assessments) -> dict[Key, list[PooledPart]]:
    """Return the elements that were in the pool of an earlier campaign, where it graded elements."""
    found: dict[Key, list[PooledPart]] = defaultdict(list)
    if made.scale in {"2002", "2003"}:
        pooled = made.elements.filter(pl.col("inpool").fill_null(value=True))
        for topic, doc, path in pooled.select(*_KEY, "path").iter_rows():
            found[topic, doc].append(PooledPart(path, None, None))
    return found


def _pool(connection: Connection, topic: str, user: User, scale: Scale, client: str) -> int:
    """Return the pool of an assessor for a topic: a new one, or one in which nothing else was begun."""
    here = (POOLS.c.topic == topic) & (POOLS.c.user_id == user.id)
    row = connection.execute(select(POOLS).where(here)).first()
    if row is None:
        return assign(connection, topic, user.id, scale.name)
    other = select(EVENTS.c.seq).where(EVENTS.c.pool_id == row.id, EVENTS.c.client != client).limit(1)
    imported = select(EVENTS.c.seq).where(EVENTS.c.pool_id == row.id, EVENTS.c.client == client).limit(1)
    if connection.execute(other).first() and not connection.execute(imported).first():
        wanted = "an assessor who has not begun it"
        raise InputError(f"topic {topic}", wanted=wanted, found=f"work of {user.name} on it")
    if row.locked or row.scale != scale.name:
        found = "a locked pool" if row.locked else f"one of scale {row.scale}"
        raise InputError(
            f"topic {topic} of {user.name}", wanted=f"an open pool of scale {scale.name}", found=found
        )
    return int(row.id)


def _submissions(
    events: Mapping[Key, Sequence[Event]],
    pools: Mapping[str, int],
    user: User,
    client: str,
    library: Library,
) -> list[Submission]:
    count = itertools.count()
    made: list[Submission] = []
    for (topic, doc), some in events.items():
        fingerprint = library[doc].fingerprint
        arrivals = tuple(Arrival(doc, client, next(count), fingerprint, event) for event in some)
        made.append(Submission(user.id, pools[topic], arrivals))
    return made
