"""The ledger: known documents, duplicate documents, and bounded memory."""

import tracemalloc

import pytest

from doxel.documents.document_names import compute_digest
from doxel.documents.ingestion_ledger import Ledger
from doxel.errors import CollectionError, InputError
from doxel.files import Member


def member(name, content=b"<a/>", display=None):
    return Member(name, display or f"here/{name}", len(content), content=content)


def test_a_document_is_new_only_once():
    with Ledger(ids=None) as ledger:
        assert ledger.is_new(member("tc/1.xml"))
        with pytest.raises(InputError, match="would be a second document 'tc/1'") as caught:
            ledger.is_new(member("tc/1.html"))
    assert caught.value.found == "here/tc/1.xml with the same path below its source"


def test_a_document_of_the_collection_is_not_new_and_must_not_change():
    with Ledger(ids="name") as ledger:
        ledger.add_known([("tc/1.xml", compute_digest(b"<a/>")), ("tc/2.xml", compute_digest(b"<b/>"))])
        assert not ledger.is_new(member("tc/1.xml"))
        assert not ledger.is_new(member("tc/1.xml"))
        with pytest.raises(InputError, match="differs from the document 'tc/2'"):
            ledger.is_new(member("tc/2.xml"))


@pytest.mark.parametrize(("second", "differ"), [("tk/1.xml", False), ("tk/2.xml", True)])
def test_the_ledger_records_whether_names_differ(second, differ):
    with Ledger(ids=None) as new, Ledger(ids=None) as known:
        assert new.is_new(member("tc/1.xml"))
        assert new.is_new(member(second))
        known.add_known([("tc/1.xml", "hash")])
        known.add_known([(second, "hash")])
        assert (new.names_differ, known.names_differ) == (differ, differ)


def test_a_document_refused_for_its_name_is_not_recorded():
    with Ledger(ids="name") as ledger:
        assert ledger.is_new(member("tc/1.xml"))
        for _ in range(2):  # the second error must be the same, not one about a second document
            with pytest.raises(InputError, match="ambiguous") as caught:
                ledger.is_new(member("tk/1.xml"))
    assert caught.value.found == "here/tc/1.xml with the same base name"


def test_folders_above_the_sources_may_have_names_that_are_not_text():
    """Ids do not include the folders above the sources."""
    with Ledger(ids=None) as ledger:
        assert ledger.is_new(member("1.xml", display="od\udcffd/1.xml"))
        with pytest.raises(InputError, match="would be a second document") as caught:
            ledger.is_new(member("1.xml"))
    assert "od\udcffd/1.xml" in caught.value.found


def test_documents_take_no_memory_in_python():
    with Ledger(ids=None) as ledger:
        tracemalloc.start()
        try:
            for number in range(5_000):
                ledger.is_new(member(f"part-{number // 100}/{number}.xml"))
            size, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert size < 100_000  # bytes; the names alone are 200,000


def test_a_full_temporary_file_is_reported():
    with Ledger(ids=None) as ledger:
        ledger._database.execute("PRAGMA max_page_count=10")
        with pytest.raises(CollectionError, match=r"cannot write the list of documents to .*full"):
            ledger.add_known((f"{number}.xml", "hash") for number in range(5_000))
