"""Pooled documents must exist in the collection, with the text that was pooled."""

import pytest

from doxel.assess.store import database_schema
from doxel.assess.store.pooled_documents import add_pooled_documents, bind_collection
from doxel.errors import InputError
from doxel.pooling import PooledDocument


def test_pooled_documents_are_added_once_and_must_exist(campaign, library):
    with campaign.write() as connection:
        more = [PooledDocument("1", "apples", 5), PooledDocument("1", "plums", 6)]
        assert add_pooled_documents(connection, library, more) == 1
    with pytest.raises(InputError, match="document quinces of topic 1"), campaign.write() as connection:
        add_pooled_documents(connection, library, [PooledDocument("1", "quinces", 1)])


def test_a_collection_with_another_text_is_refused(campaign, library):
    with campaign.write() as connection:
        connection.execute(
            database_schema.POOLED.update()
            .where(database_schema.POOLED.c.doc == "pears")
            .values(fingerprint="x")
        )
    with (
        pytest.raises(InputError, match=r"document pears of topic 1.*a different text"),
        campaign.write() as connection,
    ):
        bind_collection(connection, library)
