"""Collections whose parts were cut, swapped or written by somebody else: noticed, and named."""

import json
import shutil

import polars as pl
import pytest

import doxel
from documents.commands import write_files
from doxel.errors import CollectionError


@pytest.fixture
def folder(tmp_path):
    """A collection of two parts, of one document and of two."""
    sources = write_files(tmp_path / "sources", {"a.xml": '<a id="1"><p>one</p><p>two</p></a>'})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    write_files(sources, {"b.xml": "<b>three<!-- x --></b>", "c.xml": "<c><q>four</q><q/></c>"})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    return tmp_path / "c"


def look(folder):
    """Read all there is."""
    found = doxel.read_collection(folder)
    found.forest(range(len(found.documents))).frame()
    for number in range(len(found)):
        found.text(number), found.attributes(number), found.breaks(number)
    return found


def test_what_is_whole_is_read(folder):
    assert list(look(folder)) == ["a", "b", "c"]


@pytest.mark.parametrize("table", ["documents", "elements", "texts", "breaks"])
def test_a_table_of_another_part_is_noticed(folder, table):
    one, other = (folder / part / f"{table}.parquet" for part in ("part-0001", "part-0002"))
    shutil.copy(one, other)
    with pytest.raises(
        CollectionError, match=rf"{table}\.parquet: not what was written, the collection is dam"
    ):
        look(folder)


def test_parts_that_changed_places_are_noticed(folder):
    (folder / "part-0001").rename(folder / "x")
    (folder / "part-0002").rename(folder / "part-0001")
    (folder / "x").rename(folder / "part-0002")
    wanted = (
        "wanted 1 documents with 3 elements and 6 characters, found 2 documents with 4 elements and 9 char"
    )
    with pytest.raises(CollectionError, match=rf"part-0001/documents\.parquet: .*{wanted}"):
        look(folder)


@pytest.mark.parametrize("table", ["documents", "elements", "labels", "attributes", "breaks", "texts"])
def test_a_table_with_other_columns_is_noticed(folder, table):
    path = folder / "part-0002" / f"{table}.parquet"
    pl.read_parquet(path).rename(lambda name: f"{name}_").write_parquet(path)
    with pytest.raises(CollectionError, match=rf"part-0002/{table}\.parquet: .*the collection is damaged"):
        look(folder)


def rewrite(folder, table, **columns):
    path = folder / "part-0001" / f"{table}.parquet"
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)


@pytest.mark.parametrize(
    ("table", "columns", "found"),
    [
        ("elements", {"label": pl.lit(7, dtype=pl.UInt32)}, "wanted one of 2 labels, found 7"),
        ("elements", {"descendants": pl.lit(9, dtype=pl.UInt32)}, "elements that end within the 3 there are"),
        ("labels", {"parent": pl.lit(5, dtype=pl.Int32)}, "label paths after their parents"),
        ("labels", {"name": pl.lit(None, dtype=pl.String)}, "a parent and a name each"),
    ],
)
def test_numbers_that_lead_out_of_a_table_are_noticed(folder, table, columns, found):
    rewrite(folder, table, **columns)
    with pytest.raises(
        CollectionError, match=rf"part-0001/{table}\.parquet: not what was written, .*{found}"
    ):
        look(folder)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda said: said["parts"][0].update(documents="1"), "part-0001 with counts that are none"),
        (lambda said: said["parts"][0].update(elements=-1), "part-0001 with counts that are none"),
        (lambda said: said["parts"][0].update(characters=True), "part-0001 with counts that are none"),
        (lambda said: said["parts"][0].update(fingerprint="½"), "part-0001 with a fingerprint that is none"),
        (lambda said: said["parts"][0].update(name="part-" + "9" * 5000), "a part called 'part-999"),
        (lambda said: said["parts"][1].update(name="part-0001"), "a part that is listed twice"),
        (lambda said: said.update(ids="number"), "ids or text rules of another kind"),
        (lambda said: said.update(ids=[]), "unhashable"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(folder, change, found):
    said = json.loads((folder / "manifest.json").read_bytes())
    change(said)
    (folder / "manifest.json").write_text(json.dumps(said))
    with pytest.raises(
        CollectionError, match=rf"manifest\.json: not a manifest of a collection: found {found}"
    ):
        doxel.read_collection(folder)


def test_a_manifest_nested_without_end_is_refused(folder):
    (folder / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(CollectionError, match="not a manifest of a collection"):
        doxel.read_collection(folder)
