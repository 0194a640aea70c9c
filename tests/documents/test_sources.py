"""The same documents give the same collection, in any archive and with any number of processes."""

import gzip
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import doxel
from documents.commands import contents, write_files
from doxel.documents import ingestion

FILES = {
    "one.xml": "<a>first <b>text</b> 😀</a>",
    "sub/two.xml": '<a xmlns="urn:x">second<!-- note --> text</a>',
    "sub/deep/three.xml": '<a id="3"><![CDATA[third]]></a>',
    "sub/journal.one.4.xml": "<a/>",
}
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path / "articles", FILES)


def pack_tar(folder: Path, mode: str) -> Path:
    path = folder.parent / f"articles.tar.{mode}"
    with tarfile.open(path, mode) as archive:
        archive.add(folder, ".")
    return path


def pack_zip(folder: Path) -> Path:
    path = folder.parent / "articles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in FILES:
            archive.write(folder / name, name)
    return path


def compress_all(folder: Path, suffix: str) -> Path:
    target = folder.parent / f"compressed{suffix}"
    return write_files(
        target, {name + suffix: COMPRESS[suffix](text.encode()) for name, text in FILES.items()}
    )


def ingested(source: object, folder: Path, **options: object) -> doxel.Collection:
    report = doxel.ingest(source, folder, **options)
    assert not report.refused
    return doxel.read_collection(folder)


def by_id(collection: doxel.Collection) -> dict[str, dict[str, object]]:
    """The whole content of a collection by id, except the sources."""
    return {
        document["doc"]: {key: value for key, value in document.items() if key != "source"}
        for document in contents(collection)
    }


PACKINGS = {
    "tar": lambda folder: pack_tar(folder, "w"),
    "tar.gz": lambda folder: pack_tar(folder, "w:gz"),
    "tar.xz": lambda folder: pack_tar(folder, "w:xz"),
    "zip": pack_zip,
    ".xml.gz": lambda folder: compress_all(folder, ".gz"),
    ".xml.xz": lambda folder: compress_all(folder, ".xz"),
    ".xml.zst": lambda folder: compress_all(folder, ".zst"),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_archive_and_compression_gives_the_same_collection(packing, folder, tmp_path):
    plain = ingested(folder, tmp_path / "plain")
    packed = ingested(PACKINGS[packing](folder), tmp_path / "packed")
    assert packed.fingerprint == plain.fingerprint
    assert by_id(packed) == by_id(plain)
    assert set(packed) == {"one", "two", "three", "journal.one.4"}


def test_files_given_one_by_one_give_the_same_collection(folder, tmp_path):
    plain = ingested(folder, tmp_path / "plain")
    single = ingested([folder / name for name in FILES], tmp_path / "single")
    assert single.fingerprint == plain.fingerprint
    assert by_id(single) == by_id(plain)


def test_a_single_file_is_a_document_whatever_its_suffix(tmp_path):
    write_files(tmp_path, {"article.v2": "<a>text</a>", "plain": "<a>more</a>"})
    collection = ingested([tmp_path / "article.v2", tmp_path / "plain"], tmp_path / "c")
    assert list(collection) == ["article.v2", "plain"]


def test_files_of_other_kinds_are_counted(folder, tmp_path):
    write_files(folder, {"figure.png": "", "sub/data.csv": "", "sub/more.csv": "", "README": ""})
    report = doxel.ingest(folder, tmp_path / "c")
    assert report.ignored == {".png": 1, ".csv": 2, "no suffix": 1}
    assert report.documents == len(FILES)


@pytest.mark.parametrize("pack", [None, pack_zip])
def test_more_processes_give_the_same_collection(pack, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1)  # one part per document
    source = pack(folder) if pack else folder
    one = ingested(source, tmp_path / "one", jobs=1)
    two = ingested(source, tmp_path / "two", jobs=2)
    assert contents(two) == contents(one)
    assert two.manifest == one.manifest
    assert len(one.manifest.parts) == len(FILES)


def test_the_division_into_parts_makes_no_difference(folder, tmp_path, monkeypatch):
    together = ingested(folder, tmp_path / "together")
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1)
    apart = ingested(folder, tmp_path / "apart")
    assert len(together.manifest.parts) == 1
    assert len(apart.manifest.parts) == len(FILES)
    assert contents(apart) == contents(together)
    assert apart.fingerprint == together.fingerprint


@pytest.mark.parametrize(
    "changed",
    [
        {"one.xml": "<a>first <b>text</b> 😁</a>"},
        {"one.xml": None, "uno.xml": FILES["one.xml"]},
        {"one.xml": FILES["sub/deep/three.xml"], "sub/deep/three.xml": FILES["one.xml"]},
        {"sub/journal.one.4.xml": None, "sub/journal.one.5.xml": "<a/>"},
        {"another.xml": "<a/>"},
    ],
    ids=["text", "name", "texts swapped", "end of a name with dots", "one more"],
)
def test_different_collections_have_different_fingerprints(changed, folder, tmp_path):
    before = ingested(folder, tmp_path / "before").fingerprint
    for name, content in changed.items():
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(content)
    assert ingested(folder, tmp_path / "after").fingerprint != before


def test_progress_counts_documents_and_bytes(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1)
    steps: list[tuple[int, int]] = []
    doxel.ingest(folder, tmp_path / "c", progress=lambda *step: steps.append(step))
    assert [documents for documents, _ in steps] == [1] * len(FILES)
    assert sum(size for _, size in steps) == sum(len(text.encode()) for text in FILES.values())
