"""Collections in Python, and collections that cannot be opened."""

import numpy as np
import pytest

import doxel
from documents.commands import write_files
from doxel.documents.parts import StoredParts
from doxel.errors import CollectionError

ARTICLE = """<article xmlns:x="urn:x"><title lang="en">On <i>doxels</i></title><body>
<p>First 😀 paragraph.</p><x:p>Another<!-- aside --> one.</x:p><empty/></body></article>"""


@pytest.fixture
def folder(tmp_path):
    write_files(tmp_path / "s", {"one.xml": ARTICLE, "two.xml": "<article>Two</article>"})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    return tmp_path / "c"


def test_a_collection_lists_its_documents(folder):
    collection = doxel.read_collection(folder)
    assert len(collection) == 2
    assert list(collection) == ["one", "two"]
    table = collection.documents.select("doc", "source", "elements", "characters", "attributes", "breaks")
    assert table.rows() == [("one", "one.xml", 7, 40, 1, 1), ("two", "two.xml", 1, 3, 0, 0)]
    assert repr(collection) == f"<Collection {str(folder)!r}: 2 documents>"
    assert 5 not in collection


def test_the_forest_of_no_documents_is_empty(folder):
    forest = doxel.read_collection(folder).forest([])
    assert len(forest) == 0
    assert forest.paths().to_list() == []
    assert forest.frame().height == 0


@pytest.mark.parametrize("numbers", [[], [0], [1, 0], [0, 1, 1, 0]])
def test_documents_of_the_shared_forest_are_not_read_again(folder, monkeypatch, numbers):
    frame = doxel.read_collection(folder).forest(numbers).frame()
    collection = doxel.read_collection(folder)
    collection.shared_forest(np.array([0, 1]))
    monkeypatch.setattr(StoredParts, "elements", None)
    forest = collection.forest(numbers)
    assert forest.frame().equals(frame)
    assert len(forest.first) == len(numbers) + 1


def test_tables_are_read_only_when_needed(folder, monkeypatch):
    tables: list[str] = []
    find_path = StoredParts.path

    def record_path(parts, part, table):
        tables.extend([] if table in tables else [table])
        return find_path(parts, part, table)

    doxel.read_collection(folder)
    monkeypatch.setattr(StoredParts, "path", record_path)
    monkeypatch.setattr(StoredParts, "check_files", lambda _: None)  # reads the end of each file
    collection = doxel.read_collection(folder)
    assert tables == []
    document = collection["two"]
    assert tables == ["documents"]
    assert document.text == "Two"
    assert tables == ["documents", "texts"]


def test_texts_read_together_belong_to_their_documents(tmp_path, monkeypatch):
    monkeypatch.setattr("doxel.documents.ingestion.BATCH_BYTES", 100)  # makes several parts
    monkeypatch.setattr("doxel.documents.collection._STRETCH", 40)
    texts = ["x" * (number * 7 % 60) for number in range(30)]
    write_files(tmp_path, {f"s/{number:02}.xml": f"<a>{text}</a>" for number, text in enumerate(texts)})
    doxel.ingest(tmp_path / "s", tmp_path / "c")
    collection = doxel.read_collection(tmp_path / "c")
    assert len(collection.manifest.parts) > 3
    assert [collection.text(number) for number in range(30)] == texts
    assert [collection.text(number) for number in (29, 3, 17, 3, -1)] == [
        texts[n] for n in (29, 3, 17, 3, -1)
    ]


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(CollectionError, match="gone: does not exist"):
        doxel.read_collection(tmp_path / "gone")
    (tmp_path / "file").write_text("")
    with pytest.raises(CollectionError, match="file: is not a collection: wanted a folder made by"):
        doxel.read_collection(tmp_path / "file")
