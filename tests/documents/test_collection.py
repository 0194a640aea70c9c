"""Collections in Python, and collections that cannot be opened."""

import json
from pathlib import Path

import polars as pl
import pytest

import doxel
from documents.commands import write_files
from doxel.errors import CollectionError, InputError

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


def test_a_document_has_a_text_and_a_table_of_elements(folder):
    document = doxel.read_collection(str(folder))["one"]
    assert (document.id, document.source) == ("one", "one.xml")
    assert document.text == "On doxels\nFirst 😀 paragraph.Another one."
    assert document.elements.select(
        "path", "tag", "start", "end", "depth", "parent", "subtree_end"
    ).rows() == [
        ("/article[1]", "article", 0, 40, 1, -1, 7),
        ("/article[1]/title[1]", "title", 0, 9, 2, 0, 3),
        ("/article[1]/title[1]/i[1]", "i", 3, 9, 3, 1, 3),
        ("/article[1]/body[1]", "body", 9, 40, 2, 0, 7),
        ("/article[1]/body[1]/p[1]", "p", 10, 28, 3, 3, 5),
        ("/article[1]/body[1]/p[2]", "p", 28, 40, 3, 3, 6),
        ("/article[1]/body[1]/empty[1]", "empty", 40, 40, 3, 3, 7),
    ]


def test_a_document_navigates_between_elements(folder):
    document = doxel.read_collection(folder)["one"]
    second = document.find("/article[1]/body[1]/p[2]")
    assert document.text_of(second) == "Another one."
    assert document.path(second) == "/article[1]/body[1]/p[2]"
    assert document.span(second) == (28, 40)
    assert document.parent(second) == 3
    assert document.ancestors(second) == [3, 0]
    assert document.children(3) == [4, 5, 6]
    assert document.parent(0) is None
    assert document.attributes(1) == {"lang": "en"}
    assert document.find("/article/body/x:p[2]") == second  # positions of 1 and prefixes may be left out


def test_the_forest_of_no_documents_is_empty(folder):
    forest = doxel.read_collection(folder).forest([])
    assert len(forest) == 0
    assert forest.paths().to_list() == []
    assert forest.frame().height == 0


def test_finding_a_missing_element_is_an_error(folder):
    document = doxel.read_collection(folder)["one"]
    with pytest.raises(CollectionError, match=r"document 'one' has no element /article\[1\]/p\[1\]"):
        document.find("/article[1]/p[1]")
    with pytest.raises(InputError, match=r"element path: wanted .*, found 'p'"):
        document.find("p")


def test_tables_are_read_only_when_needed(folder, monkeypatch):
    tables: list[str] = []
    scan = pl.scan_parquet

    def record_scan(paths, **options):
        tables.extend(Path(path).stem for path in (paths if isinstance(paths, list) else [paths]))
        return scan(paths, **options)

    monkeypatch.setattr(pl, "scan_parquet", record_scan)
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


# Collections that cannot be opened


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (None, "c: has no manifest: wanted a collection made by 'doxel ingest'"),
        ("", "manifest.json: not a manifest of a collection"),
        ("[]", "manifest.json: not a manifest of a collection"),
        ("{}", "manifest.json: not a manifest of a collection"),
        ('{"name": "my web app"}', "manifest.json: not a manifest of a collection"),
        ('{"format": 1, "parts": []}', "manifest.json: not a manifest of a collection"),
        ('{"format": 99, "shards": 7}', "c: wanted a collection of format 1, found format 99"),
    ],
)
def test_a_folder_without_a_valid_manifest_is_refused(manifest, sentence, tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    if manifest is not None:
        (folder / "manifest.json").write_text(manifest)
    with pytest.raises(CollectionError, match=sentence):
        doxel.read_collection(folder)


def test_a_part_with_another_name_is_refused(folder):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["parts"][0]["name"] = "../elsewhere"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CollectionError, match=r"found a part named '../elsewhere'"):
        doxel.read_collection(folder)


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(CollectionError, match="gone: does not exist"):
        doxel.read_collection(tmp_path / "gone")
    (tmp_path / "file").write_text("")
    with pytest.raises(CollectionError, match=r"file/manifest\.json: cannot be read: not a directory"):
        doxel.read_collection(tmp_path / "file")


READ_TABLE = {
    "documents": lambda collection: collection.documents,
    "elements": lambda collection: collection["one"].forest,
    "labels": lambda collection: collection["one"].forest,
    "attributes": lambda collection: collection["one"].attributes(0),
    "breaks": lambda collection: collection.breaks(0),
    "texts": lambda collection: collection["one"].text,
}


@pytest.mark.parametrize("damage", ["missing", "empty", "cut"])
@pytest.mark.parametrize("table", READ_TABLE)
def test_a_damaged_part_is_named(table, damage, folder):
    path = folder / "part-0001" / f"{table}.parquet"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(b"" if damage == "empty" else path.read_bytes()[:-20])
    wanted = rf"{table}\.parquet: cannot be read, the collection is damaged: .+"
    with pytest.raises(CollectionError, match=wanted) as caught:
        READ_TABLE[table](doxel.read_collection(folder))
    assert "\n" not in str(caught.value)
