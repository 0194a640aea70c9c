"""A pool: the documents to judge for each topic, and the parts of them that runs retrieved.

Assessors read whole documents, so whole documents are pooled (INEX from 2005 on).  A separate table
records which run contributed a document, and at which rank: it must not be shown to assessors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import polars as pl

from doxel.arguments import check_methods
from doxel.documents import Collection
from doxel.errors import CollectionError, InputError
from doxel.tables import Column, Table
from doxel.wording import pluralise

__all__ = ["CONTRIBUTIONS", "DOCUMENTS", "PARTS", "Pool", "PooledDocument", "PooledPart"]

_TOPIC = Column("topic", pl.String, "the topic's id", required=True)
_DOC = Column("doc", pl.String, "the document's id", required=True)

DOCUMENTS = Table(
    "pooled documents",
    (
        _TOPIC,
        _DOC,
        Column(
            "order", pl.Int64, "its position in the order of judging, from 1 in each topic", required=True
        ),
    ),
)

PARTS = Table(
    "pooled parts of documents",
    (
        _TOPIC,
        _DOC,
        Column("part", pl.Int64, "its number in the document, from 0, in the order of the text"),
        Column("path", pl.String, "the element's path; null for a passage"),
        Column("start", pl.Int64, "first character; null if the pool was made without a collection"),
        Column("end", pl.Int64, "end; the same as start for an entry point"),
    ),
)

CONTRIBUTIONS = Table(
    "contributions to a pool",
    (
        _TOPIC,
        _DOC,
        Column("part", pl.Int64, "the part that was retrieved; null if it was not found in the document"),
        Column("run", pl.String, "the run's id"),
        Column("rank", pl.Int64, "the rank of the result, from 1"),
    ),
)


@dataclass(frozen=True, slots=True)
class PooledPart:
    """A part of a pooled document that runs retrieved.

    ``path`` is the path of an element, None for a passage.  ``start`` and ``end`` are code points of the
    document's text, None if the pool was made without a collection.
    """

    path: str | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class PooledDocument:
    """A document to judge for a topic; ``order`` is its position in the topic, from 1."""

    topic: str
    doc: str
    order: int
    parts: tuple[PooledPart, ...] = ()

    @property
    def elements(self) -> tuple[PooledPart, ...]:
        """The parts that are elements."""
        return tuple(part for part in self.parts if part.path is not None)

    @property
    def passages(self) -> tuple[PooledPart, ...]:
        """The parts that are passages."""
        return tuple(part for part in self.parts if part.path is None)


@check_methods
@dataclass(frozen=True)
class Pool:
    """The documents to judge for each topic.

    ``documents`` has the columns of ``DOCUMENTS``, topic by topic and in the order of judging; ``parts``
    those of ``PARTS``; ``contributions`` those of ``CONTRIBUTIONS``, and is empty in a blind pool.
    ``fingerprint`` is the fingerprint of the collection, None without a collection.  ``notes`` are
    sentences about results that were left out.

    >>> pool = Pool(DOCUMENTS.from_rows([{"topic": "1", "doc": "a", "order": 1}]))
    >>> pool
    <Pool: 1 document for 1 topic>
    >>> [(document.doc, document.order, document.parts) for document in pool.of("1")]
    [('a', 1, ())]
    """

    documents: pl.DataFrame
    parts: pl.DataFrame = field(default_factory=PARTS.empty)
    contributions: pl.DataFrame = field(default_factory=CONTRIBUTIONS.empty)
    fingerprint: str | None = None
    file: str | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        topics = pluralise(len(self.topics), "topic")
        return f"<Pool: {pluralise(self.documents.height, 'document')} for {topics}>"

    def __iter__(self) -> Iterator[PooledDocument]:
        """Yield all documents, topic by topic, in the order of judging."""
        parts: dict[tuple[str, str], list[PooledPart]] = {}
        for topic, doc, path, start, end in (
            self.parts.sort("part").select("topic", "doc", "path", "start", "end").iter_rows()
        ):
            parts.setdefault((topic, doc), []).append(PooledPart(path, start, end))
        for topic, doc, order in self.documents.select("topic", "doc", "order").iter_rows():
            yield PooledDocument(topic, doc, order, tuple(parts.get((topic, doc), ())))

    @property
    def topics(self) -> list[str]:
        """The topics that have documents."""
        return self.documents["topic"].unique(maintain_order=True).to_list()

    @property
    def runs(self) -> list[str]:
        """The runs that contributed, in the order of the contributions; none in a blind pool."""
        return self.contributions["run"].unique(maintain_order=True).to_list()

    def of(self, topic: str) -> list[PooledDocument]:
        """Return the documents of a topic, in the order of judging."""
        is_topic = pl.col("topic") == topic
        subset = replace(self, documents=self.documents.filter(is_topic), parts=self.parts.filter(is_topic))
        documents = list(subset)
        if not documents:
            topics = ", ".join(self.topics[:10])
            raise InputError("no such topic in the pool", wanted=f"one of {topics}", found=repr(topic))
        return documents

    def blind(self) -> Pool:
        """Return the pool as assessors may see it: without the contributions of runs."""
        return replace(self, contributions=CONTRIBUTIONS.empty())

    def require(self, collection: Collection) -> None:
        """Reject a collection with other texts than the pool was made from."""
        if self.fingerprint is not None and self.fingerprint != collection.fingerprint:
            raise CollectionError(
                f"{self.file or 'the pool'}: made from other texts: wanted a collection with fingerprint "
                f"{self.fingerprint}, found {collection.fingerprint} in {collection.folder}"
            )
