"""The pool: its documents and parts, topic by topic, without contributions if it is blind."""

from __future__ import annotations

import polars as pl
import pytest

from documents.shapes import ingested
from doxel.errors import CollectionError, InputError
from doxel.pooling.document_pool import CONTRIBUTIONS, DOCUMENTS, PARTS, Pool, PooledDocument, PooledPart

POOL = Pool(
    DOCUMENTS.from_rows(
        {"topic": topic, "doc": doc, "order": order}
        for topic, doc, order in (("2", "b", 1), ("2", "a", 2), ("1", "a", 1))
    ),
    PARTS.from_rows(
        {"topic": "2", "doc": "a", "part": part, "path": path, "start": start, "end": end}
        for part, path, start, end in ((1, None, 4, 9), (0, "/a[1]", 0, 9))
    ),
    CONTRIBUTIONS.from_rows(
        {"topic": "2", "doc": doc, "part": part, "run": run, "rank": 1}
        for doc, part, run in (("a", 0, "y"), ("a", 1, "x"), ("b", None, "y"))
    ),
)


def test_documents_come_topic_by_topic_with_their_parts_in_the_order_of_the_text():
    element, passage = PooledPart("/a[1]", 0, 9), PooledPart(None, 4, 9)
    assert list(POOL) == [
        PooledDocument("2", "b", 1),
        PooledDocument("2", "a", 2, (element, passage)),
        PooledDocument("1", "a", 1),
    ]
    assert POOL.of("2")[1].elements == (element,)
    assert POOL.of("2")[1].passages == (passage,)
    assert POOL.of("1")[0].parts == ()


def test_topics_and_runs_are_named_in_order_of_appearance():
    assert POOL.topics == ["2", "1"]
    assert POOL.runs == ["y", "x"]
    assert repr(POOL) == "<Pool: 3 documents for 2 topics>"


def test_an_unknown_topic_is_an_error_that_names_the_topics():
    with pytest.raises(InputError, match="no such topic in the pool: wanted one of 2, 1, found '3'"):
        POOL.of("3")


def test_a_blind_pool_has_no_contributions():
    blind = POOL.blind()
    assert blind.runs == []
    assert blind.contributions.schema == POOL.contributions.schema
    assert list(blind) == list(POOL)
    assert POOL.runs  # the pool itself is unchanged


def test_a_pool_may_be_empty():
    empty = Pool(pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "order": pl.Int64}))
    assert list(empty) == []
    assert empty.topics == []


def test_a_pool_rejects_a_collection_with_other_texts():
    with ingested({"q.xml": "<a>text</a>"}) as collection, ingested({"q.xml": "<a>other</a>"}) as other:
        pool = Pool(POOL.documents, fingerprint=collection.fingerprint, file="pool.jsonl")
        pool.require(collection)
        with pytest.raises(CollectionError, match=r"pool\.jsonl: made from other texts: wanted a collection"):
            pool.require(other)
        POOL.require(other)  # made without a collection
