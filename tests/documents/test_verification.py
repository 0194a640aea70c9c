"""Verifying collections: all damage is listed, and the fingerprint is computed from the texts."""

import shutil

import polars as pl
import pytest

import doxel
from documents.commands import change_manifest, remove_checksums, write_files
from doxel.documents.verification import verify_collection
from doxel.errors import CollectionError


@pytest.fixture
def folder(tmp_path):
    """A collection of two parts with two documents."""
    sources = write_files(tmp_path / "sources", {"a.xml": '<a id="1"><p>one</p><p>two</p></a>'})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    write_files(sources, {"b.xml": "<b>three<!-- x --></b>"})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    return tmp_path / "c"


def flip(path, place=10):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_an_intact_collection_has_no_problems(folder):
    verification = verify_collection(folder)
    assert verification.problems == verification.unlisted == ()
    assert verification.fingerprint == doxel.read_collection(folder).fingerprint
    assert (verification.documents, verification.files, verification.checked_files) == (2, 12, 12)


def test_all_damaged_files_are_listed(folder):
    flip(folder / "part-0001" / "attributes.parquet")
    flip(folder / "part-0002" / "elements.parquet")
    (folder / "part-0002" / "breaks.parquet").unlink()
    problems = verify_collection(folder).problems
    assert [problem.partition(": ")[0].removeprefix(f"{folder}/") for problem in problems] == [
        "part-0001/attributes.parquet",
        "part-0002/elements.parquet",
        "part-0002/breaks.parquet",
    ]
    assert "changed since it was written: wanted the SHA-256 " in problems[0]
    assert "no such file" in problems[2]


def test_damaged_texts_have_no_fingerprint(folder):
    flip(folder / "part-0001" / "texts.parquet")
    verification = verify_collection(folder)
    assert verification.fingerprint is None
    assert len(verification.problems) == 1


@pytest.mark.parametrize("table", ["texts", "documents"])
def test_other_texts_or_names_have_another_fingerprint(folder, table):
    """Without checksums, the fingerprint shows the change."""
    remove_checksums(folder)
    path = folder / "part-0001" / f"{table}.parquet"
    changes = {"texts": {"text": pl.lit("oneTWO")}, "documents": {"source": pl.lit("z.xml")}}
    pl.read_parquet(path).with_columns(**changes[table]).write_parquet(path)
    verification = verify_collection(folder)
    assert verification.fingerprint != doxel.read_collection(folder).fingerprint
    (problem,) = verification.problems
    assert "part-0001: the texts differ from those that were ingested: wanted the fingerprint " in problem


def test_a_changed_fingerprint_in_the_manifest_is_a_problem(folder):
    change_manifest(folder, lambda data: data["parts"][1].update(fingerprint="0" * 32))
    (problem,) = verify_collection(folder).problems
    assert "part-0002: the texts differ" in problem


def test_tables_without_checksums_are_read(folder):
    remove_checksums(folder)
    assert verify_collection(folder).problems == ()
    path = folder / "part-0001" / "elements.parquet"
    pl.read_parquet(path).with_columns(label=pl.lit(7, dtype=pl.UInt32)).write_parquet(path)
    verification = verify_collection(folder)
    assert verification.checked_files == 0
    assert "wanted one of 2 labels, found 7" in verification.problems[0]


def test_parts_that_are_not_listed_are_named(folder):
    shutil.copytree(folder / "part-0001", folder / "part-0009")
    assert verify_collection(folder).unlisted == ("part-0009",)


def test_a_damaged_manifest_is_an_error(folder):
    flip(folder / "manifest.json", 3)
    with pytest.raises(CollectionError, match="not a manifest"):
        verify_collection(folder)


def test_progress_is_reported_per_part(folder):
    ticks = []
    verify_collection(folder, progress=lambda: ticks.append(1))
    assert len(ticks) == 2
