"""The documents to judge per topic, with their pooled parts, and the collection that holds their texts.

Every document is stored with the fingerprint of its text: judgements are valid for that text only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import Connection, Row, bindparam, func, select, update

from doxel.assess.document_state import NO_ELEMENTS, ElementOutline
from doxel.assess.scales import Scale
from doxel.assess.store.database_schema import POOLED, SETTINGS
from doxel.documents import Collection
from doxel.documents.element_forest import Forest
from doxel.errors import InputError, RefusedError
from doxel.pooling import PooledDocument

__all__ = [
    "HeldDocument",
    "JudgingTask",
    "Library",
    "add_pooled_documents",
    "bind_collection",
    "build_task",
    "build_topic_key",
    "find_judging_task",
    "list_documents",
    "list_judging_tasks",
    "list_topics",
    "require_text",
]


@dataclass(frozen=True)
class JudgingTask:
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


def bind_collection(connection: Connection, library: Library) -> None:
    """Bind the database to a collection; reject one in which a pooled document is missing or has changed.

    A collection that has only grown is accepted.
    """
    for topic, doc, fingerprint in connection.execute(
        select(POOLED.c.topic, POOLED.c.doc, POOLED.c.fingerprint)
    ):
        _find_text(library, topic, doc, fingerprint)
    facts = {"fingerprint": library.fingerprint, "text_rule": library.text_rule}
    facts["collection"] = str(Path(library.collection.folder).absolute())
    for name, value in facts.items():
        connection.execute(SETTINGS.delete().where(SETTINGS.c.name == name))
        connection.execute(SETTINGS.insert().values(name=name, value=value))


def require_text(library: Library, pooled: JudgingTask) -> HeldDocument:
    """Return a document of the library; raise an error if its text is not the pooled one.

    Positions refer to the pooled text and mean nothing in any other.
    """
    return _find_text(library, pooled.topic, pooled.doc, pooled.fingerprint)


def _find_text(library: Library, topic: str, doc: str, fingerprint: str) -> HeldDocument:
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
_UPDATE_TASK = (
    update(POOLED)
    .where(POOLED.c.topic == bindparam("of_topic"), POOLED.c.doc == bindparam("of_doc"))
    .values(place=bindparam("new_place"), parts=bindparam("new_parts"))
)


def add_pooled_documents(
    connection: Connection, library: Library, documents: Iterable[PooledDocument]
) -> int:
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
    for statement, rows in ((POOLED.insert(), new_rows), (_UPDATE_TASK, changed_rows)):
        if rows:
            connection.execute(statement, list(rows.values()))
    return len(new_rows)


def list_topics(connection: Connection) -> list[tuple[str, int]]:
    """Return the topics that have documents, each with its number of documents, in natural order."""
    query = select(POOLED.c.topic, func.count()).group_by(POOLED.c.topic)
    sizes = [(topic, count) for topic, count in connection.execute(query)]
    return sorted(sizes, key=lambda size: build_topic_key(size[0]))


def build_topic_key(topic: str) -> tuple[int, str]:
    """Return a sort key for topics: numbers in numeric order, after all other names."""
    return (int(topic) if topic.isascii() and topic.isdigit() else 0, topic)


def list_documents(connection: Connection, topic: str) -> list[str]:
    """Return the ids of a topic's documents in judging order."""
    query = select(POOLED.c.doc).where(POOLED.c.topic == topic).order_by(POOLED.c.place, POOLED.c.doc)
    return list(connection.execute(query).scalars())


def list_judging_tasks(connection: Connection, topic: str) -> list[JudgingTask]:
    """Return a topic's documents in judging order, with fingerprints and pooled parts."""
    query = select(POOLED).where(POOLED.c.topic == topic).order_by(POOLED.c.place, POOLED.c.doc)
    return [build_task(row) for row in connection.execute(query)]


# Built once, because every request about a document runs it.
_FIND_TASK = select(POOLED).where(
    POOLED.c.topic == bindparam("of_topic"), POOLED.c.doc == bindparam("of_doc")
)


def find_judging_task(connection: Connection, topic: str, doc: str) -> JudgingTask | None:
    """Return one document of a topic, None if it is not in the topic's pool."""
    row = connection.execute(_FIND_TASK, {"of_topic": topic, "of_doc": doc}).first()
    return None if row is None else build_task(row)


def build_task(row: Row[Any]) -> JudgingTask:
    """Return a row of the pool as a document to judge."""
    return JudgingTask(row.topic, row.doc, row.fingerprint, tuple(json.loads(row.parts)))


@dataclass(frozen=True)
class HeldDocument:
    """The facts about a document against which its events are checked."""

    doc: str
    number: int
    characters: int
    fingerprint: str


class Library:
    """A collection as the assessment server uses it; safe for several threads.

    A server that is not set up yet has a library without a collection, and so without documents.
    """

    def __init__(self, collection: Collection | None) -> None:
        self._collection = collection
        self._held: dict[str, HeldDocument] = {}
        self.summaries: dict[str, Any] = {}  # filled by the list of documents
        if collection is not None:
            self.switch(collection)

    @property
    def is_empty(self) -> bool:
        """Whether there is no collection yet."""
        return self._collection is None

    @property
    def collection(self) -> Collection:
        """The collection; refuses requests while there is none."""
        if self._collection is None:
            raise RefusedError(409, "not-set-up", "an organiser must choose the documents first")
        return self._collection

    def switch(self, collection: Collection) -> None:
        """Use another collection from now on."""
        rows = collection.documents.select(
            "doc", pl.col("characters").cast(pl.Int64), "text_hash"
        ).iter_rows()
        held_documents = {
            doc: HeldDocument(doc, number, characters, digest)
            for number, (doc, characters, digest) in enumerate(rows)
        }
        self._collection, self._held, self.summaries = collection, held_documents, {}
        for cached in (Library.forest, Library.outline, Library.text):
            cached.cache_clear()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the collection."""
        return self.collection.fingerprint

    @property
    def text_rule(self) -> str:
        """The rule by which the texts were extracted."""
        return self.collection.manifest.text_rule

    def __getitem__(self, doc: str) -> HeldDocument:
        """Return a document by its id, which must exist."""
        return self._held[doc]

    def find(self, doc: str) -> HeldDocument | None:
        """Return a document by its id, None if there is none."""
        return self._held.get(doc)

    @lru_cache(maxsize=64)  # noqa: B019 -- a library lives as long as its server
    def forest(self, doc: str) -> Forest:
        """Return the elements of a document as arrays."""
        return self.collection.forest([self._held[doc].number])

    @lru_cache(maxsize=64)  # noqa: B019
    def outline(self, doc: str) -> ElementOutline:
        """Return the elements of a document with their paths."""
        forest = self.forest(doc)
        return ElementOutline(forest.paths().to_list(), forest.start, forest.end, forest.parent)

    def graded_outline(self, doc: str, scale: Scale) -> ElementOutline:
        """Return the outline of a document if the scale grades elements, else an empty outline."""
        return self.outline(doc) if scale.grades else NO_ELEMENTS

    @lru_cache(maxsize=16)  # noqa: B019
    def text(self, doc: str) -> str:
        """Return the text of a document."""
        return self.collection.text(self._held[doc].number)
