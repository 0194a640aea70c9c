"""Manifests: invalid manifests of a collection are refused."""

import json
import shutil
from pathlib import Path

import pytest

import doxel
from documents.commands import change_manifest, remove_checksums, write_files
from doxel.documents.manifest import read_manifest
from doxel.errors import CollectionError


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (None, "c: is not a collection: wanted a folder made by 'doxel ingest DOCUMENTS -o COLLECTION'"),
        ("", "manifest.json: not a manifest of a collection"),
        ("[]", "manifest.json: not a manifest of a collection"),
        ("{}", "manifest.json: not a manifest of a collection"),
        ('{"name": "my web app"}', "manifest.json: not a manifest of a collection"),
        ('{"format": 1, "parts": []}', "manifest.json: not a manifest of a collection"),
        ('{"format": 99, "shards": 7}', "c: wanted a collection of format 2 or 1, found format 99"),
    ],
)
def test_a_folder_without_a_valid_manifest_is_refused(manifest, sentence, tmp_path):
    folder = tmp_path / "c"
    folder.mkdir()
    if manifest is not None:
        (folder / "manifest.json").write_text(manifest)
    with pytest.raises(CollectionError, match=sentence):
        doxel.read_collection(folder)


@pytest.fixture
def folder(tmp_path):
    """A collection of two parts: one document in the first, two in the second."""
    sources = write_files(tmp_path / "sources", {"a.xml": '<a id="1"><p>one</p><p>two</p></a>'})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    write_files(sources, {"b.xml": "<b>three<!-- x --></b>", "c.xml": "<c><q>four</q><q/></c>"})
    doxel.ingest(sources, tmp_path / "c", jobs=1)
    return tmp_path / "c"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda data: data["parts"][0].update(documents="1"), "part-0001 with invalid counts"),
        (lambda data: data["parts"][0].update(elements=-1), "part-0001 with invalid counts"),
        (lambda data: data["parts"][0].update(characters=True), "part-0001 with invalid counts"),
        (lambda data: data["parts"][0].update(fingerprint="½"), "part-0001 with an invalid fingerprint"),
        (lambda data: data["parts"][0].update(name="part-" + "9" * 5000), "a part named 'part-999"),
        (lambda data: data["parts"][1].update(name="part-0001"), "the same part twice"),
        (lambda data: data.update(ids="number"), "invalid ids or text rules"),
        (lambda data: data.update(ids=[]), "unhashable"),
        (lambda data: data["parts"][0]["files"].pop("texts"), "part-0001 with checksums of other files than"),
        (lambda data: data["parts"][0].update(files=[]), "checksums that are not an object"),
        (lambda data: data["parts"][0]["files"]["texts"].pop(), "a checksum of 'texts' that is not a size"),
    ],
)
def test_an_invalid_manifest_is_refused(folder, change, found):
    change_manifest(folder, change)
    with pytest.raises(
        CollectionError, match=rf"manifest\.json: not a manifest of a collection: found {found}"
    ):
        doxel.read_collection(folder)


def test_an_endlessly_nested_manifest_is_refused(folder):
    (folder / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(CollectionError, match="not a manifest of a collection"):
        doxel.read_collection(folder)


def test_a_part_with_another_name_is_refused(folder):
    change_manifest(folder, lambda data: data["parts"][0].update(name="../elsewhere"))
    with pytest.raises(CollectionError, match=r"found a part named '../elsewhere'"):
        doxel.read_collection(folder)


def test_every_change_of_the_content_of_a_manifest_is_detected(folder):
    """Each bit of the file is flipped: any change of the content is refused."""
    path = folder / "manifest.json"
    intact = path.read_bytes()
    content = json.loads(intact)
    for place in range(0, 8 * len(intact), 7):  # a step that meets all bits of bytes, and all kinds of bytes
        flipped = bytearray(intact)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            read_manifest(folder)
        except CollectionError:
            continue
        assert json.loads(flipped) == content


def test_a_manifest_of_the_first_format_cannot_have_a_checksum(folder):
    change_manifest(folder, lambda data: data.update(format=1))
    with pytest.raises(CollectionError, match="not a manifest of a collection"):
        doxel.read_collection(folder)


def read_tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


@pytest.mark.parametrize("listed", [0, 1])
@pytest.mark.parametrize("has_checksums", [True, False])
def test_nothing_is_removed_if_the_manifest_lost_parts(folder, tmp_path, listed, has_checksums):
    if listed:  # one part that is not listed may be from an interrupted ingestion, two are not
        shutil.copytree(folder / "part-0002", folder / "part-0003")
    if not has_checksums:
        remove_checksums(folder)
    change_manifest(folder, lambda data: data.update(parts=data["parts"][:listed]))
    before = read_tree(folder)
    wanted = (
        rf"manifest\.json: does not list part-000{1 + listed}, part-000{2 + listed}, .*nothing was changed"
    )
    with pytest.raises(CollectionError, match=wanted):
        doxel.ingest(tmp_path / "sources", folder, jobs=1)
    assert read_tree(folder) == before
    assert len(before) == 6 * (2 + listed)


def test_an_announced_part_that_is_not_listed_is_removed(folder, tmp_path):
    """The state after a crash between the new name of the first part and the next manifest."""
    shutil.rmtree(folder / "part-0002")
    change_manifest(folder, lambda data: data.update(parts=[], complete=False, adopting="part-0001"))
    doxel.ingest(tmp_path / "sources", folder, jobs=1)
    assert list(doxel.read_collection(folder)) == ["a", "b", "c"]
    assert json.loads((folder / "manifest.json").read_bytes())["adopting"] is None


def test_adding_documents_to_a_collection_without_checksums_adds_them_for_new_parts(folder, tmp_path):
    remove_checksums(folder)
    write_files(tmp_path / "sources", {"d.xml": "<d>five</d>"})
    doxel.ingest(tmp_path / "sources", folder, jobs=1)
    manifest = read_manifest(folder)
    assert (manifest.format, manifest.parts_without_checksums, len(manifest.parts)) == (2, 2, 3)
    assert doxel.read_collection(folder)["d"].text == "five"


def test_the_first_part_is_announced_before_it_gets_its_name(tmp_path, monkeypatch):
    announced = []
    rename = Path.rename

    def record_rename(path, target):
        announced.append(json.loads((tmp_path / "c" / "manifest.json").read_bytes())["adopting"])
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", record_rename)
    doxel.ingest(write_files(tmp_path / "s", {"a.xml": "<a>one</a>"}), tmp_path / "c", jobs=1)
    assert announced == ["part-0001"]
