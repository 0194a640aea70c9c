"""Assessments of an earlier campaign into the database, as events: to go on from them, or to compare.

They become a pool of some assessor.  The events are numbered by what they say: importing the same again
changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from sqlalchemy import Connection, select

from doxel.assess.accounts import User
from doxel.assess.appending import Outcome, Submission, append
from doxel.assess.audit import record
from doxel.assess.characters import joined
from doxel.assess.events import MOST_SPANS, Arrival, Event
from doxel.assess.library import Library
from doxel.assess.managing import user_named
from doxel.assess.pooled import add_pooled, remember_collection
from doxel.assess.pools import assign
from doxel.assess.scales import Scale, scale_named
from doxel.assess.schema import EVENTS, POOLED, POOLS
from doxel.assess.store import Store
from doxel.assessments import Assessments
from doxel.assessments.assessments import TABLES
from doxel.assessments.resolve import problems, resolve
from doxel.assessments.whole_documents import with_whole_highlights
from doxel.errors import InputError
from doxel.pooling import PooledDocument, PooledPart

__all__ = ["Imported", "import_assessments", "refusals"]

_KEY = ["topic", "doc"]


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
    events = {key: list(_events(made, key, scale)) for key in made.judged.select(_KEY).iter_rows()}
    client = f"import:{_digest(events)}"
    with store.write() as connection:
        remember_collection(connection, library)
        user = user_named(connection, assessor)
        _add_documents(connection, library, made)
        pools = {topic: _pool(connection, topic, user, scale, client) for topic in made.topics}
        submissions = _submissions(events, pools, user, client, library)
        outcomes = append(connection, library, submissions)
        record(connection, user.name, "imported", f"{len(events):,} documents for {len(pools):,} topics")
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
        notes.append(f"{count:,} relevant documents are highlighted from end to end")
    found = resolve(found, library.collection)
    for table, problem, rows in problems(found).iter_rows():
        notes.append(f"{table}: {rows:,} left out: {problem}")
    graded = found.highlights.filter(pl.col("grade").is_not_null()).height
    if graded:
        notes.append(f"grades of {graded:,} highlights are left out: no scale has them")
    sound = pl.col("problem").is_null()
    tables: dict[str, Any] = {name: getattr(found, name).filter(sound) for name in TABLES}
    tables |= {
        name: tables[name].join(tables["judged"].select(_KEY), on=_KEY, how="semi", maintain_order="left")
        for name in TABLES
        if name != "judged"
    }
    if not tables["judged"].height:
        raise InputError("no assessments to import", wanted="documents of the collection", found="none")
    return replace(found, **tables), notes


def _events(made: Assessments, key: tuple[str, str], scale: Scale) -> Iterator[Event]:
    """Yield the events that say what the assessments say of one document."""
    topic, doc = key
    here = (pl.col("topic") == topic) & (pl.col("doc") == doc)
    if scale.highlights:
        spans = joined(made.highlights.filter(here).select("start", "end").iter_rows())
        for at in range(0, len(spans), MOST_SPANS):
            yield Event("highlight", {"spans": [list(span) for span in spans[at : at + MOST_SPANS]]})
        for position in made.beps.filter(here)["position"][:1]:
            yield Event("bep", {"position": position})
    for row in made.elements.filter(here).select("path", *scale.grades).iter_rows(named=True):
        path = row.pop("path")
        if scale.grades and scale.fault(row) is None:  # U, not assessed, is no grade
            yield Event("grade", {"path": path, "grades": dict(sorted(row.items()))})
    yield Event("validate", {})


def _digest(events: dict[tuple[str, str], list[Event]]) -> str:
    said = [[*key, [[event.kind, event.body] for event in some]] for key, some in events.items()]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


def _add_documents(connection: Connection, library: Library, made: Assessments) -> None:
    """Add the judged documents that no pool has, after those that it has."""
    known = {(topic, doc) for topic, doc in connection.execute(select(POOLED.c.topic, POOLED.c.doc))}
    last = 1_000_000
    fresh = [
        PooledDocument(topic, doc, last + number, _parts(made, topic, doc))
        for number, (topic, doc) in enumerate(made.judged.select(_KEY).iter_rows())
        if (topic, doc) not in known
    ]
    add_pooled(connection, library, fresh)


def _parts(made: Assessments, topic: str, doc: str) -> tuple[PooledPart, ...]:
    """Return the elements that were in the pool of an earlier campaign, where it graded elements."""
    if made.scale not in {"2002", "2003"}:
        return ()
    here = (pl.col("topic") == topic) & (pl.col("doc") == doc) & pl.col("inpool").fill_null(value=True)
    return tuple(PooledPart(path, None, None) for path in made.elements.filter(here)["path"])


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
    events: dict[tuple[str, str], list[Event]],
    pools: dict[str, int],
    user: User,
    client: str,
    library: Library,
) -> list[Submission]:
    made: list[Submission] = []
    sequence = 0
    for (topic, doc), some in events.items():
        held = library.find(doc)
        arrivals: list[Arrival] = []
        for event in some:
            arrivals.append(Arrival(doc, client, sequence, held.fingerprint if held else "", event))
            sequence += 1
        made.append(Submission(user.id, pools[topic], tuple(arrivals)))
    return made


def refusals(outcomes: Iterable[Outcome]) -> tuple[int, list[str]]:
    """Count documents that are not done, and say what else was refused."""
    refused = [outcome for outcome in outcomes if outcome.status == "refused"]
    left = [one for one in refused if one.code == "not-done"]
    notes = [f"an event was refused: {one.message}" for one in refused if one.code != "not-done"]
    if left:
        notes.append(f"{len(left):,} documents are not done, the first because {left[0].message}")
    return len(left), notes
