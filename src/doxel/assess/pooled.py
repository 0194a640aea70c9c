"""The documents to judge per topic, with the fingerprints of their texts and their pooled parts."""

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
    """A document to judge for a topic, with the fingerprint of its text.

    ``parts`` are the pooled elements and passages: path, start and end of each, any of which may be None.
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
    """Bind the database to a collection; reject one in which a pooled document is missing or has changed.

    A collection that has only grown is accepted.
    """
    for topic, doc, fingerprint in connection.execute(
        select(POOLED.c.topic, POOLED.c.doc, POOLED.c.fingerprint)
    ):
        _held(library, topic, doc, fingerprint)
    for name, value in (("fingerprint", library.fingerprint), ("text_rule", library.text_rule)):
        connection.execute(SETTINGS.delete().where(SETTINGS.c.name == name))
        connection.execute(SETTINGS.insert().values(name=name, value=value))


def held_text(library: Library, pooled: Pooled) -> Held:
    """Return a document of the library; raise an error if its text is not the pooled one.

    Positions refer to the pooled text and mean nothing in any other.
    """
    return _held(library, pooled.topic, pooled.doc, pooled.fingerprint)


def _held(library: Library, topic: str, doc: str, fingerprint: str) -> Held:
    document = library.find(doc)
    if document is None or document.fingerprint != fingerprint:
        raise InputError(
            f"document {doc} of topic {topic}",
            file=str(library.collection.folder),
            wanted="the text that was pooled",
            found="no such document" if document is None else "a different text",
        )
    return document


# Bound by name, so that one call can change many documents.
_CHANGE = (
    update(POOLED)
    .where(POOLED.c.topic == bindparam("of_topic"), POOLED.c.doc == bindparam("of_doc"))
    .values(place=bindparam("new_place"), parts=bindparam("new_parts"))
)


def add_pooled(connection: Connection, library: Library, documents: Iterable[PooledDocument]) -> int:
    """Add documents to topics, or update their order and parts; return how many are new."""
    query = select(POOLED.c.topic, POOLED.c.doc, POOLED.c.place, POOLED.c.parts)
    old_rows = {(topic, doc): (place, parts) for topic, doc, place, parts in connection.execute(query)}
    new_rows: dict[tuple[str, str], dict[str, Any]] = {}
    changed_rows: dict[tuple[str, str], dict[str, Any]] = {}
    for document in documents:
        topic, doc, place = document.topic, document.doc, document.order
        held_document = library.find(doc)
        if held_document is None:
            problem = f"document {doc} of topic {topic}"
            raise InputError(problem, wanted="a document of the collection", found="none of that name")
        spans = [{"path": part.path, "start": part.start, "end": part.end} for part in document.parts]
        parts = json.dumps(spans, ensure_ascii=False)
        key = (topic, doc)
        if key not in old_rows:
            row = {"topic": topic, "doc": doc, "place": place, "parts": parts}
            new_rows[key] = {**row, "fingerprint": held_document.fingerprint}
        elif old_rows[key] != (place, parts):
            row = {"of_topic": topic, "of_doc": doc, "new_place": place, "new_parts": parts}
            changed_rows[key] = row
    for statement, rows in ((POOLED.insert(), new_rows), (_CHANGE, changed_rows)):
        if rows:
            connection.execute(statement, list(rows.values()))
    return len(new_rows)


def topics(connection: Connection) -> list[tuple[str, int]]:
    """Return the topics that have documents, each with its number of documents, in natural order."""
    query = select(POOLED.c.topic, func.count()).group_by(POOLED.c.topic)
    sizes = [(topic, count) for topic, count in connection.execute(query)]
    return sorted(sizes, key=lambda size: in_order(size[0]))


def in_order(topic: str) -> tuple[int, str]:
    """Return a sort key for topics: numbers in numeric order, after all other names."""
    return (int(topic) if topic.isascii() and topic.isdigit() else 0, topic)


def documents_of(connection: Connection, topic: str) -> list[str]:
    """Return the ids of a topic's documents in judging order."""
    query = select(POOLED.c.doc).where(POOLED.c.topic == topic).order_by(POOLED.c.place, POOLED.c.doc)
    return list(connection.execute(query).scalars())


def pooled_of(connection: Connection, topic: str) -> list[Pooled]:
    """Return a topic's documents in judging order, with fingerprints and pooled parts."""
    query = select(POOLED).where(POOLED.c.topic == topic).order_by(POOLED.c.place, POOLED.c.doc)
    return [_pooled(row) for row in connection.execute(query)]


# Built once, because every request about a document runs it.
_FIND = select(POOLED).where(POOLED.c.topic == bindparam("of_topic"), POOLED.c.doc == bindparam("of_doc"))


def find_pooled(connection: Connection, topic: str, doc: str) -> Pooled | None:
    """Return one document of a topic, None if it is not in the topic's pool."""
    row = connection.execute(_FIND, {"of_topic": topic, "of_doc": doc}).first()
    return None if row is None else _pooled(row)


def _pooled(row: Row[Any]) -> Pooled:
    return Pooled(row.topic, row.doc, row.fingerprint, tuple(json.loads(row.parts)))
