"""Ingestion: the same documents give the same collection, even after an ingestion that was killed."""

import gzip
import lzma
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import doxel
from documents.commands import contents, is_sentence, names_in, write_files
from documents.commands import doxel as command
from doxel.documents import ingestion, read_collection
from doxel.errors import CollectionError
from random_share import take_some

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
    serial = ingested(source, tmp_path / "one", jobs=1)
    two = ingested(source, tmp_path / "two", jobs=2)
    assert contents(two) == contents(serial)
    assert two.manifest == serial.manifest
    assert len(serial.manifest.parts) == len(FILES)


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


DOCUMENTS = 200

# Ingests in small parts.  If the third argument is n > 0, the process kills itself before the n-th change
# of the collection: creating, renaming, opening or removing a file.
DRIVER = """
import os, signal, sys
from doxel.documents import ingestion

source, folder, moment, jobs = sys.argv[1:]
changes = 0

def watch(event, arguments):
    global changes
    if event not in ("open", "os.mkdir", "os.rename", "os.remove", "os.chmod", "shutil.rmtree"):
        return
    if isinstance(arguments[0], (str, os.PathLike)) and os.fspath(arguments[0]).startswith(folder):
        changes += 1
        if changes == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    ingestion.BATCH_BYTES = 2500
    if int(moment):
        sys.addaudithook(watch)
    ingestion.ingest(source, folder, jobs=int(jobs))
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A few hundred documents of a few hundred bytes each, two of them broken."""
    choose = random.Random(2006)
    folder = tmp_path_factory.mktemp("source")
    for number in range(DOCUMENTS):
        paragraphs = "".join(
            f"<p>{choose.getrandbits(200):x}<!-- - --></p>" for _ in range(choose.randint(1, 9))
        )
        write_files(folder, {f"{number % 7}/d{number}.xml": f'<article id="{number}">{paragraphs}</article>'})
    return write_files(folder, {"0/bad.xml": "<article>", "6/worse.xml": ""})


@pytest.fixture(scope="module")
def undisturbed(source, tmp_path_factory):
    """The collection of an uninterrupted ingestion."""
    folder = tmp_path_factory.mktemp("undisturbed") / "c"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingestion, "BATCH_BYTES", 2500)
        assert len(ingestion.ingest(source, folder).refused) == 2
    assert len(read_collection(folder).manifest.parts) > 20
    return folder


@pytest.fixture(scope="module")
def expected(undisturbed):
    return contents(undisturbed)


def start(source: Path, folder: Path, *, moment: int = 0, jobs: int = 1) -> subprocess.Popen[bytes]:
    arguments = [str(source), str(folder), str(moment), str(jobs)]
    script = folder.parent / "driver.py"
    script.write_text(DRIVER)
    return subprocess.Popen([sys.executable, str(script), *arguments], stderr=subprocess.DEVNULL)


def check_partial_collection(folder: Path, expected: list[dict]) -> int:
    """Check that a collection cannot be opened or is valid; return the number of its documents."""
    outcome = command("collection", folder)
    assert all(is_sentence(message) for message in outcome.messages)
    try:
        documents = contents(folder)
    except CollectionError:
        assert outcome.status == 2
        return 0
    assert outcome.status == 0
    assert documents == expected[: len(documents)]
    if not read_collection(folder).manifest.complete:
        assert any("its ingestion was interrupted" in message for message in outcome.messages)
    return len(documents)


def check_completion(source: Path, folder: Path, undisturbed: Path, expected: list[dict]) -> None:
    """Repeat the ingestion and check that the result equals that of an uninterrupted one."""
    outcome = command("ingest", source, "-o", folder, "--jobs", 1)
    assert outcome.status == 1  # the two broken ones, as before
    assert contents(folder) == expected
    manifest, other = read_collection(folder).manifest, read_collection(undisturbed).manifest
    assert (manifest.fingerprint, manifest.ids, manifest.complete) == (other.fingerprint, other.ids, True)
    assert names_in(folder) == [".lock", "manifest.json", *sorted(part.name for part in manifest.parts)]


# Six changes create the folder, the lock and the manifest; six more create each part: its folder, its
# final name, and the manifest (a temporary file, its permissions, its final name).  The first part is
# announced in one more manifest.  Tested are all moments up to the second part, and two later ones: before a
# part and before the manifest gets its final name.
@pytest.mark.parametrize("moment", take_some([*range(1, 18), 35, 38], 5))
def test_an_ingestion_killed_before_a_change_can_be_completed(
    moment, source, undisturbed, expected, tmp_path
):
    folder = tmp_path / "c"
    process = start(source, folder, moment=moment)
    assert process.wait(timeout=600) == -signal.SIGKILL
    documents = check_partial_collection(folder, expected)
    assert documents < DOCUMENTS
    check_completion(source, folder, undisturbed, expected)


@pytest.mark.parametrize(("parts", "jobs"), take_some([(0, 1), (1, 2), (4, 1), (0, 2), (4, 2), (1, 1)], 2))
def test_an_ingestion_killed_after_some_parts_can_be_completed(
    parts, jobs, source, undisturbed, expected, tmp_path
):
    """The process may be parsing, writing a part or waiting for its workers at that time."""
    folder = tmp_path / "c"
    process = start(source, folder, jobs=jobs)
    while process.poll() is None:
        if folder.exists() and len(list(folder.glob("part-*"))) >= parts:
            process.kill()
            break
        time.sleep(0.001)
    assert process.wait(timeout=600) in {-signal.SIGKILL, 0}  # 0: on a busy machine it may end first
    check_partial_collection(folder, expected)
    check_completion(source, folder, undisturbed, expected)


def test_an_ingestion_killed_several_times_can_be_completed(source, undisturbed, expected, tmp_path):
    folder = tmp_path / "c"
    progress = [0]
    for moment in (30, 40, 50):
        assert start(source, folder, moment=moment).wait(timeout=600) == -signal.SIGKILL
        progress.append(check_partial_collection(folder, expected))
    assert progress == sorted(set(progress))  # each attempt adds documents
    check_completion(source, folder, undisturbed, expected)


def test_a_worker_that_outlives_its_parent_cannot_disturb_the_next_ingestion(
    source, undisturbed, expected, tmp_path
):
    """The worker's late files have temporary names, and are removed."""
    folder = tmp_path / "c"
    assert start(source, folder, moment=20).wait(timeout=600) == -signal.SIGKILL
    late = folder / "part-0003.0123abcd"
    late.mkdir()
    (late / "texts.parquet").write_bytes(b"half a file")
    (folder / ".manifest.json.x1y2").write_bytes(b"{")
    check_partial_collection(folder, expected)
    check_completion(source, folder, undisturbed, expected)


def test_a_part_that_the_manifest_does_not_list_is_ignored(undisturbed, expected, tmp_path):
    folder = shutil.copytree(undisturbed, tmp_path / "c")
    shutil.copytree(folder / "part-0001", folder / "part-9999")
    assert contents(folder) == expected
