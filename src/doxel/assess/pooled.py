"""What is to be judged: the documents of topics, the texts they had, and what systems found in them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, select, update

from doxel.assess.library import Held, Library
from doxel.assess.schema import POOLED, SETTINGS
from doxel.errors import InputError
from doxel.pooling import PooledDocument

__all__ = [
    "Pooled",
    "add_pooled",
    "documents_of",
    "find_pooled",
    "held_text",
    "in_order",
    "pooled_of",
    "remember_collection",
    "topics",
]


@dataclass(frozen=True)
class Pooled:
    """A document to be judged for a topic, and the fingerprint of the text that is meant.

    ``parts`` are the pooled elements and passages: path, start and end of each, some of them None.
    """

    topic: str
    doc: str
    fingerprint: str
    parts: tuple[dict[str, Any], ...]

    @property
    def paths(self) -> list[str]:
        """The paths of the pooled elements."""
        return [part["path"] for part in self.parts if part["path"]]


def remember_collection(connection: Connection, library: Library) -> None:
    """Bind the database to a collection; refuse one in which a document to be judged has another text.

    A collection that has only grown is the same one.
    """
    for topic, doc, fingerprint in connection.execute(
        select(POOLED.c.topic, POOLED.c.doc, POOLED.c.fingerprint)
    ):
        _held(library, topic, doc, fingerprint)
    for name, value in (("fingerprint", library.fingerprint), ("text_rule", library.text_rule)):
        connection.execute(SETTINGS.delete().where(SETTINGS.c.name == name))
        connection.execute(SETTINGS.insert().values(name=name, value=value))


def held_text(library: Library, pooled: Pooled) -> Held:
    """Return a document of the library, if it has the text that was pooled: positions mean nothing else."""
    return _held(library, pooled.topic, pooled.doc, pooled.fingerprint)


def _held(library: Library, topic: str, doc: str, fingerprint: str) -> Held:
    held = library.find(doc)
    if held is None or held.fingerprint != fingerprint:
        raise InputError(
            f"document {doc} of topic {topic}",
            file=str(library.collection.folder),
            wanted="the text that the pool was made from",
            found="no such document" if held is None else "another text",
        )
    return held


# Values by name, so that many documents can be changed at once.
_CHANGE = (
    update(POOLED)
    .where(POOLED.c.topic == bindparam("of_topic"), POOLED.c.doc == bindparam("of_doc"))
    .values(place=bindparam("new_place"), parts=bindparam("new_parts"))
)


def add_pooled(connection: Connection, library: Library, documents: Iterable[PooledDocument]) -> int:
    """Add documents to topics, or give them place and parts anew; return how many were not there."""
    question = select(POOLED.c.topic, POOLED.c.doc, POOLED.c.place, POOLED.c.parts)
    known = {(topic, doc): (place, parts) for topic, doc, place, parts in connection.execute(question)}
    fresh: dict[tuple[str, str], dict[str, Any]] = {}
    changed: dict[tuple[str, str], dict[str, Any]] = {}
    for one in documents:
        held = library.find(one.doc)
        if held is None:
            where = f"document {one.doc} of topic {one.topic}"
            raise InputError(where, wanted="a document of the collection", found="none of that name")
        told = [{"path": part.path, "start": part.start, "end": part.end} for part in one.parts]
        parts = json.dumps(told, ensure_ascii=False)
        key = (one.topic, one.doc)
        if key not in known:
            row = {"topic": one.topic, "doc": one.doc, "place": one.order, "parts": parts}
            fresh[key] = {**row, "fingerprint": held.fingerprint}
        elif known[key] != (one.order, parts):
            row = {"of_topic": one.topic, "of_doc": one.doc, "new_place": one.order, "new_parts": parts}
            changed[key] = row
    for statement, rows in ((POOLED.insert(), fresh), (_CHANGE, changed)):
        if rows:
            connection.execute(statement, list(rows.values()))
    return len(fresh)


def topics(connection: Connection) -> list[tuple[str, int]]:
    """Return the topics that have documents, and how many, in natural order."""
    question = select(POOLED.c.topic, func.count()).group_by(POOLED.c.topic)
    found = [(topic, count) for topic, count in connection.execute(question)]
    return sorted(found, key=lambda row: in_order(row[0]))


def in_order(topic: str) -> tuple[int, str]:
    """Return what to sort topics by: numbers as numbers, after all other names."""
    return (int(topic) if topic.isascii() and topic.isdigit() else 0, topic)


def documents_of(connection: Connection, topic: str) -> list[str]:
    """Return the documents of a topic in the order in which to judge them."""
    question = select(POOLED.c.doc).where(POOLED.c.topic == topic).order_by(POOLED.c.place, POOLED.c.doc)
    return list(connection.execute(question).scalars())


def pooled_of(connection: Connection, topic: str) -> list[Pooled]:
    """Return the documents of a topic in the order in which to judge them, with all that is known of them."""
    question = select(POOLED).where(POOLED.c.topic == topic).order_by(POOLED.c.place, POOLED.c.doc)
    return [_pooled(row) for row in connection.execute(question)]


# Built once: every request about a document asks it.
_FIND = select(POOLED).where(POOLED.c.topic == bindparam("of_topic"), POOLED.c.doc == bindparam("of_doc"))


def find_pooled(connection: Connection, topic: str, doc: str) -> Pooled | None:
    """Return one document of a topic, None if it is not to be judged."""
    row = connection.execute(_FIND, {"of_topic": topic, "of_doc": doc}).first()
    return None if row is None else _pooled(row)


def _pooled(row: Row[Any]) -> Pooled:
    return Pooled(row.topic, row.doc, row.fingerprint, tuple(json.loads(row.parts)))
