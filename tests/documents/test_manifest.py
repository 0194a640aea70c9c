"""Manifests: what is not a valid manifest of a collection is refused."""

import json

import pytest

import doxel
from documents.commands import write_files
from doxel.errors import CollectionError


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
    ],
)
def test_an_invalid_manifest_is_refused(folder, change, found):
    data = json.loads((folder / "manifest.json").read_bytes())
    change(data)
    (folder / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(
        CollectionError, match=rf"manifest\.json: not a manifest of a collection: found {found}"
    ):
        doxel.read_collection(folder)


def test_an_endlessly_nested_manifest_is_refused(folder):
    (folder / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(CollectionError, match="not a manifest of a collection"):
        doxel.read_collection(folder)


def test_a_part_with_another_name_is_refused(folder):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["parts"][0]["name"] = "../elsewhere"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CollectionError, match=r"found a part named '../elsewhere'"):
        doxel.read_collection(folder)
