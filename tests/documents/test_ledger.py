"""The ledger: what is there already, what would be there twice, and how little of it is in memory."""

import tracemalloc

import pytest

from doxel.documents.identity import digest
from doxel.documents.ledger import Ledger
from doxel.errors import CollectionError, InputError
from doxel.files import Member


def member(name, content=b"<a/>", display=None):
    return Member(name, display or f"here/{name}", len(content), content=content)


def test_a_document_is_new_once():
    with Ledger(ids=None) as ledger:
        assert ledger.is_new(member("tc/1.xml"))
        with pytest.raises(InputError, match="would be document 'tc/1' a second time") as caught:
            ledger.is_new(member("tc/1.html"))
    assert caught.value.found == "here/tc/1.xml with the same path below its source"


def test_what_the_collection_holds_is_not_new_unless_it_has_changed():
    with Ledger(ids="name") as ledger:
        ledger.add_known([("tc/1.xml", digest(b"<a/>")), ("tc/2.xml", digest(b"<b/>"))])
        assert not ledger.is_new(member("tc/1.xml"))
        assert not ledger.is_new(member("tc/1.xml"))
        with pytest.raises(InputError, match="differs from the document 'tc/2'"):
            ledger.is_new(member("tc/2.xml"))


@pytest.mark.parametrize(("second", "differ"), [("tk/1.xml", False), ("tk/2.xml", True)])
def test_it_knows_whether_names_differ(second, differ):
    with Ledger(ids=None) as met, Ledger(ids=None) as held:
        assert met.is_new(member("tc/1.xml"))
        assert met.is_new(member(second))
        held.add_known([("tc/1.xml", "hash")])
        held.add_known([(second, "hash")])
        assert (met.names_differ, held.names_differ) == (differ, differ)


def test_what_was_refused_for_its_name_is_as_if_it_had_not_come():
    with Ledger(ids="name") as ledger:
        assert ledger.is_new(member("tc/1.xml"))
        for _ in range(2):  # the same refusal again, not one about a second time
            with pytest.raises(InputError, match="ambiguous") as caught:
                ledger.is_new(member("tk/1.xml"))
    assert caught.value.found == "here/tc/1.xml with the same base name"


def test_folders_with_names_that_are_no_text():
    """A folder above the sources is in no id, and may be called as it likes."""
    with Ledger(ids=None) as ledger:
        assert ledger.is_new(member("1.xml", display="od\udcffd/1.xml"))
        with pytest.raises(InputError, match="a second time") as caught:
            ledger.is_new(member("1.xml"))
    assert "od\udcffd/1.xml" in caught.value.found


def test_python_holds_nothing_of_what_it_has_seen():
    with Ledger(ids=None) as ledger:
        tracemalloc.start()
        try:
            for number in range(5_000):
                ledger.is_new(member(f"part-{number // 100}/{number}.xml"))
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert held < 100_000  # bytes; the names alone are 200,000


def test_a_temporary_file_that_cannot_grow_is_an_error_in_words():
    with Ledger(ids=None) as ledger:
        ledger._database.execute("PRAGMA max_page_count=10")
        with pytest.raises(CollectionError, match=r"cannot be kept in a temporary file: .*full"):
            ledger.add_known((f"{number}.xml", "hash") for number in range(5_000))
