"""Parts of a collection: tables that were cut, swapped or changed are detected and named.

With checksums every change is; without, in collections that doxel 1.x made, changes that leave the tables in
disorder, and changes of texts.
"""

import shutil

import polars as pl
import pytest

import doxel
from documents.commands import remove_checksums, write_files
from doxel.errors import CollectionError
from random_share import take_some


@pytest.fixture
def folder(tmp_path):
    """A collection of two parts: one document in the first, two in the second."""
    sources = write_files(tmp_path / "sources", {"a.xml": '<a id="1"><p>one</p><p>two</p></a>'})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    write_files(sources, {"b.xml": "<b>three<!-- x --></b>", "c.xml": "<c><q>four</q><q/></c>"})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    return tmp_path / "c"


@pytest.fixture
def old_folder(folder):
    """The same collection as doxel 1.x made it."""
    return remove_checksums(folder)


def read_everything(folder):
    """Read all tables of a collection."""
    collection = doxel.read_collection(folder)
    collection.forest(range(len(collection.documents))).frame()
    for number in range(len(collection)):
        collection.text(number), collection.attributes(number), collection.breaks(number)
    return collection


TABLES = ["documents", "elements", "labels", "attributes", "breaks", "texts"]


def test_an_intact_collection_is_read(folder):
    assert list(read_everything(folder)) == ["a", "b", "c"]


def test_an_intact_collection_without_checksums_is_read(old_folder):
    collection = read_everything(old_folder)
    assert list(collection) == ["a", "b", "c"]
    assert collection.manifest.parts_without_checksums == 2


CHANGED = "changed since it was written, the collection is damaged"


@pytest.mark.parametrize("table", take_some(TABLES, 2))
def test_a_flipped_bit_is_detected_when_the_table_is_read(folder, table):
    """In the middle of the file, which opening does not read."""
    path = folder / "part-0002" / f"{table}.parquet"
    intact = path.read_bytes()
    for place in range(4, min(len(intact), 100)):
        path.write_bytes(intact[:place] + bytes([intact[place] ^ 1]) + intact[place + 1 :])
        with pytest.raises(
            CollectionError, match=rf"part-0002/{table}\.parquet: .*the collection is damaged"
        ):
            read_everything(folder)
        path.write_bytes(intact)


@pytest.mark.parametrize("table", TABLES)
def test_swapped_tables_are_detected_when_the_collection_is_opened(folder, table):
    first, second = (folder / part / f"{table}.parquet" for part in ("part-0001", "part-0002"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    with pytest.raises(CollectionError, match=rf"part-0001/{table}\.parquet: {CHANGED}: wanted "):
        doxel.read_collection(folder)


def test_a_changed_footer_is_detected_when_the_collection_is_opened(folder):
    path = folder / "part-0001" / "texts.parquet"
    content = bytearray(path.read_bytes())
    content[-20] ^= 4
    path.write_bytes(content)
    with pytest.raises(CollectionError, match=rf"texts\.parquet: {CHANGED}: wanted the CRC-32 of its end"):
        doxel.read_collection(folder)


def test_a_changed_text_is_detected_without_checksums(old_folder):
    path = old_folder / "part-0002" / "texts.parquet"
    pl.DataFrame({"text": ["threE", "four"]}).write_parquet(path)
    with pytest.raises(CollectionError, match=rf"texts\.parquet: {CHANGED}: wanted the hash .* of text 1, "):
        doxel.read_collection(old_folder)["b"].text  # noqa: B018 -- to have it read


def test_a_missing_text_is_detected_without_checksums(old_folder):
    path = old_folder / "part-0002" / "texts.parquet"
    pl.DataFrame({"text": ["three", None]}, schema={"text": pl.String}).write_parquet(path)
    with pytest.raises(CollectionError, match="of text 2, found no text"):
        doxel.read_collection(old_folder)["b"].text  # noqa: B018 -- to have it read


@pytest.mark.parametrize("table", ["documents", "elements", "texts", "breaks"])
def test_a_table_of_another_part_is_detected(old_folder, table):
    folder = old_folder
    first, second = (folder / part / f"{table}.parquet" for part in ("part-0001", "part-0002"))
    shutil.copy(first, second)
    with pytest.raises(
        CollectionError, match=rf"{table}\.parquet: changed since it was written, the collection is damaged"
    ):
        read_everything(folder)


def test_swapped_parts_are_detected(old_folder):
    folder = old_folder
    (folder / "part-0001").rename(folder / "x")
    (folder / "part-0002").rename(folder / "part-0001")
    (folder / "x").rename(folder / "part-0002")
    wanted = (
        "wanted 1 documents with 3 elements and 6 characters, found 2 documents with 4 elements and 9 char"
    )
    with pytest.raises(CollectionError, match=rf"part-0001/documents\.parquet: .*{wanted}"):
        read_everything(folder)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_with_other_columns_is_detected(old_folder, table):
    folder = old_folder
    path = folder / "part-0002" / f"{table}.parquet"
    pl.read_parquet(path).rename(lambda name: f"{name}_").write_parquet(path)
    with pytest.raises(CollectionError, match=rf"part-0002/{table}\.parquet: .*the collection is damaged"):
        read_everything(folder)


def rewrite(folder, table, **columns):
    path = folder / "part-0001" / f"{table}.parquet"
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)


@pytest.mark.parametrize(
    ("table", "columns", "found"),
    [
        ("elements", {"label": pl.lit(7, dtype=pl.UInt32)}, "wanted one of 2 labels, found 7"),
        ("elements", {"descendants": pl.lit(9, dtype=pl.UInt32)}, "descendants within the 3 elements"),
        ("labels", {"parent": pl.lit(5, dtype=pl.Int32)}, "label paths after their parents"),
        ("labels", {"name": pl.lit(None, dtype=pl.String)}, "a parent and a name for each label path"),
    ],
)
def test_numbers_out_of_range_are_detected(old_folder, table, columns, found):
    folder = old_folder
    rewrite(folder, table, **columns)
    with pytest.raises(
        CollectionError, match=rf"part-0001/{table}\.parquet: changed since it was written, .*{found}"
    ):
        read_everything(folder)


READ_TABLE = {
    "documents": lambda collection: collection.documents,
    "elements": lambda collection: collection["a"].forest,
    "labels": lambda collection: collection["a"].forest,
    "attributes": lambda collection: collection["a"].attributes(0),
    "breaks": lambda collection: collection.breaks(0),
    "texts": lambda collection: collection["a"].text,
}


@pytest.mark.parametrize("damage", ["missing", "empty", "cut"])
@pytest.mark.parametrize("table", READ_TABLE)
def test_a_damaged_part_is_named_when_the_collection_is_opened(table, damage, folder):
    damage_file(folder / "part-0001" / f"{table}.parquet", damage)
    wanted = "cannot be read, the collection is damaged: no such file" if damage == "missing" else CHANGED
    with pytest.raises(CollectionError, match=rf"{table}\.parquet: {wanted}"):
        doxel.read_collection(folder)


def damage_file(path, damage):
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(b"" if damage == "empty" else path.read_bytes()[:-20])


@pytest.mark.parametrize("damage", ["missing", "empty", "cut"])
@pytest.mark.parametrize("table", READ_TABLE)
def test_a_damaged_part_without_checksums_is_named_when_it_is_read(table, damage, old_folder):
    folder = old_folder
    damage_file(folder / "part-0001" / f"{table}.parquet", damage)
    wanted = rf"{table}\.parquet: cannot be read, the collection is damaged: .+"
    with pytest.raises(CollectionError, match=wanted) as caught:
        READ_TABLE[table](doxel.read_collection(folder))
    assert "\n" not in str(caught.value)
